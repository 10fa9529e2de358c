#include "api/own_task.h"

#include <algorithm>
#include <stdexcept>

#include "api/access.h"

namespace schemamem::impl {
namespace {

constexpr std::size_t kMostClasses = std::size_t{1} << 20;
constexpr std::size_t kMostBits = 30;
constexpr std::size_t kMostGroups = 100;

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument("TaskShape: " + message); }

v0::TaskShape checked(v0::TaskShape shape) {
  if ((shape.inputs == 0) == (shape.symbols == 0)) refuse("give either inputs or symbols");
  if ((shape.classes == 0) == (shape.bits == 0)) refuse("give either classes or bits");
  if (std::max({shape.inputs, shape.symbols, shape.classes}) > kMostClasses)
    refuse("inputs, symbols and classes are at most " + std::to_string(kMostClasses));
  if (shape.bits > kMostBits) refuse("an answer has at most " + std::to_string(kMostBits) + " bits");
  if (shape.longest == 0) refuse("longest, the rows of the longest episode, is at least 1");
  if (shape.groups.empty() || shape.groups.size() > kMostGroups)
    refuse("there are from 1 to " + std::to_string(kMostGroups) + " groups");
  if (shape.chunks == 0) shape.chunks = shape.longest;
  return shape;
}

class OwnSource final : public EpisodeSource {
 public:
  explicit OwnSource(const OwnTask& task) : task_(task) {}
  void make(const EpisodeCase&, const EpisodeAddress& address, const EpisodeRows& out) override {
    v0::Rng rng = Access::rng(inside::Rng::stream(address.seed, address.purpose, address.index));
    write_rows(task_, rng, out);
  }

 private:
  const OwnTask& task_;
};

}  // namespace

OwnTask::OwnTask(std::shared_ptr<const v0::Task> task)
    : task_(std::move(task)), name_(task_->name()), shape_(checked(task_->shape())) {
  for (const std::string& group : shape_.groups) {
    scored_.push_back(static_cast<std::int8_t>(groups_.size()));
    groups_.push_back(group);
  }
}

inside::TaskShape OwnTask::shape() const {
  return {.inputs = shape_.inputs + shape_.symbols,
          .symbols = shape_.symbols > 0,
          .outputs = shape_.classes + shape_.bits,
          .answer = shape_.bits > 0 ? AnswerKind::kBits : AnswerKind::kClass,
          .marks = MarkRule::kNone};
}

inside::Status OwnTask::check(const EpisodeCase& request) const {
  if (request == episodes()) return Done{};
  return inside::Error(inside::ErrorKind::kUsage, "The task " + name_ + " has episodes of " +
                                                      std::to_string(shape_.longest) + " rows and no others.");
}

std::unique_ptr<EpisodeSource> OwnTask::source() const { return std::make_unique<OwnSource>(*this); }

std::size_t write_rows(const OwnTask& task, v0::Rng& rng, const EpisodeRows& out) {
  for (std::size_t t = 0; t < out.size(); ++t) {
    std::fill_n(&out.inputs(t, 0), out.inputs.extent(1), 0.F);
    out.marks[t] = RowMark::kNone;
    out.labels[t] = EpisodeRows::kNoLabel;
    out.weights[t] = 0;
    out.groups[t] = EpisodeRows::kNoGroup;
    out.is_final[t] = 0;
  }
  EpisodeSink sink{.shape = task.public_shape(), .out = out};
  v0::EpisodeWriter writer = Access::writer(sink);
  task.task().episode(rng, writer);
  return sink.rows;
}

}  // namespace schemamem::impl

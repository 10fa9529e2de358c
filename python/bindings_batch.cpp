#include "batch_task.h"

#include <algorithm>
#include <cmath>

namespace schemamem::python {
namespace {

constexpr std::size_t kMostBits = 30;

[[noreturn]] void refuse(const std::string& message) { throw Failure::usage("Trainer: " + message); }

class BatchSource final : public EpisodeSource {
 public:
  explicit BatchSource(const BatchTask& task) : task_(task) {}

  void make(const EpisodeCase&, const EpisodeAddress& address, const EpisodeRows& out) override {
    const OwnBatch& batch = task_.batch();
    const std::size_t width = out.inputs.extent(1);
    const std::size_t episode = batch.episodes > 0 ? address.index % batch.episodes : 0;
    for (std::size_t t = 0; t < out.size(); ++t) {
      const bool given = t < batch.rows;
      const std::size_t at = episode * batch.rows + t;
      if (given) {
        std::copy_n(batch.x.data() + at * width, width, &out.inputs(t, 0));
      } else {
        std::fill_n(&out.inputs(t, 0), width, 0.F);
      }
      const bool asked = given && batch.targets[at] >= 0;
      out.marks[t] = given && !batch.marks.empty() ? static_cast<RowMark>(batch.marks[at]) : RowMark::kNone;
      out.labels[t] = asked ? batch.targets[at] : EpisodeRows::kNoLabel;
      out.weights[t] = !asked ? 0.F : batch.weights.empty() ? 1.F : batch.weights[at];
      out.groups[t] = asked ? std::int8_t{0} : EpisodeRows::kNoGroup;
      out.is_final[t] = asked ? 1 : 0;
    }
  }

 private:
  const BatchTask& task_;
};

}  // namespace

BatchTask::BatchTask(const BatchShape& shape) : shape_(shape) {
  if ((shape.inputs == 0) == (shape.symbols == 0)) refuse("give either inputs, the numbers of a row, or symbols");
  if ((shape.classes == 0) == (shape.bits == 0)) refuse("give either classes or bits, what an answer is");
  if (shape.bits > kMostBits) refuse("an answer has at most " + std::to_string(kMostBits) + " bits");
  if (shape.longest == 0) refuse("longest, the rows of the longest episode, is at least 1");
  if (shape.chunks == 0) shape_.chunks = shape.longest;
}

inside::TaskShape BatchTask::shape() const {
  return {.inputs = shape_.inputs + shape_.symbols,
          .symbols = shape_.symbols > 0,
          .outputs = shape_.classes + shape_.bits,
          .answer = shape_.bits > 0 ? AnswerKind::kBits : AnswerKind::kClass,
          .marks = MarkRule::kNone};
}

std::unique_ptr<EpisodeSource> BatchTask::source() const { return std::make_unique<BatchSource>(*this); }

void BatchTask::put(const OwnBatch& batch) {
  const std::size_t answers = shape_.bits > 0 ? std::size_t{1} << shape_.bits : shape_.classes;
  if (batch.rows > shape_.longest) {
    refuse("an episode has at most " + std::to_string(shape_.longest) + " rows (longest); found " +
           std::to_string(batch.rows));
  }
  const auto bad = [&](float x) {
    return !std::isfinite(x) ||
           (shape_.symbols > 0 && !(x >= 0 && x < static_cast<float>(shape_.symbols) && x == std::floor(x)));
  };
  if (const auto found = std::find_if(batch.x.begin(), batch.x.end(), bad); found != batch.x.end()) {
    refuse((shape_.symbols > 0 ? "a symbol is a whole number from 0 to " + std::to_string(shape_.symbols - 1)
                               : std::string("every number of a row is finite")) +
           "; found " + std::to_string(*found));
  }
  bool asks = false;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const std::int32_t target = batch.targets[i];
    if (target < -1 || (target >= 0 && static_cast<std::size_t>(target) >= answers)) {
      refuse("a target is from 0 to " + std::to_string(answers - 1) + ", or -1 where nothing is expected; found " +
             std::to_string(target));
    }
    if (target < 0) continue;
    asks = true;
    if (!batch.weights.empty() && !(batch.weights[i] > 0 && std::isfinite(batch.weights[i])))
      refuse("the weight of a target is larger than 0; found " + std::to_string(batch.weights[i]));
  }
  if (!asks) refuse("a batch has at least one target that is not -1");
  if (std::any_of(batch.marks.begin(), batch.marks.end(), [](std::uint8_t mark) { return mark > 3; }))
    refuse("a mark is 0, 1, 2 or 3 (schemamem.Mark)");
  std::vector<std::size_t> chunks(batch.episodes, 1);
  for (std::size_t i = 0; i < batch.marks.size(); ++i) chunks[i / batch.rows] += batch.marks[i] & 1U;
  if (!chunks.empty() && *std::max_element(chunks.begin(), chunks.end()) > shape_.chunks)
    refuse("marks cut an episode into at most " + std::to_string(shape_.chunks) + " chunks (chunks)");
  batch_ = batch;
}

}  // namespace schemamem::python

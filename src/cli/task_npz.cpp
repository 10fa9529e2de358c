#include "cli/task_npz.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/eval_options.h"
#include "eval/predictions.h"
#include "system/files.h"
#include "task/evaluation_rows.h"
#include "task/registry.h"
#include "tensors/npz.h"

namespace schemamem {
namespace {

struct Asked {
  std::shared_ptr<const Task> task;
  std::vector<EpisodeCase> cases;
  EvaluationOptions episodes;
};

Result<Asked> read_asked(const EpisodesOptions& options) {
  if (!options.request.setting)
    return Error(ErrorKind::kUsage, "--setting is missing. Add one, such as --setting A3V3.");
  auto task = make_task(kFirstTask, *options.request.setting);
  if (!task) return task.error();
  EvaluationRequest request{.paper_scenarios = table_defaults().scenarios, .paper_delays = table_defaults().delays};
  auto delays = read_numbers<std::size_t>(options.request.delay, "--delay", {}, 1, kLongestDelay);
  if (!delays) return delays.error();
  request.delays = std::move(delays).value();
  if (options.request.scenario)
    for (const std::string_view part : split_at_commas(*options.request.scenario)) request.scenarios.emplace_back(part);
  auto cases = evaluated_cases(**task, request);
  if (!cases) return cases.error();
  const auto episodes = read_number(options.episodes, "--episodes", kPaperEvaluationEpisodes, 1, kMostEpisodes);
  if (!episodes) return episodes.error();
  const auto seed = read_number(options.eval_seed, "--eval-seed", kPaperEvaluationSeed, 0, kLargestSeed);
  if (!seed) return seed.error();
  return Asked{std::move(task).value(),
               std::move(cases).value(),
               {.seed = static_cast<std::uint64_t>(*seed), .episodes = static_cast<std::size_t>(*episodes)}};
}

/// The arrays of one case: x, y, groups, final and marks of all episodes.
class CaseArrays {
 public:
  CaseArrays(const Task& task, const EpisodeCase& request, const EvaluationOptions& episodes)
      : name_(case_name(task, request)),
        episodes_(episodes.episodes),
        tokens_(task.tokens(request)),
        width_(task.shape().row_width()),
        x_(episodes_ * tokens_ * width_),
        weights_(tokens_),
        y_(episodes_ * tokens_),
        groups_(y_.size()),
        final_(y_.size()),
        marks_(y_.size()) {
    EvaluationRows rows(task, request, episodes);
    for (std::size_t i = 0; i < episodes_; ++i) {
      const std::size_t first = i * tokens_;
      rows.next({.inputs = {x_.data() + first * width_, {tokens_, width_}},
                 .marks = marks_.span().subspan(first, tokens_),
                 .labels = y_.span().subspan(first, tokens_),
                 .weights = weights_.span(),
                 .groups = groups_.span().subspan(first, tokens_),
                 .is_final = final_.span().subspan(first, tokens_)});
    }
  }

  std::vector<NamedTensor> arrays() const {
    const auto array = [&](const char* what, DType dtype, auto values) {
      return NamedTensor{name_ + "_" + what, dtype, {episodes_, tokens_}, std::as_bytes(values)};
    };
    NamedTensor x = array("x", DType::kF32, x_.span());
    x.shape.push_back(width_);
    return {std::move(x), array("y", DType::kI32, y_.span()), array("groups", DType::kI8, groups_.span()),
            array("final", DType::kBool, final_.span()), array("marks", DType::kU8, marks_.span())};
  }

  /// Bytes of a case.
  static std::uint64_t size(const Task& task, const EpisodeCase& request, const EvaluationOptions& episodes) {
    return static_cast<std::uint64_t>(episodes.episodes) * task.tokens(request) *
           (task.shape().row_width() * sizeof(float) + sizeof(std::int32_t) + 3);
  }

 private:
  std::string name_;
  std::size_t episodes_, tokens_, width_;
  Buffer<float> x_, weights_;
  Buffer<std::int32_t> y_;
  Buffer<std::int8_t> groups_;
  Buffer<std::uint8_t> final_;
  Buffer<RowMark> marks_;
};

}  // namespace

Status dump_npz(const EpisodesOptions& options, const std::string& path, Console& console) {
  constexpr std::uint64_t kMost = kLargestArchive - (std::uint64_t{1} << 20U);  // leaves room for names
  const auto asked = read_asked(options);
  if (!asked) return asked.error();
  if (path.empty()) return Error(ErrorKind::kUsage, "--npz needs the name of a file, found \"\".");
  std::uint64_t size = 0;
  for (const EpisodeCase& one : asked->cases) size += CaseArrays::size(*asked->task, one, asked->episodes);
  if (size > kMost) {
    return Error(
        ErrorKind::kUsage,
        fmt::format("These episodes have {:.1f} GB, and an archive at most 4. Name fewer scenarios and delays, "
                    "or fewer episodes.",
                    static_cast<double>(size) / 1e9));
  }
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  NpzWriter writer;
  const auto write = [&](const NamedTensor& array) -> Status {
    if (const Status written = file.value().write(writer.begin(array)); !written) return written;
    return file.value().write(array.bytes);
  };
  const std::string about = encode_dump(*asked->task, describe_episodes(*asked->task, asked->cases, asked->episodes));
  if (const Status written = write({"about", DType::kU8, {about.size()}, std::as_bytes(std::span(about))}); !written)
    return written;
  for (const EpisodeCase& one : asked->cases) {
    const CaseArrays made(*asked->task, one, asked->episodes);
    for (const NamedTensor& array : made.arrays())
      if (const Status written = write(array); !written) return written;
  }
  if (const Status written = file.value().write(writer.end()); !written) return written;
  if (const Status done = file.value().commit(); !done) return done;
  console.err << fmt::format("{} episodes of each of {} cases of {} written to {}\n", asked->episodes.episodes,
                             asked->cases.size(), asked->task->setting(), path);
  return Done{};
}

Status print_about(const EpisodesOptions& options, Console& console) {
  const auto asked = read_asked(options);
  if (!asked) return asked.error();
  return console.print(encode_dump(*asked->task, describe_episodes(*asked->task, asked->cases, asked->episodes)) +
                       "\n");
}

}  // namespace schemamem

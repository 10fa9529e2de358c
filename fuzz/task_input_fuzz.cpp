// Arbitrary bytes as a request for episodes: three lines, setting, scenario and delay. Whatever is accepted must be a
// case that both generators can make, whatever is refused must say why. The first line is also the setting of every
// other task.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "support.h"
#include "task/address_value.h"
#include "task/batch.h"
#include "task/episode_stream.h"
#include "task/evaluation_episodes.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using fuzz::must;

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

void make_one(const TaskCase& request) {
  must(static_cast<bool>(check(request)));
  const std::size_t length = episode_size(request).tokens();
  if (length > 5000) return;  // size is not what is tested here
  std::vector<Token> tokens(length);
  EpisodeMaker(request.setting).make(request, {.seed = 1, .purpose = Purpose::kTest, .index = 0}, tokens);
  must(segment_ends(tokens).back() == length);
  const AddressValueTask task(request.setting);
  const EpisodeCase one = episode_case(request.scenario, request.delay);
  must(task.tokens(one) == length);
  Batch batch(task.shape(), 1, length);
  batch.fill(task, *task.source(), {&one, 1}, {.seed = 1, .purpose = Purpose::kTest, .index = 0});
  for (std::size_t t = 0; t < length; ++t) must(batch.rows(0).labels[t] == tokens[t].label);
  if (check_evaluation(request)) must(EvaluationEpisodes(request, {.episodes = 1}).next().size() == length);
}

/// A setting that a task accepts is one that it names in the same way and has levels of.
void make_task_of(std::string_view name, std::string_view setting) {
  const auto task = make_task(name, setting);
  if (!task) {
    must(task.error().kind() == ErrorKind::kUsage && !task.error().message().empty());
    return;
  }
  must((*task)->setting() == setting);
  for (const auto& level : (*task)->levels()) {
    for (const EpisodeCase& one : level) must(static_cast<bool>((*task)->check(one)));
  }
}

}  // namespace
}  // namespace schemamem

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view setting = next_line(text);
  const std::string_view scenario = next_line(text);
  const std::optional<std::string_view> delay = text.empty() ? std::nullopt : std::optional(next_line(text));

  for (const TaskEntry& task : task_entries()) make_task_of(task.name, setting);
  const auto request = parse_case(setting, scenario, delay);
  if (request) {
    make_one(*request);
  } else {
    must(request.error().kind() == ErrorKind::kUsage && !request.error().message().empty());
  }
  return 0;
}

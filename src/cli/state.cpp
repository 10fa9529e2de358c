#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/memory_commands.h"
#include "cli/talk_text.h"
#include "cli/task_options.h"
#include "memory/address_book.h"
#include "models/registry.h"
#include "record/tensor_files.h"
#include "stream/state_content.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestState = std::uint64_t{1} << 30;

struct StateOptions {
  Text first, second;
};

Result<StateContent> read_state(const Text& file) {
  if (!file) return Error(ErrorKind::kUsage, "No state file was given. `save FILE` in `schemamem talk` writes one.");
  const auto tensors = load_tensors(*file, kLargestState);
  if (!tensors) return tensors.error();
  return parse_state_content(*tensors);
}

Json layers_json(const std::vector<HeldLayer>& layers, bool difference) {
  Json list = Json::array();
  for (const HeldLayer& layer : layers) {
    Json places = Json::array();
    for (std::size_t i = 0; i < layer.places.size(); ++i) {
      const HeldPlace& place = layer.places[i];
      const double shown = difference ? place.change : place.depth;
      if (shown < (layer.phases ? kHeldTurn : 0)) continue;
      places.push_back({{layer.phases ? "slot" : "head", i}, {layer.phases ? "radians" : "norm", shown}});
    }
    list.push_back({{"tensor", layer.name},
                    {layer.phases ? "slots" : "heads", layer.places.size()},
                    {difference ? "different" : "holding", places}});
  }
  return list;
}

Status info(const StateOptions& options, Console& console) {
  const auto content = read_state(options.first);
  if (!content) return content.error();
  const auto layers = look_inside(*content->model, content->state);
  if (console.json) {
    const Json answer{{"file", *options.first},
                      {"model", content->note("model")},
                      {"scalar", content->note("scalar")},
                      {"mode", content->note("mode")},
                      {"floor", content->state.floor},
                      {"tokens", content->state.counters[0]},
                      {"elements", content->state.values.size()},
                      {"fingerprint", content->note("fingerprint")},
                      {"written", content->note(AddressBook::kNote)},
                      {"layers", layers_json(layers, false)}};
    return console.print(answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  const std::string written = content->note(AddressBook::kNote);
  std::string text = fmt::format("{}, a state of {}: {} rows read\n", printable(*options.first),
                                 printable(content->note("model")), content->state.counters[0]);
  text += fmt::format("numbers  {} of type {}\nweights  {}\nwritten  {}\n", content->state.values.size(),
                      printable(content->note("scalar")), printable(content->note("fingerprint")),
                      written.empty() ? "nothing, by its account" : printable(written));
  return console.print(text + layers_text(layers, false, ""));
}

/// Two states that can be laid beside each other: the same sizes, of whatever weights.
Status check_same_sizes(const StateContent& a, const StateContent& b) {
  const auto sizes = to_metadata(a.model->spec()), others = to_metadata(b.model->spec());
  for (const auto& [key, text] : sizes) {
    const auto found = others.find(key);
    if (found != others.end() && found->second == text) continue;
    return Error(ErrorKind::kUsage,
                 fmt::format("The states are of different models ({} is {} and {}): there is no difference of their "
                             "places. Compare states of one model.",
                             key, text, found == others.end() ? "nothing" : found->second));
  }
  return Done{};
}

Status diff(const StateOptions& options, Console& console) {
  const auto first = read_state(options.first);
  if (!first) return first.error();
  if (!options.second) return Error(ErrorKind::kUsage, "`schemamem state diff` needs two state files.");
  const auto second = read_state(options.second);
  if (!second) return second.error();
  if (const Status same = check_same_sizes(*first, *second); !same) return same;
  const auto layers = look_inside(*second->model, second->state, &first->state);
  std::size_t different = 0;
  for (std::size_t i = 0; i < first->state.values.size(); ++i)
    different += first->state.values[i] != second->state.values[i] ? 1 : 0;
  const bool same_weights = first->note("fingerprint") == second->note("fingerprint");
  const std::int64_t rows = second->state.counters[0] - first->state.counters[0];
  if (console.json) {
    const Json answer{{"files", {*options.first, *options.second}},
                      {"same_weights", same_weights},
                      {"tokens", rows},
                      {"elements", first->state.values.size()},
                      {"different_elements", different},
                      {"written", {first->note(AddressBook::kNote), second->note(AddressBook::kNote)}},
                      {"layers", layers_json(layers, true)}};
    return console.print(answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  std::string text = same_weights ? "" : console.paint.yellow("The states belong to different weights.") + "\n";
  text +=
      fmt::format("{} of {} numbers differ; {} rows lie between them\n", different, first->state.values.size(), rows);
  return console.print(text + layers_text(layers, true, "differs in"));
}

Status zero(const StateOptions& options, Console& console) {
  if (!options.first || !options.second)
    return Error(ErrorKind::kUsage, "`schemamem state zero` needs a state file and the name of the file to write.");
  const auto tensors = load_tensors(*options.first, kLargestState);
  if (!tensors) return tensors.error();
  std::error_code absent;
  if (fs::exists(*options.second, absent))
    return Error(ErrorKind::kCannotCreate,
                 fmt::format("{} exists and stays as it is. Name a file that does not.", printable(*options.second)));
  const auto bytes = emptied_state(*tensors);
  if (!bytes) return bytes.error();
  if (const Status saved = write_file_atomically(*options.second, bytes->span()); !saved) return saved;
  if (console.json) return console.print(Json{{"file", *options.second}}.dump() + "\n");
  return console.print(
      fmt::format("{} is {} with nothing in its memory\n", printable(*options.second), printable(*options.first)));
}

}  // namespace

void register_state(CLI::App& program, Commands& commands) {
  CLI::App& state =
      commands.add(program, "state", "State files: what they hold, how two differ, one with nothing in it.",
                   "schemamem state info today.state\n"
                   "schemamem state diff today.state later.state\n"
                   "schemamem state zero today.state empty.state");
  const auto add = [&](const char* name, const char* description, const char* examples, const char* second,
                       Status (*action)(const StateOptions&, Console&)) {
    const auto options = std::make_shared<StateOptions>();
    CLI::App& command = commands.add(state, name, description, examples);
    command.add_option("FILE", options->first, "A state file, as `save` in `schemamem talk` writes it");
    if (second != nullptr)
      command.add_option(second, options->second,
                         second == std::string("OUT") ? "The file to write; it must not exist" : "A later state file");
    commands.on(command, [options, action](Console& console) { return action(*options, console); });
  };
  add("info", "What a state holds: rows read, what was written, each layer.", "schemamem state info today.state --json",
      nullptr, &info);
  add("diff", "How two states of one model differ, by layer and slot.", "schemamem state diff today.state later.state",
      "OTHER", &diff);
  add("zero", "Writes the state of a memory that holds nothing; its account stays.",
      "schemamem state zero today.state empty.state", "OUT", &zero);
}

}  // namespace schemamem

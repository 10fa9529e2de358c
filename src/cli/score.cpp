#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/eval_commands.h"
#include "cli/eval_options.h"
#include "cli/eval_tables.h"
#include "eval/predictions.h"
#include "models/registry.h"
#include "record/guest.h"
#include "system/files.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

struct ScoreOptions {
  Text file, out, name, owner, note, parameters, seed;
  bool all = false;
};

Result<Guest> read_guest(const ScoreOptions& options, const std::string& setting) {
  const auto seed = read_number(options.seed, "--seed", 0, 0, kLargestSeed);
  if (!seed) return seed.error();
  const auto parameters = read_number(options.parameters, "--parameters", 0, 0, std::int64_t{1} << 50);
  if (!parameters) return parameters.error();
  Guest guest{.name = options.name.value_or("guest"),
              .setting = setting,
              .seed = static_cast<std::uint64_t>(*seed),
              .owner = options.owner.value_or(""),
              .note = options.note.value_or("")};
  if (options.parameters) guest.parameters = *parameters;
  if (const Status good = check_guest(guest); !good) return good.error();
  const std::vector<std::string> ours = model_names();
  if (std::find(ours.begin(), ours.end(), guest.name) != ours.end()) {
    return Error(ErrorKind::kUsage,
                 fmt::format("--name {} is a model of this program. Call yours something else, such as "
                             "my-{}.",
                             guest.name, guest.name));
  }
  return guest;
}

Status score(const ScoreOptions& options, Console& console) {
  if (!options.file) {
    return Error(
        ErrorKind::kUsage,
        "No predictions were given. Name a file of them, such as `schemamem score predictions.npz --name my-gru`; "
        "`schemamem task dump --npz` writes the episodes that they are for.");
  }
  const auto bytes = read_file(*options.file, kLargestPredictions);
  if (!bytes) return bytes.error();
  const auto file = parse_predictions(bytes->span(), *options.file);
  if (!file) return file.error();
  const auto guest = read_guest(options, file->dump.setting);
  if (!guest) return guest.error();
  const auto record = score_file(*file, *guest, bytes->span(), *options.file);
  if (!record) return record.error();
  std::string folder;
  if (options.out) {
    const auto saved = save_guest(*options.out, *guest, *record);
    if (!saved) return saved.error();
    folder = saved->string();
  }
  if (console.json) {
    Json answer{{"name", guest->name},
                {"setting", guest->setting},
                {"seed", guest->seed},
                {"folder", folder.empty() ? Json() : Json(folder)},
                {"sha256", record->checkpoint.sha256},
                {"eval_seed", record->protocol.eval_seed},
                {"episodes", record->protocol.episodes},
                {"exact", named_json(record->cells)},
                {"cells", cells_json(record->cells)}};
    return console.print(answer.dump() + "\n");
  }
  std::string text =
      fmt::format("{}  {}\n{}, exact values in %\n", console.paint.bold(guest->name + " " + guest->setting),
                  escaped(*options.file), protocol_text(record->protocol));
  text += options.all ? whole_table(record->cells) : named_table(record->cells);
  text += folder.empty() ? "Nothing was kept; -o FOLDER keeps it for `schemamem report` and `schemamem paper`.\n"
                         : fmt::format("kept in {}; `schemamem report RUNS {}` shows it beside ours\n", escaped(folder),
                                       escaped(*options.out));
  return console.print(text);
}

}  // namespace

void register_score(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<ScoreOptions>();
  CLI::App& command =
      commands.add(program, "score", "Score what any other program answered to the episodes of `task dump --npz`.",
                   "schemamem task dump --setting A3V3 --npz episodes.npz\n"
                   "schemamem score predictions.npz --name my-gru\n"
                   "schemamem score predictions.jsonl --name my-gru --parameters 57000 --owner me -o guests");
  command.add_option("PREDICTIONS", options->file, "NumPy archive, safetensors file or JSON lines (docs/formats.md)")
      ->type_name("FILE");
  command.add_option("-o,--out", options->out, "Keep the record in this folder, for report and paper")
      ->type_name("DIR");
  command.add_option("--name", options->name, "What tables call the model (guest)")->type_name("NAME");
  command.add_option("--owner", options->owner, "Whose it is")->type_name("TEXT");
  command.add_option("--note", options->note, "What it is, in a line")->type_name("TEXT");
  command.add_option("--parameters", options->parameters, "How many numbers were trained")->type_name("N");
  command.add_option("--seed", options->seed, "Which training of it: tables average over seeds (0)")->type_name("N");
  command.add_flag("--all", options->all, "Every scenario and group, with bits and cross-entropy");
  commands.on(command, [options](Console& console) { return score(*options, console); });
}

}  // namespace schemamem

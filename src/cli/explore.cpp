#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/build_info.h"
#include "base/page_text.h"
#include "base/text.h"
#include "catalog/model_files.h"
#include "cli/explorer_asset.h"
#include "cli/memory_commands.h"
#include "cli/task_options.h"
#include "memory/address_memory.h"
#include "models/registry.h"
#include "system/files.h"
#include "system/process.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostModels = 3;
constexpr std::string_view kPlace = "{{payload}}";

struct ExploreOptions {
  std::vector<std::string> models;
  Text out;
  bool open = false;
};

/// A published run of each of the first models, all of one setting.
std::vector<std::string> default_models() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_entries()) {
    if (names.size() < kMostModels) names.push_back(fmt::format("a3v3-{}-steady-s42", entry.name));
  }
  return names;
}

/// What the page calls a model: a name as it was given, of a path the last part that says something.
std::string shown_name(const std::string& given) {
  const fs::path path(given);
  const fs::path last = path.filename().empty() ? path.parent_path().filename() : path.filename();
  if (last == "model.safetensors" && path.has_parent_path()) return path.parent_path().filename().string();
  return last.extension() == ".safetensors" ? last.stem().string() : last.string();
}

struct Chosen {
  std::string name;
  std::shared_ptr<const LoadedModel<float>> model;
  Setting setting;
};

Result<Chosen> choose(const std::string& given) {
  const auto model = load_model<float>(given);
  if (!model) return model.error();
  const auto memory = AddressMemory::make(*model);
  if (!memory) return memory.error().with(printable(given));
  return Chosen{.name = shown_name(given), .model = *model, .setting = memory->setting()};
}

Result<std::vector<Chosen>> choose_all(const std::vector<std::string>& given) {
  if (given.size() > kMostModels) {
    return Error(ErrorKind::kUsage, fmt::format("{} models were given; a page shows at most {} beside each other. "
                                                "Make another page for the others.",
                                                given.size(), kMostModels));
  }
  std::vector<Chosen> all;
  for (const std::string& one : given) {
    auto chosen = choose(one);
    if (!chosen) return chosen.error();
    if (!all.empty() && chosen->setting != all.front().setting) {
      return Error(ErrorKind::kUsage,
                   fmt::format("{} is of {}, {} of {}; the models of a page read the same stream. Choose models of one "
                               "setting.",
                               printable(all.front().name), all.front().setting.name(), printable(chosen->name),
                               chosen->setting.name()));
    }
    all.push_back(std::move(chosen).value());
  }
  return all;
}

std::string payload_of(const std::vector<Chosen>& chosen) {
  Json models = Json::array();
  for (const Chosen& one : chosen)
    models.push_back({{"name", one.name}, {"bytes", base64(one.model->encode().span())}});
  const BuildInfo build = build_info();
  const Json payload{{"format", "schemamem explorer 1"},
                     {"program", {{"version", build.version}, {"commit", build.commit}}},
                     {"models", std::move(models)}};
  // Names of files may be any bytes: what is no UTF-8 is shown as a replacement character.
  return for_script(payload.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string page_of(const std::vector<Chosen>& chosen) {
  const std::string_view page = explorer_template();
  const std::size_t place = page.find(kPlace);
  require(place != std::string_view::npos, "explore: the template has no place for the models");
  return std::string(page.substr(0, place)) + payload_of(chosen) + std::string(page.substr(place + kPlace.size()));
}

Status explore(const ExploreOptions& options, Console& console) {
  const auto chosen = choose_all(options.models.empty() ? default_models() : options.models);
  if (!chosen) return chosen.error();
  const fs::path out = options.out.value_or("explorer.html");
  const std::string page = page_of(*chosen);
  if (const Status written = write_file_atomically(out, page); !written) return written;
  if (console.json) {
    Json names = Json::array();
    for (const Chosen& one : *chosen) names.push_back(escaped(one.name));
    const Json answer{{"page", out.string()}, {"models", std::move(names)}, {"bytes", page.size()}};
    if (const Status told = console.print(answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"); !told)
      return told;
  } else {
    const Status told = console.print(fmt::format("{}: {} model{}, {:.1f} MB, opens in any browser without a network\n",
                                                  escaped(out.string()), chosen->size(), chosen->size() == 1 ? "" : "s",
                                                  static_cast<double>(page.size()) / 1e6));
    if (!told) return told;
  }
  if (!options.open) return Done{};
  const Status opened = start_detached({"xdg-open", fs::absolute(out).string()});
  if (opened) return Done{};
  return Error(opened.error().kind(),
               opened.error().message() + "; the page is written: open " + escaped(out.string()) + " in a browser");
}

}  // namespace

void register_explore(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<ExploreOptions>();
  CLI::App& command = commands.add(program, "explore",
                                   "Write a page for the browser in which the models themselves run, to look inside.",
                                   "schemamem explore -o explorer.html --open\n"
                                   "schemamem explore a3v3-schemamem-steady-s42 runs/mine -o mine.html");
  command
      .add_option(
          "CHECKPOINTS", options->models,
          "Up to three models of one setting: names (`schemamem models`), model files or run folders (one of each "
          "architecture, A3V3, steady)")
      ->type_name("MODEL");
  command.add_option("-o,--out", options->out, "The page to write (explorer.html)")->type_name("FILE");
  command.add_flag("--open", options->open, "Open it in the browser of this desktop (xdg-open)");
  commands.on(command, [options](Console& console) { return explore(*options, console); });
}

}  // namespace schemamem

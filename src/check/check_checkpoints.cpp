#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/parse.h"
#include "base/sha256.h"
#include "base/text.h"
#include "check/inspection.h"
#include "record/tensor_files.h"
#include "system/files.h"
#include "train/checkpoint.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Json = Inspection::Json;

constexpr const char* kFolder = "checkpoints";
constexpr std::string_view kPrefix = "step-";
constexpr std::array kParts{"model.safetensors", "optimizer.safetensors", "state.json"};

struct Named {
  std::string name;
  std::int64_t step = 0;
};

/// The folders that are called like checkpoints, oldest first.
std::vector<Named> checkpoints_of(Inspection& run, const std::string& rescue) {
  std::vector<Named> found;
  std::error_code fault;
  const fs::file_status status = fs::symlink_status(run.path(kFolder), fault);
  if (status.type() == fs::file_type::not_found) return found;
  if (status.type() != fs::file_type::directory) {
    run.damaged(kFolder, "expected a folder of checkpoints", rescue);
    return found;
  }
  const auto names = list_directory(run.path(kFolder));
  if (!names) {
    run.failed(kFolder, names.error(), rescue);
    return found;
  }
  const Checkpoints checkpoints(run.check.folder);
  for (const std::string& name : *names) {
    const auto step = name.starts_with(kPrefix)
                          ? parse_integer(std::string_view(name).substr(kPrefix.size()), "step", 0, INT64_MAX)
                          : Result<std::int64_t>(Error(ErrorKind::kBadData, name));
    if (step && checkpoints.folder(*step).filename() == name) {
      found.push_back({name, *step});
    } else {
      const bool aside = name.starts_with("damaged-");  // by a run that went on from the one before
      run.note(fmt::format("{}/{}: {}", kFolder, printable(name),
                           aside ? "a damaged checkpoint that a run has set aside" : "no checkpoint is called so"));
    }
  }
  return found;
}

/// The numbers of a checkpoint's state that have to fit the folder, the curriculum and the metrics.
void check_state(Inspection& run, const std::string& file, const Json& state, std::int64_t step,
                 const std::string& rescue) {
  const auto number = [&](const char* key) -> std::optional<std::int64_t> {
    const auto found = state.find(key);
    if (found != state.end() && found->is_number_unsigned()) return found->get<std::int64_t>();
    run.damaged(file, fmt::format("\"{}\" must be a whole number", key), rescue);
    return std::nullopt;
  };
  const auto at = number("step"), stage = number("stage"), bytes = number("metrics_bytes");
  if (at && *at != step) run.damaged(file, fmt::format("it says step {}, its folder step {}", *at, step), rescue);
  if (stage && run.request && static_cast<std::size_t>(*stage) > make_curriculum(*run.request).size())
    run.damaged(file, fmt::format("stage {} is none of this run's", *stage), rescue);
  if (!bytes || !run.metrics) return;
  const auto length = static_cast<std::size_t>(*bytes);
  if (length > run.metrics->size()) {
    run.damaged(
        "metrics.jsonl",
        fmt::format("the checkpoint of step {} counts on {} bytes, found {}", step, length, run.metrics->size()),
        rescue);
  } else if (length > 0 && (*run.metrics)[length - 1] != '\n') {
    run.damaged(file, fmt::format("\"metrics_bytes\" is {}, in the middle of a line of metrics.jsonl", length), rescue);
  }
}

/// True if the checkpoint of this folder is whole.
bool check_one(Inspection& run, const Named& one, std::uint64_t& metrics_before) {
  const std::string folder = std::string(kFolder) + "/" + one.name, marker = folder + "/complete.json";
  const std::string rescue =
      "A resume goes on from the newest checkpoint that is whole; the others can be moved away by hand.";
  const std::size_t before = run.check.findings.size();
  std::error_code fault;
  if (fs::symlink_status(run.path(folder), fault).type() != fs::file_type::directory) {
    run.damaged(folder, "expected a folder", rescue);
    return false;
  }
  if (!run.there(marker, rescue)) {
    if (run.check.findings.size() == before) run.note(folder + ": a save that was cut short; the next one removes it");
    return false;
  }
  const auto hashes = run.object(marker, rescue);
  if (!hashes) return false;
  for (const char* part : kParts) {
    const std::string file = folder + "/" + part;
    if (!run.there(file, rescue)) {
      run.damaged(file, "the marker complete.json is there, this file is not", rescue);
      continue;
    }
    const auto bytes = read_file(run.path(file), run.largest_tensors);
    if (!bytes) {
      run.failed(file, bytes.error(), rescue);
    } else if (const std::string found = sha256_hex(bytes->span()); hashes->value(part, Json()) != found) {
      run.damaged(
          file,
          fmt::format("its SHA-256 is {}, complete.json says {}", found, printable(hashes->value(part, Json()).dump())),
          rescue);
    }
  }
  if (run.check.findings.size() != before) return false;

  const auto state = run.object(folder + "/state.json", rescue);
  if (!state) return false;
  check_state(run, folder + "/state.json", *state, one.step, rescue);
  if (run.check.findings.size() != before) return false;
  for (const char* part : {"model.safetensors", "optimizer.safetensors"}) {
    const std::string file = folder + "/" + part;
    const auto tensors = load_tensors(run.path(file));
    if (!tensors) {
      run.failed(file, tensors.error(), rescue);
      continue;
    }
    const Json notes(tensors->metadata());
    if (run.request) {
      run.expect(file, notes, "model", run.request->model.name, rescue);
      run.expect(file, notes, "setting", std::string(run.request->task->setting()), rescue);
      if (notes.contains("hash")) run.expect(file, notes, "hash", run_hash(*run.request), rescue);
    }
    if (notes.value("step", "") != std::to_string(one.step))
      run.damaged(file,
                  fmt::format("its notes say step {}, its folder step {}", quote(notes.value("step", "")), one.step),
                  rescue);
  }
  const auto metrics_bytes = state->at("metrics_bytes").get<std::uint64_t>();
  if (metrics_bytes < metrics_before)
    run.damaged(
        folder + "/state.json",
        fmt::format("it counts on {} bytes of metrics, an earlier checkpoint on {}", metrics_bytes, metrics_before),
        rescue);
  metrics_before = metrics_bytes;
  if (run.check.findings.size() != before) return false;
  run.newest = one.step;
  run.metrics_sure = metrics_bytes;
  return true;
}

}  // namespace

void check_checkpoints(Inspection& run) {
  const std::string rescue = "model.safetensors, if the run has ended, does not depend on checkpoints.";
  std::uint64_t metrics_bytes = 0;
  for (const Named& one : checkpoints_of(run, rescue)) {
    if (check_one(run, one, metrics_bytes)) ++run.check.checkpoints;
  }
}

}  // namespace schemamem

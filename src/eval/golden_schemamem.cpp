#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "eval/golden_model.h"
#include "models/schemamem/model.h"

namespace schemamem {
namespace {

/// Sizes of the file's model, from its metadata and the shapes of its parameters.
Result<SchemaMemConfig> golden_config(const GoldenFile& file) {
  SchemaMemConfig config;
  std::map<std::string, std::size_t> numbers;
  for (const char* key : {"address_bits", "value_bits", "layers", "width", "slots", "commit_every"}) {
    const Result<std::size_t> number = file.number(key);
    if (!number) return number.error();
    if (*number == 0)
      return Error(ErrorKind::kBadData, file.file().what() + ": metadata " + key + " is 0, expected at least 1");
    numbers[key] = *number;
  }
  const auto keys = file.file().find("param.layers.0.attn.w_k");
  if (!keys) return keys.error();
  const auto gate = file.file().find("param.layers.0.mlp.w_gate");
  if (!gate) return gate.error();
  config.inputs = numbers["address_bits"] + numbers["value_bits"] + 1;
  config.outputs = numbers["value_bits"];
  config.layers = numbers["layers"];
  config.width = numbers["width"];
  config.slots = numbers["slots"];
  config.commit_every = numbers["commit_every"];
  const auto columns = [](const TensorInfo& tensor) { return tensor.shape.size() == 2 ? tensor.shape[1] : 0; };
  config.head_dim = columns(**keys);
  config.hidden = columns(**gate);
  config.heads = config.head_dim == 0 ? 0 : config.width / config.head_dim;
  struct {
    const char *name, *printed, *other;
    bool& chosen;
  } const options[] = {{"writer", "static", "live", config.live}, {"commit", "add", "pull", config.pulls}};
  for (const auto& option : options) {
    const auto& metadata = file.file().metadata();
    const auto word = metadata.find(option.name);
    if (word == metadata.end()) continue;
    option.chosen = word->second == option.other;
    if (!option.chosen && word->second != option.printed)
      return Error(ErrorKind::kBadData, fmt::format("{}: metadata {} is {}, expected {} or {}", file.file().what(),
                                                    option.name, quote(word->second), option.printed, option.other));
  }
  try {
    config.check();
  } catch (const ContractViolation& problem) {
    return Error(ErrorKind::kBadData, file.file().what() + ": the sizes do not fit together: " + problem.what());
  }
  return config;
}

Result<Mode> golden_mode(const GoldenFile& file) {
  const Result<std::string> mode = file.text("mode");
  if (!mode) return mode.error();
  if (*mode == "recurrent") return Mode::kRecurrent;
  if (*mode == "full") return Mode::kFullHistory;
  if (*mode == "ablated") return Mode::kAblated;
  return Error(ErrorKind::kBadData,
               file.file().what() + ": metadata mode is " + *mode + ", expected recurrent, full or ablated");
}

/// The file lists where chunks end; it follows from x, and is there to be compared.
Status compare_chunk_ends(const GoldenFile& file, const std::vector<std::size_t>& ours) {
  const Result<std::string> text = file.text("chunk_ends");
  if (!text) return text.error();
  const Result<JsonField> listed = parse_json(*text, file.file().what() + ": metadata chunk_ends");
  if (!listed) return listed.error();
  const std::vector<std::int64_t> ends = listed->counts();
  if (const Status read = listed->status(); !read) return read;
  if (!std::equal(ends.begin(), ends.end(), ours.begin(), ours.end(), std::cmp_equal<std::int64_t, std::size_t>)) {
    return Error(ErrorKind::kFailed, fmt::format("{}: chunks end at {}, the commit rules give [{}]", file.file().what(),
                                                 printable(*text), fmt::join(ours, ",")));
  }
  return Done{};
}

}  // namespace

template <class T>
Result<GoldenReport> verify_schemamem(const GoldenFile& file, Isa isa) {
  const Result<SchemaMemConfig> config = golden_config(file);
  if (!config) return config.error();
  const Result<Mode> mode = golden_mode(file);
  if (!mode) return mode.error();
  const auto model = make_schemamem<T>(*config, {.isa = isa});
  const Result<GoldenEpisodes<T>> episodes = read_episodes<T>(file, *model);
  if (!episodes) return episodes.error();
  const View<const T, 3> x = episodes->inputs(*model);
  for (std::size_t b = 0; b < episodes->batch; ++b) {
    const std::vector<RowMark> marks = validity_marks(x[b]);
    const Status same_chunks = compare_chunk_ends(file, model->chunk_ends({.x = x[b], .marks = marks, .mode = *mode}));
    if (!same_chunks) return same_chunks.error();
  }
  return verify_model<T>(file, *model, *episodes, *mode, golden_tolerances<T>(), *file.text("mode"));
}

template Result<GoldenReport> verify_schemamem<float>(const GoldenFile&, Isa);
template Result<GoldenReport> verify_schemamem<double>(const GoldenFile&, Isa);

}  // namespace schemamem

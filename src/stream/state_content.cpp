#include "stream/state_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "models/registry.h"
#include "stream/file_kind.h"
#include "stream/layout_file.h"
#include "stream/loaded_model.h"
#include "stream/state_file.h"

namespace schemamem {
namespace {

constexpr std::array kBesides{kStateCounters};

Error refused(const TensorFile& file, const std::string& message) {
  return {ErrorKind::kBadData, file.what() + ": " + message};
}

/// The model that a state file names, once its tensors are seen to fit.
template <class T>
Result<std::unique_ptr<SequenceModel<T>>> model_of(const TensorFile& file) {
  if (const Status kind = check_kind(file, kStateFile); !kind) return kind.error();
  const auto spec = spec_from_metadata(file.metadata(), file.what());
  if (!spec) return spec.error();
  auto model = make_model<T>(*spec);
  if (!model) return refused(file, model.error().message());
  if (const Status fits = check_layout(file, (*model)->state(), kBesides); !fits) return fits.error();
  const auto counters = file.find(kStateCounters, {(*model)->counter_names().size()});
  if (!counters) return counters.error();
  return model;
}

template <class T>
Result<Buffer<std::byte>> emptied(const TensorFile& file) {
  const auto model = model_of<T>(file);
  if (!model) return model.error();
  const StreamState<T> empty = (*model)->empty_state();
  std::vector<NamedTensor> tensors = tensors_of<T>((*model)->state(), empty.values.span());
  const std::span counters = std::span(empty.counters).first((*model)->counter_names().size());
  tensors.push_back(named_tensor<std::int64_t>(std::string(kStateCounters), {counters.size()}, counters));
  std::map<std::string, std::string> metadata = file.metadata();
  metadata["tokens"] = std::to_string(empty.counters[0]);
  return encode_tensors(tensors, metadata);
}

}  // namespace

std::string StateContent::note(const std::string& key) const {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

Result<StateContent> parse_state_content(const TensorFile& file) {
  auto model = model_of<double>(file);
  if (!model) return model.error();
  StateContent content{.model = std::move(model).value(), .state = {}, .metadata = file.metadata()};
  content.state = content.model->empty_state();
  const auto mode = mode_from_name(content.note("mode"));
  if (!mode) return refused(file, fmt::format("unknown mode {}", quote(content.note("mode"))));
  content.state.mode = *mode;
  const Result<double> floor = state_floor(file);
  if (!floor) return floor.error();
  content.state.floor = *floor;
  const Status read =
      read_layout<double>(file, content.model->state(), Narrowing::kRefuse, kBesides, content.state.values.span());
  if (!read) return read.error();
  const auto counters = file.in_place<std::int64_t>(kStateCounters);
  if (!counters) return counters.error();
  std::copy(counters->begin(), counters->end(), content.state.counters.begin());
  return content;
}

Result<Buffer<std::byte>> emptied_state(const TensorFile& file) {
  const Result<std::string> scalar = file.metadata_value("scalar");
  if (!scalar) return scalar.error();
  if (*scalar == kScalarName<float>) return emptied<float>(file);
  if (*scalar == kScalarName<double>) return emptied<double>(file);
  return refused(file, fmt::format("unknown scalar {}; expected float or double", quote(*scalar)));
}

}  // namespace schemamem

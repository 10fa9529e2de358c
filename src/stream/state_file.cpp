#include "stream/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/parse.h"
#include "base/text.h"
#include "stream/layout_file.h"

namespace schemamem {
namespace {

constexpr std::string_view kCounters = kStateCounters;
constexpr std::array kBesides{kCounters};

Error refused(const TensorFile& file, const std::string& message) {
  return {ErrorKind::kBadData, file.what() + ": " + message};
}

Status expect(const TensorFile& file, const std::string& key, const std::string& expected, std::string_view next) {
  const Result<std::string> found = file.metadata_value(key);
  if (!found) return found.error();
  if (*found == expected) return Done{};
  return refused(file,
                 fmt::format("the state has the {} {}, this model has {}; {}", key, quote(*found), expected, next));
}

/// Name, sizes, scalar type and weights, from the plainest difference to the finest.
template <class T>
Status check_owner(const TensorFile& file, const LoadedModel<T>& model) {
  const std::string_view other = "it belongs to another model: open it with the model that wrote it";
  for (const auto& [key, text] : to_metadata(model.spec())) {
    if (const Status same = expect(file, key, text, other); !same) return same;
  }
  const Status scalar = expect(file, "scalar", std::string(kScalarName<T>),
                               "a state is not converted: open the model with the state's scalar type");
  if (!scalar) return scalar;
  return expect(file, "fingerprint", model.fingerprint(),
                "same sizes, other weights: open it with the model file that it was written with");
}

template <class T>
Status read_counters(const TensorFile& file, const SequenceModel<T>& model, StreamState<T>& state) {
  const std::size_t count = model.counter_names().size();
  if (const auto found = file.find(kCounters, {count}); !found) return found.error();
  const Result<std::span<const std::int64_t>> counters = file.in_place<std::int64_t>(kCounters);
  if (!counters) return counters.error();
  std::copy(counters->begin(), counters->end(), state.counters.begin());
  const Result<std::string> tokens = file.metadata_value("tokens");
  if (!tokens) return tokens.error();
  if (*tokens == std::to_string(state.counters[0])) return Done{};
  return refused(file,
                 fmt::format("metadata tokens is {}, but the counter tokens is {}", quote(*tokens), state.counters[0]));
}

}  // namespace

Result<double> state_floor(const TensorFile& file) {
  const auto found = file.metadata().find(std::string(kStateFloor));
  if (found == file.metadata().end()) return 0.0;
  const Result<double> floor = parse_decimal(found->second, "metadata floor", 0, 1);
  if (!floor) return refused(file, floor.error().message());
  return *floor;
}

template <class T>
Buffer<std::byte> encode_state(const LoadedModel<T>& model, const StreamState<T>& state,
                               const std::map<std::string, std::string>& notes) {
  std::vector<NamedTensor> tensors = tensors_of<T>(model.model().state(), state.values.span());
  const std::span counters = std::span(state.counters).first(model.model().counter_names().size());
  tensors.push_back(named_tensor<std::int64_t>(std::string(kCounters), {counters.size()}, counters));
  std::map<std::string, std::string> metadata = kind_metadata(kStateFile);
  metadata.merge(to_metadata(model.spec()));
  metadata.merge(std::map<std::string, std::string>{{"fingerprint", model.fingerprint()},
                                                    {"scalar", std::string(kScalarName<T>)},
                                                    {"mode", std::string(mode_name(state.mode))},
                                                    {"tokens", std::to_string(state.counters[0])}});
  if (state.floor > 0) metadata.emplace(kStateFloor, fmt::format("{}", state.floor));
  for (const auto& [key, text] : notes) {
    const bool free = metadata.emplace(key, text).second;
    require(free, "encode_state: a note has the name of a key of the format: " + key);
  }
  return encode_tensors(tensors, metadata);
}

template <class T>
Result<StreamState<T>> parse_state(const TensorFile& file, const LoadedModel<T>& model) {
  if (const Status kind = check_kind(file, kStateFile); !kind) return kind.error();
  if (const Status owner = check_owner(file, model); !owner) return owner.error();
  const Result<std::string> mode_text = file.metadata_value("mode");
  if (!mode_text) return mode_text.error();
  const std::optional<Mode> mode = mode_from_name(*mode_text);
  if (!mode) return refused(file, fmt::format("unknown mode {}; expected recurrent or ablated", quote(*mode_text)));
  StreamState<T> state = model.model().empty_state();
  state.mode = *mode;
  const Result<double> floor = state_floor(file);
  if (!floor) return floor.error();
  state.floor = *floor;
  const Status read = read_layout<T>(file, model.model().state(), Narrowing::kRefuse, kBesides, state.values.span());
  if (!read) return read.error();
  if (const Status counters = read_counters(file, model.model(), state); !counters) return counters.error();
  if (const auto fault = model.model().fault(state))
    return refused(file, *fault + "; no stream is in such a state, the file is damaged: use an earlier one");
  return state;
}

template <class T>
Result<StreamState<T>> parse_state(std::span<const std::byte> bytes, std::string what, const LoadedModel<T>& model) {
  const Result<TensorFile> file = TensorFile::parse(bytes, std::move(what));
  if (!file) return file.error();
  return parse_state(*file, model);
}

template <class T>
std::uint64_t largest_state(const LoadedModel<T>& model) {
  const std::uint64_t numbers = model.model().state().size() * sizeof(T) + sizeof(StreamState<T>::counters);
  return numbers + kLongestHeader + sizeof(std::uint64_t);
}

template Buffer<std::byte> encode_state(const LoadedModel<float>&, const StreamState<float>&,
                                        const std::map<std::string, std::string>&);
template Buffer<std::byte> encode_state(const LoadedModel<double>&, const StreamState<double>&,
                                        const std::map<std::string, std::string>&);
template Result<StreamState<float>> parse_state(const TensorFile&, const LoadedModel<float>&);
template Result<StreamState<double>> parse_state(const TensorFile&, const LoadedModel<double>&);
template Result<StreamState<float>> parse_state(std::span<const std::byte>, std::string, const LoadedModel<float>&);
template Result<StreamState<double>> parse_state(std::span<const std::byte>, std::string, const LoadedModel<double>&);
template std::uint64_t largest_state(const LoadedModel<float>&);
template std::uint64_t largest_state(const LoadedModel<double>&);

}  // namespace schemamem

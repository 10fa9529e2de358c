#include "stream/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "stream/layout_file.h"
#include "stream/stream.h"
#include "support/loaded_models.h"

namespace schemamem {
namespace {

using test::TestEpisode;
using testing::AllOf;
using testing::HasSubstr;

/// The content of a state file, to be damaged.
struct Content {
  std::map<std::string, std::string> metadata;
  Buffer<float> values;
  std::vector<std::int64_t> counters;
  std::vector<NamedTensor> tensors;  // pointing into the two above
};

class StateFile : public testing::Test {
 protected:
  StateFile() {
    Stream<float> stream(model_);
    const TestEpisode<float> read(40, 5, test::test_rng(3), 9);
    for (std::size_t t = 0; t < 40; ++t) stream.push(read.row(t));
    state_ = stream.state();
    bytes_ = stream.encode();
  }

  Result<StreamState<float>> parsed(const Buffer<std::byte>& bytes) const {
    return parse_state(bytes.span(), "now.safetensors", *model_);
  }

  TensorFile file() const { return TensorFile::parse(bytes_, "now.safetensors").value(); }

  /// Why the file is refused once `change` has been at it.
  std::string refusal(const std::function<void(Content&)>& change) const {
    Content content{.metadata = file().metadata(),
                    .values = state_.values,
                    .counters = {state_.counters.begin(), state_.counters.end()},
                    .tensors = {}};
    content.tensors = tensors_of<float>(model_->model().state(), std::as_const(content.values).span());
    content.tensors.push_back(named_tensor<std::int64_t>("counters", {4}, content.counters));
    change(content);
    const auto state = parsed(encode_tensors(content.tensors, content.metadata));
    if (state) return "loaded";
    EXPECT_EQ(state.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(state.error().message(), testing::StartsWith("now.safetensors: "));
    return state.error().message();
  }
  std::string refusal_of_counter(std::size_t counter, std::int64_t number) const {
    return refusal([&](Content& c) {
      c.counters[counter] = number;
      c.metadata["tokens"] = std::to_string(c.counters[0]);
    });
  }
  std::string refusal_of_value(const std::string& tensor, float value) const {
    return refusal([&](Content& c) { c.values[model_->model().state().find(tensor).offset + 2] = value; });
  }

  std::shared_ptr<const LoadedModel<float>> model_ = test::loaded<float>(test::odd_spec());
  StreamState<float> state_;
  Buffer<std::byte> bytes_;
};

TEST_F(StateFile, HoldsTheStateByNameAndSaysWhoseItIs) {
  const TensorFile file = this->file();
  EXPECT_EQ(file.tensors().size(), model_->model().state().tensors().size() + 1);
  EXPECT_EQ((*file.find("layers.1.phase"))->dtype, DType::kF32);
  EXPECT_EQ((*file.find("counters"))->dtype, DType::kI64);
  EXPECT_THAT(file.metadata(), testing::IsSupersetOf(std::map<std::string, std::string>{{"format", "schemamem state"},
                                                                                        {"version", "1"},
                                                                                        {"model", "schemamem"},
                                                                                        {"size.slots", "13"},
                                                                                        {"scalar", "float"},
                                                                                        {"mode", "recurrent"},
                                                                                        {"tokens", "40"}}));
  EXPECT_EQ(file.metadata_value("fingerprint").value(), model_->fingerprint());
  EXPECT_EQ(refusal([](Content&) {}), "loaded");
}

TEST_F(StateFile, HasTheFloorOfItsStreamIfThereIsOne) {
  Stream<float> stream = Stream<float>::open(bytes_.span(), model_).value();
  EXPECT_EQ(stream.state().floor, 0);
  EXPECT_FALSE(TensorFile::parse(stream.encode().span(), "memory")->metadata().contains("floor"));
  stream.set_floor(0.001);
  const Buffer<std::byte> floored = stream.encode();
  EXPECT_EQ(TensorFile::parse(floored.span(), "memory")->metadata().at("floor"), "0.001");
  const Stream<float> again = Stream<float>::open(floored.span(), model_).value();
  EXPECT_EQ(again.state().floor, 0.001);
  EXPECT_EQ(again.fork().state().floor, 0.001);
  stream.set_floor(0);
  EXPECT_TRUE(std::ranges::equal(stream.encode().span(), bytes_.span())) << "a floor that is off leaves no trace";
  EXPECT_THROW(stream.set_floor(1), ContractViolation);
  for (const char* none : {"-1", "1", "nan", "", "0.1 "}) {
    EXPECT_THAT(refusal([&](Content& c) { c.metadata["floor"] = none; }), testing::HasSubstr("metadata floor must be"))
        << none;
  }
}

TEST_F(StateFile, OfAnotherModelIsRefused) {
  const auto refused_by = [&](const auto& model) {
    const auto state = parse_state(bytes_.span(), "now", *model);
    EXPECT_FALSE(state);
    return state ? "loaded" : state.error().message();
  };
  EXPECT_THAT(refused_by(test::loaded<float>(test::odd_spec(), {}, 2)),
              AllOf(HasSubstr("fingerprint"), HasSubstr(model_->fingerprint()), HasSubstr("other weights")));
  ModelSpec wider = test::odd_spec();
  wider.sizes["slots"] = 14;
  EXPECT_THAT(refused_by(test::loaded<float>(wider)), HasSubstr("size.slots \"13\", this model has 14"));
  EXPECT_THAT(refused_by(test::loaded<float>(published_spec("gdn", 5, 2).value())),
              AllOf(HasSubstr("model \"schemamem\", this model has gdn"), HasSubstr("open it with the model that")));
  EXPECT_THAT(refused_by(test::loaded<double>(test::odd_spec())), HasSubstr("scalar \"float\", this model has double"));
}

TEST_F(StateFile, ThatIsRefusedLeavesTheStreamAsItWas) {
  Stream<float> stream(model_), expected(model_);
  const TestEpisode<float> read(20, 5, test::test_rng(5), 9);
  for (std::size_t t = 0; t < 10; ++t) EXPECT_EQ(stream.push(read.row(t))[0], expected.push(read.row(t))[0]);
  const Status refused = stream.restore(std::span<const std::byte>(bytes_.span()).first(500), "half.safetensors");
  EXPECT_THAT(refused.error().message(), testing::StartsWith("half.safetensors: "));
  EXPECT_FALSE(stream.restore({}));
  for (std::size_t t = 10; t < 20; ++t) EXPECT_EQ(stream.push(read.row(t))[0], expected.push(read.row(t))[0]);
}

TEST_F(StateFile, WithOtherMetadataIsRefused) {
  const std::map<std::string, std::string> metadata = file().metadata();
  for (const auto& [key, text] : metadata) {
    EXPECT_NE(refusal([&key = key](Content& c) { c.metadata.erase(key); }), "loaded") << key;
    for (const std::string& other : {text + "0", std::string(), std::string("-1"), std::string("\x1b[31m")})
      EXPECT_NE(refusal([&, &key = key](Content& c) { c.metadata[key] = other; }), "loaded") << key << " " << other;
  }
  EXPECT_THAT(refusal([](Content& c) { c.metadata["version"] = "2"; }), HasSubstr("version \"2\""));
  EXPECT_THAT(refusal([](Content& c) { c.metadata["mode"] = "full-history"; }),
              HasSubstr("full history has no bounded state"));
  EXPECT_THAT(refusal([](Content& c) { c.metadata["mode"] = "both"; }), HasSubstr("unknown mode \"both\""));
  EXPECT_THAT(refusal([](Content& c) { c.metadata["tokens"] = "41"; }), HasSubstr("but the counter tokens is 40"));
}

TEST_F(StateFile, WithOtherTensorsIsRefused) {
  EXPECT_THAT(refusal([](Content& c) { c.tensors.pop_back(); }), HasSubstr("no tensor \"counters\""));
  EXPECT_THAT(refusal([](Content& c) { c.tensors.erase(c.tensors.begin()); }),
              HasSubstr("no tensor \"layers.0.phase\""));
  EXPECT_THAT(refusal([](Content& c) {
                c.tensors.push_back({"layers.2.phase", DType::kF32, {0}, {}});
              }),
              HasSubstr("\"layers.2.phase\" is not one of this model's"));
  EXPECT_THAT(refusal([](Content& c) { c.tensors[0].dtype = DType::kI32; }), HasSubstr("found I32"));
  EXPECT_THAT(refusal([](Content& c) { std::swap(c.tensors[0].shape[0], c.tensors[0].shape[1]); }),
              HasSubstr("expected shape [13, 10], found [10, 13]"));
  EXPECT_THAT(refusal([](Content& c) { c.tensors.back().dtype = DType::kU64; }), HasSubstr("expected I64, found U64"));
  const std::vector<double> wide(130);
  EXPECT_THAT(refusal([&](Content& c) {
                c.tensors[0] = named_tensor<double>("layers.0.phase", {13, 10}, wide);
              }),
              HasSubstr("found F64"));
}

TEST_F(StateFile, WithCountersThatNoStreamHasIsRefused) {
  enum { kTokens, kChunkTokens, kTouched, kLastValidity };
  EXPECT_THAT(refusal_of_counter(kTokens, -1), HasSubstr("counter tokens is -1"));
  EXPECT_THAT(refusal_of_counter(kTokens, std::numeric_limits<std::int64_t>::max()), HasSubstr("counter tokens is"));
  EXPECT_THAT(refusal_of_counter(kTokens, 0), HasSubstr("counter chunk_tokens is"));
  EXPECT_THAT(refusal_of_counter(kChunkTokens, 8),
              HasSubstr("counter chunk_tokens is 8 after 40 tokens, expected 1 to 7"));
  EXPECT_THAT(refusal_of_counter(kChunkTokens, -1), HasSubstr("counter chunk_tokens is -1"));
  EXPECT_THAT(refusal_of_counter(kChunkTokens, 0), HasSubstr("counter chunk_tokens is 0"));
  EXPECT_THAT(refusal_of_counter(kTouched, 2), HasSubstr("counter touched is 2"));
  EXPECT_THAT(refusal_of_counter(kTouched, 0), HasSubstr("counter touched is 0"));
  EXPECT_THAT(refusal_of_counter(kLastValidity, -1),
              HasSubstr("counter last_validity is -1 after 40 tokens, expected 0 to 1"));
  EXPECT_THAT(refusal_of_counter(kLastValidity, 2), HasSubstr("counter last_validity is 2"));
}

TEST_F(StateFile, WithNumbersThatNoStreamHasIsRefused) {
  constexpr float kTurn = 2 * std::numbers::pi_v<float>;
  for (const TensorSpec& tensor : model_->model().state().tensors()) {
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      EXPECT_THAT(refusal_of_value(tensor.name, value), HasSubstr(tensor.name + "\": element 2 is"));
  }
  EXPECT_EQ(refusal_of_value("layers.0.phase", kTurn), "loaded");
  EXPECT_EQ(refusal_of_value("layers.0.phase", 0), "loaded");
  EXPECT_THAT(refusal_of_value("layers.0.phase", std::nextafter(kTurn, 7.0F)),
              HasSubstr("layers.0.phase: element 2 is"));
  EXPECT_THAT(refusal_of_value("layers.1.phase", -1e-30F), HasSubstr("layers.1.phase: element 2 is"));
  EXPECT_THAT(refusal_of_value("layers.1.pending", 1e30F), HasSubstr("layers.1.pending: element 2 is"));
  EXPECT_THAT(refusal_of_value("layers.1.pending", -25), HasSubstr("layers.1.pending: element 2 is"));
}

TEST_F(StateFile, CutAnywhereIsRefused) {
  for (std::size_t size = 0; size < bytes_.size(); size += 97) {
    Buffer<std::byte> part(size);
    std::copy_n(bytes_.data(), size, part.data());
    EXPECT_FALSE(parsed(part)) << size << " of " << bytes_.size() << " bytes";
  }
}

TEST_F(StateFile, WithDamagedBytesIsRefusedOrAStateThatAStreamCanBeIn) {
  Rng rng = test::test_rng(11);
  const TestEpisode<float> read(20, 5, test::test_rng(5), 9);
  std::size_t refused = 0;
  const std::size_t times = test::rounds(500, 50'000);
  for (std::size_t i = 0; i < times; ++i) {
    Buffer<std::byte> damaged = bytes_;
    // Half of the damage goes into the header, which is the smaller part.
    const std::size_t range = i % 2 == 0 ? damaged.size() : 1'500;
    for (std::size_t flips = 1 + rng.below(3); flips > 0; --flips)
      damaged[rng.below(range)] ^= static_cast<std::byte>(1U << rng.below(8));
    Result<StreamState<float>> state = parsed(damaged);
    refused += state ? 0 : 1;
    if (!state) continue;
    Stream<float> stream(model_);
    stream.set_state(std::move(state).value());
    for (std::size_t t = 0; t < 20; ++t) stream.push(read.row(t));
    for (const TensorSpec& tensor : model_->model().state().tensors()) {
      if (!tensor.name.ends_with(".phase")) continue;
      for (const float phase : stream.state().values.span().subspan(tensor.offset, tensor.size))
        ASSERT_FALSE(phase < 0 || phase > 6.3F) << phase;
    }
  }
  EXPECT_GT(refused, times / 4);
}

TEST_F(StateFile, IsNeverLargerThanItMayBe) { EXPECT_LT(bytes_.size(), largest_state(*model_)); }

TEST(StateFileOfABaseline, WithNumbersThatNoStreamHasIsRefused) {
  const auto model = test::loaded<float>(published_spec("gdn", 7, 3).value());
  const auto refusal = [&](const StreamState<float>& state) {
    return parse_state(encode_state(*model, state).span(), "now", *model).error().message();
  };
  const TestEpisode<float> read(20, 7, test::test_rng(5), 9);
  Stream<float> stream(model);
  for (std::size_t t = 0; t < 20; ++t) stream.push(read.row(t));
  StreamState<float> state = stream.state();
  state.values[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(state), HasSubstr("element 7 is nan"));
  state = stream.state();
  state.counters[0] = -4;
  EXPECT_THAT(refusal(state), HasSubstr("counter tokens is -4"));
  state.counters = {20, 1, 0, 0};
  EXPECT_THAT(model->model().fault(state).value_or("none"), HasSubstr("has no meaning"));
  state = stream.state();
  state.mode = Mode::kAblated;
  EXPECT_THAT(refusal(state), HasSubstr("a stream of gdn is recurrent"));
}

}  // namespace
}  // namespace schemamem

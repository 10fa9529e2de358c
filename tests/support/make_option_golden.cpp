// Writes tests/data/golden/schemamem/recurrent_live.safetensors and recurrent_pull.safetensors from the plain reference
// in double:
//   cmake --build build --target make_option_golden && build/tests/make_option_golden live FILE

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "models/schemamem/config.h"
#include "record/tensor_files.h"
#include "support/schemamem.h"

namespace schemamem::test {
namespace {

constexpr std::size_t kBatch = 2, kTokens = 44, kAddressBits = 3, kValueBits = 3;

/// Small sizes; no vector's length divides them.
constexpr SchemaMemConfig kConfig{.inputs = kAddressBits + kValueBits + 1,
                                  .outputs = kValueBits,
                                  .layers = 3,
                                  .width = 12,
                                  .slots = 10,
                                  .heads = 2,
                                  .head_dim = 6,
                                  .hidden = 5,
                                  .commit_every = 9};

std::vector<double> normal_numbers(Rng& rng, std::size_t count, double scale) {
  std::vector<double> numbers(count);
  for (double& number : numbers) number = scale * rng.normal();
  return numbers;
}

/// Random bits. Writes and queries take turns as in rounds: three and seven, the same in every sequence.
std::vector<double> random_rows(Rng& rng) {
  std::vector<double> x(kBatch * kTokens * kConfig.inputs);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t token = i / kConfig.inputs % kTokens;
    const bool last = i % kConfig.inputs == kConfig.inputs - 1;
    x[i] = last ? (token % 10 < 3 ? 1.0 : 0.0) : static_cast<double>(rng.below(2));
  }
  return x;
}

std::string listed(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (const std::size_t number : numbers) text += (text.empty() ? "[" : ",") + std::to_string(number);
  return text + "]";
}

int make(const SchemaMemConfig& options, const std::string& option, const std::string& word, const char* path) {
  const Layout layout = schemamem_parameters(kConfig);
  Rng rng = Rng::stream(20, Purpose::kTest, 1);
  const std::vector<double> flat = normal_numbers(rng, layout.size(), 0.4), x = random_rows(rng);
  const std::vector<double> d_logits = normal_numbers(rng, kBatch * kTokens * kConfig.outputs, 1);
  const reference::SchemaMemWeights weights = reference_schemamem(layout, flat);
  reference::SchemaMemWeights d_weights = zeros_like(weights);
  std::vector<double> logits;
  std::vector<std::vector<double>> states(kConfig.layers);
  std::string chunk_ends;
  for (std::size_t b = 0; b < kBatch; ++b) {
    const auto of = [&](const std::vector<double>& all) {
      return to_matrix(std::span(all).subspan(b * all.size() / kBatch, all.size() / kBatch), kTokens);
    };
    const reference::SchemaMem episode(weights, of(x), reference::SchemaMemMode::kRecurrent, kConfig.commit_every,
                                       reference_form(options));
    episode.backward(of(d_logits), d_weights);
    for (const double number : to_flat(episode.logits())) logits.push_back(number);
    for (std::size_t l = 0; l < kConfig.layers; ++l)
      for (const double phase : to_flat(episode.phases(l))) states[l].push_back(phase);
    chunk_ends = listed(episode.chunk_ends());
  }
  const std::vector<double> gradient = flatten(d_weights);

  std::vector<NamedTensor> tensors;
  const auto add = [&](const std::string& name, std::vector<std::size_t> shape, std::span<const double> numbers) {
    tensors.push_back(named_tensor<double>(name, std::move(shape), numbers));
  };
  add("x", {kBatch, kTokens, kConfig.inputs}, x);
  add("dlogits", {kBatch, kTokens, kConfig.outputs}, d_logits);
  add("logits", {kBatch, kTokens, kConfig.outputs}, logits);
  for (std::size_t l = 0; l < kConfig.layers; ++l)
    add("state." + std::to_string(l), {kBatch, kConfig.slots, kConfig.width}, states[l]);
  for (const TensorSpec& tensor : layout.tensors()) {
    add("param." + tensor.name, tensor.shape, std::span(flat).subspan(tensor.offset, tensor.size));
    add("grad." + tensor.name, tensor.shape, std::span(gradient).subspan(tensor.offset, tensor.size));
  }
  const std::map<std::string, std::string> metadata{{"model", "schemamem"},
                                                    {option, word},
                                                    {"mode", "recurrent"},
                                                    {"address_bits", std::to_string(kAddressBits)},
                                                    {"value_bits", std::to_string(kValueBits)},
                                                    {"layers", std::to_string(kConfig.layers)},
                                                    {"width", std::to_string(kConfig.width)},
                                                    {"slots", std::to_string(kConfig.slots)},
                                                    {"commit_every", std::to_string(kConfig.commit_every)},
                                                    {"chunk_ends", chunk_ends},
                                                    {"batch", std::to_string(kBatch)},
                                                    {"tokens", std::to_string(kTokens)}};
  const Status saved = save_tensors(path, tensors, metadata);
  if (!saved) std::fprintf(stderr, "%s\n", saved.error().message().c_str());
  return saved ? 0 : 1;
}

}  // namespace
}  // namespace schemamem::test

int main(int count, char** words) {
  using schemamem::test::make;
  const std::string word = count == 3 ? words[1] : "";
  if (word == "live") return make({.live = true}, "writer", word, words[2]);
  if (word == "pull") return make({.pulls = true}, "commit", word, words[2]);
  std::fprintf(stderr, "usage: make_option_golden live|pull FILE\n");
  return 64;
}

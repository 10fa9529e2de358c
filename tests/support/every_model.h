#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/row_marks.h"
#include "kernels/isa.h"
#include "models/registry.h"

namespace schemamem::test {

/// One row of what the shared suite runs over.
struct ModelCase {
  std::string name;
  ModelSpec spec;
  EngineChoice choice;
  bool commits = false;      // SchemaMem: has the three modes
  bool same_bits = false;    // streaming and training share their arithmetic to the last bit
  std::size_t longest = 96;  // tokens between two commits

  template <class T>
  std::unique_ptr<SequenceModel<T>> make() const {
    return make_model<T>(spec, choice).value();
  }
};
inline void PrintTo(const ModelCase& model, std::ostream* out) { *out << model.name; }

inline ModelSpec schemamem_spec(std::map<std::string, std::size_t, std::less<>> sizes) {
  return {.name = "schemamem", .sizes = std::move(sizes)};
}
/// No size is a multiple of any vector's length.
inline ModelSpec odd_spec() {
  return schemamem_spec({{"inputs", 5},
                         {"outputs", 2},
                         {"layers", 2},
                         {"width", 10},
                         {"slots", 13},
                         {"heads", 1},
                         {"head_dim", 10},
                         {"hidden", 3},
                         {"commit_every", 7}});
}

inline ModelSpec with_option(ModelSpec spec, const std::string& name, const std::string& value) {
  spec.options[name] = value;
  return spec;
}

/// The model of a choice such as "gdn:heads=3", for rows of so many numbers in and out.
inline ModelSpec chosen_spec(const std::string& text, std::size_t inputs, std::size_t outputs) {
  return resolve_model(parse_model_choice(text).value(), {.inputs = inputs, .outputs = outputs}).value();
}

/// Sizes that are not published, two sets for each model: rows of the smallest width, numbers of heads that are no
/// power of two, layers wider than the model.
struct OtherSizes {
  const char* name;
  const char* choice;
};
inline constexpr OtherSizes kOtherSizes[] = {
    {"schemamem_wide", "schemamem:layers=2:width=48:slots=20:heads=3:head_dim=16:hidden=24:commit_every=40"},
    {"mamba3_small", "mamba3:layers=2:width=16:heads=3:head_dim=16:state=32:groups=3"},
    {"mamba3_wide", "mamba3:layers=1:width=48:heads=2:head_dim=32:state=48:groups=1"},
    {"gdn_small", "gdn:layers=2:width=16:heads=3:head_dim=32:hidden=48"},
    {"gdn_wide", "gdn:layers=1:width=48:heads=1:head_dim=64:hidden=16"},
};

/// Every model of the registry at its published sizes, through its general path, and at other sizes, each on each of
/// the instruction sets.
inline std::vector<ModelCase> every_model(const std::vector<Isa>& isas = available_isas()) {
  std::vector<ModelCase> cases;
  for (const Isa isa : isas) {
    const std::string suffix = "_" + std::string(isa_name(isa));
    const auto add = [&](const std::string& name, const ModelSpec& spec, bool general = false) {
      const bool ours = spec.name == "schemamem";
      const auto longest = spec.sizes.find("commit_every");
      cases.push_back({.name = name + suffix,
                       .spec = spec,
                       .choice = {.isa = isa, .general = general},
                       .commits = ours,
                       .same_bits = ours,
                       .longest = ours ? longest->second : 96});
    };
    for (const std::string& name : model_names()) {
      add(name, published_spec(name, 7, 3).value());
      add(name + "_general", published_spec(name, 8, 4).value(), true);
    }
    add("schemamem_odd", odd_spec());
    add("schemamem_live", chosen_spec("schemamem:writer=live", 7, 3));
    add("schemamem_odd_live", with_option(odd_spec(), "writer", "live"));
    add("schemamem_pull", chosen_spec("schemamem:commit=pull", 7, 3));
    add("schemamem_odd_pull", with_option(odd_spec(), "commit", "pull"));
    for (const OtherSizes& other : kOtherSizes) add(other.name, chosen_spec(other.choice, 5, 2));
  }
  return cases;
}
/// Every model, and those that only streams can be asked of: phases in steps have no slope that differences could find.
inline std::vector<ModelCase> every_streamed_model(const std::vector<Isa>& isas = available_isas()) {
  std::vector<ModelCase> cases = every_model(isas);
  for (const Isa isa : isas) {
    cases.push_back({.name = "schemamem_live_64_phases_" + std::string(isa_name(isa)),
                     .spec = chosen_spec("schemamem:writer=live:phases=64", 7, 3),
                     .choice = {.isa = isa},
                     .commits = true,
                     .same_bits = true,
                     .longest = 96});
  }
  return cases;
}
inline std::string case_name(const testing::TestParamInfo<ModelCase>& made) { return made.param.name; }

/// Rounds of a random test: a few in the everyday run, `many` when SCHEMAMEM_LONG_TESTS is set.
inline std::size_t rounds(std::size_t few, std::size_t many) {
  return std::getenv("SCHEMAMEM_LONG_TESTS") == nullptr ? few : many;
}

inline Rng test_rng(std::uint64_t index) { return Rng::stream(20'240'501, Purpose::kTest, index); }

/// Weights that leave nothing at its default: no norm is one and writes turn phases by much.
template <class T>
std::vector<T> test_weights(const SequenceModel<T>& model, std::uint64_t seed = 1) {
  std::vector<T> weights(model.parameters().size());
  model.initialise("ours", seed, view_of(std::span(weights)));
  Rng rng = test_rng(seed);
  for (T& weight : weights) weight += static_cast<T>(0.05 * rng.normal());
  return weights;
}

/// Rows of random bits in write and read segments of random length; the last bit is the validity bit.
template <class T>
class TestEpisode {
 public:
  TestEpisode(std::size_t tokens, std::size_t inputs, Rng rng, std::size_t longest_segment = 130)
      : tokens_(tokens), inputs_(inputs), bits_(tokens * inputs) {
    bool write = true;
    for (std::size_t t = 0; t < tokens; write = !write) {
      // Reads are long and writes short, so that both commit rules are met.
      const std::size_t length = 1 + rng.below(write ? 6 : longest_segment);
      for (const std::size_t end = std::min(tokens, t + length); t < end; ++t) {
        for (std::size_t j = 0; j + 1 < inputs; ++j) bits_[t * inputs + j] = static_cast<T>(rng.below(2));
        bits_[t * inputs + inputs - 1] = static_cast<T>(write);
      }
    }
    marks_ = validity_marks<T>(rows());
  }
  std::size_t tokens() const { return tokens_; }
  View<const T, 2> rows() const { return {bits_.data(), {tokens_, inputs_}}; }
  View<const T, 2> rows(std::size_t first, std::size_t count) const { return rows().slice(first, count); }
  RowMarks marks() const { return marks_; }
  /// Rows with their marks, for a stream.
  StreamRows<T> marked(std::size_t first, std::size_t count) const {
    return {rows(first, count), marks().subspan(first, count)};
  }
  StreamRows<T> marked() const { return {rows(), marks()}; }
  /// As training takes it.
  Episode<T> episode(Mode mode = Mode::kRecurrent, T stillness = 0) const {
    return {.x = rows(), .marks = marks(), .mode = mode, .stillness = stillness};
  }
  /// A copy with the numbers of the validity bits changed; which of them are zero stays.
  template <class Change>
  TestEpisode with_validity(Change change) const {
    TestEpisode changed = *this;
    for (std::size_t t = 0; t < tokens_; ++t) {
      T& validity = changed.bits_[t * inputs_ + inputs_ - 1];
      if (validity != T(0)) validity = change();
    }
    changed.marks_ = validity_marks<T>(changed.rows());
    return changed;
  }
  std::span<const T> row(std::size_t t) const { return std::span(bits_).subspan(t * inputs_, inputs_); }

 private:
  std::size_t tokens_, inputs_;
  std::vector<T> bits_;
  std::vector<RowMark> marks_;
};

/// Ends of random pieces of [0, tokens), of lengths from one to everything.
inline std::vector<std::size_t> random_cuts(std::size_t tokens, Rng& rng) {
  const std::size_t longest = 1 + rng.below(tokens);
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < tokens;) ends.push_back(end = std::min(tokens, end + 1 + rng.below(longest)));
  return ends;
}

}  // namespace schemamem::test

#include "task/address_value.h"

#include <algorithm>
#include <array>
#include <memory>

#include "task/episode_stream.h"
#include "task/evaluation_episodes.h"

namespace schemamem {
namespace {

/// The bits of every number below 16 as floats. Four at a time is 1.5 times as fast as bit by bit.
constexpr auto kFourBits = [] {
  std::array<std::array<float, 4>, 16> table{};
  for (std::size_t number = 0; number < table.size(); ++number) {
    for (std::size_t bit = 0; bit < 4; ++bit) table[number][bit] = static_cast<float>((number >> bit) & 1U);
  }
  return table;
}();

/// The lowest bits of `number`, least significant first.
void write_bits(std::uint64_t number, std::span<float> out) {
  std::size_t bit = 0;
  for (; bit + 4 <= out.size(); bit += 4, number >>= 4) std::copy_n(kFourBits[number & 15U].begin(), 4, &out[bit]);
  for (; bit < out.size(); ++bit, number >>= 1) out[bit] = static_cast<float>(number & 1U);
}

constexpr auto kGroupNames = [] {
  std::array<std::string_view, kGroups> names{};
  for (std::size_t g = 0; g < kGroups; ++g) names[g] = group_name(static_cast<Group>(g));
  return names;
}();

class AddressValueSource final : public EpisodeSource {
 public:
  explicit AddressValueSource(const AddressValueTask& task) : task_(task), maker_(task.database()) {}

  void make(const EpisodeCase& request, const EpisodeAddress& address, const EpisodeRows& out) override {
    if (tokens_.size() < out.size()) tokens_.resize(out.size());
    const auto tokens = std::span(tokens_).first(out.size());
    maker_.make(task_.case_of(request), address, tokens);
    encode(task_.database(), tokens, out);
  }

 private:
  AddressValueTask task_;
  EpisodeMaker maker_;
  std::vector<Token> tokens_;
};

class EndlessRounds final : public EndlessRows {
 public:
  EndlessRounds(const Setting& setting, const Rounds& rounds) : setting_(setting), stream_(setting, rounds) {}

  void begin(Rng rng) override { stream_.begin(rng); }
  void next(const EpisodeRows& out) override {
    if (tokens_.size() < out.size()) tokens_.resize(out.size());
    const auto tokens = std::span(tokens_).first(out.size());
    for (Token& token : tokens) token = stream_.next();
    encode(setting_, tokens, out);
  }
  void skip(std::size_t rows) override {
    for (std::size_t i = 0; i < rows; ++i) stream_.next();
  }

 private:
  Setting setting_;
  RoundsStream stream_;
  std::vector<Token> tokens_;
};

class PaperEpisodes final : public PublishedEpisodes {
 public:
  PaperEpisodes(const TaskCase& request, std::size_t count)
      : setting_(request.setting), episodes_(request, {.episodes = count}) {}
  void next(const EpisodeRows& out) override { encode(setting_, episodes_.next(), out); }

 private:
  Setting setting_;
  EvaluationEpisodes episodes_;
};

}  // namespace

void encode_inputs(const Setting& setting, std::span<const Token> tokens, View<float, 2> inputs) {
  require(inputs.extent(0) == tokens.size() && inputs.extent(1) == setting.input_width(),
          "encode_inputs: there must be one row of the setting's width for every token");
  const std::uint64_t valid = std::uint64_t{1} << setting.value_bits;  // the validity bit follows the value
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    std::uint64_t bits = static_cast<std::uint64_t>(tokens[t].address);
    if (tokens[t].is_write()) bits |= (static_cast<std::uint64_t>(tokens[t].value) | valid) << setting.address_bits;
    write_bits(bits, {&inputs(t, 0), setting.input_width()});
  }
}

void encode(const Setting& setting, std::span<const Token> tokens, LastRow last, const EpisodeRows& out) {
  require(out.size() == tokens.size(), "encode: there must be one row for every token");
  encode_inputs(setting, tokens, out.inputs);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Token& token = tokens[t];
    const LastRow kind = token.is_write() ? LastRow::kWrite : LastRow::kRead;
    out.marks[t] = row_mark(last != LastRow::kNone && kind != last, !token.is_write());
    last = kind;
    out.labels[t] = token.label;
    out.weights[t] = token.is_write() ? 0.0F : 1.0F;
    out.groups[t] = static_cast<std::int8_t>(token.group);
    out.is_final[t] = token.final ? 1 : 0;
  }
}

AddressValueTask::AddressValueTask(const Setting& setting) : setting_(setting) {
  require(is_supported(setting), "AddressValueTask: the setting is not supported");
  for (const ScenarioInfo& scenario : all_scenarios()) {
    names_.emplace_back(scenario.name);
    std::vector<std::int8_t>& scored = scored_.emplace_back();
    for (const Group group : scenario.scored) scored.push_back(static_cast<std::int8_t>(group));
  }
}

TaskCase AddressValueTask::case_of(const EpisodeCase& request) const {
  return {.setting = setting_, .scenario = static_cast<Scenario>(request.scenario), .delay = request.delay};
}

TaskShape AddressValueTask::shape() const {
  return {.inputs = setting_.input_width(),
          .outputs = setting_.output_width(),
          .answer = AnswerKind::kBits,
          .marks = MarkRule::kValidity};
}

std::span<const std::string_view> AddressValueTask::groups() const { return kGroupNames; }

std::size_t AddressValueTask::tokens(const EpisodeCase& request) const {
  return episode_size(case_of(request)).tokens();
}

/// Writes and questions take turns, in rounds perhaps at every input; a delay and the questions behind it are one read
/// segment.
std::size_t AddressValueTask::marked_chunks(const EpisodeCase& request) const {
  if (info(case_of(request).scenario).family == Family::kRounds) return request.delay + 1;
  std::size_t segments = 0;
  bool writing = false;
  for (const SegmentInfo& segment : info(case_of(request).scenario).segments) {
    const bool writes = segment.kind == SegmentKind::kWrite;
    if (segments == 0 || writes != writing) ++segments;
    writing = writes;
  }
  return segments;
}

std::unique_ptr<EpisodeSource> AddressValueTask::source() const { return std::make_unique<AddressValueSource>(*this); }

std::unique_ptr<PublishedEpisodes> AddressValueTask::published(const EpisodeCase& request, std::size_t count) const {
  const TaskCase one = case_of(request);
  if (!info(one.scenario).paper_index) return nullptr;
  return std::make_unique<PaperEpisodes>(one, count);
}

std::unique_ptr<EndlessRows> AddressValueTask::endless(const Rounds& rounds) const {
  return std::make_unique<EndlessRounds>(setting_, rounds);
}

}  // namespace schemamem

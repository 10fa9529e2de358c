#include "task/batch.h"

#include <algorithm>
#include <array>

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

}  // namespace

EncodedTokens EncodedTokens::slice(std::size_t first, std::size_t count) const {
  return {.inputs = inputs.slice(first, count),
          .targets = targets.slice(first, count),
          .labels = labels.subspan(first, count),
          .groups = groups.subspan(first, count),
          .is_final = is_final.subspan(first, count)};
}

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

void encode(const Setting& setting, std::span<const Token> tokens, const EncodedTokens& out) {
  require(out.size() == tokens.size() && out.inputs.extent(0) == tokens.size() &&
              out.targets.extent(0) == tokens.size() && out.groups.size() == tokens.size() &&
              out.is_final.size() == tokens.size(),
          "encode: there must be one row for every token");
  require(out.inputs.extent(1) == setting.input_width() && out.targets.extent(1) == setting.output_width(),
          "encode: the rows have not the setting's width");
  encode_inputs(setting, tokens, out.inputs);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Token& token = tokens[t];
    write_bits(token.is_write() ? 0U : static_cast<std::uint64_t>(token.label),
               {&out.targets(t, 0), setting.output_width()});
    out.labels[t] = token.label;
    out.groups[t] = token.group;
    out.is_final[t] = token.final ? 1 : 0;
  }
}

Batch::Batch(const Setting& setting, std::size_t most_episodes, std::size_t most_tokens)
    : setting_(setting),
      offsets_(most_episodes + 1),
      segments_(most_episodes),
      inputs_(most_tokens * setting.input_width()),
      targets_(most_tokens * setting.output_width()),
      labels_(most_tokens),
      groups_(most_tokens),
      is_final_(most_tokens),
      all_{.inputs = {inputs_.data(), {most_tokens, setting.input_width()}},
           .targets = {targets_.data(), {most_tokens, setting.output_width()}},
           .labels = labels_.span(),
           .groups = groups_.span(),
           .is_final = is_final_.span()} {}

void Batch::plan(std::span<const TaskCase> cases) {
  require(cases.size() <= segments_.size(), "Batch::plan: more episodes than the batch has room for");
  episodes_ = cases.size();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    require(cases[i].setting == setting_, "Batch::plan: a case is of another setting");
    offsets_[i + 1] = offsets_[i] + episode_size(cases[i]).tokens();
  }
  require(tokens() <= all_.size(), "Batch::plan: more tokens than the batch has room for");
}

void Batch::put(std::size_t episode, std::span<const Token> tokens) {
  require(episode < episodes_, "Batch::put: the plan has no such episode");
  encode(setting_, tokens, rows(episode));
  segments_[episode] = segment_ends(tokens);
}

BatchFiller::BatchFiller(const Setting& setting, std::size_t longest_episode, int threads) {
  require(threads > 0, "BatchFiller: at least one thread is needed");
  for (int i = 0; i < threads; ++i) desks_.push_back({EpisodeMaker(setting), std::vector<Token>(longest_episode)});
}

void BatchFiller::fill(std::span<const TaskCase> cases, const EpisodeAddress& first, ThreadPool& pool, Batch& batch) {
  require(static_cast<std::size_t>(pool.threads()) <= desks_.size(), "BatchFiller::fill: more threads than desks");
  batch.plan(cases);
  const std::span<const std::size_t> offsets = batch.offsets();
  // A thread takes several episodes at a time: one is made in less time than two threads need to agree.
  constexpr std::size_t kSlice = 16;
  pool.run((cases.size() + kSlice - 1) / kSlice, [&](std::size_t slice, int thread) {
    Desk& desk = desks_[static_cast<std::size_t>(thread)];
    for (std::size_t i = slice * kSlice; i < std::min(cases.size(), (slice + 1) * kSlice); ++i) {
      const std::size_t length = offsets[i + 1] - offsets[i];
      require(length <= desk.tokens.size(), "BatchFiller::fill: an episode is longer than announced");
      const auto tokens = std::span(desk.tokens).first(length);
      EpisodeAddress address = first;
      address.index += i;
      desk.maker.make(cases[i], address, tokens);
      batch.put(i, tokens);
    }
  });
}

}  // namespace schemamem

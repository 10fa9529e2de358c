#include "task/batch.h"

#include <algorithm>

namespace schemamem {
namespace {

/// Bits of `number`, least significant first.
float* write_bits(std::uint32_t number, int bits, float* out) {
  for (int bit = 0; bit < bits; ++bit) *out++ = static_cast<float>((number >> bit) & 1U);
  return out;
}

}  // namespace

EncodedTokens EncodedTokens::slice(std::size_t first, std::size_t count) const {
  return {.inputs = inputs.slice(first, count),
          .targets = targets.slice(first, count),
          .labels = labels.subspan(first, count),
          .groups = groups.subspan(first, count),
          .is_final = is_final.subspan(first, count)};
}

void encode(const Setting& setting, std::span<const Token> tokens, const EncodedTokens& out) {
  require(out.size() == tokens.size() && out.inputs.extent(0) == tokens.size() &&
              out.targets.extent(0) == tokens.size() && out.groups.size() == tokens.size() &&
              out.is_final.size() == tokens.size(),
          "encode: there must be one row for every token");
  require(out.inputs.extent(1) == setting.input_width() && out.targets.extent(1) == setting.output_width(),
          "encode: the rows have not the setting's width");
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Token& token = tokens[t];
    const bool write = token.is_write();
    float* row = &out.inputs(t, 0);
    row = write_bits(static_cast<std::uint32_t>(token.address), setting.address_bits, row);
    row = write_bits(write ? static_cast<std::uint32_t>(token.value) : 0U, setting.value_bits, row);
    *row = write ? 1.0F : 0.0F;
    write_bits(write ? 0U : static_cast<std::uint32_t>(token.label), setting.value_bits, &out.targets(t, 0));
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
  // A thread takes several episodes at a time: one is made in less time than two threads need to agree.
  constexpr std::size_t kSlice = 16;
  pool.run((cases.size() + kSlice - 1) / kSlice, [&](std::size_t slice, int thread) {
    Desk& desk = desks_[static_cast<std::size_t>(thread)];
    for (std::size_t i = slice * kSlice; i < std::min(cases.size(), (slice + 1) * kSlice); ++i) {
      const std::size_t length = batch.rows(i).size();
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

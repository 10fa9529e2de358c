#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/view.h"
#include "task/episode.h"
#include "task/setting.h"
#include "task/task.h"
#include "task/task_case.h"

namespace schemamem {

/// Writes the inputs of tokens as bits: one row [a + v + 1] each, address bits, value bits, validity bit, least
/// significant first.
void encode_inputs(const Setting& setting, std::span<const Token> tokens, View<float, 2> inputs);
/// Writes tokens that follow a row of the kind `last` into exactly as many rows. The marks follow from the validity
/// bit.
void encode(const Setting& setting, std::span<const Token> tokens, LastRow last, const EpisodeRows& out);
/// A whole episode.
inline void encode(const Setting& setting, std::span<const Token> tokens, const EpisodeRows& out) {
  encode(setting, tokens, LastRow::kNone, out);
}

/// The paper's task: a database of 2^a addresses that is written and asked (docs/paper_map.md). Scenarios are numbered
/// as in the table of scenarios, and the length of a case is its delay.
class AddressValueTask final : public Task {
 public:
  static constexpr std::string_view kName = "address-value";

  explicit AddressValueTask(const Setting& setting);

  const Setting& database() const { return setting_; }
  TaskCase case_of(const EpisodeCase& request) const;

  std::string_view name() const override { return kName; }
  std::string setting() const override { return setting_.name(); }
  TaskShape shape() const override;
  Protocol protocol() const override { return Protocol::kPaper; }
  std::span<const std::string_view> groups() const override;
  std::span<const std::string> scenarios() const override { return names_; }
  std::span<const std::int8_t> scored(std::size_t scenario) const override { return scored_.at(scenario); }
  std::size_t tokens(const EpisodeCase& request) const override;
  std::size_t marked_chunks(const EpisodeCase& request) const override;
  Status check(const EpisodeCase& request) const override { return schemamem::check(case_of(request)); }
  std::unique_ptr<EpisodeSource> source() const override;
  std::unique_ptr<PublishedEpisodes> published(const EpisodeCase& request, std::size_t count) const override;
  std::unique_ptr<EndlessRows> endless(const Rounds& rounds) const override;

 private:
  Setting setting_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::int8_t>> scored_;
};

/// The case of a scenario and delay.
inline EpisodeCase episode_case(Scenario scenario, std::size_t delay = 0) {
  return {.scenario = static_cast<std::size_t>(scenario), .delay = delay};
}

}  // namespace schemamem

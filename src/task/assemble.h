#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "task/episode.h"
#include "task/task_case.h"

namespace schemamem {

/// Addresses and values have at most 16 bits.
using Number = std::uint16_t;

/// All that chance decides in an episode, except the fillers.
struct EpisodeChoices {
  std::span<const Number> order;    // [N] addresses; segments refer to its places
  std::span<const Number> written;  // [writes] values, write segment after write segment
  std::span<const Number> asked;    // [queries] addresses, query segment after query segment
};

/// What an address holds while an episode is laid out.
struct AddressState {
  std::int32_t value = 0;
  Group group = Group::kDefault;
};

/// A query of the delay: an address that the episode never writes.
inline Token filler(const Setting& setting, Number address) {
  return {
      .address = address, .label = static_cast<std::int32_t>(setting.default_value(address)), .group = Group::kFiller};
}

/// Lays out an episode: the inputs in order, and for every query the value and the group of its address at that moment.
/// `next_filler()` returns addresses of the delay. `database` [N] is scratch, `out` has exactly the episode's length.
template <class NextFiller>
void assemble(const TaskCase& request, const EpisodeChoices& choices, std::span<AddressState> database,
              NextFiller&& next_filler, std::span<Token> out) {
  const ScenarioInfo& scenario = info(request.scenario);
  const Setting setting = request.setting;
  const auto default_value = [&](std::size_t j) { return static_cast<std::int32_t>(setting.default_value(j)); };
  for (std::size_t j = 0; j < setting.addresses(); ++j) database[j] = {default_value(j), Group::kDefault};

  auto token = out.begin();
  auto value = choices.written.begin();
  auto asked = choices.asked.begin();
  for (const SegmentInfo& segment : scenario.segments) {
    const Places at = places(scenario, segment.set, setting);
    switch (segment.kind) {
      case SegmentKind::kWrite:
        for (AddressState& state : database) {
          if (state.group != Group::kDefault) state.group = Group::kRetained;
        }
        for (const Number address : choices.order.subspan(at.first, at.size())) {
          database[address] = {*value, scenario.latest};
          *token++ = {.address = address, .value = *value++};
        }
        break;
      case SegmentKind::kDelay:
        for (std::size_t i = 0; i < request.delay; ++i) *token++ = filler(setting, next_filler());
        break;
      case SegmentKind::kQuery: {
        const bool final = &segment == &scenario.segments.back();
        for (std::size_t i = 0; i < at.size(); ++i) {
          const Number address = *asked++;
          const AddressState& state = database[address];
          *token++ = {.address = address, .label = state.value, .group = state.group, .final = final};
        }
        break;
      }
    }
  }
}

}  // namespace schemamem

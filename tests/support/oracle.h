#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "task/episode.h"

namespace schemamem::test {

struct Answer {
  int label = -1;
  int group = -1;
  bool final = false;

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Answers every query of an episode by replaying its inputs on a plain map, from the text of the specification alone:
/// it reads addresses and values of the tokens and nothing else, and shares no code with the generator.
inline std::vector<Answer> oracle(int address_bits, int value_bits, const std::string& scenario,
                                  std::span<const Token> tokens) {
  const int n = 1 << address_bits;
  const int k = 1 << value_bits;
  std::size_t last_asked = static_cast<std::size_t>(n);
  if (scenario == "transaction-half") last_asked = static_cast<std::size_t>(n / 2);
  if (scenario == "transaction-quarter") last_asked = static_cast<std::size_t>(n == 4 ? 2 : n / 4);

  int write_segments = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t].value >= 0 && (t == 0 || tokens[t - 1].value < 0)) ++write_segments;
  }

  std::map<int, int> memory;
  std::map<int, int> written_in;  // address -> write segment
  std::map<int, int> times;       // address -> how often it was written
  const bool rounds = scenario == "rounds";
  int segment = 0;
  std::vector<Answer> answers;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const int address = tokens[t].address;
    if (tokens[t].value >= 0) {
      if (t == 0 || tokens[t - 1].value < 0) ++segment;
      memory[address] = tokens[t].value;
      written_in[address] = segment;
      ++times[address];
      answers.push_back({});
      continue;
    }
    Answer answer;
    answer.label = memory.contains(address) ? memory[address] : address % k;
    answer.final = t + last_asked >= tokens.size();
    if (!rounds && segment == write_segments && !answer.final)
      answer.group = 3;
    else if (!written_in.contains(address))
      answer.group = 2;
    else if (scenario == "retention" || written_in[address] < segment)
      answer.group = rounds && times[address] > 1 ? 4 : 0;
    else
      answer.group = 1;
    answers.push_back(answer);
  }
  return answers;
}

/// What the generator says, in the oracle's terms.
inline std::vector<Answer> answers_of(std::span<const Token> tokens) {
  std::vector<Answer> answers;
  for (const Token& token : tokens) answers.push_back({token.label, static_cast<int>(token.group), token.final});
  return answers;
}

}  // namespace schemamem::test

#include "talk/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/name.h"
#include "base/parse.h"
#include "base/suggest.h"
#include "base/text.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;
using Requests = std::vector<Request>;

constexpr std::array<VerbInfo, 13> kVerbs{{
    {Verb::kWrite, "write", "ADDRESS VALUE", "writes a value to an address"},
    {Verb::kAsk, "ask", "ADDRESS", "what the memory takes the address to hold, and how sure it is"},
    {Verb::kAskAll, "ask all", "", "asks every address in turn, beside what was written"},
    {Verb::kWait, "wait", "ROWS", "lets so many questions pass, about addresses that were never written"},
    {Verb::kSave, "save", "FILE", "writes the state to a file"},
    {Verb::kLoad, "load", "FILE", "goes on from a state file of this model"},
    {Verb::kFork, "fork", "[NAME]", "makes a second memory with the same past"},
    {Verb::kSwitch, "switch", "[NAME]", "goes on with another memory; without a name, lists them"},
    {Verb::kDrop, "drop", "NAME", "forgets another memory altogether"},
    {Verb::kReset, "reset", "", "forgets everything that was written"},
    {Verb::kInside, "inside", "", "what each layer holds, and what the last write changed"},
    {Verb::kHelp, "help", "", "shows this list"},
    {Verb::kQuit, "quit", "", "ends the conversation, as the end of the input does"},
}};

constexpr std::int64_t kLargestNumber = 1'000'000'000;

Error usage(std::string message) { return {ErrorKind::kUsage, std::move(message)}; }

std::string shown(const VerbInfo& verb) {
  return verb.takes.empty() ? std::string(verb.name) : fmt::format("{} {}", verb.name, verb.takes);
}

/// Every first word once.
std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const VerbInfo& verb : kVerbs) {
    if (verb.verb != Verb::kAskAll) words.emplace_back(verb.name);
  }
  return words;
}

Result<VerbInfo> find_verb(std::string_view word) {
  const auto found = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const VerbInfo& one) { return one.name == word; });
  if (found != kVerbs.end()) return *found;
  return usage(
      fmt::format("There is no word {}; `help` lists them.{}", quote(word), did_you_mean(word, first_words())));
}

Error wrong_form(const VerbInfo& verb, const std::string& found) {
  return usage(fmt::format("`{}` is written as `{}`; found {}.", verb.name, shown(verb), found));
}

/// Text behind a word: a file, a memory or nothing.
Result<Requests> named(const VerbInfo& verb, std::string_view name) {
  const bool file = verb.verb == Verb::kSave || verb.verb == Verb::kLoad;
  const bool optional = verb.verb == Verb::kFork || verb.verb == Verb::kSwitch;
  if (name.empty() && !optional) return wrong_form(verb, "nothing behind it");
  if (name.find('\0') != std::string_view::npos) return usage("A name has no zero byte in it.");
  if (!file && !name.empty() && !is_name(name)) {
    return usage(fmt::format(
        "A memory's name has at most {} letters, digits, -, _ and ., the first a letter or digit; found {}.",
        kLongestName, quote(name)));
  }
  return Requests{{.verb = verb.verb, .name = std::string(name)}};
}

/// Whole numbers behind a word.
Result<Requests> numbered(const VerbInfo& verb, std::span<const std::int64_t> numbers) {
  Request request{.verb = verb.verb};
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(numbers[i]); };
  if (verb.verb == Verb::kWrite && numbers.size() == 2) {
    request.address = at(0);
    request.value = at(1);
  } else if (verb.verb == Verb::kAsk && numbers.size() == 1) {
    request.address = at(0);
  } else if (verb.verb == Verb::kWait && numbers.size() == 1) {
    request.rows = at(0);
  } else {
    return wrong_form(verb, fmt::format("{} numbers behind it", numbers.size()));
  }
  return Requests{request};
}

bool takes_numbers(Verb verb) { return verb == Verb::kWrite || verb == Verb::kAsk || verb == Verb::kWait; }
bool takes_name(Verb verb) {
  return verb == Verb::kSave || verb == Verb::kLoad || verb == Verb::kFork || verb == Verb::kSwitch ||
         verb == Verb::kDrop;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

/// Takes the first word of a text that begins with one.
std::string_view next_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = trimmed(text.substr(word.size()));
  return word;
}

Status check_length(std::string_view line) {
  if (line.size() <= kLongestLine) return Done{};
  return usage(fmt::format("A line has at most {} bytes; found {}.", kLongestLine, line.size()));
}

/// The one key of an object and its value.
Result<std::pair<std::string, Json>> only_entry(std::string_view line) {
  const Result<JsonField> json = parse_json_object(line, "the line");
  if (!json || json->raw().size() != 1) {
    return usage(fmt::format("A line is one JSON object with one key, such as {{\"ask\":5}}; found {}.", quote(line)));
  }
  return std::pair(json->raw().begin().key(), json->raw().begin().value());
}

Result<Requests> json_numbers(const VerbInfo& verb, const Json& value) {
  const Json list = value.is_array() ? value : Json::array({value});
  std::vector<std::int64_t> numbers;
  for (const Json& one : list) {
    const std::int64_t most = verb.verb == Verb::kWait ? kLongestWait : kLargestNumber;
    if (!one.is_number_unsigned() || one.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
      return wrong_form(verb, fmt::format("{}, no whole number from 0 to {}",
                                          printable(one.dump(-1, ' ', true, Json::error_handler_t::replace)), most));
    }
    numbers.push_back(one.get<std::int64_t>());
  }
  return numbered(verb, numbers);
}

}  // namespace

std::span<const VerbInfo> verbs() { return kVerbs; }

Result<Requests> parse_words(std::string_view line) {
  if (const Status fits = check_length(line); !fits) return fits.error();
  std::string_view rest = trimmed(line);
  if (rest.empty() || rest.front() == '#') return Requests{};
  const auto verb = find_verb(next_word(rest));
  if (!verb) return verb.error();
  if (takes_name(verb->verb)) return named(*verb, rest);
  if (verb->verb == Verb::kAsk && rest == "all") return Requests{{.verb = Verb::kAskAll}};
  if (!takes_numbers(verb->verb)) {
    if (!rest.empty()) return wrong_form(*verb, quote(rest) + " behind it");
    return Requests{{.verb = verb->verb}};
  }
  std::vector<std::int64_t> numbers;
  while (!rest.empty() && numbers.size() < 3) {
    const auto number =
        parse_integer(next_word(rest), verb->name, 0, verb->verb == Verb::kWait ? kLongestWait : kLargestNumber);
    if (!number) return usage(fmt::format("{} Write `{}`.", number.error().message(), shown(*verb)));
    numbers.push_back(*number);
  }
  return numbered(*verb, numbers);
}

Result<Requests> parse_json_line(std::string_view line) {
  if (const Status fits = check_length(line); !fits) return fits.error();
  if (trimmed(line).empty()) return Requests{};
  const auto entry = only_entry(line);
  if (!entry) return entry.error();
  const auto& [word, value] = *entry;
  const auto verb = find_verb(word);
  if (!verb) return verb.error();
  if (verb->verb == Verb::kAsk && value == "all") return Requests{{.verb = Verb::kAskAll}};
  if (takes_numbers(verb->verb)) return json_numbers(*verb, value);
  if (value.is_null()) return takes_name(verb->verb) ? named(*verb, {}) : Result<Requests>({{.verb = verb->verb}});
  if (takes_name(verb->verb) && value.is_string()) return named(*verb, value.get_ref<const std::string&>());
  return wrong_form(*verb, takes_name(verb->verb) ? "a value that is no text" : "a value that is not null");
}

std::vector<std::string> completions(std::string_view line, const std::vector<std::string>& memories) {
  const std::size_t begin = line.find_last_of(" \t") == std::string_view::npos ? 0 : line.find_last_of(" \t") + 1;
  const std::string_view last = line.substr(begin), before = trimmed(line.substr(0, begin));
  std::vector<std::string> candidates;
  if (before.empty()) candidates = first_words();
  if (before == "ask") candidates = {"all"};
  if (before == "switch" || before == "drop") candidates = memories;
  std::erase_if(candidates, [&](const std::string& one) { return !one.starts_with(last); });
  return candidates;
}

}  // namespace schemamem

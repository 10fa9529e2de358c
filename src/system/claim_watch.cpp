#include "system/claim_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::string_view kPrefix = "claim-";
constexpr std::size_t kMostDigits = 9;
constexpr std::uint64_t kLongestClaim = 4096;
/// What a beat may be: a claim of a stranger keeps nobody waiting for more than two minutes.
constexpr milliseconds kShortestBeat{10}, kLongestBeat{10'000};

std::optional<std::uint32_t> claim_number(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size());
  if (digits.empty() || digits.size() > kMostDigits || digits.front() == '0') return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// The text of a claim; nothing if it went away.
Result<std::optional<std::string>> text_of(const fs::path& path) {
  if (is_absent(path)) return std::optional<std::string>();
  auto text = read_text_file(path, kLongestClaim);
  if (text) return std::optional(std::move(text).value());
  if (is_absent(path)) return std::optional<std::string>();
  return text.error();
}

bool is_same_claim(const ClaimText& a, const ClaimText& b) { return a.owner == b.owner && a.taken == b.taken; }

}  // namespace

std::string claim_name(std::uint32_t number) { return fmt::format("{}{}", kPrefix, number); }

std::string ClaimText::who() const {
  if (owner.process == 0) return "a process that has not said which";
  return fmt::format("process {} on {} since {}", owner.process, printable(owner.host), printable(since));
}

std::string ClaimText::line() const {
  return fmt::format(
      R"({{"format":1,"host":"{}","boot":"{}","processes":"{}","process":{},"start":{},"since":"{}","taken":{},"beat_ms":{},"beats":"{:0{}}"}})"
      "\n",
      owner.host, owner.boot, owner.processes, owner.process, owner.start, since, taken, beat.count(), beats,
      kClaimDigits);
}

Result<ClaimText> parse_claim(std::string_view text, const std::string& file) {
  const auto json = parse_json_object(text, file);
  if (!json) return json.error();
  json->allow_only({"format", "host", "boot", "processes", "process", "start", "since", "taken", "beat_ms", "beats"});
  json->at("format").expect(json->count("format") == 1, "expected 1; use the program that wrote it");
  ClaimText claim{.owner = {.host = json->text("host"),
                            .boot = json->text("boot"),
                            .processes = json->text("processes"),
                            .process = json->count("process"),
                            .start = json->natural("start")},
                  .since = json->text("since"),
                  .taken = json->natural("taken"),
                  .beat = milliseconds(json->count("beat_ms"))};
  const std::string beats = json->text("beats");
  json->at("beats").expect(beats.size() == kClaimDigits && beats.find_first_not_of("0123456789") == std::string::npos,
                           fmt::format("expected {} digits", kClaimDigits));
  json->at("beat_ms").expect(claim.beat >= kShortestBeat && claim.beat <= kLongestBeat,
                             fmt::format("expected {} to {}", kShortestBeat.count(), kLongestBeat.count()));
  if (const Status read = json->status(); !read) return read.error();
  std::from_chars(beats.data(), beats.data() + beats.size(), claim.beats);
  return claim;
}

Result<std::vector<SeenClaim>> ClaimWatch::look() {
  const auto names = list_directory(folder_);
  if (!names) return names.error();
  std::map<std::uint32_t, Known> found;
  std::vector<SeenClaim> seen;
  for (const std::string& name : *names) {
    const auto number = claim_number(name);
    if (!number) continue;
    const fs::path path = folder_ / name;
    const auto text = text_of(path);
    if (!text) return text.error();
    if (!text->has_value()) continue;
    // Where there are no links a claim is empty for an instant; one that stays so is judged by its silence.
    auto claim = (*text)->empty() ? ClaimText{} : parse_claim(**text, path.string());
    if (!claim) {
      return claim.error().with(
          fmt::format("{} is no claim; if nobody is at work there, remove the file", path.string()));
    }
    Known now{.text = std::move(claim).value()};
    if (const auto before = known_.find(*number);
        before != known_.end() && is_same_claim(before->second.text, now.text)) {
      const bool same = before->second.text.beats == now.text.beats;
      now.heard = before->second.heard || !same;
      if (same) now.changed = before->second.changed;
    }
    SeenClaim one{.number = *number, .text = now.text};
    if (const auto alive = is_alive(now.text.owner)) {
      one.pulse = *alive ? SeenClaim::Pulse::kAlive : SeenClaim::Pulse::kDead;
    } else if (Clock::now() - now.changed >= kSilentBeats * now.text.beat) {
      one.pulse = SeenClaim::Pulse::kDead;
    } else if (now.heard) {
      one.pulse = SeenClaim::Pulse::kAlive;
    }
    found[*number] = std::move(now);
    seen.push_back(std::move(one));
  }
  known_ = std::move(found);
  std::sort(seen.begin(), seen.end(), [](const SeenClaim& a, const SeenClaim& b) { return a.number < b.number; });
  return seen;
}

}  // namespace schemamem

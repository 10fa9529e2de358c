#include "paper/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

Quantity read_quantity(const Json& json) {
  Quantity quantity{.kind = json.at("kind"),
                    .model = json.value("model", ""),
                    .than = json.value("than", ""),
                    .setting = json.value("setting", ""),
                    .settings = json.value("settings", std::vector<std::string>{}),
                    .columns = json.value("columns", std::vector<std::string>{}),
                    .mode = json.value("mode", "recurrent"),
                    .than_mode = json.value("than_mode", ""),
                    .delay = {},
                    .seed = {}};
  if (json.contains("column")) quantity.columns = {json.at("column").get<std::string>()};
  if (json.contains("delay")) quantity.delay = json.at("delay").get<std::int64_t>();
  if (json.contains("seed")) quantity.seed = json.at("seed").get<std::uint64_t>();
  return quantity;
}

Claim read_claim(const Json& json) {
  Claim claim{.id = json.at("id"),
              .section = json.at("section"),
              .quote = json.at("quote"),
              .note = json.value("note", ""),
              .terms = {},
              .rule = {}};
  for (const Json& term : json.at("terms")) {
    const Json& stated = term.at("stated");
    claim.terms.push_back({.label = term.at("label"),
                           .unit = term.at("unit"),
                           .stated = stated.is_null() ? std::nullopt : std::optional(stated.get<double>()),
                           .quantity = read_quantity(term.at("quantity"))});
  }
  for (const Json& comparison : json.at("rule")) {
    const Json& right = comparison.at(2);
    claim.rule.push_back({.left = comparison.at(0),
                          .relation = comparison.at(1),
                          .right = right.is_string() ? std::variant<std::string, double>(right.get<std::string>())
                                                     : right.get<double>()});
  }
  return claim;
}

/// Between which values something lies.
struct Range {
  double low = 0, high = 0;
};

/// Nothing while it cannot be said.
std::optional<bool> less(const Range& a, const Range& b) {
  if (a.high < b.low) return true;
  if (a.low >= b.high) return false;
  return std::nullopt;
}

std::optional<bool> negated(std::optional<bool> answer) { return answer ? std::optional(!*answer) : std::nullopt; }

std::optional<bool> equal(const Range& a, const Range& b) {
  if (a.low == a.high && b.low == b.high) return a.low == b.low;
  if (a.high < b.low || b.high < a.low) return false;
  return std::nullopt;
}

std::optional<bool> compare_ranges(const Range& left, const std::string& relation, const Range& right) {
  if (relation == "<") return less(left, right);
  if (relation == ">") return less(right, left);
  if (relation == ">=") return negated(less(left, right));
  if (relation == "<=") return negated(less(right, left));
  require(relation == "==", "claims.json: unknown relation " + relation);
  return equal(left, right);
}

std::optional<Range> term_range(const Claim& claim, const ClaimResult& result, const std::string& label) {
  const auto term = std::find_if(claim.terms.begin(), claim.terms.end(),
                                 [&](const ClaimTerm& candidate) { return candidate.label == label; });
  require(term != claim.terms.end(), "claims.json: " + claim.id + " compares an unknown term: " + label);
  const auto& value = result.values[static_cast<std::size_t>(term - claim.terms.begin())];
  return value ? std::optional(Range{value->low, value->high}) : std::nullopt;
}

std::optional<bool> holds(const Claim& claim, const ClaimResult& result, const Comparison& comparison) {
  const auto left = term_range(claim, result, comparison.left);
  const auto* number = std::get_if<double>(&comparison.right);
  const auto right = number != nullptr ? std::optional(Range{*number, *number})
                                       : term_range(claim, result, std::get<std::string>(comparison.right));
  if (!left || !right) return std::nullopt;
  return compare_ranges(*left, comparison.relation, *right);
}

}  // namespace

std::vector<Claim> paper_claims() {
  std::vector<Claim> claims;
  const Result<JsonField> file = parse_json(claims_json(), "claims.json");
  for (const Json& claim : file->raw().at("claims")) claims.push_back(read_claim(claim));
  return claims;
}

std::string rule_text(const Claim& claim) {
  std::string text;
  for (const Comparison& comparison : claim.rule) {
    const auto* number = std::get_if<double>(&comparison.right);
    text += fmt::format("{}{} {} {}", text.empty() ? "" : " and ", comparison.left, comparison.relation,
                        number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(comparison.right));
  }
  return text;
}

std::string_view claim_verdict_name(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "holds";
    case ClaimVerdict::kFails:
      return "fails";
    case ClaimVerdict::kUnmeasured:
      break;
  }
  return "unmeasured";
}

ClaimResult judge_claim(const Ledger& ledger, const Selection& selection, const Claim& claim) {
  ClaimResult result;
  for (const ClaimTerm& term : claim.terms) result.values.push_back(measure(ledger, selection, term.quantity));
  bool open = false;
  for (const Comparison& comparison : claim.rule) {
    const std::optional<bool> answer = holds(claim, result, comparison);
    if (answer && !*answer) {
      result.verdict = ClaimVerdict::kFails;
      return result;
    }
    open = open || !answer;
  }
  result.verdict = open ? ClaimVerdict::kUnmeasured : ClaimVerdict::kHolds;
  return result;
}

}  // namespace schemamem

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/ledger.h"

namespace schemamem {

/// What a page shows besides the runs themselves, from whoever knows what they are compared with (paper/page.h). What
/// is JSON here is described in docs/formats.md, "The report page".
struct PageSubject {
  struct Model {
    std::string name, label, mark;  // as in files; in sentences; in narrow columns
  };
  struct EvalSeed {
    std::uint64_t seed = 0;
    std::string role;  // paper, unseen or other
  };
  std::int64_t training_limit = 0;  // the longest delay of training
  std::vector<Model> models{};
  std::vector<std::string> settings{};
  std::vector<EvalSeed> eval_seeds{};  // of the evaluation episodes to show; the first is shown first
  nlohmann::ordered_json claims = nlohmann::ordered_json::array();
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  nlohmann::ordered_json points = nlohmann::ordered_json::array();  // to draw beside the curves

  bool has_setting(std::string_view setting) const;
  bool has_model(std::string_view model) const;
};

/// What the page shows, as JSON: the subject, and curves, times and runs, for every recipe in the ledger. Reads the
/// manifests of the runs once more, to show them as they are.
Result<std::string> page_payload(const Ledger& ledger, const PageSubject& subject, const std::string& command);

/// The page itself: one file that loads nothing, whose bytes depend on the arguments and the program alone.
Result<std::string> report_page(const Ledger& ledger, const PageSubject& subject, const std::string& command);

/// A number as the page wants it: null for none.
nlohmann::ordered_json or_null(const std::optional<double>& value);

}  // namespace schemamem

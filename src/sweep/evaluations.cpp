#include "sweep/evaluations.h"

#include <algorithm>

#include "models/registry.h"
#include "system/files.h"

namespace schemamem {

std::vector<WantedEvaluation> wanted_evaluations(const SweepCell& cell) {
  std::vector<WantedEvaluation> wanted{{"eval", "table-recurrent-"}};
  const auto model = model_entry(cell.request.model.name);
  if (model && model->traits.ablation) wanted.push_back({"ablate", "table-ablated-"});
  return wanted;
}

bool has_evaluation(const std::filesystem::path& run, const WantedEvaluation& wanted) {
  const auto names = list_directory(run / "evaluations");
  return names && std::any_of(names->begin(), names->end(),
                              [&](const std::string& name) { return name.starts_with(wanted.prefix); });
}

}  // namespace schemamem

#include "task/evaluation_rows.h"

#include "task/address_value.h"

namespace schemamem {

Status EvaluationRows::check(const Task& task, const EpisodeCase& request) {
  if (const Status fits = task.check(request); !fits) return fits;
  const auto* const database = dynamic_cast<const AddressValueTask*>(&task);
  return database != nullptr ? check_evaluation(database->case_of(request)) : Status(Done{});
}

EvaluationRows::EvaluationRows(const Task& task, const EpisodeCase& request, const EvaluationOptions& options)
    : database_(dynamic_cast<const AddressValueTask*>(&task)), case_(request), seed_(options.seed) {
  if (database_ != nullptr) {
    paper_.emplace(database_->case_of(request), options);
  } else {
    source_ = task.source();
  }
}

void EvaluationRows::next(const EpisodeRows& out) {
  if (paper_) return encode(database_->database(), paper_->next(), out);
  source_->make(case_, {.seed = seed_, .purpose = Purpose::kEvaluationEpisode, .index = index_++}, out);
}

}  // namespace schemamem

// The rooms stand before the public headers (bindings.h).
#include "base/sha256.h"
#include "eval/predictions.h"
#include "models/registry.h"
#include "task/evaluation_rows.h"

#include "bindings.h"
#include "watch.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace schemamem::python {
namespace {

/// What a model that is not ours says to the evaluation episodes of a task, case by case: scored at once, kept as the
/// record of a guest.
class Bench {
 public:
  Bench(const std::string& task, const std::string& setting, std::uint64_t seed, std::size_t episodes)
      : task_(take(make_task(task, setting))), episodes_{.seed = seed, .episodes = episodes} {
    if (episodes == 0) throw Failure::usage("bench: expected at least one episode, found 0.");
  }

  /// [scenario, delay] of every case: those named, or those of `schemamem eval`.
  std::vector<std::vector<std::string>> cases(const std::vector<std::string>& scenarios,
                                              const std::vector<std::size_t>& delays,
                                              const std::vector<std::size_t>& usual_delays) const {
    EvaluationRequest request;
    request.scenarios = scenarios;
    request.delays = delays;
    request.paper_scenarios = {Scenario::kImmediate, Scenario::kRetention, Scenario::kInterference,
                               Scenario::kOverwrite};
    request.paper_delays = usual_delays;
    std::vector<std::vector<std::string>> names;
    for (const EpisodeCase& one : take(evaluated_cases(*task_, request))) {
      check(EvaluationRows::check(*task_, one));
      names.push_back({task_->scenarios()[one.scenario], std::to_string(one.delay)});
    }
    return names;
  }

  nb::list add_outputs(const std::string& scenario, std::size_t delay, const Array<const float, 3>& outputs) {
    CasePredictions made = predictions(outputs.shape(0), outputs.shape(1));
    made.width = outputs.shape(2);
    made.outputs.assign(outputs.data(), outputs.data() + outputs.size());
    return add(scenario, delay, std::move(made), std::as_bytes(numbers(outputs)));
  }
  nb::list add_answers(const std::string& scenario, std::size_t delay, const Array<const std::int32_t, 2>& answers) {
    CasePredictions made = predictions(answers.shape(0), answers.shape(1));
    made.answers.assign(answers.data(), answers.data() + answers.size());
    return add(scenario, delay, std::move(made), std::as_bytes(numbers(answers)));
  }

  std::string save(const std::string& root, const std::string& name, std::uint64_t seed, const std::string& owner,
                   const std::string& note, std::optional<std::int64_t> parameters) const {
    const Guest guest{.name = name,
                      .task = std::string(task_->name()),
                      .setting = task_->setting(),
                      .seed = seed,
                      .owner = owner,
                      .note = note,
                      .parameters = parameters};
    const std::vector<std::string> ours = model_names();
    if (std::find(ours.begin(), ours.end(), name) != ours.end())
      throw Failure::usage("bench: " + name + " is a model of the library; call yours something else.");
    Sha256 all = hash_;
    EvaluationRecord record = guest_record(guest, episodes_, all.hex_digest());
    for (const EvaluationCell& cell : cells_) record.put(cell);
    return take(save_guest(root, guest, record)).string();
  }

 private:
  static CasePredictions predictions(std::size_t episodes, std::size_t rows) {
    return {.name = "bench", .episodes = episodes, .rows = rows};
  }

  nb::list add(const std::string& scenario, std::size_t delay, CasePredictions made, std::span<const std::byte> bytes) {
    const EpisodeCase one{.scenario = take(task_->find_scenario(scenario)), .delay = delay};
    made.name = case_name(*task_, one);
    hash_.update(std::as_bytes(std::span(made.name)));
    hash_.update(bytes);
    StopFlag stop{false};
    auto cells = watched(stop, [&] { return take(score_predictions(*task_, one, episodes_, made)); });
    nb::list rows;
    for (EvaluationCell& cell : cells) {
      rows.append(dict_of(cell));
      cells_.push_back(std::move(cell));
    }
    return rows;
  }

  std::shared_ptr<const inside::Task> task_;
  EvaluationOptions episodes_;
  Sha256 hash_;
  std::vector<EvaluationCell> cells_{};
};

}  // namespace

void bind_bench(nb::module_& core) {
  nb::class_<Bench>(core, "Bench")
      .def(nb::init<const std::string&, const std::string&, std::uint64_t, std::size_t>())
      .def("cases", &Bench::cases)
      .def("add_outputs", &Bench::add_outputs)
      .def("add_answers", &Bench::add_answers)
      .def("save", &Bench::save, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace schemamem::python

#include "task/evaluation_rows.h"

#include "bindings.h"
#include "watch.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace schemamem::python {
namespace {

/// Episodes of one case, by the words of a caller.
struct Request {
  std::shared_ptr<const inside::Task> task;
  EpisodeCase one;
};

Request read_request(const std::string& task, const std::string& setting, const std::string& scenario,
                     std::int64_t delay, bool evaluation) {
  if (delay < 0) throw Failure::usage("episodes: a delay is counted from 0; found " + std::to_string(delay));
  Request request{.task = take(make_task(task, setting)), .one = {}};
  request.one = {.scenario = take(request.task->find_scenario(scenario)), .delay = static_cast<std::size_t>(delay)};
  check(evaluation ? EvaluationRows::check(*request.task, request.one) : request.task->check(request.one));
  return request;
}

/// Where the numbers go: arrays of n episodes, one behind the other.
struct Arrays {
  Array<float, 3> x;             // [n, T, row_width]
  Array<std::uint8_t, 2> marks;  // [n, T]
  Array<std::int32_t, 2> y;
  Array<float, 2> weights;
  Array<std::int8_t, 2> groups;
  Array<std::uint8_t, 2> final;

  EpisodeRows episode(std::size_t i) const {
    const std::size_t rows = y.shape(1), first = i * rows;
    return {.inputs = {x.data() + first * x.shape(2), {rows, x.shape(2)}},
            .marks = {reinterpret_cast<RowMark*>(marks.data()) + first, rows},  // an enumeration of bytes
            .labels = {y.data() + first, rows},
            .weights = {weights.data() + first, rows},
            .groups = {groups.data() + first, rows},
            .is_final = {final.data() + first, rows}};
  }
};

/// Calls make(i) for every episode, on a thread that a signal stops.
template <class Make>
void make_all(std::size_t n, const Make& make) {
  StopFlag stop{false};
  watched(stop, [&] {
    for (std::size_t i = 0; i < n && !stop; ++i) make(i);
    return true;
  });
}

void fill_evaluation(const Request& request, std::uint64_t seed, const Arrays& out) {
  const std::size_t n = out.y.shape(0);
  EvaluationRows rows(*request.task, request.one, {.seed = seed, .episodes = n});
  make_all(n, [&](std::size_t i) { rows.next(out.episode(i)); });
}

void fill_training(const Request& request, std::uint64_t seed, std::uint64_t first, const Arrays& out) {
  const auto source = request.task->source();
  make_all(out.y.shape(0), [&](std::size_t i) {
    source->make(request.one, {.seed = seed, .purpose = Purpose::kTrainEpisode, .index = first + i}, out.episode(i));
  });
}

/// Rows of an episode, and numbers of a row.
std::pair<std::size_t, std::size_t> size_of(const std::string& task, const std::string& setting,
                                            const std::string& scenario, std::int64_t delay, bool evaluation) {
  const Request request = read_request(task, setting, scenario, delay, evaluation);
  return {request.task->tokens(request.one), request.task->shape().row_width()};
}

void fill(const std::string& task, const std::string& setting, const std::string& scenario, std::int64_t delay,
          bool evaluation, std::uint64_t seed, std::uint64_t first, const Array<float, 3>& x,
          const Array<std::int32_t, 2>& y, const Array<std::int8_t, 2>& groups, const Array<std::uint8_t, 2>& marks,
          const Array<float, 2>& weights, const Array<std::uint8_t, 2>& final) {
  const Request request = read_request(task, setting, scenario, delay, evaluation);
  const Arrays out{x, marks, y, weights, groups, final};
  evaluation ? fill_evaluation(request, seed, out) : fill_training(request, seed, first, out);
}

std::vector<std::string> group_names(const std::string& task, const std::string& setting) {
  const auto made = take(make_task(task, setting));
  return {made->groups().begin(), made->groups().end()};
}

}  // namespace

void bind_episodes(nb::module_& core) {
  core.def("episode_size", &size_of);
  core.def("fill_episodes", &fill);
  core.def("group_names", &group_names);
}

}  // namespace schemamem::python

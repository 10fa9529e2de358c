#include "bindings.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace schemamem::python {
namespace {

/// Objects that are expensive to make and used by one pass at a time.
template <class Object>
class Pool {
 public:
  template <class Make>
  std::unique_ptr<Object> take(const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Object> object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return make();
  }
  void give(std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> free_;
};

/// Tapes of one size. A pass keeps the pool that its tapes came from, so one of another size can take its place.
template <class T>
struct Tapes {
  TapeSize size;
  Pool<Tape<T>> pool;
};

/// A forward pass that waits for its gradient: what the weights gave, and one tape an episode.
template <class T>
struct Pass {
  std::unique_ptr<Folded<T>> folded;
  std::shared_ptr<Tapes<T>> tapes;
  std::vector<std::unique_ptr<Tape<T>>> kept;
  std::size_t tokens = 0, answers = 0;

  ~Pass() {
    for (auto& tape : kept) tapes->pool.give(std::move(tape));
  }
};

using Tensors = std::vector<std::tuple<std::string, std::vector<std::size_t>, std::size_t>>;  // name, shape, offset

Tensors tensors_of(const Layout& layout) {
  Tensors tensors;
  for (const TensorSpec& one : layout.tensors()) tensors.emplace_back(one.name, one.shape, one.offset);
  return tensors;
}

/// A model as a part of something larger: arrays in and out, gradients of all of them. Weights are the caller's.
template <class T>
class Part {
 public:
  Part(const std::string& name, const std::map<std::string, std::string>& options, std::size_t inputs,
       std::size_t outputs, bool symbols, int threads)
      : model_(take(make_model<T>(take(resolve_model({.name = name, .set = options},
                                                     {.inputs = inputs, .outputs = outputs, .symbols = symbols}))))),
        pool_(impl::threads_of(threads)) {}

  Tensors parameters() const { return tensors_of(model_->parameters()); }
  Tensors carried() const { return tensors_of(model_->carried()); }
  void initialise(const std::string& scheme, std::uint64_t seed, const Array<T, 1>& weights) const {
    check(weights.size() == model_->parameters().size(), "weights");
    model_->initialise(scheme, seed, {weights.data(), {weights.size()}});
  }

  /// y and `final` are overwritten. Returns what backward() needs, unless `keep` is false.
  std::shared_ptr<Pass<T>> forward(const Array<const T, 1>& weights, const Array<const T, 3>& x,
                                   const std::optional<Array<const std::uint8_t, 2>>& marks,
                                   const std::optional<Array<const T, 2>>& initial, const Array<T, 3>& y,
                                   const std::optional<Array<T, 2>>& final, bool keep) {
    const std::size_t batch = x.shape(0), tokens = x.shape(1), width = x.shape(2), outputs = y.shape(2);
    const std::size_t carried = model_->carried().size();
    check(weights.size() == model_->parameters().size(), "weights");
    check(width == model_->config().row_width() && tokens > 0, "x");
    check(y.shape(0) == batch && y.shape(1) == tokens && outputs == model_->config().outputs, "y");
    check(!marks || (marks->shape(0) == batch && marks->shape(1) == tokens), "marks");
    check(!initial || (initial->shape(0) == batch && initial->shape(1) == carried), "the state");
    check(!final || (final->shape(0) == batch && final->shape(1) == carried), "the final state");

    const nb::gil_scoped_release unlocked;
    const std::lock_guard lock(mutex_);
    const auto pass = std::make_shared<Pass<T>>();
    pass->tokens = tokens;
    pass->answers = outputs;
    pass->folded = model_->make_folded();
    model_->fold({weights.data(), {weights.size()}}, *pass->folded);
    std::size_t marked = 1;
    for (std::size_t i = 0; marks && i < batch; ++i) {
      const std::span row(marks->data() + i * tokens, tokens);
      marked = std::max(marked, 1 + static_cast<std::size_t>(std::count_if(
                                        row.begin(), row.end(), [](std::uint8_t mark) { return (mark & 1U) != 0; })));
    }
    pass->tapes = tapes_for({.tokens = tokens, .chunks = model_->most_chunks(tokens, marked) + 1});
    const std::size_t count = keep ? batch : static_cast<std::size_t>(pool_.threads());
    for (std::size_t i = 0; i < count; ++i)
      pass->kept.push_back(pass->tapes->pool.take([&] { return model_->make_tape(pass->tapes->size, {}); }));
    pool_.run(batch, [&](std::size_t i, int thread) {
      inside::Episode<T> episode{.x = {x.data() + i * tokens * width, {tokens, width}}};
      if (marks) episode.marks = {reinterpret_cast<const RowMark*>(marks->data()) + i * tokens, tokens};
      if (initial) episode.initial = {initial->data() + i * carried, carried};
      if (final) episode.final = {final->data() + i * carried, carried};
      model_->forward(*pass->folded, episode, *pass->kept[keep ? i : static_cast<std::size_t>(thread)],
                      {y.data() + i * tokens * outputs, {tokens, outputs}});
    });
    return keep ? pass : nullptr;
  }

  /// d_x and d_weights are overwritten; d_state is the gradient of the final state on entry, of the initial one on
  /// return. The pass is used up.
  void backward(Pass<T>& pass, const Array<const T, 3>& d_y, const std::optional<Array<T, 3>>& d_x,
                const std::optional<Array<T, 2>>& d_state, const Array<T, 1>& d_weights) {
    const std::size_t batch = pass.kept.size(), tokens = pass.tokens, outputs = pass.answers;
    const std::size_t carried = model_->carried().size(), width = model_->config().row_width();
    check(batch > 0 && pass.tokens > 0, "the pass, which was used already");
    check(d_y.shape(0) == batch && d_y.shape(1) == tokens && d_y.shape(2) == outputs, "the gradient of y");
    check(!d_x || (d_x->shape(0) == batch && d_x->shape(1) == tokens && d_x->shape(2) == width), "the gradient of x");
    check(!d_state || (d_state->shape(0) == batch && d_state->shape(1) == carried), "the gradient of the state");
    check(d_weights.size() == model_->parameters().size(), "the gradient of the weights");

    const nb::gil_scoped_release unlocked;
    const std::lock_guard lock(mutex_);
    const std::size_t shares = std::min(kShards, batch);
    while (shards_.size() < shares) shards_.push_back(model_->make_shard());
    std::vector<GradientShard<T>*> order;
    for (std::size_t s = 0; s < shares; ++s) order.push_back(shards_[s].get());
    // Which episodes a shard has is fixed by the batch: the same bits for any number of threads.
    pool_.run(shares, [&](std::size_t s, int) {
      shards_[s]->clear();
      for (std::size_t i = s * batch / shares; i < (s + 1) * batch / shares; ++i) {
        EpisodeGradients<T> also;
        if (d_x) also.x = {d_x->data() + i * tokens * width, {tokens, width}};
        if (d_state) also.state = {d_state->data() + i * carried, carried};
        model_->backward(*pass.folded, *pass.kept[i], {d_y.data() + i * tokens * outputs, {tokens, outputs}},
                         *shards_[s], also);
      }
    });
    model_->unfold(*pass.folded, order, {d_weights.data(), {d_weights.size()}});
    pass.tokens = 0;
  }

 private:
  static constexpr std::size_t kShards = 8;

  static void check(bool fits, const char* what) {
    if (!fits) throw Failure::usage(std::string("a part of the model: the shape is not that of ") + what);
  }

  std::shared_ptr<Tapes<T>> tapes_for(TapeSize size) {
    if (!tapes_ || tapes_->size.tokens != size.tokens || tapes_->size.chunks != size.chunks) {
      tapes_ = std::make_shared<Tapes<T>>();
      tapes_->size = size;
    }
    return tapes_;
  }

  std::unique_ptr<SequenceModel<T>> model_;
  ThreadPool pool_;
  std::mutex mutex_;
  std::shared_ptr<Tapes<T>> tapes_;
  std::vector<std::unique_ptr<GradientShard<T>>> shards_;
};

template <class T>
void bind(nb::module_& core, const char* part, const char* pass) {
  nb::class_<Pass<T>>(core, pass);
  nb::class_<Part<T>>(core, part)
      .def(nb::init<const std::string&, const std::map<std::string, std::string>&, std::size_t, std::size_t, bool,
                    int>())
      .def_prop_ro("parameters", &Part<T>::parameters)
      .def_prop_ro("carried", &Part<T>::carried)
      .def("initialise", &Part<T>::initialise)
      .def("forward", &Part<T>::forward, nb::arg("weights"), nb::arg("x"), nb::arg("marks").none(),
           nb::arg("initial").none(), nb::arg("y"), nb::arg("final").none(), nb::arg("keep"))
      .def("backward", &Part<T>::backward, nb::arg("pass_"), nb::arg("d_y"), nb::arg("d_x").none(),
           nb::arg("d_state").none(), nb::arg("d_weights"));
}

}  // namespace

void bind_part(nb::module_& core) {
  bind<float>(core, "PartFloat", "PassFloat");
  bind<double>(core, "PartDouble", "PassDouble");
}

}  // namespace schemamem::python

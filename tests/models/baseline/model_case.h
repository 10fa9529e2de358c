#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"
#include "support/golden.h"

namespace schemamem::test {

/// One golden model file, run by one model.
template <class T>
class ModelCase {
 public:
  ModelCase(const std::string& name, std::unique_ptr<SequenceModel<T>> model)
      : golden_(name),
        model_(std::move(model)),
        batch_(golden_.shape("x")[0]),
        tokens_(golden_.shape("x")[1]),
        x_(golden_.values_as<T>("x")),
        d_logits_(golden_.values_as<T>("dlogits")),
        weights_(golden_.flat<T>(model_->parameters(), "param.")) {}

  void trained(double output_bound, double gradient_bound) const {
    const auto folded = model_->make_folded();
    const auto tape = model_->make_tape({.tokens = tokens_, .chunks = 1}, {.poison = true, .guard = 64});
    const auto shard = model_->make_shard();
    model_->fold(view_of(std::span(weights_)), *folded);
    std::vector<T> logits(d_logits_.size()), d_weights(weights_.size());
    for (std::size_t b = 0; b < batch_; ++b) {
      model_->forward(*folded, {.x = inputs(b), .marks = {}}, *tape, rows(logits, b));
      model_->backward(*folded, *tape, rows(d_logits_, b), *shard);
    }
    GradientShard<T>* const shards[] = {shard.get()};
    model_->unfold(*folded, shards, view_of(std::span(d_weights)));
    EXPECT_LE(golden_error(logits, golden_.values("logits")), output_bound);
    for (const TensorSpec& tensor : model_->parameters().tensors()) {
      const std::vector<double> expected = golden_.values("grad." + tensor.name);
      EXPECT_LE(golden_error(std::span<const T>(d_weights).subspan(tensor.offset, tensor.size),
                             std::span<const double>(expected)),
                gradient_bound)
          << tensor.name;
    }
    EXPECT_TRUE(tape->guards_intact());
  }

  std::vector<T> streamed(const std::vector<std::size_t>& cuts) const {
    const auto folded = model_->make_folded();
    const auto scratch = model_->make_scratch();
    model_->fold(view_of(std::span(weights_)), *folded);
    std::vector<T> logits(d_logits_.size());
    for (std::size_t b = 0; b < batch_; ++b) {
      StreamState<T> state = model_->empty_state();
      model_->refresh(*folded, state, *scratch);
      std::size_t first = 0;
      for (std::size_t i = 0; first < tokens_; ++i) {
        const std::size_t count = std::min(cuts[i % cuts.size()], tokens_ - first);
        model_->advance(*folded, {inputs(b).slice(first, count)}, state, *scratch, rows(logits, b).slice(first, count));
        first += count;
      }
    }
    return logits;
  }

  const Golden& golden() const { return golden_; }

 private:
  View<const T, 2> inputs(std::size_t b) const { return {x_.data() + b * tokens_ * 7, {tokens_, 7}}; }
  View<const T, 2> rows(const std::vector<T>& values, std::size_t b) const {
    return {values.data() + b * tokens_ * 3, {tokens_, 3}};
  }
  View<T, 2> rows(std::vector<T>& values, std::size_t b) const {
    return {values.data() + b * tokens_ * 3, {tokens_, 3}};
  }

  Golden golden_;
  std::unique_ptr<SequenceModel<T>> model_;
  std::size_t batch_, tokens_;
  std::vector<T> x_, d_logits_, weights_;
};

}  // namespace schemamem::test

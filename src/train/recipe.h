#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/rounds.h"

namespace schemamem {

/// What a field of a recipe may be.
struct Allowed {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> words{};  // for text
  std::size_t count = 0;                  // for lists: how many numbers
};

/// Whether a field was in every recipe from the start. One that was added later is silent while it has its default: it
/// is in no manifest, plan or hash, so that those that were published before it stay as they are.
enum class FieldAge { kFirst, kAddedLater };

/// How a model is trained. The defaults are the paper's; configs/ has the recipes. One list of fields serves the files,
/// --set, `config explain`, the manifest and the hash of a run.
struct Recipe {
  struct {
    std::int64_t episodes = 512;
    bool mixed = false;
    std::int64_t shards = 8;
  } batch;
  struct {
    std::string scheme = "paper";
    double schema_deviation = 0;
  } initial;
  struct {
    std::string matrices = "adamw";
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weight_decay = 0.01;
    bool decay_vectors = true;
    double clip = 1;
    double momentum = 0.95;
    double scale = 0.2;
    double average = 0;
    bool renew = true;
  } optimizer;
  struct {
    double rate = 3e-4;
    std::int64_t warmup = 0;
    std::vector<double> history_thresholds{80, 80, 80};
    std::vector<double> thresholds{80, 80};
    std::int64_t history_every = 2;
    std::int64_t limit = 300'000;
  } transactions;
  struct {
    double rate = 1e-4;
    std::int64_t warmup = 500;
    std::vector<double> thresholds{90, 90};
    std::int64_t history_every = 4;
    double immediate = 0.2;
    std::string delays = "reached";
    std::int64_t limit = 120'000;
  } maintenance;
  struct {
    double retained = 1, updated = 1, defaults = 1, filler = 0.1;
    double intermediate = 1;
  } loss;
  struct {
    std::int64_t every = 250;
    std::int64_t episodes = 512;
    std::int64_t passes = 2;
    std::string source = "paper";
    bool whole = true;
  } validation;
  struct {
    std::int64_t steps = 0;
    double power = 1;
    std::int64_t history_every = 4;
  } cooldown;
  struct {
    std::vector<double> weights{0, 0, 0};
    double cooldown = 0;
    double levels = 0;
  } stillness;
  struct {
    double rate = 2e-3;
    std::int64_t warmup = 100;
    double threshold = 99;
    std::int64_t history_every = 0;
    std::int64_t limit = 20'000;
  } levels;
  struct {
    std::int64_t steps = 0;
    double rate = 1e-3;
    std::int64_t warmup = 100;
    std::int64_t falling = 0;
    double power = 0.5;
    std::int64_t count = 16;
    std::int64_t tokens = 128;
    double restart = 1.0 / 64;
    std::vector<double> writes{1, 4};
    std::vector<double> reads{2, 16};
    std::int64_t wait = 0;
    std::int64_t wait_every = 16;
    double stillness = 0;
  } lanes;

  /// Calls field(name, value, allowed, what it means, since) for every field.
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    constexpr double kMany = 1e9;
    constexpr FieldAge later = FieldAge::kAddedLater;
    const auto field = [&](std::string_view name, auto& value, const Allowed& allowed, std::string_view doc,
                           FieldAge age = FieldAge::kFirst) { visit(name, value, allowed, doc, age); };
    const Allowed rate{.least = 0, .most = 1}, share{.least = 0, .most = 1}, count{.least = 0, .most = kMany},
        some{.least = 1, .most = kMany}, weight{.least = 0, .most = kMany}, yes_or_no{};
    const auto percents = [](std::size_t n) { return Allowed{.least = 0, .most = 100, .count = n}; };
    const auto words = [](std::vector<std::string_view> known) { return Allowed{.words = std::move(known)}; };

    field("batch.episodes", self.batch.episodes, Allowed{.least = 1, .most = 4096}, "episodes of a training step");
    field("batch.mixed", self.batch.mixed, yes_or_no,
          "each episode of a maintenance batch draws its own scenario and delay; otherwise one draw for the batch");
    field("batch.shards", self.batch.shards, Allowed{.least = 1, .most = 4096},
          "parts of a batch, each with a gradient of its own, that threads and processes share", later);
    field(
        "initial.scheme", self.initial.scheme, words({"paper", "ours", "silent"}),
        "initial weights: the authors' (paper), standard deviations of 1/sqrt(fan-in) (ours), or these with the write "
        "map of SchemaMem at zero (silent)");
    field("initial.schema_deviation", self.initial.schema_deviation, Allowed{.least = 0, .most = 10},
          "SchemaMem: standard deviation of the schema E, normal; 0 leaves the scheme's");
    field("optimizer.matrices", self.optimizer.matrices, words({"adamw", "muon"}),
          "what moves the matrices inside layers; everything else is AdamW's");
    field("optimizer.beta1", self.optimizer.beta1, share, "AdamW: decay of the first moment");
    field("optimizer.beta2", self.optimizer.beta2, share, "AdamW: decay of the second moment");
    field("optimizer.epsilon", self.optimizer.epsilon, share, "AdamW: added to the root of the second moment");
    field("optimizer.weight_decay", self.optimizer.weight_decay, Allowed{.least = 0, .most = 10},
          "decoupled weight decay, times the rate");
    field("optimizer.decay_vectors", self.optimizer.decay_vectors, yes_or_no,
          "weight decay acts on norms, biases and the schema too; otherwise on other matrices only");
    field("optimizer.clip", self.optimizer.clip, weight, "longest gradient norm; 0 never clips");
    field("optimizer.momentum", self.optimizer.momentum, share, "Muon: Nesterov momentum");
    field("optimizer.scale", self.optimizer.scale, Allowed{.least = 0, .most = 100},
          "Muon: an update is this times the root of the larger extent");
    field("optimizer.average", self.optimizer.average, share,
          "decay of the weight average that is validated and kept; 0 keeps the weights themselves");
    field("optimizer.renew", self.optimizer.renew, yes_or_no,
          "each phase (full history, transactions, maintenance) starts with empty moments");
    field("transactions.rate", self.transactions.rate, rate, "learning rate of the transaction stages");
    field("transactions.warmup", self.transactions.warmup, count, "steps of linear warm-up at the start of each phase");
    field("transactions.history_thresholds", self.transactions.history_thresholds, percents(3),
          "SchemaMem: % that end the full-history stages N/4, N/2, N");
    field("transactions.thresholds", self.transactions.thresholds, percents(2),
          "% that end the stages N/4 and N/2; stage N ends at the final target");
    field("transactions.history_every", self.transactions.history_every, count,
          "SchemaMem: the first of this many batches is full-history; 0: none");
    field("transactions.limit", self.transactions.limit, some, "steps after which a stage gives up");
    field("maintenance.rate", self.maintenance.rate, rate, "learning rate of the maintenance stages");
    field("maintenance.warmup", self.maintenance.warmup, count, "steps of linear warm-up at the start of the phase");
    field("maintenance.thresholds", self.maintenance.thresholds, percents(2),
          "% that end the stages of delay 96 and 192; stage 384 ends at the final target");
    field("maintenance.history_every", self.maintenance.history_every, count,
          "SchemaMem: the first of this many batches is full-history; 0: none");
    field("maintenance.immediate", self.maintenance.immediate, share, "probability of an immediate episode or batch");
    field("maintenance.delays", self.maintenance.delays, words({"reached", "uniform", "log-uniform"}),
          "delays: one of 0, 32 and the maxima reached so far, or any up to the stage's maximum");
    field("maintenance.limit", self.maintenance.limit, some, "steps after which a stage gives up");
    field("loss.retained", self.loss.retained, weight, "maintenance: weight of the group retained");
    field("loss.updated", self.loss.updated, weight, "maintenance: weight of the group updated");
    field("loss.default", self.loss.defaults, weight, "maintenance: weight of the group default");
    field("loss.filler", self.loss.filler, weight, "maintenance: weight of the queries of the delay");
    field("loss.intermediate", self.loss.intermediate, weight,
          "maintenance: weight, within its group, of a query before the last write");
    field("validation.every", self.validation.every, some, "steps between two checks");
    field("validation.episodes", self.validation.episodes, Allowed{.least = 1, .most = 65'536},
          "episodes of each case of a check");
    field("validation.passes", self.validation.passes, Allowed{.least = 1, .most = 100},
          "consecutive checks at or above the threshold that end a stage");
    field("validation.source", self.validation.source, words({"paper", "own"}),
          "maintenance episodes of a check: those the paper evaluates on (paper), or a stream of their own (own)");
    field("validation.whole", self.validation.whole, yes_or_no,
          "run every episode of a check, also when it can no longer pass");
    field("cooldown.steps", self.cooldown.steps, count, "steps after the last stage, in which the rate falls to zero");
    field("cooldown.power", self.cooldown.power, Allowed{.least = 0, .most = 10},
          "the rate falls as this power of the share of the cool-down that is left; 1: a straight line");
    field("cooldown.history_every", self.cooldown.history_every, count,
          "SchemaMem: the first of this many batches is full-history; 0: none");
    field("stillness.weights", self.stillness.weights, Allowed{.least = 0, .most = kMany, .count = 3},
          "weight of the change of state over reads, in the stages of delay 96, 192 and 384");
    field("stillness.cooldown", self.stillness.cooldown, weight, "the same in the cool-down");
    field("stillness.levels", self.stillness.levels, weight, "the same in the levels of a task that has levels", later);
    field("levels.rate", self.levels.rate, rate, "tasks of levels: learning rate", later);
    field("levels.warmup", self.levels.warmup, count, "tasks of levels: steps of linear warm-up at the start", later);
    field("levels.threshold", self.levels.threshold, Allowed{.least = 0, .most = 100},
          "tasks of levels: % that end a level", later);
    field("levels.history_every", self.levels.history_every, count,
          "tasks of levels, SchemaMem: the first of this many batches is full-history; 0: none", later);
    field("levels.limit", self.levels.limit, some, "tasks of levels: steps after which a level gives up", later);
    const Allowed range{.least = 1, .most = Rounds::kMost, .count = 2}, asked{.least = 1, .most = Rounds::kMost};
    field("lanes.steps", self.lanes.steps, count,
          "steps on endless streams whose states are carried from step to step, behind the other stages; 0: none",
          later);
    field("lanes.rate", self.lanes.rate, rate, "carried states: learning rate", later);
    field("lanes.warmup", self.lanes.warmup, count, "carried states: steps of linear warm-up at the start", later);
    field("lanes.falling", self.lanes.falling, count,
          "carried states: steps at the end in which the rate falls to zero", later);
    field("lanes.power", self.lanes.power, Allowed{.least = 0, .most = 10},
          "carried states: the rate falls as this power of the share of those steps that is left", later);
    field("lanes.count", self.lanes.count, Allowed{.least = 1, .most = 4096},
          "carried states: streams of a batch; the rest of it are episodes of the last stage", later);
    field("lanes.tokens", self.lanes.tokens, Allowed{.least = 1, .most = 512},
          "carried states: inputs that a step takes from each stream", later);
    field("lanes.restart", self.lanes.restart, share, "carried states: probability that a stream begins anew", later);
    field("lanes.writes", self.lanes.writes, range, "carried states: fewest and most writes of a round", later);
    field("lanes.reads", self.lanes.reads, range, "carried states: fewest and most queries of a round", later);
    field("lanes.wait", self.lanes.wait, Allowed{.least = 0, .most = Rounds::kMost},
          "carried states: queries of a wait; 0: there are none", later);
    field("lanes.wait_every", self.lanes.wait_every, asked, "carried states: rounds between two waits", later);
    field("lanes.stillness", self.lanes.stillness, weight,
          "carried states: weight of the change of state over reads, growing from zero while the rate falls", later);
  }
};

/// Whether the batch has an episode for every shard, unless there are as many shards as by default; a usage error if
/// not.
Status check_shards(const Recipe& recipe);

/// One field as text: what `config explain`, manifests and hashes show.
struct RecipeField {
  std::string name, value, doc, allowed;
  bool silent = false;  // added later, and at its default
};
/// Every field, in the order of the list.
std::vector<RecipeField> describe(const Recipe& recipe);
/// Those that are not silent: what is stored with a run.
std::vector<RecipeField> stored_fields(const Recipe& recipe);

}  // namespace schemamem

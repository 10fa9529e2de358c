#pragma once

#include "api/inside.h"

#include <schemamem/model.h>
#include <schemamem/task.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace schemamem::impl {

/// What a public Model shares.
struct Model {
  std::shared_ptr<const LoadedModel<float>> loaded;
};

/// The way from public objects to what they hold, and back.
struct Access {
  static const std::shared_ptr<const LoadedModel<float>>& loaded(const v0::Model& model) {
    return model.content_->loaded;
  }
  static v0::Model model(std::shared_ptr<const LoadedModel<float>> loaded) {
    return v0::Model(std::make_shared<const Model>(Model{std::move(loaded)}));
  }
  static v0::Rng rng(const inside::Rng& from) {
    v0::Rng rng(0);
    rng.state_ = std::bit_cast<decltype(rng.state_)>(from);
    return rng;
  }
  static v0::EpisodeWriter writer(EpisodeSink& sink) { return v0::EpisodeWriter(sink); }
};

/// Errors of the rooms, as the public ones. The numbers of public kinds are the exit codes.
v0::Error public_error(const inside::Error& error);

inline std::vector<std::byte> bytes_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

/// How many threads a public option means.
inline int threads_of(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace schemamem::impl

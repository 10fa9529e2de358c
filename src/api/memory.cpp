#include "api/access.h"

#include <schemamem/memory.h>

#include <stdexcept>

namespace schemamem {
namespace impl {

/// What a public Memory owns.
struct Memory {
  v0::Model model;
  AddressMemory memory;
};

}  // namespace impl

inline namespace v0 {
namespace {

using impl::Access;
using impl::public_error;

Status public_status(const inside::Status& status) { return status ? Status() : public_error(status.error()); }

/// A value where there is no room for an error.
template <class T>
T or_throw(inside::Result<T> result) {
  if (!result) throw std::out_of_range(result.error().message());
  return std::move(result).value();
}

}  // namespace

Memory::Memory(const Model& model) {
  auto made = AddressMemory::make(Access::loaded(model));
  if (!made) throw std::invalid_argument(made.error().message() + ". Read rows with a Stream instead.");
  content_ = std::make_unique<impl::Memory>(impl::Memory{model, std::move(made).value()});
}
Memory::Memory(std::unique_ptr<impl::Memory> content) : content_(std::move(content)) {}
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;
Memory::~Memory() = default;

Result<Memory> Memory::open(const std::string& path, const Model& model) {
  Memory memory(model);
  if (const Status loaded = memory.load(path); !loaded) return loaded.error();
  return memory;
}

Status Memory::write(std::size_t address, std::size_t value) {
  return public_status(content_->memory.write(address, value));
}

Answer Memory::ask(std::size_t address) {
  const Recalled answer = or_throw(content_->memory.ask(address));
  return {.value = answer.value, .confidence = answer.confidence};
}

void Memory::wait(std::size_t rows) { content_->memory.wait(rows); }
void Memory::reset() { content_->memory.reset(); }

Memory Memory::fork() const {
  return Memory(std::make_unique<impl::Memory>(impl::Memory{content_->model, content_->memory.fork()}));
}

std::size_t Memory::addresses() const { return content_->memory.addresses(); }
std::size_t Memory::values() const { return content_->memory.values(); }
void Memory::set_floor(double floor) {
  if (!is_floor(floor)) {
    throw std::invalid_argument("Memory::set_floor: expected at least 0 and below 1; found " + std::to_string(floor));
  }
  content_->memory.set_floor(floor);
}
double Memory::floor() const { return content_->memory.state().floor; }

std::int64_t Memory::tokens() const { return content_->memory.tokens(); }
const Model& Memory::model() const { return content_->model; }

std::optional<std::size_t> Memory::written(std::size_t address) const {
  return or_throw(content_->memory.written(address));
}

Status Memory::save(const std::string& path) const { return public_status(save_memory(path, content_->memory)); }
Status Memory::load(const std::string& path) { return public_status(load_memory(path, content_->memory)); }
std::vector<std::byte> Memory::bytes() const { return impl::bytes_of(content_->memory.encode().span()); }
Status Memory::restore(std::span<const std::byte> bytes) {
  return public_status(content_->memory.restore(bytes, "the state"));
}

}  // namespace v0
}  // namespace schemamem

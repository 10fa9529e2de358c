#include "memory/address_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "stream/state_file.h"

namespace schemamem {
namespace {

constexpr std::size_t kPiece = 1024;  // rows of waiting that are read together

/// The database that a model was trained for.
Result<Setting> setting_of(const LoadedModel<float>& model) {
  const auto refuse = [](const std::string& found) {
    return Error(ErrorKind::kUsage,
                 "Memory: expected a model of the address-value task, which is written and asked; " + found);
  };
  const auto& notes = model.notes();
  const auto task = notes.find("task"), setting = notes.find("setting");
  if (task != notes.end() && task->second != AddressValueTask::kName)
    return refuse("the model's file says task = " + quote(task->second));
  if (setting == notes.end()) return refuse("the model's file names no setting");
  const auto parsed = parse_setting(setting->second);
  if (!parsed) return refuse(parsed.error().message());
  const ModelConfig& config = model.model().config();
  if (config.row_width() != parsed->input_width() || config.outputs != parsed->output_width())
    return refuse("the model's file says " + quote(setting->second) + ", but its rows are of other widths");
  return *parsed;
}

Status check_range(const char* what, std::size_t found, std::size_t count) {
  if (found < count) return Done{};
  return Error(ErrorKind::kUsage,
               fmt::format("Memory: there is no {} {}; they are numbered from 0 to {}", what, found, count - 1));
}

/// The bits that are not negative, least significant first, and the probability that the model gives them together.
Recalled recalled_from(std::span<const float> logits) {
  Recalled answer{.value = 0, .confidence = 1};
  for (std::size_t bit = 0; bit < logits.size(); ++bit) {
    if (logits[bit] >= 0) answer.value |= std::size_t{1} << bit;
    answer.confidence /= 1 + std::exp(-std::abs(logits[bit]));
  }
  return answer;
}

Token question(std::size_t address) { return {.address = static_cast<std::int32_t>(address)}; }

}  // namespace

Result<AddressMemory> AddressMemory::make(SharedModel model) {
  require(model != nullptr, "AddressMemory: a memory has a model");
  const auto setting = setting_of(*model);
  if (!setting) return setting.error();
  return AddressMemory(std::move(model), *setting);
}

AddressMemory::AddressMemory(SharedModel model, const Setting& setting)
    : setting_(setting), stream_(std::move(model)), book_(setting) {}

AddressMemory::AddressMemory(Stream<float> stream, const AddressMemory& other)
    : setting_(other.setting_), stream_(std::move(stream)), book_(other.book_), watch_(other.watch_) {}

AddressMemory AddressMemory::fork() const { return {stream_.fork(), *this}; }

AddressMemory AddressMemory::fork_at(StreamState<float> state) const {
  AddressMemory other = fork();
  other.stream_.set_state(std::move(state));
  if (other.watch_) other.watch_->forget();
  return other;
}

std::span<const float> AddressMemory::read(std::span<const Token> tokens) {
  const std::size_t inputs = setting_.input_width(), outputs = setting_.output_width();
  rows_.resize(tokens.size() * inputs);
  outputs_.resize(tokens.size() * outputs);
  encode_inputs(setting_, tokens, {rows_.data(), {tokens.size(), inputs}});
  const View<const float, 2> rows(rows_.data(), {tokens.size(), inputs});
  const View<float, 2> logits(outputs_.data(), {tokens.size(), outputs});
  if (watch_) {
    watch_->push(stream_, rows, logits);
  } else {
    stream_.push(rows, logits);
  }
  return this->logits();
}

std::span<const float> AddressMemory::logits() const {
  return std::span(outputs_).last(std::min(outputs_.size(), setting_.output_width()));
}

void AddressMemory::watch() {
  if (!watch_) watch_.emplace(*model());
}

void AddressMemory::freeze(bool frozen) {
  watch();
  watch_->freeze(frozen);
}

Status AddressMemory::write(std::size_t address, std::size_t value) {
  if (const Status exists = check_range("address", address, addresses()); !exists) return exists;
  if (const Status exists = check_range("value", value, values()); !exists) return exists;
  const Token token{.address = static_cast<std::int32_t>(address), .value = static_cast<std::int32_t>(value)};
  read({&token, 1});
  book_.write(address, value);
  return Done{};
}

Result<Recalled> AddressMemory::ask(std::size_t address) {
  if (const Status exists = check_range("address", address, addresses()); !exists) return exists.error();
  const Token token = question(address);
  return recalled_from(read({&token, 1}));
}

void AddressMemory::wait(std::uint64_t rows, const std::function<bool(std::uint64_t)>& go_on) {
  for (std::uint64_t done = 0; done < rows; done += waiting_.size()) {
    if (done > 0 && go_on && !go_on(done)) return;
    waiting_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, rows - done)));
    auto row = static_cast<std::uint64_t>(tokens());
    for (Token& token : waiting_) token = question(book_.waiting_address(row++));
    read(waiting_);
  }
}

void AddressMemory::reset() {
  stream_.reset();
  book_ = AddressBook(setting_);
  if (watch_) watch_->forget();
}

Result<std::optional<std::size_t>> AddressMemory::written(std::size_t address) const {
  if (const Status exists = check_range("address", address, addresses()); !exists) return exists.error();
  return book_.written(address);
}

std::size_t AddressMemory::truth(std::size_t address) const {
  return book_.written(address).value_or(address % values());
}

Buffer<std::byte> AddressMemory::encode() const {
  return encode_state(*model(), state(), {{AddressBook::kNote, book_.text()}});
}

Status AddressMemory::restore(std::span<const std::byte> bytes, const std::string& what) {
  const auto file = TensorFile::parse(bytes, what);
  if (!file) return file.error();
  auto state = parse_state(*file, *model());
  if (!state) return state.error();
  auto book = AddressBook::parse(setting_, file->metadata(), what);
  if (!book) return book.error();
  stream_.set_state(std::move(state).value());
  book_ = std::move(book).value();
  if (watch_) watch_->forget();
  return Done{};
}

}  // namespace schemamem

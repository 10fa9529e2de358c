#include "api/access.h"
#include "api/address_book.h"

#include <schemamem/memory.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace schemamem {
namespace impl {

/// What a public Memory owns.
struct Memory {
  v0::Model model;
  Setting setting;
  inside::Stream<float> stream;
  AddressBook book;
};

}  // namespace impl

inline namespace v0 {
namespace {

using impl::Access;
using impl::AddressBook;
using impl::public_error;

constexpr std::size_t kPiece = 1024;  // rows of waiting that are read together

/// The database that a model was trained for.
Setting setting_of(const Model& model) {
  const auto refuse = [](const std::string& found) {
    return std::invalid_argument("Memory: expected a model of the address-value task, which is written and asked; " +
                                 found + ". Read rows with a Stream instead.");
  };
  const auto& notes = Access::loaded(model)->notes();
  const auto task = notes.find("task"), setting = notes.find("setting");
  if (task != notes.end() && task->second != AddressValueTask::kName)
    throw refuse("the model's file says task = " + task->second);
  if (setting == notes.end()) throw refuse("the model's file names no setting");
  const auto parsed = parse_setting(setting->second);
  if (!parsed) throw refuse(parsed.error().message());
  if (model.row_width() != parsed->input_width() || model.outputs() != parsed->output_width())
    throw refuse("the model's file says " + setting->second + ", but its rows are of other widths");
  return *parsed;
}

std::string range_error(const char* what, std::size_t found, std::size_t count) {
  return std::string("Memory: there is no ") + what + " " + std::to_string(found) + "; they are numbered from 0 to " +
         std::to_string(count - 1);
}

/// The bits that are not negative, least significant first, and the probability that the model gives them together.
Answer answer_from(std::span<const float> logits) {
  Answer answer{.value = 0, .confidence = 1};
  for (std::size_t bit = 0; bit < logits.size(); ++bit) {
    if (logits[bit] >= 0) answer.value |= std::size_t{1} << bit;
    answer.confidence /= 1 + std::exp(-std::abs(logits[bit]));
  }
  return answer;
}

/// Reads tokens and returns the outputs of the last one.
std::span<const float> read(impl::Memory& memory, std::span<const Token> tokens, std::vector<float>& outputs) {
  std::vector<float> rows(tokens.size() * memory.setting.input_width());
  encode_inputs(memory.setting, tokens, {rows.data(), {tokens.size(), memory.setting.input_width()}});
  outputs.resize(tokens.size() * memory.setting.output_width());
  memory.stream.push({rows.data(), {tokens.size(), memory.setting.input_width()}},
                     {outputs.data(), {tokens.size(), memory.setting.output_width()}});
  return std::span(outputs).last(memory.setting.output_width());
}

Token question(std::size_t address) { return {.address = static_cast<std::int32_t>(address)}; }

Status restore_from(impl::Memory& memory, std::span<const std::byte> bytes, const std::string& what) {
  const auto file = TensorFile::parse(bytes, what);
  if (!file) return public_error(file.error());
  auto state = parse_state(*file, *memory.stream.model());
  if (!state) return public_error(state.error());
  auto book = AddressBook::parse(memory.setting, file->metadata(), what);
  if (!book) return public_error(book.error());
  memory.stream.set_state(std::move(state).value());
  memory.book = std::move(book).value();
  return {};
}

}  // namespace

Memory::Memory(const Model& model) {
  const Setting setting = setting_of(model);
  content_ = std::make_unique<impl::Memory>(
      impl::Memory{model, setting, inside::Stream<float>(Access::loaded(model)), AddressBook(setting)});
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
  if (address >= addresses()) return Error(ErrorKind::kUsage, range_error("address", address, addresses()));
  if (value >= values()) return Error(ErrorKind::kUsage, range_error("value", value, values()));
  const Token token{.address = static_cast<std::int32_t>(address), .value = static_cast<std::int32_t>(value)};
  std::vector<float> outputs;
  read(*content_, {&token, 1}, outputs);
  content_->book.write(address, value);
  return {};
}

Answer Memory::ask(std::size_t address) {
  if (address >= addresses()) throw std::out_of_range(range_error("address", address, addresses()));
  const Token token = question(address);
  std::vector<float> outputs;
  return answer_from(read(*content_, {&token, 1}, outputs));
}

void Memory::wait(std::size_t rows) {
  std::vector<Token> tokens;
  std::vector<float> outputs;
  for (std::size_t done = 0; done < rows; done += tokens.size()) {
    tokens.resize(std::min(kPiece, rows - done));
    auto row = static_cast<std::uint64_t>(this->tokens());
    for (Token& token : tokens) token = question(content_->book.waiting_address(row++));
    read(*content_, tokens, outputs);
  }
}

void Memory::reset() {
  content_->stream.reset();
  content_->book = AddressBook(content_->setting);
}

Memory Memory::fork() const {
  return Memory(std::make_unique<impl::Memory>(
      impl::Memory{content_->model, content_->setting, content_->stream.fork(), content_->book}));
}

std::size_t Memory::addresses() const { return content_->setting.addresses(); }
std::size_t Memory::values() const { return content_->setting.values(); }
std::int64_t Memory::tokens() const { return content_->stream.tokens(); }
const Model& Memory::model() const { return content_->model; }

std::optional<std::size_t> Memory::written(std::size_t address) const {
  if (address >= addresses()) throw std::out_of_range(range_error("address", address, addresses()));
  return content_->book.written(address);
}

Status Memory::save(const std::string& path) const {
  const auto saved = write_file_atomically(path, bytes());
  return saved ? Status() : public_error(saved.error());
}

Status Memory::load(const std::string& path) {
  const auto bytes = read_file(path, largest_state(*content_->stream.model()));
  if (!bytes) return public_error(bytes.error());
  return restore_from(*content_, bytes->span(), path);
}

std::vector<std::byte> Memory::bytes() const {
  const auto& stream = content_->stream;
  return impl::bytes_of(
      encode_state(*stream.model(), stream.state(), {{AddressBook::kNote, content_->book.text()}}).span());
}

Status Memory::restore(std::span<const std::byte> bytes) { return restore_from(*content_, bytes, "the state"); }

}  // namespace v0
}  // namespace schemamem

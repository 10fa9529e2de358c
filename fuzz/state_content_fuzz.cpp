// Any bytes as a state file that is looked at without its model, as `state info`, `diff` and `zero` do, and as the
// account of what was written that such a file carries.
#include "memory/address_book.h"
#include "stream/state_content.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto file = TensorFile::parse(fuzz::bytes_of(data, size), "fuzz");
  if (!fuzz::accepted(file, {ErrorKind::kBadData})) return 0;
  const Setting setting{3, 3};
  if (const auto book = AddressBook::parse(setting, file->metadata(), "fuzz");
      fuzz::accepted(book, {ErrorKind::kBadData})) {
    const auto again = AddressBook::parse(setting, {{AddressBook::kNote, book->text()}}, "again");
    fuzz::must(again && again->text() == book->text());
  }
  const auto content = parse_state_content(*file);
  if (!fuzz::accepted(content, {ErrorKind::kBadData})) return 0;
  const auto empty = emptied_state(*file);
  fuzz::must(static_cast<bool>(empty));
  const auto again = TensorFile::parse(empty->span(), "again");
  fuzz::must(again && parse_state_content(*again));
  return 0;
}

#include "memory/address_book.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "base/text.h"

namespace schemamem {

AddressBook::AddressBook(const Setting& setting) : values_(setting.addresses()), unwritten_(setting.addresses()) {
  std::iota(unwritten_.begin(), unwritten_.end(), std::size_t{0});
}

void AddressBook::write(std::size_t address, std::size_t value) {
  if (!values_[address]) unwritten_.erase(std::lower_bound(unwritten_.begin(), unwritten_.end(), address));
  values_[address] = value;
}

std::size_t AddressBook::waiting_address(std::uint64_t row) const {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  const std::size_t count = unwritten_.empty() ? values_.size() : unwritten_.size();
  const std::size_t choice = static_cast<std::size_t>(((row * kGolden) >> 32) * count >> 32);
  return unwritten_.empty() ? choice : unwritten_[choice];
}

std::string AddressBook::text() const {
  std::string text;
  for (std::size_t address = 0; address < values_.size(); ++address) {
    if (!values_[address]) continue;
    text += (text.empty() ? "" : " ") + std::to_string(address) + "=" + std::to_string(*values_[address]);
  }
  return text;
}

Result<AddressBook> AddressBook::parse(const Setting& setting, const std::map<std::string, std::string>& metadata,
                                       const std::string& what) {
  AddressBook book(setting);
  const auto note = metadata.find(kNote);
  if (note == metadata.end()) return book;
  std::istringstream words(note->second);
  for (std::string word; words >> word;) {
    std::istringstream parts(word);
    std::size_t address = 0, value = 0;
    char sign = 0;
    const bool whole = parts >> address >> sign >> value && parts.peek() == std::istringstream::traits_type::eof();
    if (!whole || sign != '=' || address >= setting.addresses() || value >= setting.values()) {
      return Error(ErrorKind::kBadData, what + ": the metadata has written = ..." + quote(word) +
                                            "...; expected address=value, of " + std::to_string(setting.addresses()) +
                                            " addresses and " + std::to_string(setting.values()) +
                                            " values: the file is damaged, use an earlier one");
    }
    book.write(address, value);
  }
  return book;
}

}  // namespace schemamem

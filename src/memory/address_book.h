#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "task/setting.h"

namespace schemamem {

/// What was written where: the account that a memory keeps beside its model. It travels in the metadata of state files
/// as the note "written" (docs/formats.md).
class AddressBook {
 public:
  static constexpr const char* kNote = "written";

  explicit AddressBook(const Setting& setting);

  void write(std::size_t address, std::size_t value);
  std::optional<std::size_t> written(std::size_t address) const { return values_.at(address); }
  /// How many addresses were written at least once.
  std::size_t count() const { return values_.size() - unwritten_.size(); }
  /// The address that the waiting question number `row` asks. By steps of the golden ratio all addresses that may be
  /// asked come up about equally often and in no simple order, as a function of the row alone.
  std::size_t waiting_address(std::uint64_t row) const;

  /// "5=3 17=30"
  std::string text() const;
  /// The way back; an account that is no account of this database is bad data. A state without one, of a plain stream,
  /// has an empty one.
  static Result<AddressBook> parse(const Setting& setting, const std::map<std::string, std::string>& metadata,
                                   const std::string& what);

 private:
  std::vector<std::optional<std::size_t>> values_;  // by address
  std::vector<std::size_t> unwritten_;              // rising
};

}  // namespace schemamem

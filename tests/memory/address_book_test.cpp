#include "memory/address_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace schemamem {
namespace {

const Setting kSetting{.address_bits = 3, .value_bits = 4};

std::set<std::size_t> asked_while_waiting(const AddressBook& book) {
  std::set<std::size_t> asked;
  for (std::uint64_t row = 1'000'000; row < 1'000'040; ++row) asked.insert(book.waiting_address(row));
  return asked;
}

TEST(AddressBook, WaitsWithQuestionsAboutEveryAddressThatWasNeverWritten) {
  AddressBook book(kSetting);
  for (const std::size_t address : {1U, 2U, 7U, 2U}) book.write(address, 15);
  EXPECT_THAT(asked_while_waiting(book), testing::ElementsAre(0, 3, 4, 5, 6));
  for (std::size_t address = 0; address < 8; ++address) book.write(address, 0);
  EXPECT_EQ(asked_while_waiting(book).size(), 8U) << "all were written: about any";
}

TEST(AddressBook, GoesThroughItsTextUnchanged) {
  AddressBook book(kSetting);
  book.write(5, 3);
  book.write(1, 14);
  EXPECT_EQ(book.text(), "1=14 5=3");
  const auto again = AddressBook::parse(kSetting, {{AddressBook::kNote, book.text()}}, "x");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->text(), book.text());
  EXPECT_EQ(AddressBook::parse(kSetting, {}, "x")->text(), "");
}

TEST(AddressBook, RefusesATextThatIsNoneOfThisDatabase) {
  for (const char* text : {"8=0", "0=16", "5", "5=", "=3", "5=3x", "5:3", "-1=0", "a=b"}) {
    const auto book = AddressBook::parse(kSetting, {{AddressBook::kNote, text}}, "x");
    ASSERT_FALSE(book) << text;
    EXPECT_THAT(book.error().message(), testing::HasSubstr("expected address=value"));
  }
}

}  // namespace
}  // namespace schemamem

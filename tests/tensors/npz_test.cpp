#include "tensors/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

namespace schemamem {
namespace {

using testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

NamedTensor array_of(const std::string& name, const std::vector<float>& values, std::vector<std::size_t> shape) {
  return {name, DType::kF32, std::move(shape), std::as_bytes(std::span(values))};
}

std::string archive_of(std::initializer_list<NamedTensor> arrays) {
  NpzWriter writer;
  std::string file;
  for (const NamedTensor& array : arrays) {
    file += writer.begin(array);
    file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  }
  file += writer.end();
  EXPECT_EQ(file.size(), writer.size());
  return file;
}

const std::vector<float> kValues{1.5F, -2, 3, 4, 5, 6};

std::string two_arrays() { return archive_of({array_of("first", kValues, {2, 3}), array_of("second", kValues, {6})}); }

std::string message(const std::string& file) {
  const auto read = parse_npz(bytes_of(file), "x.npz");
  if (read) return "accepted";
  EXPECT_EQ(read.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(read.error().message(), HasSubstr("x.npz"));
  return read.error().message();
}

TEST(Npz, GivesBackTheArraysThatWereWritten) {
  const std::string file = two_arrays();
  const auto read = parse_npz(bytes_of(file), "x.npz");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].name, "first");
  EXPECT_EQ((*read)[0].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ((*read)[1].shape, (std::vector<std::size_t>{6}));
  for (const NamedTensor& array : *read) {
    ASSERT_EQ(array.bytes.size(), kValues.size() * sizeof(float));
    EXPECT_EQ(std::memcmp(array.bytes.data(), kValues.data(), array.bytes.size()), 0);
  }
  EXPECT_TRUE(parse_npz(bytes_of(archive_of({})), "x.npz"));
  EXPECT_TRUE(looks_like_npz(bytes_of(file)));
}

TEST(Npz, RefusesEveryShorterFileAndEveryChangedByteOfTheData) {
  const std::string file = two_arrays();
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_NE(message(file.substr(0, size)), "accepted") << size;
  EXPECT_NE(message(file + "x"), "accepted");
  EXPECT_NE(message("x" + file), "accepted");
  for (std::size_t at = 30; at < file.find("PK\x01\x02"); ++at) {
    std::string other = file;
    other[at] = static_cast<char>(other[at] ^ 1);
    if (const std::string said = message(other); said == "accepted") {
      // The version and the time of the second array are of no meaning; nothing else is.
      const std::size_t local = file.find("PK\x03\x04", 1);
      EXPECT_TRUE(at == local + 4 || at == local + 5 || (at >= local + 10 && at < local + 14)) << at;
    }
  }
}

TEST(Npz, SaysWhatToDoAboutWhatNumPyCouldHaveWritten) {
  const std::string file = archive_of({array_of("a", kValues, {2, 3})});
  const std::size_t list = file.find("PK\x01\x02");
  std::string compressed = file;
  compressed[list + 10] = 8;
  EXPECT_THAT(message(compressed), HasSubstr("numpy.savez, not numpy.savez_compressed"));
  std::string piped = file;
  piped[list + 8] = 8;
  EXPECT_THAT(message(piped), HasSubstr("to a file with numpy.savez"));
}

std::uint32_t checksum(const std::string& text) {
  std::uint32_t crc = ~0U;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0xEDB88320U : crc >> 1U;
  }
  return ~crc;
}

std::string number(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return text;
}

/// An archive of one member, whatever is in it, with all that a zip file says about it right.
std::string archive_with(const std::string& name, const std::string& content) {
  const std::string common = number(20, 2) + std::string(8, '\0') + number(checksum(content), 4) +
                             number(content.size(), 4) + number(content.size(), 4) + number(name.size(), 2) +
                             number(0, 2);
  const std::string local = "PK\x03\x04" + common + name + content;
  const std::string list = "PK\x01\x02" + number(20, 2) + common + std::string(14, '\0') + name;
  return local + list + "PK\x05\x06" + std::string(4, '\0') + number(1, 2) + number(1, 2) + number(list.size(), 4) +
         number(local.size(), 4) + number(0, 2);
}

/// One array of four bytes with this header.
std::string with_header(const std::string& header) {
  return archive_with("a.npy", std::string("\x93NUMPY\x01\x00", 8) + number(header.size(), 2) + header + "\1\2\3\4");
}

TEST(Npz, ReadsHeadersInEverySpellingOfNumPys) {
  for (const char* header : {"{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }    \n",
                             "{'shape': (2, 2), 'fortran_order': False, 'descr': '|i1'}",
                             "{'descr': '<i4', 'fortran_order': False, 'shape': (), }\n",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1), }\n"})
    EXPECT_EQ(message(with_header(header)), "accepted") << header;
}

TEST(Npz, RefusesEveryOtherHeader) {
  const std::pair<const char*, const char*> cases[] = {
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "ascontiguousarray"},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "the type is one of"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "the type is one of"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "does not fit 4 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999, 99999999999999999), }", "does not fit"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "unexpected \"shape\""},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1), }", "unexpected \"shape\""},
      {"{'descr': '<f4', 'fortran_order': False, }", "must have"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}", "unexpected \"more\""},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } + f()", "goes on behind"},
      {"", "does not begin with {"},
      {"{'descr", "no key"}};
  for (const auto& [header, words] : cases) EXPECT_THAT(message(with_header(header)), HasSubstr(words)) << header;
  EXPECT_THAT(message(archive_with("a.npy", "no array")), HasSubstr("does not begin like an array"));
  EXPECT_THAT(message(archive_with("a.txt", "")), HasSubstr("does not end in .npy"));
  EXPECT_THAT(message(archive_with("../a.npy", "")), HasSubstr("the name of an array"));
}

}  // namespace
}  // namespace schemamem

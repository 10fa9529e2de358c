#include "tensors/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "base/name.h"
#include "base/text.h"

namespace schemamem {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::size_t kMostArrays = 4096;
constexpr std::size_t kNpyFront = 10, kLongestNpyHeader = 4096, kNpyAlignment = 64;
constexpr std::string_view kNpyMagic{"\x93NUMPY\x01\x00", 8};
constexpr std::string_view kSuffix = ".npy";
constexpr std::uint32_t kInExtra = 0xFFFF'FFFF;  // a size that stands in the extra field
constexpr std::uint16_t kUtf8Flag = 1U << 11U;
constexpr std::uint16_t kFirstOfJanuary1980 = 0x21;

struct Descr {
  std::string_view text;
  DType dtype;
};
constexpr std::array kDescrs{Descr{"|b1", DType::kBool}, Descr{"|u1", DType::kU8},  Descr{"|i1", DType::kI8},
                             Descr{"<i4", DType::kI32},  Descr{"<i8", DType::kI64}, Descr{"<f4", DType::kF32},
                             Descr{"<f8", DType::kF64}};

/// `before`: that of what stands before these bytes.
std::uint32_t crc32(Bytes bytes, std::uint32_t before = 0) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? 0xEDB8'8320U ^ (value >> 1U) : value >> 1U;
      made[i] = value;
    }
    return made;
  }();
  std::uint32_t crc = ~before;
  for (const std::byte byte : bytes) crc = table[(crc ^ static_cast<std::uint32_t>(byte)) & 0xFFU] ^ (crc >> 8U);
  return ~crc;
}

/// Little-endian numbers at a place that was checked to be there.
std::uint32_t number(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= static_cast<std::uint32_t>(bytes[at + i]) << (8 * i);
  return value;
}
void put(std::string& text, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>((value >> (8 * i)) & 0xFFU);
}
std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: bytes are characters
}

/// The header of an array, the literal of a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2,),
/// }
class NpyHeader {
 public:
  explicit NpyHeader(std::string_view text) : rest_(text) {}

  /// What is wrong with it, or nothing.
  std::optional<std::string> read() {
    if (!take("{")) return "does not begin with {";
    while (!take("}")) {
      const auto key = quoted();
      if (!key || !take(":")) return "has no key where one is expected";
      const bool known = *key == "descr" ? descr() : *key == "fortran_order" ? order() : *key == "shape" && extents();
      if (!known) return fmt::format("has an unexpected {}", quote(*key));
      if (!seen_.insert(*key).second) return fmt::format("has {} twice", quote(*key));
      if (!take(",")) {
        if (take("}")) break;
        return "has no comma between its keys";
      }
    }
    if (seen_.size() != 3) return "must have descr, fortran_order and shape";
    if (rest_.find_first_not_of(" \n") != std::string_view::npos) return "goes on behind its }";
    return std::nullopt;
  }

  std::string type;  // as it stands there
  bool fortran = false;
  std::vector<std::size_t> shape;

 private:
  static constexpr std::size_t kMostExtents = 8, kMostDigits = 18;

  bool take(std::string_view token) {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(' ')));
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::optional<std::string> quoted() {
    if (!take("'")) return std::nullopt;
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool descr() {
    const auto text = quoted();
    if (text) type = *text;
    return text.has_value();
  }
  bool order() {
    fortran = take("True");
    return fortran || take("False");
  }
  bool extents() {
    if (!take("(")) return false;
    bool comma = true;
    while (!take(")")) {
      take("");
      const std::size_t digits = std::min(rest_.size(), rest_.find_first_not_of("0123456789"));
      if (!comma || digits == 0 || digits > kMostDigits || shape.size() == kMostExtents) return false;
      std::size_t extent = 0;
      for (const char digit : rest_.substr(0, digits)) extent = 10 * extent + static_cast<std::size_t>(digit - '0');
      shape.push_back(extent);
      rest_.remove_prefix(digits);
      comma = take(",");
    }
    return shape.size() != 1 || comma;  // (3) is a number
  }

  std::string_view rest_;
  std::set<std::string> seen_;
};

/// One member, as the list at the end tells it.
struct Member {
  std::string name;
  std::uint32_t crc = 0;
  std::size_t size = 0, offset = 0;
};

class Reader {
 public:
  Reader(Bytes bytes, const std::string& what) : bytes_(bytes), what_(what) {}

  Result<std::vector<NamedTensor>> read() const {
    const auto members = directory();
    if (!members) return members.error();
    std::vector<NamedTensor> arrays;
    std::set<std::string> names;
    std::size_t at = 0;
    for (const Member& member : *members) {
      const auto data = content(member, at);
      if (!data) return data.error();
      at = static_cast<std::size_t>(data->data() - bytes_.data()) + data->size();
      auto made = array(member, *data);
      if (!made) return made.error();
      if (!names.insert(made->name).second) return bad(fmt::format("has two arrays {}", quote(made->name)));
      arrays.push_back(std::move(made).value());
    }
    if (at != directory_begin()) return bad("has bytes between its last array and its list of them");
    return arrays;
  }

 private:
  Error bad(const std::string& reason) const { return {ErrorKind::kBadData, what_ + ": the archive " + reason}; }
  Error bad(const Member& member, const std::string& reason) const {
    return {ErrorKind::kBadData, fmt::format("{}: {}: {}", what_, printable(member.name), reason)};
  }
  std::size_t end_begin() const { return bytes_.size() - kEndSize; }
  std::size_t directory_begin() const { return number(bytes_, end_begin() + 16, 4); }

  Result<std::vector<Member>> directory() const {
    if (bytes_.size() < kEndSize || number(bytes_, end_begin(), 4) != kEnd)
      return bad("has no list of its arrays at its end. Write it with numpy.savez, and copy it whole");
    const std::size_t count = number(bytes_, end_begin() + 10, 2), size = number(bytes_, end_begin() + 12, 4);
    const bool plain = number(bytes_, end_begin() + 4, 4) == 0 && number(bytes_, end_begin() + 8, 2) == count &&
                       number(bytes_, end_begin() + 20, 2) == 0;
    if (!plain || count > kMostArrays || directory_begin() + size != end_begin())
      return bad(fmt::format("is in parts, has a comment, is over 4 GB or has more than {} arrays", kMostArrays));
    std::vector<Member> members;
    std::size_t at = directory_begin();
    for (std::size_t i = 0; i < count; ++i) {
      if (end_begin() - at < kCentralSize || number(bytes_, at, 4) != kCentral)
        return bad(fmt::format("has a list of {} arrays that ends at number {}", count, i));
      const std::size_t name = number(bytes_, at + 28, 2);
      const std::size_t more = name + number(bytes_, at + 30, 2) + number(bytes_, at + 32, 2);
      if (end_begin() - at - kCentralSize < more) return bad("has a name that is longer than the list it stands in");
      Member member{.name = std::string(text_of(bytes_.subspan(at + kCentralSize, name))),
                    .crc = number(bytes_, at + 16, 4),
                    .size = number(bytes_, at + 24, 4),
                    .offset = number(bytes_, at + 42, 4)};
      if (number(bytes_, at + 10, 2) != 0 || number(bytes_, at + 20, 4) != member.size)
        return bad(member, "is compressed. Write it with numpy.savez, not numpy.savez_compressed");
      if ((number(bytes_, at + 8, 2) & ~std::uint32_t{kUtf8Flag}) != 0)
        return bad(member, "is encrypted, or was written to a pipe. Write it to a file with numpy.savez");
      members.push_back(std::move(member));
      at += kCentralSize + more;
    }
    if (at != end_begin()) return bad("has more in its list than arrays");
    return members;
  }

  /// The bytes of a member that begins at `at`.
  Result<Bytes> content(const Member& member, std::size_t at) const {
    const std::size_t end = directory_begin();
    if (member.offset != at || end - at < kLocalSize || number(bytes_, at, 4) != kLocal)
      return bad(member, "does not stand right behind the array before it");
    const std::size_t name = number(bytes_, at + 26, 2), front = kLocalSize + name + number(bytes_, at + 28, 2);
    if (end - at < front || end - at - front < member.size) return bad(member, "is longer than the archive");
    const auto is_size = [&](std::uint32_t size) { return size == member.size || size == kInExtra; };
    if (text_of(bytes_.subspan(at + kLocalSize, name)) != member.name || number(bytes_, at + 8, 2) != 0 ||
        (number(bytes_, at + 6, 2) & ~std::uint32_t{kUtf8Flag}) != 0 || number(bytes_, at + 14, 4) != member.crc ||
        !is_size(number(bytes_, at + 18, 4)) || !is_size(number(bytes_, at + 22, 4)))
      return bad(member, "is not what the list at the end says of it");
    const Bytes data = bytes_.subspan(at + front, member.size);
    if (crc32(data) != member.crc)
      return bad(member, "is damaged: its bytes do not have the checksum that they should");
    return data;
  }

  Result<NamedTensor> array(const Member& member, Bytes data) const {
    if (!member.name.ends_with(kSuffix)) return bad(member, "is no array: its name does not end in .npy");
    std::string name = member.name.substr(0, member.name.size() - kSuffix.size());
    if (const Status named = check_name(name, what_ + ": the name of an array"); !named) return named.error();
    if (data.size() < kNpyFront || text_of(data.first(kNpyMagic.size())) != kNpyMagic)
      return bad(member, "does not begin like an array of NumPy's format 1.0");
    const std::size_t length = number(data, kNpyMagic.size(), 2);
    if (length > kLongestNpyHeader || data.size() - kNpyFront < length)
      return bad(member, "has a header that is too long");
    NpyHeader header(text_of(data.subspan(kNpyFront, length)));
    if (const auto wrong = header.read()) return bad(member, "the header of the array " + *wrong);
    const auto descr =
        std::find_if(kDescrs.begin(), kDescrs.end(), [&](const Descr& d) { return d.text == header.type; });
    if (descr == kDescrs.end()) {
      std::vector<std::string_view> known;
      for (const Descr& one : kDescrs) known.push_back(one.text);
      return bad(member, fmt::format("the type is one of {}; found {}", fmt::join(known, ", "), quote(header.type)));
    }
    if (header.fortran) return bad(member, "is stored column by column. Save numpy.ascontiguousarray of it");
    const auto bits = tensor_bits(descr->dtype, header.shape);
    const Bytes values = data.subspan(kNpyFront + length);
    if (!bits || *bits != 8 * values.size()) {
      return bad(member, fmt::format("the shape ({}) of {} does not fit {} bytes", fmt::join(header.shape, ", "),
                                     header.type, values.size()));
    }
    return NamedTensor{std::move(name), descr->dtype, std::move(header.shape), values};
  }

  Bytes bytes_;
  const std::string& what_;
};

std::string npy_front(const NamedTensor& array) {
  const auto descr =
      std::find_if(kDescrs.begin(), kDescrs.end(), [&](const Descr& d) { return d.dtype == array.dtype; });
  require(descr != kDescrs.end(), "NpzWriter: NumPy has no such element type");
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr->text,
                                 fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  const std::size_t used = (kNpyFront + text.size() + 1) % kNpyAlignment;
  text += std::string((kNpyAlignment - used) % kNpyAlignment, ' ') + '\n';
  std::string front(kNpyMagic);
  put(front, text.size(), 2);
  return front + text;
}

}  // namespace

Result<std::vector<NamedTensor>> parse_npz(Bytes bytes, const std::string& what) { return Reader(bytes, what).read(); }

bool looks_like_npz(Bytes bytes) { return bytes.size() >= 4 && number(bytes, 0, 2) == (kLocal & 0xFFFFU); }

std::string NpzWriter::begin(const NamedTensor& array) {
  require(is_name(array.name), "NpzWriter: an array has a name");
  const std::string name = array.name + std::string(kSuffix), front = npy_front(array);
  const std::uint32_t crc = crc32(array.bytes, crc32(std::as_bytes(std::span(front))));
  const std::size_t size_of_both = front.size() + array.bytes.size();
  std::string common;  // to both records of a member
  for (const std::uint16_t value : {std::uint16_t{20}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}})
    put(common, value, 2);
  put(common, kFirstOfJanuary1980, 2);
  put(common, crc, 4);
  put(common, size_of_both, 4);
  put(common, size_of_both, 4);
  put(common, name.size(), 2);
  put(common, 0, 2);
  std::string local;
  put(local, kLocal, 4);
  local += common + name;
  put(directory_, kCentral, 4);
  put(directory_, 20, 2);
  directory_ += common;
  directory_ += std::string(10, '\0');  // no comment, first part, no attributes
  put(directory_, offset_, 4);
  directory_ += name;
  offset_ += local.size() + size_of_both;
  ++entries_;
  require(entries_ <= kMostArrays && size() <= kLargestArchive, "NpzWriter: the archive is too large");
  return local + front;
}

std::string NpzWriter::end() const {
  std::string text = directory_;
  put(text, kEnd, 4);
  put(text, 0, 4);
  put(text, entries_, 2);
  put(text, entries_, 2);
  put(text, directory_.size(), 4);
  put(text, offset_, 4);
  put(text, 0, 2);
  return text;
}

std::uint64_t NpzWriter::size() const { return offset_ + directory_.size() + kEndSize; }

}  // namespace schemamem

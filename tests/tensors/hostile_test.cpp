#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "record/tensor_files.h"
#include "tensors/safetensors.h"

namespace schemamem {
namespace {

using testing::StartsWith;

const std::filesystem::path kFolder = SCHEMAMEM_TEST_DATA "/hostile";

/// How each file of tests/data/hostile is refused.
const std::map<std::string, std::string> kRefusals{
    {"data_missing", R"(tensor "w": data_offsets [0, 16] reach beyond the 0 bytes of data; the file is truncated)"},
    {"data_one_byte_long", "expected the data to end with the last tensor at 16, found 17 bytes of data"},
    {"data_one_byte_short",
     R"(tensor "w": data_offsets [0, 16] reach beyond the 15 bytes of data; the file is truncated)"},
    {"data_without_tensors", "expected the data to end with the last tensor at 0, found 1 bytes of data"},
    {"dtype_array", R"(tensor "w": dtype: expected the name of an element type, found an array)"},
    {"dtype_empty", R"(tensor "w": unknown dtype ""; known are BOOL, F4,)"},
    {"dtype_lower_case", R"(tensor "w": unknown dtype "f32"; known are BOOL, F4,)"},
    {"dtype_number", R"(tensor "w": dtype: expected the name of an element type, found the number 32)"},
    {"dtype_object", R"(tensor "w": dtype: expected the name of an element type, found an object)"},
    {"dtype_terminal_escape", R"(tensor "w": unknown dtype "\x1b[31m"; known are BOOL, F4,)"},
    {"dtype_unknown", R"(tensor "w": unknown dtype "F128"; known are BOOL, F4,)"},
    {"empty",
     "expected a safetensors file, which begins with 8 bytes of header length, found 0 bytes in all; the file is "
     "truncated"},
    {"hole_around_empty", R"(a hole of 4 bytes between tensor "a" and tensor "b": expected its data at 0, found 4)"},
    {"hole_at_start", R"(a hole of 8 bytes between the header and tensor "w": expected its data at 0, found 8)"},
    {"hole_between", R"(a hole of 4 bytes between tensor "a" and tensor "b": expected its data at 4, found 8)"},
    {"json_bad_escape", "the header is not valid JSON at byte 4:"},
    {"json_bare_word", "the header is not valid JSON at byte 15:"},
    {"json_comment", "the header is not valid JSON at byte 2:"},
    {"json_control_character", "the header is not valid JSON at byte 4:"},
    {"json_hexadecimal", "the header is not valid JSON at byte 31:"},
    {"json_leading_zero", "the header is not valid JSON at byte 31:"},
    {"json_lone_surrogate_escape", "the header is not valid JSON at byte 9:"},
    {"json_nan", "the header is not valid JSON at byte 30:"},
    {"json_number_out_of_range", "the header is not valid JSON at byte 34:"},
    {"json_plus_sign", "the header is not valid JSON at byte 30:"},
    {"json_single_quotes", "the header is not valid JSON at byte 2:"},
    {"json_trailing_comma", "the header is not valid JSON at byte 58:"},
    {"json_two_objects", "the header is not valid JSON at byte 3:"},
    {"json_unclosed", "the header is not valid JSON at byte 26:"},
    {"key_dtype_twice", R"(tensor "w": the key dtype is given twice)"},
    {"key_offsets_missing", R"(tensor "w": the key data_offsets is missing)"},
    {"key_offsets_twice", R"(tensor "w": the key data_offsets is given twice)"},
    {"key_other_case", R"(tensor "w": unknown key "DType"; expected dtype, shape and data_offsets only)"},
    {"key_shape_missing", R"(tensor "w": the key shape is missing)"},
    {"key_shape_twice", R"(tensor "w": the key shape is given twice)"},
    {"key_unknown", R"(tensor "w": unknown key "strides"; expected dtype, shape and data_offsets only)"},
    {"length_100_megabytes", "a header of 100000000 bytes; at most 1000000 are accepted"},
    {"length_2_to_63", "a header of 9223372036854775808 bytes; at most 1000000 are accepted"},
    {"length_all_ones", "a header of 18446744073709551615 bytes; at most 1000000 are accepted"},
    {"length_big_endian", "a header of 4107282860161892352 bytes; at most 1000000 are accepted"},
    {"length_cuts_header", "the header is not valid JSON at byte 57:"},
    {"length_one_too_long", "a header of 3 bytes, but only 2 follow its length; the file is truncated"},
    {"length_only", "a header of 2 bytes, but only 0 follow its length; the file is truncated"},
    {"length_over_limit", "a header of 1000001 bytes; at most 1000000 are accepted"},
    {"length_reaches_into_data", R"(the header ends with "x"; expected "}" and then only spaces)"},
    {"length_zero", "the header is blank (0 bytes); expected a JSON object"},
    {"metadata_array", "__metadata__: expected an object of strings, found an array"},
    {"metadata_array_value", R"(__metadata__: key "list": expected a string, found an array)"},
    {"metadata_as_tensor", R"(__metadata__: key "shape": expected a string, found an array)"},
    {"metadata_key_twice", R"(__metadata__: the key "k" is given twice)"},
    {"metadata_nested_value", R"(__metadata__: key "config": expected a string, found an object)"},
    {"metadata_null", "__metadata__: expected an object of strings, found null"},
    {"metadata_null_value", R"(__metadata__: key "note": expected a string, found null)"},
    {"metadata_number_value", R"(__metadata__: key "step": expected a string, found the number 12)"},
    {"metadata_string", R"(__metadata__: expected an object of strings, found the string "text")"},
    {"metadata_true_value", R"(__metadata__: key "done": expected a string, found true)"},
    {"metadata_twice", "__metadata__ is given twice"},
    {"offsets_backwards", R"(tensor "w": data_offsets [16, 0]: the begin lies behind the end)"},
    {"offsets_beyond_file",
     R"(tensor "w": data_offsets [16, 32] reach beyond the 16 bytes of data; the file is truncated)"},
    {"offsets_empty", R"(tensor "w": data_offsets: expected 2 numbers, begin and end, found 0)"},
    {"offsets_fraction",
     R"(tensor "w": data_offsets: expected whole numbers from 0 to 2^64 - 1, found the number 1.6e1)"},
    {"offsets_near_2_to_64",
     R"(tensor "w": data_offsets [18446744073709551599, 18446744073709551615] reach beyond the 16 bytes of data; the file is truncated)"},
    {"offsets_negative",
     R"(tensor "w": data_offsets: expected whole numbers from 0 to 2^64 - 1, found the negative number -16)"},
    {"offsets_number", R"(tensor "w": data_offsets: expected an array of two whole numbers, found the number 16)"},
    {"offsets_object", R"(tensor "w": data_offsets: expected an array of two whole numbers, found an object)"},
    {"offsets_one", R"(tensor "w": data_offsets: expected 2 numbers, begin and end, found 1)"},
    {"offsets_three", R"(tensor "w": data_offsets: expected 2 numbers, begin and end, found 3)"},
    {"only_spaces", "the header is blank (8 bytes); expected a JSON object"},
    {"overlap", R"(tensor "b" overlaps tensor "a": expected its data at 12, found 8)"},
    {"overlap_nested", R"(tensor "inner" overlaps tensor "outer": expected its data at 16, found 4)"},
    {"overlap_same_bytes", R"(tensor "b" overlaps tensor "a": expected its data at 16, found 0)"},
    {"padded_with_newline", R"(the header ends with "\x0a"; expected "}" and then only spaces)"},
    {"padded_with_tab", R"(the header ends with "\x09"; expected "}" and then only spaces)"},
    {"padded_with_zeros", "the header has a zero byte at 57; expected UTF-8 text padded with spaces"},
    {"pickle", "a header of 194315392 bytes; at most 1000000 are accepted"},
    {"seven_bytes",
     "expected a safetensors file, which begins with 8 bytes of header length, found 7 bytes in all; the file is "
     "truncated"},
    {"shape_2_to_64",
     R"(tensor "w": shape: expected whole numbers from 0 to 2^64 - 1, found the number 18446744073709551616)"},
    {"shape_fraction", R"(tensor "w": shape: expected whole numbers from 0 to 2^64 - 1, found the number 2.0)"},
    {"shape_half_a_byte", R"(tensor "w": shape [31] of F4 takes 124 bits, which is no whole number of bytes)"},
    {"shape_minus_zero",
     R"(tensor "w": shape: expected whole numbers from 0 to 2^64 - 1, found the negative number -0)"},
    {"shape_negative", R"(tensor "w": shape: expected whole numbers from 0 to 2^64 - 1, found the negative number -2)"},
    {"shape_nested", R"(tensor "w": shape: expected whole numbers from 0 to 2^64 - 1, found an array)"},
    {"shape_nested_deeply", R"(tensor "deep": shape: expected whole numbers from 0 to 2^64 - 1, found an array)"},
    {"shape_null", R"(tensor "w": shape: expected an array of whole numbers, found null)"},
    {"shape_number", R"(tensor "w": shape: expected an array of whole numbers, found the number 4)"},
    {"shape_of_strings", R"(tensor "w": shape: expected whole numbers from 0 to 2^64 - 1, found the string "2")"},
    {"shape_overflow", R"(tensor "w": shape [4294967296, 4294967296]: the size of so many F32 elements overflows)"},
    {"shape_overflow_behind_zero",
     R"(tensor "w": shape [0, 9223372036854775807, 4]: the size of so many F32 elements overflows)"},
    {"shape_overflow_to_16_bytes",
     R"(tensor "w": shape [4611686018427387908]: the size of so many F32 elements overflows)"},
    {"shape_string", R"(tensor "w": shape: expected an array of whole numbers, found the string "4")"},
    {"shape_too_large", R"(tensor "w": shape [5] of F32 takes 20 bytes, but data_offsets [0, 16] span 16)"},
    {"shape_too_small", R"(tensor "w": shape [3] of F32 takes 12 bytes, but data_offsets [0, 16] span 16)"},
    {"starts_with_array", R"(the header begins with "["; expected "{")"},
    {"starts_with_bom", R"(the header begins with "\xef"; expected "{")"},
    {"starts_with_space", R"(the header begins with " "; expected "{")"},
    {"tail_not_covered", "expected the data to end with the last tensor at 4, found 16 bytes of data"},
    {"tensor_is_array", R"(tensor "w": expected an object with dtype, shape and data_offsets, found an array)"},
    {"tensor_is_empty_object", R"(tensor "w": the key dtype is missing)"},
    {"tensor_is_false", R"(tensor "w": expected an object with dtype, shape and data_offsets, found false)"},
    {"tensor_is_null", R"(tensor "w": expected an object with dtype, shape and data_offsets, found null)"},
    {"tensor_is_number", R"(tensor "w": expected an object with dtype, shape and data_offsets, found the number 7)"},
    {"tensor_is_string",
     R"(tensor "w": expected an object with dtype, shape and data_offsets, found the string "F32")"},
    {"tensor_twice", R"(two tensors are named "w")"},
    {"tensor_twice_by_escape", R"(two tensors are named "layer")"},
    {"utf16", "the header has a zero byte at 1; expected UTF-8 text padded with spaces"},
    {"utf8_beyond_unicode", R"(the header is not valid UTF-8 (byte 6: "\xf4"))"},
    {"utf8_cut_character", R"(the header is not valid UTF-8 (byte 7: "\xe2"))"},
    {"utf8_latin1", R"(the header is not valid UTF-8 (byte 4: "\xfc"))"},
    {"utf8_lone_continuation", R"(the header is not valid UTF-8 (byte 3: "\x80"))"},
    {"utf8_overlong", R"(the header is not valid UTF-8 (byte 4: "\xc0"))"},
    {"utf8_surrogate", R"(the header is not valid UTF-8 (byte 5: "\xed"))"},
    {"zero_byte_inside_name", "the header has a zero byte at 3; expected UTF-8 text padded with spaces"},
    {"zip", "a header of 85966670672 bytes; at most 1000000 are accepted"}};

Error refusal(const std::string& name) {
  const Result<TensorFile> file = load_tensors(kFolder / (name + ".safetensors"));
  return file ? Error(ErrorKind::kFailed, "accepted") : file.error();
}

class HostileFile : public testing::TestWithParam<std::pair<const std::string, std::string>> {};

TEST_P(HostileFile, IsRefusedAsBadDataWithTheReason) {
  const auto& [name, reason] = GetParam();
  const Error error = refusal(name);
  EXPECT_EQ(error.kind(), ErrorKind::kBadData);
  EXPECT_THAT(error.message(), StartsWith((kFolder / (name + ".safetensors")).string() + ": " + reason));
}

INSTANTIATE_TEST_SUITE_P(Safetensors, HostileFile, testing::ValuesIn(kRefusals),
                         [](const auto& hostile) { return hostile.param.first; });

TEST(HostileFiles, AreAllListedHereAndAtLeastSixty) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".safetensors") names.insert(entry.path().stem());
  }
  std::set<std::string> listed;
  for (const auto& [name, reason] : kRefusals) listed.insert(name);
  EXPECT_EQ(names, listed);
  EXPECT_GE(names.size(), 60U);
}

TEST(HostileFiles, AreEachRefusedInTheirOwnWords) {
  std::map<std::string, std::string> seen;
  for (const auto& [name, reason] : kRefusals) {
    const std::string path = (kFolder / (name + ".safetensors")).string();
    const auto [other, first] = seen.emplace(refusal(name).message().substr(path.size()), name);
    EXPECT_TRUE(first) << name << " and " << other->second << other->first;
  }
}

}  // namespace
}  // namespace schemamem

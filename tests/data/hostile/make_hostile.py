#!/usr/bin/env python3
"""Makes the hostile safetensors files of this folder: each breaks one rule of the format (docs/formats.md).

Run it without arguments; the files it makes are committed. tests/record/hostile_test.cpp says how each is refused.
Together with some valid files they are the seeds of the fuzzer.
"""

import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent
SEEDS = FOLDER.parents[2] / "fuzz" / "corpus" / "safetensors"
DATA = bytes(range(16))


def file(header, data=DATA, length=None):
    if isinstance(header, str):
        header = header.encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def tensor(name="w", dtype='"F32"', shape="[2,2]", offsets="[0,16]", extra=""):
    return f'"{name}":{{"dtype":{dtype},"shape":{shape},"data_offsets":{offsets}{extra}}}'


def header(*members):
    return "{" + ",".join(members) + "}"


def metadata(text):
    return f'"__metadata__":{text}'


VALID = header(tensor())

FILES = {
    # The frame: length, header, data.
    "empty": b"",
    "seven_bytes": b"\x02\0\0\0\0\0\0",
    "length_only": struct.pack("<Q", 2),
    "length_zero": file("", b""),
    "length_one_too_long": file("{}", b"", 3),
    "length_over_limit": file(VALID, DATA, 1_000_001),
    "length_100_megabytes": file(VALID, DATA, 100_000_000),
    "length_2_to_63": file(VALID, DATA, 1 << 63),
    "length_all_ones": file(VALID, DATA, (1 << 64) - 1),
    "length_big_endian": struct.pack(">Q", len(VALID)) + VALID.encode() + DATA,
    "length_cuts_header": file(VALID, DATA, len(VALID) - 1),
    "length_reaches_into_data": file(VALID, b"x" * 16, len(VALID) + 1),
    "pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07payload\x94.",
    "zip": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(20),
    "data_missing": file(VALID, b""),
    "data_one_byte_short": file(VALID, DATA[:-1]),
    "data_one_byte_long": file(VALID, DATA + b"!"),
    "data_without_tensors": file("{}", b"x"),
    # The text of the header.
    "starts_with_space": file(" " + VALID),
    "starts_with_bom": file(b"\xef\xbb\xbf" + VALID.encode()),
    "starts_with_array": file("[" + VALID + "]"),
    "only_spaces": file("        ", b""),
    "padded_with_zeros": file(VALID.encode() + b"\0\0\0\0"),
    "padded_with_newline": file(VALID + "\n"),
    "padded_with_tab": file(VALID + "\t"),
    "zero_byte_inside_name": file(header(tensor("w\0"))),
    "utf8_lone_continuation": file(VALID.encode().replace(b'"w"', b'"w\x80"')),
    "utf8_overlong": file(VALID.encode().replace(b'"w"', b'"ww\xc0\xaf"')),
    "utf8_surrogate": file(VALID.encode().replace(b'"w"', b'"www\xed\xa0\x80"')),
    "utf8_beyond_unicode": file(VALID.encode().replace(b'"w"', b'"wwww\xf4\x90\x80\x80"')),
    "utf8_latin1": file(VALID.encode().replace(b'"w"', b'"gr\xfc\xdfe"')),
    "utf8_cut_character": file(VALID.encode().replace(b'"w"', b'"wwwww\xe2\x86"')),
    "utf16": file(VALID.encode("utf-16-le")),
    # JSON.
    "json_unclosed": file('{"__metadata__":{"a":"b"}'),
    "json_two_objects": file("{}{}", b""),
    "json_trailing_comma": file(VALID[:-1] + ",}"),
    "json_single_quotes": file(VALID.replace('"', "'")),
    "json_comment": file("{/* */" + VALID[1:]),
    "json_bare_word": file(header(tensor(dtype="F32"))),
    "json_nan": file(header(tensor(shape="[NaN]"))),
    "json_leading_zero": file(header(tensor(shape="[02,2]"))),
    "json_plus_sign": file(header(tensor(shape="[+2,2]"))),
    "json_hexadecimal": file(header(tensor(shape="[0x2,2]"))),
    "json_control_character": file(header(tensor("w\x01"))),
    "json_lone_surrogate_escape": file(header(tensor("\\ud800"))),
    "json_bad_escape": file(header(tensor("\\x41"))),
    "json_number_out_of_range": file(header(tensor(shape="[1e999]"))),
    # What the members are.
    "tensor_is_null": file(header('"w":null')),
    "tensor_is_array": file(header('"w":["F32",[2,2],[0,16]]')),
    "tensor_is_string": file(header('"w":"F32"')),
    "tensor_is_number": file(header('"w":7')),
    "tensor_is_false": file(header('"w":false')),
    "tensor_is_empty_object": file(header('"w":{}')),
    "tensor_twice": file(header(tensor(), tensor())),
    "tensor_twice_by_escape": file(header(tensor("layer"), tensor("l\\u0061yer"))),
    "key_unknown": file(header(tensor(extra=',"strides":[2,1]'))),
    "key_other_case": file(header(tensor().replace("dtype", "DType"))),
    "key_shape_missing": file(header('"w":{"dtype":"F32","data_offsets":[0,16]}')),
    "key_offsets_missing": file(header('"w":{"dtype":"F32","shape":[2,2]}')),
    "key_dtype_twice": file(header(tensor(extra=',"dtype":"F32"'))),
    "key_shape_twice": file(header(tensor(extra=',"shape":[4]'))),
    "key_offsets_twice": file(header(tensor(extra=',"data_offsets":[0,16]'))),
    "dtype_unknown": file(header(tensor(dtype='"F128"'))),
    "dtype_lower_case": file(header(tensor(dtype='"f32"'))),
    "dtype_empty": file(header(tensor(dtype='""'))),
    "dtype_terminal_escape": file(header(tensor(dtype='"\\u001b[31m"'))),
    "dtype_number": file(header(tensor(dtype="32"))),
    "dtype_array": file(header(tensor(dtype='["F32"]'))),
    "dtype_object": file(header(tensor(dtype='{"name":"F32"}'))),
    # Shapes.
    "shape_number": file(header(tensor(shape="4"))),
    "shape_string": file(header(tensor(shape='"4"'))),
    "shape_null": file(header(tensor(shape="null"))),
    "shape_negative": file(header(tensor(shape="[-2,-2]"))),
    "shape_minus_zero": file(header(tensor(shape="[-0]"))),
    "shape_fraction": file(header(tensor(shape="[2.0,2]"))),
    "shape_2_to_64": file(header(tensor(shape="[18446744073709551616]"))),
    "shape_nested": file(header(tensor(shape="[[2,2]]"))),
    "shape_nested_deeply": file(header(tensor("deep", shape="[" * 2_000 + "]" * 2_000))),
    "shape_of_strings": file(header(tensor(shape='["2","2"]'))),
    "shape_overflow": file(header(tensor(shape="[4294967296,4294967296]"))),
    "shape_overflow_to_16_bytes": file(header(tensor(shape="[4611686018427387908]"))),
    "shape_overflow_behind_zero": file(header(tensor(shape="[0,9223372036854775807,4]", offsets="[0,0]")), b""),
    "shape_too_small": file(header(tensor(shape="[3]"))),
    "shape_too_large": file(header(tensor(shape="[5]"))),
    "shape_half_a_byte": file(header(tensor(dtype='"F4"', shape="[31]"))),
    # Offsets.
    "offsets_number": file(header(tensor(offsets="16"))),
    "offsets_object": file(header(tensor(offsets='{"begin":0,"end":16}'))),
    "offsets_empty": file(header(tensor(offsets="[]"))),
    "offsets_one": file(header(tensor(offsets="[16]"))),
    "offsets_three": file(header(tensor(offsets="[0,8,16]"))),
    "offsets_negative": file(header(tensor(offsets="[-16,0]"))),
    "offsets_fraction": file(header(tensor(offsets="[0,1.6e1]"))),
    "offsets_backwards": file(header(tensor(offsets="[16,0]"))),
    "offsets_beyond_file": file(header(tensor(offsets="[16,32]"))),
    "offsets_near_2_to_64": file(header(tensor(offsets="[18446744073709551599,18446744073709551615]"))),
    "hole_at_start": file(header(tensor(shape="[2]", offsets="[8,16]"))),
    "hole_between": file(header(tensor("a", shape="[1]", offsets="[0,4]"), tensor("b", shape="[2]", offsets="[8,16]"))),
    "hole_around_empty": file(
        header(tensor("a", shape="[0]", offsets="[0,0]"), tensor("b", shape="[3]", offsets="[4,16]"))
    ),
    "overlap": file(header(tensor("a", shape="[3]", offsets="[0,12]"), tensor("b", shape="[2]", offsets="[8,16]"))),
    "overlap_same_bytes": file(header(tensor("a"), tensor("b"))),
    "overlap_nested": file(header(tensor("outer"), tensor("inner", shape="[1]", offsets="[4,8]"))),
    "tail_not_covered": file(header(tensor(shape="[1]", offsets="[0,4]"))),
    # Metadata.
    "metadata_null": file(header(metadata("null"), tensor())),
    "metadata_string": file(header(metadata('"text"'), tensor())),
    "metadata_array": file(header(metadata("[]"), tensor())),
    "metadata_number_value": file(header(metadata('{"step":12}'), tensor())),
    "metadata_true_value": file(header(metadata('{"done":true}'), tensor())),
    "metadata_null_value": file(header(metadata('{"note":null}'), tensor())),
    "metadata_nested_value": file(header(metadata('{"config":{"a":"b"}}'), tensor())),
    "metadata_array_value": file(header(metadata('{"list":["a"]}'), tensor())),
    "metadata_key_twice": file(header(metadata('{"k":"v","k":"v"}'), tensor())),
    "metadata_twice": file(header(metadata("{}"), tensor(), metadata("{}"))),
    "metadata_as_tensor": file(header(tensor("__metadata__", shape="[4]"))),
}

VALID_FILES = {
    "valid_no_tensors": file("{}      ", b""),
    "valid_metadata": file(header(metadata('{"format":"schemamem","näme":"a\\"\\\\\\n→"}')), b""),
    "valid_scalar": file(header(tensor("s", '"F64"', "[]", "[0,8]")), DATA[:8]),
    "valid_matrix": file(VALID + "  "),
    "valid_empty_tensors": file(
        header(tensor("a", shape="[0]", offsets="[0,0]"), tensor("b", '"I64"', "[3,0,2]", "[0,0]")), b""
    ),
    "valid_mixed": file(
        header(
            metadata('{"step":"3"}'),
            tensor("i", '"I64"', "[1]", "[0,8]"),
            tensor("f", '"F32"', "[1,1]", "[8,12]"),
            tensor("h", '"BF16"', "[1]", "[12,14]"),
            tensor("m", '"BOOL"', "[2]", "[14,16]"),
        )
    ),
    "valid_small_types": file(
        header(tensor("four", '"F4"', "[26]", "[0,13]"), tensor("six", '"F6_E3M2"', "[4]", "[13,16]"))
    ),
    "valid_escaped_name": file(header(tensor("\\u0000\\ud834\\udd1e", '"U16"', "[8]"))),
    "valid_any_order": file(header(tensor("late", '"U8"', "[15]", "[1,16]"), tensor("early", '"I8"', "[]", "[0,1]"))),
}


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.safetensors"):
        stale.unlink()
    for name, content in files.items():
        (folder / f"{name}.safetensors").write_bytes(content)
    print(f"{len(files)} files in {folder}")


def main():
    write(FOLDER, FILES)
    write(SEEDS, FILES | VALID_FILES)


if __name__ == "__main__":
    main()

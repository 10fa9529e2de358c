// Any bytes as a file of predictions, in each of its forms, and as the manifest of a guest.
#include "eval/predictions.h"
#include "record/guest.h"
#include "support.h"
#include "task/registry.h"
#include "tensors/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto bytes = fuzz::bytes_of(data, size);
  const auto arrays = parse_npz(bytes, "fuzz");
  if (fuzz::accepted(arrays, {ErrorKind::kBadData})) {
    std::size_t sum = 0;
    for (const NamedTensor& array : *arrays) {
      fuzz::must(tensor_bits(array.dtype, array.shape) == 8 * array.bytes.size());
      sum += array.bytes.size();
    }
    fuzz::must(sum <= size);
  }
  const auto file = parse_predictions(bytes, "fuzz");
  if (fuzz::accepted(file, {ErrorKind::kBadData})) {
    const auto task = make_task(kFirstTask, file->dump.setting);
    const auto again = parse_dump(encode_dump(**task, file->dump), "again");
    fuzz::must(again && again->cases.size() == file->dump.cases.size());
    for (const CasePredictions& one : file->cases) {
      fuzz::must(file->dump.find(one.name) != nullptr && one.episodes * one.rows > 0);
      fuzz::must(one.outputs.size() == one.episodes * one.rows * one.width || one.outputs.empty());
      fuzz::must(one.answers.size() == one.episodes * one.rows || one.answers.empty());
    }
    // Scored only where that is quick: the episodes may be as long as they like.
    std::size_t rows = 0;
    for (const CasePredictions& one : file->cases)
      rows += (*task)->tokens(file->dump.find(one.name)->request) * file->dump.episodes.episodes;
    if (rows < 10'000) {
      const auto record = score_file(*file, {.name = "fuzz", .setting = file->dump.setting}, bytes, "fuzz");
      fuzz::accepted(record, {ErrorKind::kBadData, ErrorKind::kNonFinite});
    }
  }
  const auto guest = parse_guest(fuzz::text_of(data, size), "fuzz");
  if (fuzz::accepted(guest, {ErrorKind::kBadData})) {
    const auto again = parse_guest(encode_guest(*guest), "again");
    fuzz::must(again && *again == *guest);
  }
  return 0;
}

// Any bytes as a file of golden vectors, which says what model is to be built and run.
#include "eval/golden.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto file = TensorFile::parse(fuzz::bytes_of(data, size), "fuzz");
  if (!fuzz::accepted(file, {ErrorKind::kBadData})) return 0;
  fuzz::accepted(verify_golden(*file, Scalar::kFloat, available_isas().back()),
                 {ErrorKind::kBadData, ErrorKind::kFailed});
  return 0;
}

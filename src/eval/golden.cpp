#include "eval/golden.h"

#include <algorithm>
#include <charconv>

#include "eval/golden_compare.h"
#include "models/registry.h"
#include "models/schemamem/config.h"

namespace schemamem {

bool GoldenReport::passed() const {
  return !comparisons.empty() &&
         std::all_of(comparisons.begin(), comparisons.end(), [](const GoldenComparison& c) { return c.passed(); });
}

double GoldenReport::largest(const std::string& kind) const {
  double largest = 0;
  for (const GoldenComparison& c : comparisons) {
    if (c.kind == kind && !(c.error <= largest)) largest = c.error;
  }
  return largest;
}

Result<std::size_t> GoldenFile::number(const std::string& key) const {
  const Result<std::string> text = file_.metadata_value(key);
  if (!text) return text.error();
  std::size_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, failure] = std::from_chars(text->data(), end, value);
  constexpr std::size_t kLargest = 1'000'000;  // no size of a golden file is anywhere near
  if (failure != std::errc{} || stop != end || value > kLargest) {
    return Error(ErrorKind::kBadData, file_.what() + ": metadata " + key + " is " + *text +
                                          ", expected a whole number up to " + std::to_string(kLargest));
  }
  return value;
}

Result<GoldenReport> verify_golden(const TensorFile& file, Scalar scalar, Isa isa) {
  const GoldenFile golden(file);
  const Result<std::string> model = golden.text("model");
  if (!model) return model.error();
  const bool exact = scalar == Scalar::kDouble;
  if (*model == SchemaMemConfig::kName)
    return exact ? verify_schemamem<double>(golden, isa) : verify_schemamem<float>(golden, isa);
  if (const Result<ModelEntry> known = model_entry(*model); !known)
    return Error(ErrorKind::kBadData, file.what() + ": metadata model. " + known.error().message());
  const Result<std::string> level = golden.text("level");
  if (!level) return level.error();
  if (*level == "model") {
    return exact ? verify_baseline<double>(golden, *model, isa) : verify_baseline<float>(golden, *model, isa);
  }
  if (*level == "layer")
    return exact ? verify_layer<double>(golden, *model, isa) : verify_layer<float>(golden, *model, isa);
  return Error(ErrorKind::kBadData, file.what() + ": metadata level is " + *level + ", expected layer or model");
}

}  // namespace schemamem

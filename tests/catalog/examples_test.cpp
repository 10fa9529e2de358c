#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "catalog/find_model.h"
#include "catalog/model_files.h"
#include "support/surroundings.h"
#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = SCHEMAMEM_SOURCE_DIR;

class Examples : public testing::Test {
 protected:
  TemporaryFolder folder_;
  test::Variable models_{"SCHEMAMEM_MODELS", (kSource / "results").string()};
  test::CurrentFolder here_{folder_.path()};
  std::vector<float> row = std::vector<float>(11);
};

TEST_F(Examples, OpenAModelByNameAndSaveItsState) {
  const auto model = load_model<float>("a5v5-schemamem-steady-s42");
  if (!model) throw std::runtime_error(model.error().message());
  Stream<float> stream(*model);
  stream.push(row);
  const Status saved = save_state("today.state", stream);
  EXPECT_TRUE(saved && fs::exists("today.state"));
}

TEST_F(Examples, ReadAStreamFromBytes) {
  const Buffer<std::byte> bytes =
      read_file(find_model("a5v5-schemamem-steady-s42", std::vector{kSource / "results"}).value(), 1'000'000).value();
  const auto model = LoadedModel<float>::parse(bytes, "a5v5");
  Stream<float> stream(model.value());
  const std::span<const float> logits = stream.push(row);
  const Buffer<std::byte> now = stream.encode();
  EXPECT_EQ(logits.size(), 5U);
  EXPECT_TRUE(stream.restore(now));
}

/// The lines of code in the comments of a header: those that are set in by three spaces.
std::vector<std::string> example_in(const fs::path& header) {
  std::vector<std::string> lines;
  std::ifstream file(header);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("///   ")) continue;
    line = line.substr(6, line.find("   //", 6) - 6);
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

TEST_F(Examples, OfTheHeadersAreTheLinesAbove) {
  std::ostringstream text;
  text << std::ifstream(kSource / "tests/catalog/examples_test.cpp").rdbuf();
  for (const char* const header : {"src/catalog/model_files.h", "src/stream/stream.h"}) {
    const std::vector<std::string> lines = example_in(kSource / header);
    EXPECT_GE(lines.size(), 4U) << header;
    for (const std::string& line : lines) EXPECT_THAT(text.str(), testing::HasSubstr("\n  " + line + "\n")) << header;
  }
}

}  // namespace
}  // namespace schemamem

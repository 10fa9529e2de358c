#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/cli.h"
#include "support/surroundings.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using test::call;
using test::Reply;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path published(const std::string& begin) {
  for (const auto& entry : std::filesystem::directory_iterator(SCHEMAMEM_SOURCE_DIR "/results/steady")) {
    if (entry.path().filename().string().starts_with(begin)) return entry.path();
  }
  return begin;
}

/// What stands in the page's element of data.
nlohmann::json payload_of(const std::string& page) {
  const std::string opens = "<script type=\"application/json\" id=\"payload\">";
  const std::size_t begin = page.find(opens) + opens.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(ExploreCommand, WritesOnePageWithTheModelsInside) {
  const TemporaryFolder folder;
  const std::string out = (folder / "page.html").string();
  const Reply reply = call("explore " + published("schemamem-A3V3-steady-s42-").string() + " " +
                           published("gdn-A3V3-steady-s42-").string() + " -o " + out);
  ASSERT_EQ(reply.code, 0) << reply.err;
  EXPECT_THAT(reply.out, HasSubstr("2 models, "));
  const std::string page = text_of(out);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_THAT(page, Not(HasSubstr("{{payload}}")));
  const auto payload = payload_of(page);
  EXPECT_EQ(payload["format"], "schemamem explorer 1");
  ASSERT_EQ(payload["models"].size(), 2U);
  EXPECT_EQ(payload["models"][0]["name"], published("schemamem-A3V3-steady-s42-").filename().string());
  EXPECT_THAT(payload["models"][0]["bytes"].get<std::string>(), testing::SizeIs(testing::Gt(200'000U)));
  const Reply told = call("explore --json " + published("gdn-A3V3-steady-s42-").string() + " -o " + out);
  EXPECT_EQ(nlohmann::json::parse(told.out)["bytes"], text_of(out).size());
}

TEST(ExploreCommand, NamesOfFilesCannotEndTheirElement) {
  const TemporaryFolder folder;
  const auto hostile = folder.path() / "<script>alert(1)<!--.safetensors";
  std::filesystem::copy_file(published("schemamem-A3V3-steady-s42-") / "model.safetensors", hostile);
  const std::string out = (folder / "page.html").string();
  const Reply reply = call("explore " + hostile.string() + " -o " + out);
  ASSERT_EQ(reply.code, 0) << reply.err;
  const std::string page = text_of(out);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)<!--")));
  EXPECT_EQ(payload_of(page)["models"][0]["name"], "<script>alert(1)<!--");
}

TEST(ExploreCommand, MistakesAreToldWithAWayOut) {
  const TemporaryFolder folder;
  const std::string model = published("schemamem-A3V3-steady-s42-").string();
  const std::string out = " -o " + (folder / "page.html").string();
  EXPECT_EQ(call("explore /nowhere/at/all" + out).code, 66);
  EXPECT_EQ(call("explore " + model + " -o /nowhere/page.html").code, 73);
  const Reply many = call("explore " + model + " " + model + " " + model + " " + model + out);
  EXPECT_EQ(many.code, 64);
  EXPECT_THAT(many.err, HasSubstr("at most 3"));
  const Reply mixed = call("explore " + model + " " + published("schemamem-A5V5-steady-s42-").string() + out);
  EXPECT_EQ(mixed.code, 64);
  EXPECT_THAT(mixed.err, HasSubstr("one setting"));
  std::ofstream(folder / "no.safetensors") << "not a model";
  EXPECT_EQ(call("explore " + (folder / "no.safetensors").string() + out).code, 65);
  EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
}

}  // namespace
}  // namespace schemamem

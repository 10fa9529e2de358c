#include "catalog/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "support/loaded_models.h"
#include "support/surroundings.h"
#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class ModelFiles : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::shared_ptr<const LoadedModel<float>> model_ = test::loaded<float>(test::odd_spec());

  Buffer<std::byte> bytes_of(const fs::path& path) const { return read_file(path, 10'000'000).value(); }
};

bool same(const Buffer<std::byte>& a, const Buffer<std::byte>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST_F(ModelFiles, HoldTheBytesThatAModelIsEncodedAs) {
  ASSERT_TRUE(save_model(folder_ / "m.safetensors", *model_));
  EXPECT_TRUE(same(bytes_of(folder_ / "m.safetensors"), model_->encode()));
  EXPECT_EQ(load_model_file<float>(folder_ / "m.safetensors").value()->fingerprint(), model_->fingerprint());
  EXPECT_EQ(load_model<float>((folder_ / "m.safetensors").string()).value()->fingerprint(), model_->fingerprint());
  EXPECT_EQ(load_model<double>((folder_ / "m.safetensors").string()).value()->spec(), model_->spec());
}

TEST_F(ModelFiles, AreFoundByNameInTheFoldersOfTheEnvironment) {
  const auto other = test::loaded<float>(test::odd_spec(), {}, 2);
  fs::create_directories(folder_ / "one");
  fs::create_directories(folder_ / "two");
  ASSERT_TRUE(save_model(folder_ / "one" / "mine.safetensors", *model_));
  ASSERT_TRUE(save_model(folder_ / "two" / "mine.safetensors", *other));
  ASSERT_TRUE(save_model(folder_ / "two" / "more.safetensors", *other));
  const std::string one = (folder_ / "one").string(), two = (folder_ / "two").string();
  {
    const test::Variable variable("SCHEMAMEM_MODELS", one + ":" + two);
    EXPECT_EQ(load_model<float>("mine").value()->fingerprint(), model_->fingerprint());
    EXPECT_EQ(load_model<float>("More").value()->fingerprint(), other->fingerprint());
    EXPECT_THAT(load_model<float>("mire").error().message(), HasSubstr("Did you mean \"mine\"?"));
  }
  const test::Variable variable("SCHEMAMEM_MODELS", two + ":" + one);
  EXPECT_EQ(load_model<float>("mine").value()->fingerprint(), other->fingerprint());
}

TEST_F(ModelFiles, ThatAreMissingOrBrokenAreToldByTheirPath) {
  EXPECT_EQ(load_model_file<float>(folder_ / "absent").error().kind(), ErrorKind::kMissingInput);
  std::ofstream(folder_ / "x.safetensors") << "no model";
  const auto broken = load_model<float>((folder_ / "x.safetensors").string());
  EXPECT_EQ(broken.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(broken.error().message(), testing::StartsWith((folder_ / "x.safetensors").string() + ": "));
}

TEST_F(ModelFiles, StatesGoOnWithTheSameBits) {
  const test::TestEpisode<float> read(80, 5, test::test_rng(3), 9);
  Stream<float> stream(model_), other(model_);
  for (std::size_t t = 0; t < 40; ++t) stream.push(read.row(t));
  ASSERT_TRUE(save_state(folder_ / "today.state", stream));
  EXPECT_TRUE(same(bytes_of(folder_ / "today.state"), stream.encode()));
  ASSERT_TRUE(load_state(folder_ / "today.state", other));
  EXPECT_EQ(other.tokens(), 40);
  for (std::size_t t = 40; t < 80; ++t) {
    const auto expected = stream.push(read.row(t)), found = other.push(read.row(t));
    ASSERT_EQ(std::memcmp(expected.data(), found.data(), expected.size_bytes()), 0) << t;
  }
}

TEST_F(ModelFiles, AStateThatIsRefusedLeavesTheStreamAsItWas) {
  const test::TestEpisode<float> read(20, 5, test::test_rng(5), 9);
  Stream<float> stream(model_);
  for (std::size_t t = 0; t < 10; ++t) stream.push(read.row(t));
  const Buffer<std::byte> before = stream.encode();
  ASSERT_TRUE(save_state(folder_ / "other.state", Stream<float>(test::loaded<float>(test::odd_spec(), {}, 2))));
  EXPECT_THAT(load_state(folder_ / "other.state", stream).error().message(), HasSubstr("other weights"));
  EXPECT_EQ(load_state(folder_ / "absent", stream).error().kind(), ErrorKind::kMissingInput);
  const std::vector<std::byte> large(2'000'000);  // more than any state: it is not even read
  ASSERT_TRUE(write_file_atomically(folder_ / "large", large));
  EXPECT_EQ(load_state(folder_ / "large", stream).error().kind(), ErrorKind::kBadData);
  EXPECT_TRUE(same(stream.encode(), before));
}

}  // namespace
}  // namespace schemamem

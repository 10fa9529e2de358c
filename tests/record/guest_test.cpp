#include "record/guest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Guest kGuest{.name = "my-gru",
                   .setting = "A3V3",
                   .seed = 7,
                   .owner = "somebody",
                   .note = "hidden 96; trained on délais ≤ 384",
                   .parameters = 56'931};

EvaluationRecord record_of(const Guest& guest) {
  return {.checkpoint = {.sha256 = std::string(64, '0'),
                         .model = guest.name,
                         .setting = guest.setting,
                         .seed = guest.seed,
                         .recipe = "",
                         .hash = ""},
          .protocol = {.eval_seed = 1, .episodes = 1, .isa = "unknown"},
          .cells = {{.scenario = "retention",
                     .delay = 96,
                     .group = "retained",
                     .asked = 4,
                     .right = 3,
                     .bits = 12,
                     .bits_right = 11,
                     .right_by_episode = {3}}}};
}

TEST(Guest, IsKeptWithItsRecordAndFoundAgain) {
  const TemporaryFolder folder;
  const auto saved = save_guest(folder.path(), kGuest, record_of(kGuest));
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(saved->filename(), "my-gru-A3V3-s7");
  EXPECT_THAT(find_guests(folder.path()).value(), ElementsAre(*saved));
  EXPECT_THAT(find_guests(*saved).value(), ElementsAre(*saved));
  EXPECT_THAT(find_guests(folder / "nothing").value(), IsEmpty());
  EXPECT_EQ(load_guest(*saved).value(), kGuest);
  const auto records = load_evaluations(*saved / "evaluations");
  ASSERT_TRUE(records) << records.error().message();
  EXPECT_THAT(*records, ElementsAre(record_of(kGuest)));  // answers without outputs have no cross-entropy
}

TEST(Guest, SavedAgainReplacesWhatWasSaidOfIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_guest(folder.path(), kGuest, record_of(kGuest)));
  Guest other = kGuest;
  other.note = "better words";
  const auto saved = save_guest(folder.path(), other, record_of(other));
  ASSERT_TRUE(saved);
  EXPECT_EQ(load_guest(*saved).value(), other);
}

TEST(Guest, NeverTakesTheFolderOfAnother) {
  const TemporaryFolder folder;
  const auto saved = save_guest(folder.path(), kGuest, record_of(kGuest));
  ASSERT_TRUE(saved);
  Guest other = kGuest;
  other.name = "other";
  std::ofstream(*saved / "guest.json") << encode_guest(other);
  const auto refused = save_guest(folder.path(), kGuest, record_of(kGuest));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("is of another guest, other-A3V3-s7"));
}

TEST(Guest, IsCalledByANameAndDescribedInALine) {
  const auto wrong = [](auto change) {
    Guest guest = kGuest;
    change(guest);
    const Status checked = check_guest(guest);
    EXPECT_FALSE(parse_guest(encode_guest(guest), "guest.json"));
    return checked ? "accepted" : checked.error().message();
  };
  EXPECT_THAT(wrong([](Guest& g) { g.name = "../my"; }), HasSubstr("The name of a guest"));
  EXPECT_THAT(wrong([](Guest& g) { g.setting = ""; }), HasSubstr("The setting of a guest"));
  EXPECT_THAT(wrong([](Guest& g) { g.note = "two\nlines"; }), HasSubstr("one line of printable UTF-8"));
  EXPECT_THAT(wrong([](Guest& g) { g.owner = "\x1b[2J"; }), HasSubstr("one line of printable UTF-8"));
  EXPECT_THAT(wrong([](Guest& g) { g.note = std::string(501, 'x'); }), HasSubstr("at most 500 bytes, found 501"));
  EXPECT_THAT(wrong([](Guest& g) { g.parameters = -1; }), HasSubstr("at least 0 parameters"));
}

TEST(Guest, OfAStrangersFileIsReadStrictly) {
  const std::string whole = encode_guest(kGuest);
  EXPECT_EQ(parse_guest(whole, "guest.json").value(), kGuest);
  const std::pair<std::string, std::string> changes[] = {{"\"schemamem guest\"", "\"other\""},
                                                         {"\"version\": 1", "\"version\": 2"},
                                                         {"\"seed\": 7", "\"seed\": -7"},
                                                         {"\"note\"", "\"more\""},
                                                         {"56931", "\"many\""}};
  for (const auto& [from, to] : changes) {
    std::string changed = whole;
    changed.replace(changed.find(from), from.size(), to);
    const auto read = parse_guest(changed, "guest.json");
    ASSERT_FALSE(read) << to;
    EXPECT_EQ(read.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(read.error().message(), HasSubstr("guest.json"));
  }
}

}  // namespace
}  // namespace schemamem

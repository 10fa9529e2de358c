#include "train/recipe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view toml) {
  const auto recipe = parse_recipe(toml, "mine", "mine.toml");
  return recipe ? "accepted" : recipe.error().message();
}

TEST(Recipe, ThePapersFileNamesEveryFieldAndTheDefaultsAreThePapers) {
  const auto paper = resolve_recipe("paper");
  ASSERT_TRUE(paper) << paper.error().message();
  const auto defaults = describe({});
  const auto fields = describe(paper->recipe);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i].value, defaults[i].value) << fields[i].name;
    const std::string& name = fields[i].name;
    const bool is_later = name.find("levels") != std::string::npos || name.starts_with("lanes.") ||
                          name == "batch.shards";  // not the paper's
    EXPECT_EQ(fields[i].silent, is_later) << fields[i].name;
    EXPECT_EQ(paper->origin.at(fields[i].name), is_later ? "default" : "configs/paper.toml") << fields[i].name;
  }
}

TEST(Recipe, EveryFieldIsExplained) {
  for (const RecipeField& field : describe({})) {
    EXPECT_GT(field.doc.size(), 10U) << field.name;
    EXPECT_FALSE(field.allowed.empty()) << field.name;
  }
}

TEST(Recipe, NoRecipeOfOursChangesChecksOrDelaysOfThePaper) {
  for (const char* name : {"fast", "steady"}) {
    const auto ours = resolve_recipe(name);
    ASSERT_TRUE(ours) << ours.error().message();
    const Recipe paper;
    EXPECT_EQ(ours->recipe.validation.every, paper.validation.every);
    EXPECT_EQ(ours->recipe.validation.episodes, paper.validation.episodes);
    EXPECT_EQ(ours->recipe.validation.passes, paper.validation.passes);
  }
}

TEST(Recipe, AnUnknownFieldIsRefusedWithASuggestion) {
  EXPECT_THAT(refusal("[optimizer]\nclipp = 1.0\n"),
              testing::AllOf(HasSubstr("mine.toml"), HasSubstr("\"optimizer.clipp\""), HasSubstr("optimizer.clip\"?")));
}

TEST(Recipe, ValuesOfTheWrongTypeOrOutOfRangeAreRefused) {
  EXPECT_THAT(refusal("[batch]\nepisodes = \"many\"\n"), HasSubstr("whole number from 1 to 4096"));
  EXPECT_THAT(refusal("[batch]\nepisodes = 0\n"), HasSubstr("found 0"));
  EXPECT_THAT(refusal("[batch]\nepisodes = 1.5\n"), HasSubstr("found 1.5"));
  EXPECT_THAT(refusal("[optimizer]\nclip = nan\n"), HasSubstr("optimizer.clip must be a number"));
  EXPECT_THAT(refusal("[initial]\nscheme = \"mine\"\n"), HasSubstr("one of paper, ours"));
  EXPECT_THAT(refusal("[stillness]\nweights = [1, 2]\n"), HasSubstr("list of 3 numbers"));
  EXPECT_THAT(refusal("[batch]\nmixed = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(refusal("batch = 3\n"), HasSubstr("unknown field \"batch\""));
}

TEST(Recipe, BrokenTextIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal("[batch]\nepisodes = = 3\n"), HasSubstr("line 2"));
  EXPECT_THAT(refusal("\xff"), HasSubstr("UTF-8"));
}

TEST(Recipe, OverridesWinAndEveryValueKnowsItsOrigin) {
  const std::vector<std::string> overrides{"optimizer.clip=0.5", "initial.scheme=paper", "stillness.weights=[1,2,3]"};
  const auto recipe = resolve_recipe("steady", overrides);
  ASSERT_TRUE(recipe) << recipe.error().message();
  EXPECT_EQ(recipe->recipe.optimizer.clip, 0.5);
  EXPECT_EQ(recipe->recipe.initial.scheme, "paper");
  EXPECT_EQ(recipe->recipe.stillness.weights, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(recipe->origin.at("optimizer.clip"), "--set");
  EXPECT_EQ(recipe->origin.at("cooldown.steps"), "configs/steady.toml");
  EXPECT_EQ(recipe->origin.at("batch.episodes"), "configs/fast.toml");
  EXPECT_EQ(recipe->origin.at("optimizer.beta1"), "configs/paper.toml");
}

TEST(Recipe, AMistakenOverrideIsAUsageError) {
  for (const char* text : {"optimizer.clip", "optimizer.clipp=1", "optimizer.clip=high", "optimizer.clip="}) {
    const std::vector<std::string> overrides{text};
    const auto recipe = resolve_recipe("fast", overrides);
    ASSERT_FALSE(recipe) << text;
    EXPECT_EQ(recipe.error().kind(), ErrorKind::kUsage) << text;
  }
}

TEST(Recipe, AnUnknownRecipeIsRefusedWithASuggestion) {
  EXPECT_THAT(resolve_recipe("fats").error().message(), HasSubstr("Did you mean \"fast\"?"));
  EXPECT_EQ(resolve_recipe("nowhere.toml").error().kind(), ErrorKind::kMissingInput);
}

TEST(Recipe, AFileMayExtendAnotherButNotItself) {
  const TemporaryFolder folder;
  std::ofstream(folder / "mine.toml") << "extends = \"fast\"\n[cooldown]\nsteps = 3\n";
  const auto mine = resolve_recipe((folder / "mine.toml").string());
  ASSERT_TRUE(mine) << mine.error().message();
  EXPECT_EQ(mine->name, "mine");
  EXPECT_EQ(mine->recipe.cooldown.steps, 3);
  EXPECT_EQ(mine->recipe.batch.episodes, 32);

  std::ofstream(folder / "loop.toml") << "extends = \"" << (folder / "loop.toml").string() << "\"\n";
  EXPECT_THAT(resolve_recipe((folder / "loop.toml").string()).error().message(), HasSubstr("circle"));
}

TEST(Recipe, IsRestoredFromItsOwnText) {
  std::map<std::string, std::string> values;
  const Recipe steady = resolve_recipe("steady")->recipe;
  for (const RecipeField& field : describe(steady)) values[field.name] = field.value;
  const auto restored = restore_recipe(values, "run.json");
  ASSERT_TRUE(restored) << restored.error().message();
  for (const RecipeField& field : describe(*restored)) EXPECT_EQ(field.value, values.at(field.name));
  values.erase("optimizer.clip");
  EXPECT_THAT(restore_recipe(values, "run.json").error().message(), HasSubstr("optimizer.clip is missing"));
}

TEST(Recipe, FieldsThatCameLaterAreSilentAtTheirDefaultAndToldWhenSet) {
  const auto has_later = [](const std::vector<RecipeField>& fields) {
    return std::any_of(fields.begin(), fields.end(),
                       [](const RecipeField& field) { return field.name.find("levels") != std::string::npos; });
  };
  EXPECT_TRUE(has_later(describe({})));
  EXPECT_FALSE(has_later(stored_fields({})));
  for (const char* name : {"fast", "steady"}) EXPECT_FALSE(has_later(stored_fields(resolve_recipe(name)->recipe)));

  const std::vector<std::string> at_default{"levels.rate=0.002", "levels.limit=20000"};
  EXPECT_FALSE(has_later(stored_fields(resolve_recipe("fast", at_default)->recipe)))
      << "the value counts, not who set it";
  const std::vector<std::string> set{"levels.limit=7"};
  const Recipe changed = resolve_recipe("fast", set)->recipe;
  std::map<std::string, std::string> values;
  for (const RecipeField& field : stored_fields(changed)) values[field.name] = field.value;
  EXPECT_EQ(values.size(), stored_fields({}).size() + 1);
  EXPECT_EQ(values.at("levels.limit"), "7");
  EXPECT_EQ(restore_recipe(values, "run.json")->levels.limit, 7);
  values.erase("levels.limit");
  const auto without = restore_recipe(values, "run.json");
  ASSERT_TRUE(without) << without.error().message();
  EXPECT_EQ(without->levels.limit, Recipe().levels.limit);
}

TEST(Recipe, LevelsIsFastForTasksOfLevels) {
  const auto levels = resolve_recipe("levels");
  ASSERT_TRUE(levels) << levels.error().message();
  EXPECT_EQ(levels->origin.at("levels.rate"), "configs/levels.toml");
  EXPECT_EQ(levels->origin.at("optimizer.matrices"), "configs/fast.toml");
  EXPECT_EQ(levels->recipe.levels.threshold, 97);
}

}  // namespace
}  // namespace schemamem

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/registry.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

std::string refusal(const ModelSpec& spec) {
  const auto made = make_model<float>(spec);
  if (made) return "made";
  EXPECT_EQ(made.error().kind(), ErrorKind::kUsage);
  return made.error().message();
}

TEST(Registry, MakesEveryModelAtItsPublishedSizes) {
  EXPECT_THAT(model_names(), testing::ElementsAre("schemamem", "mamba3", "gdn"));
  for (const std::string& name : model_names()) {
    const auto model = make_model<double>(name, 9, 4);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model.value()->config().name, name);
    EXPECT_EQ(model.value()->config().inputs, 9U);
    EXPECT_EQ(model.value()->config().outputs, 4U);
  }
  EXPECT_EQ(make_model<float>(published_spec("schemamem", 7, 3).value()).value()->parameters().size(), 54'336U);
}

TEST(Registry, AModelKnowsTheSpecItWasMadeFrom) {
  for (const std::string& name : model_names()) {
    ModelSpec spec = published_spec(name, 9, 4).value();
    spec.sizes["layers"] = 2;
    if (name == "schemamem") spec.sizes["slots"] = 19;
    EXPECT_EQ(make_model<float>(spec).value()->spec(), spec) << name;
  }
}

TEST(Registry, KnowsASpecAgainByItsMetadata) {
  ModelSpec spec = published_spec("schemamem", 7, 3).value();
  spec.sizes["slots"] = 19;
  std::map<std::string, std::string> metadata = to_metadata(spec);
  EXPECT_EQ(metadata.at("size.slots"), "19");
  metadata["setting"] = "A3V3";
  EXPECT_EQ(spec_from_metadata(metadata, "file").value(), spec);
}

TEST(Registry, SaysWhatIsWrongWithASpec) {
  EXPECT_THAT(published_spec("shemamem", 7, 3).error().message(), HasSubstr("Did you mean \"schemamem\"?"));
  const ModelSpec good = published_spec("schemamem", 7, 3).value();
  ModelSpec spec = good;
  spec.sizes.erase("slots");
  EXPECT_THAT(refusal(spec), HasSubstr("the size slots is missing"));
  spec = good;
  spec.sizes["slot"] = 3;
  EXPECT_THAT(refusal(spec), HasSubstr("unknown size or option \"slot\"; expected one of inputs, outputs, layers"));
  spec = good;
  spec.sizes["slots"] = 0;
  EXPECT_THAT(refusal(spec), HasSubstr("slots is 0; expected a whole number from 1 to 1048576"));
  spec = good;
  spec.sizes["layers"] = ~std::size_t{0};
  EXPECT_THAT(refusal(spec), HasSubstr("layers is 18446744073709551615; expected a whole number from 1 to 256"));
  spec = good;
  spec.sizes["heads"] = 3;
  EXPECT_THAT(refusal(spec), HasSubstr("heads * head_dim = width"));
}

TEST(Registry, MakesAGatedDeltaNetOfTheSizesOfItsSpec) {
  ModelSpec spec = published_spec("gdn", 7, 3).value();
  EXPECT_EQ(make_model<float>(spec).value()->parameters().size(), 55'260U);
  spec.sizes["width"] = 64;
  spec.sizes["heads"] = 1;
  const auto model = make_model<float>(spec);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model.value()->parameters().find("layers.0.mixer.q_proj.weight").shape, (std::vector<std::size_t>{48, 64}));
  spec.sizes["width"] = 20;
  EXPECT_THAT(refusal(spec), HasSubstr("model gdn: width is 20; expected a multiple of 16 from 16 to 4096"));
  spec.sizes["width"] = 0;
  EXPECT_THAT(refusal(spec), HasSubstr("model gdn: width is 0; expected a multiple of 16 from 16 to 4096"));
}

TEST(Registry, TakesThePublishedNumberForASizeThatAFileIsTooOldToHave) {
  const std::map<std::string, std::string> old{
      {"model", "gdn"}, {"size.inputs", "7"}, {"size.outputs", "3"}, {"size.layers", "3"}};
  const auto model = make_model<float>(spec_from_metadata(old, "file").value());
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model.value()->spec(), published_spec("gdn", 7, 3).value());
  for (const char* const frame : {"size.inputs", "size.outputs", "size.layers"}) {
    std::map<std::string, std::string> incomplete = old;
    incomplete.erase(frame);
    EXPECT_THAT(refusal(spec_from_metadata(incomplete, "file").value()), HasSubstr("is missing; expected")) << frame;
  }
}

TEST(Registry, TakesAChoiceOfFieldsForThePublishedOnes) {
  const ModelChoice choice{.name = "schemamem", .set = {{"slots", "64"}, {"width", "64"}, {"head_dim", "16"}}};
  const ModelSpec spec = resolve_model(choice, {.inputs = 9, .outputs = 4}).value();
  ModelSpec expected = published_spec("schemamem", 9, 4).value();
  expected.sizes["slots"] = expected.sizes["width"] = 64;
  expected.sizes["head_dim"] = 16;
  EXPECT_EQ(spec, expected);
  EXPECT_EQ(resolve_model({.name = "gdn"}, {.inputs = 7, .outputs = 3}).value(), published_spec("gdn", 7, 3).value());
  const ModelSpec symbols = resolve_model({.name = "mamba3"}, {.inputs = 40, .outputs = 5, .symbols = true}).value();
  EXPECT_EQ(symbols.options, (std::map<std::string, std::string, std::less<>>{{"input", "symbols"}}));
  EXPECT_TRUE(make_model<float>(symbols).value()->config().symbols);
}

TEST(Registry, SaysWhatIsWrongWithAChoice) {
  const auto complaint = [](const std::string& name, const std::map<std::string, std::string>& set) -> std::string {
    const auto spec = resolve_model({.name = name, .set = set}, {.inputs = 7, .outputs = 3});
    if (spec) return "resolved";
    EXPECT_EQ(spec.error().kind(), ErrorKind::kUsage);
    return spec.error().message();
  };
  EXPECT_EQ(complaint("schemamem", {}), "resolved");
  EXPECT_THAT(complaint("shemamem", {}), HasSubstr("Did you mean \"schemamem\"?"));
  EXPECT_THAT(complaint("schemamem", {{"slot", "64"}}),
              HasSubstr("model schemamem: unknown size or option \"slot\"; expected one of inputs, outputs, layers, "
                        "input, maps, width, slots, heads, head_dim, hidden, commit_every, writer, commit, phases. Did "
                        "you mean \"slots\"?"));
  EXPECT_THAT(complaint("mamba3", {{"slots", "64"}}), HasSubstr("model mamba3: unknown size or option \"slots\""));
  EXPECT_THAT(complaint("mamba3", {{"state", "72"}}),
              HasSubstr("model mamba3: state is 72; expected a multiple of 16 from 16 to 1024"));
  EXPECT_THAT(complaint("gdn", {{"width", "8192"}}), HasSubstr("width is 8192; expected a multiple of 16 from 16 to"));
  EXPECT_THAT(complaint("gdn", {{"hidden", "40"}}), HasSubstr("hidden is 40; expected a multiple of 16"));
  for (const char* const text : {"0", "-1", "many", "", "3.5", "99999999999999999999"})
    EXPECT_THAT(complaint("gdn", {{"layers", text}}), HasSubstr("expected a whole number from 1 to 256")) << text;
  EXPECT_THAT(complaint("schemamem", {{"maps", "some"}}), HasSubstr("maps is some; expected both or none"));
  for (const char* const port : {"inputs", "outputs", "input"}) {
    EXPECT_THAT(complaint("gdn", {{port, "7"}}), HasSubstr(std::string(port) + " is what the task says; leave it out"));
  }
  EXPECT_THAT(complaint("mamba3", {{"groups", "3"}}), HasSubstr("groups is 3, which does not divide heads, 4"));
  EXPECT_THAT(complaint("schemamem", {{"width", "64"}}), HasSubstr("heads * head_dim = width, found 4 * 8 and 64"));
  EXPECT_THAT(complaint("gdn", {{"maps", "none"}}), HasSubstr("inputs and outputs equal the width, 32"));
}

TEST(Registry, ABareStackTakesRows) {
  const auto spec =
      resolve_model({.name = "gdn", .set = {{"maps", "none"}}}, {.inputs = 32, .outputs = 32, .symbols = true});
  EXPECT_THAT(spec.error().message(), HasSubstr("input cannot be symbols"));
}

TEST(Registry, AChoiceIsItsTextAndBack) {
  for (const char* const text : {"schemamem", "mamba3:layers=2", "schemamem:slots=64:width=64", "gdn:maps=none"}) {
    const auto choice = parse_model_choice(text);
    ASSERT_TRUE(choice) << choice.error().message();
    EXPECT_EQ(choice->text(), text);
  }
  const ModelChoice choice{.name = "gdn", .set = {{"heads", "3"}, {"width", "64"}}};
  EXPECT_EQ(parse_model_choice("gdn:width=64:heads=3").value(), choice);
  EXPECT_EQ(parse_model_choice(choice.text()).value(), choice);
  const auto complaint = [](std::string_view text) {
    const auto parsed = parse_model_choice(text);
    return parsed ? parsed->text() : parsed.error().message();
  };
  EXPECT_THAT(complaint("gbn:heads=3"), HasSubstr("Did you mean \"gdn\"?"));
  EXPECT_THAT(complaint("gdn:heads"), HasSubstr("expected field=value, such as gdn:layers=2; found \"heads\""));
  EXPECT_THAT(complaint("gdn:=3"), HasSubstr("expected field=value"));
  EXPECT_THAT(complaint("gdn:"), HasSubstr("expected field=value"));
  EXPECT_THAT(complaint("gdn:heads=3:"), HasSubstr("expected field=value"));
  EXPECT_THAT(complaint("gdn:heads=3:heads=4"), HasSubstr("\"heads\" is set twice"));
}

TEST(Registry, TellsWhatIsNotPublishedOfASpecAndLeavesTheTaskOut) {
  using Fields = std::map<std::string, std::string>;
  for (const std::string& name : model_names()) {
    EXPECT_EQ(unpublished_fields(published_spec(name, 9, 4).value()), Fields()) << name;
    const auto symbols = resolve_model({.name = name}, {.inputs = 40, .outputs = 40, .symbols = true});
    EXPECT_EQ(unpublished_fields(symbols.value()), Fields()) << name;
    const ModelChoice other{.name = name, .set = {{"layers", "2"}, {"maps", "none"}}};
    EXPECT_EQ(unpublished_fields(resolve_model(other, {.inputs = 32, .outputs = 32}).value()), other.set) << name;
    const ModelChoice same{.name = name, .set = {{"layers", "3"}, {"maps", "both"}}};
    EXPECT_EQ(unpublished_fields(resolve_model(same, {.inputs = 7, .outputs = 3}).value()), Fields()) << name;
  }
}

TEST(Registry, ListsTheFieldsOfAModelWithWhatTheyMayBe) {
  for (const std::string& name : model_names()) {
    const std::vector<ModelField> fields = model_fields(name).value();
    std::map<std::string, std::string> set;
    for (const ModelField& field : fields) {
      EXPECT_FALSE(field.doc.empty() || field.allowed.empty() || field.standard.empty()) << field.name;
      EXPECT_EQ(field.of_task, field.name == "inputs" || field.name == "outputs" || field.name == "input");
      if (!field.of_task) set.emplace(field.name, field.standard);
    }
    EXPECT_EQ(resolve_model({.name = name, .set = set}, {.inputs = 7, .outputs = 3}).value(),
              published_spec(name, 7, 3).value());
  }
  EXPECT_FALSE(model_fields("none"));
}

TEST(Registry, KnowsTheOptionsOfASpecAgainByItsMetadata) {
  const auto spec = resolve_model({.name = "gdn", .set = {{"maps", "none"}}}, {.inputs = 32, .outputs = 32}).value();
  const std::map<std::string, std::string> metadata = to_metadata(spec);
  EXPECT_EQ(metadata.at("option.maps"), "none");
  EXPECT_EQ(spec_from_metadata(metadata, "file").value(), spec);
  ModelSpec wrong = spec;
  wrong.options["maps"] = "some";
  EXPECT_THAT(refusal(wrong), HasSubstr("maps is some; expected both or none"));
  wrong.options = {{"mops", "none"}};
  EXPECT_THAT(refusal(wrong), HasSubstr("unknown size or option \"mops\""));
}

TEST(Registry, RefusesMetadataThatIsNoSpec) {
  const auto message = [](const std::map<std::string, std::string>& metadata) {
    const auto spec = spec_from_metadata(metadata, "file");
    EXPECT_FALSE(spec);
    return spec ? "read" : spec.error().message();
  };
  EXPECT_THAT(message({{"size.width", "3"}}), HasSubstr("file: the metadata names no model"));
  EXPECT_THAT(message({{"model", "gdn"}, {"size.layers", "-3"}}), HasSubstr("at least 0"));
  EXPECT_THAT(message({{"model", "gdn"}, {"size.layers", "three"}}), HasSubstr("whole number"));
}

}  // namespace
}  // namespace schemamem

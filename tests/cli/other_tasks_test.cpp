// Tasks other than the paper's, and models of other sizes, through the same commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catalog/model_files.h"
#include "support/cli.h"
#include "support/program.h"
#include "support/temporary_folder.h"
#include "support/trained_run.h"

namespace schemamem {
namespace {

using nlohmann::json;
using test::call;
using test::Reply;
using test::text_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const std::string kShort =
    " --recipe fast --threads 1 --set batch.episodes=2 --set validation.every=2 --set validation.episodes=2 --set "
    "validation.passes=9 --set levels.limit=4 --set cooldown.steps=0 ";
const std::string kSmall = "schemamem:slots=16:width=16:heads=2";

std::string train(const std::string& model, const fs::path& folder) {
  return "train --model " + model + " --task mqar --setting V16L16P2 --seed 3" + kShort + "--out " + folder.string();
}

class OtherTasks : public testing::Test {
 protected:
  std::string run() const { return (folder_ / "run").string(); }
  TemporaryFolder folder_;
};

TEST_F(OtherTasks, AreTrainedToTheirLimitEvaluatedByTheirGroupsAndInspected) {
  for (const std::string& model : {std::string("gdn"), std::string("mamba3"), kSmall}) {
    fs::remove_all(run());
    const Reply trained = call(train(model, run()));
    EXPECT_EQ(trained.code, 2) << trained.err;
    EXPECT_THAT(trained.out, HasSubstr("after 4 steps"));
    const json manifest = json::parse(text_of(folder_ / "run" / "run.json"));
    EXPECT_EQ(manifest.at("task"), "mqar");
    EXPECT_EQ(manifest.at("model_set").size(), model == kSmall ? 3U : 0U);
    EXPECT_EQ(call("resume " + run()).code, 2);
    EXPECT_EQ(call(train(model, run())).code, 2);

    const std::string quick = " --episodes 3 --eval-seed 7 --threads 1";
    const Reply text = call("eval " + run() + quick);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("pairs-2"), HasSubstr("early"), HasSubstr("late"), HasSubstr("mqar"),
                                Not(HasSubstr("Retained"))));
    const json one = json::parse(call("eval --json " + run() + quick).out).at("evaluations").at(0);
    EXPECT_EQ(one.at("task"), "mqar");
    EXPECT_EQ(one.at("computed_cells"), 0);
    EXPECT_EQ(one.at("cells").at(0).at("scenario"), "pairs-2");
    EXPECT_EQ(one.at("cells").at(0).at("delay"), 16);
    EXPECT_EQ(one.at("cells").at(0).at("group"), "early");
    EXPECT_EQ(one.at("cells").at(0).at("asked"), 3);
    EXPECT_EQ(call("eval --curve " + run() + quick).code, 64);
    EXPECT_EQ(call("eval --scenarios retention " + run() + quick).code, 64);
    EXPECT_EQ(call("report " + run() + " -o " + (folder_ / "page.html").string()).code, 0);
  }
  EXPECT_THAT(call("watch --once " + run()).out, HasSubstr("schemamem"));
}

TEST_F(OtherTasks, ARunThatWasStoppedGoesOnToTheSameBits) {
  ASSERT_EQ(call(train(kSmall, folder_ / "whole")).code, 2);
  ASSERT_EQ(call(train(kSmall, run())).code, 2);
  // As it was after two steps: the newest checkpoint and the end are gone.
  for (const char* name : {"result.json", "model.safetensors"}) fs::remove(folder_ / "run" / name);
  fs::remove_all(folder_ / "run" / "checkpoints" / "step-000000004");
  EXPECT_EQ(call("resume " + run()).code, 2);
  EXPECT_TRUE(text_of(folder_ / "run" / "model.safetensors") == text_of(folder_ / "whole" / "model.safetensors"));
}

TEST_F(OtherTasks, ModelsOfOtherSizesAreInspectedAndTimed) {
  const std::string sizes = " --model schemamem --option slots=16 --option width=16 --option heads=2";
  const Reply reply = call("inspect --task mqar --setting V16L16P2 --json" + sizes);
  ASSERT_EQ(reply.code, 0) << reply.err;
  const json answer = json::parse(reply.out);
  EXPECT_EQ(answer.at("task"), "mqar");
  EXPECT_EQ(answer.at("setting"), "V16L16P2");
  EXPECT_EQ(answer.at("persistent_elements"), 3 * 16 * 16);
  for (const std::string task : {"", " --task mqar --setting V16L16P2"}) {
    const Reply step = call("bench step --batch 2 --tokens 48 --threads 1 --repeats 1 --json" + sizes + task);
    EXPECT_EQ(step.code, 0) << step.err;
    const Reply stream = call("bench stream --tokens 2000" + sizes + task);
    EXPECT_EQ(stream.code, 0) << stream.err;
    EXPECT_THAT(stream.out, HasSubstr("tokens/s"));
  }
}

TEST_F(OtherTasks, AreSweptWithModelsOfOtherSizes) {
  const std::string lists = " --models " + kSmall + ",gdn --seeds 1 --no-estimate --out ";
  const std::string limits = kShort.substr(std::string(" --recipe fast --threads 1").size());
  const std::string sweep = (folder_ / "s").string();
  const Reply planned = call("sweep plan --task mqar --settings V16L16P2" + limits + lists + sweep);
  ASSERT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(text_of(folder_ / "s" / "sweep.toml"), AllOf(HasSubstr("mqar"), HasSubstr("slots=16")));
  Process pool = test::start_program("sweep run " + sweep + " --jobs 2 --threads 1 --evaluate", folder_ / "log");
  EXPECT_EQ(pool.wait().code, 2) << text_of(folder_ / "log");
  EXPECT_THAT(call("sweep status " + sweep).out, AllOf(HasSubstr("2 of 2 ended"), HasSubstr("V16L16P2")));
  const Reply all = call("sweep plan --settings A2V2 --set transactions.limit=2" + lists + (folder_ / "t").string());
  EXPECT_EQ(all.code, 0) << all.err;
}

struct Mistake {
  const char* arguments;
  const char* message;
};
class MistakesOfTasksAndSizes : public testing::TestWithParam<Mistake> {};

TEST_P(MistakesOfTasksAndSizes, AreToldWithTheWayOut) {
  const Reply reply = call(GetParam().arguments);
  EXPECT_EQ(reply.code, 64) << reply.out;
  EXPECT_THAT(reply.err, AllOf(testing::StartsWith("error: "), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Cli, MistakesOfTasksAndSizes,
    testing::Values(
        Mistake{"train --model schemamem --option slot=64", "Did you mean \"slots\"?"},
        Mistake{"train --model schemamem:slot=64", "Did you mean \"slots\"?"},
        Mistake{"train --model schemamem --option slots=0", "a whole number from 1 to 1048576"},
        Mistake{"train --model schemamem --option slots=many", "slots"},
        Mistake{"train --model schemamem --option width=31", "width"},
        Mistake{"inspect --model schemamem --option width=31", "width"},
        Mistake{"bench step --model schemamem --option width=31", "width"},
        Mistake{"train --model schemamem --option inputs=9", "inputs"},
        Mistake{"inspect --model gdn --option outputs=9", "outputs"},
        Mistake{"train --model gdn --option slots=9", "slots"},
        Mistake{"train --model gdn --task mqra", "Did you mean \"mqar\"?"},
        Mistake{"train --model gdn --task mqar --setting A3V3", "Unknown setting \"A3V3\" of the task mqar"},
        Mistake{"train --model gdn --setting V16L16P2", "V16L16P2"},
        Mistake{"train --model gdn --task mqar --setting V16L16P8", "at most L / 4 pairs"},
        Mistake{"sweep plan --models gdn --task mqra --out /tmp/never", "Did you mean \"mqar\"?"},
        Mistake{"sweep plan --models gdn --task mqar --settings A3V3 --out /tmp/never", "of the task mqar"},
        Mistake{"sweep plan --models schemamem:slot=1 --settings A2V2 --out /tmp/never", "Did you mean \"slots\"?"}));

TEST_F(OtherTasks, AFileWhoseNotesContradictItsModelIsBadData) {
  const ModelSpec spec = published_spec("gdn", 5, 2).value();
  const auto model = make_model<float>(spec).value();
  std::vector<float> weights(model->parameters().size());
  model->initialise("ours", 1, {weights.data(), {weights.size()}});
  const auto refused = [&](const std::map<std::string, std::string>& notes) {
    const fs::path path = folder_ / "x.safetensors";
    EXPECT_TRUE(save_model(path, *LoadedModel<float>::make(spec, weights, {}, notes).value()));
    return call("eval --episodes 1 " + path.string());
  };
  for (const auto& notes : {std::map<std::string, std::string>{{"setting", "A3V3"}},
                            {{"setting", "V16L16P2"}, {"task", "mqar"}},
                            {{"setting", "A2V2"}, {"task", "mqar"}},
                            {{"setting", "A2V2"}, {"task", "chess"}},
                            {}}) {
    const Reply reply = refused(notes);
    EXPECT_EQ(reply.code, 65) << reply.err;
    EXPECT_THAT(reply.err, HasSubstr("x.safetensors"));
  }
  EXPECT_EQ(refused({{"setting", "A2V2"}}).code, 0);
}

}  // namespace
}  // namespace schemamem

#include "sweep/slurm_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/slurm_submission.h"

namespace schemamem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(SlurmText, SqueueIsReadElementByElement) {
  const auto jobs = parse_squeue(
      "6|2|schemamem-ab|PENDING|0:00||JobArrayTaskLimit\n"
      "6|0|schemamem-ab|RUNNING|1-02:03:04|node7|None\n"
      "7|11|schemamem-cd|PENDING|0:00||(a | reason of | the admin)\n");
  ASSERT_TRUE(jobs) << jobs.error().message();
  EXPECT_THAT(*jobs, ElementsAre(SlurmJob{.array = 6,
                                          .index = 2,
                                          .name = "schemamem-ab",
                                          .state = "PENDING",
                                          .used = "0:00",
                                          .node = "",
                                          .reason = "JobArrayTaskLimit"},
                                 SlurmJob{.array = 6,
                                          .index = 0,
                                          .name = "schemamem-ab",
                                          .state = "RUNNING",
                                          .used = "1-02:03:04",
                                          .node = "node7",
                                          .reason = ""},
                                 SlurmJob{.array = 7,
                                          .index = 11,
                                          .name = "schemamem-cd",
                                          .state = "PENDING",
                                          .used = "0:00",
                                          .node = "",
                                          .reason = "(a | reason of | the admin)"}));
  EXPECT_EQ(jobs->front().id(), "6_2");
  EXPECT_THAT(*parse_squeue(""), IsEmpty());
}

TEST(SlurmText, AnAnswerOfAnotherFormIsRefusedAndNotTakenForAnEmptyQueue) {
  for (const char* text : {"hello\n", "6|0\n", "6|x|n|RUNNING|0|n|r\n", "-6|0|n|RUNNING|0|n|r\n",
                           "6|0|n|running|0|n|r\n", "6|0|n||0|n|r\n", "99999999999|0|n|RUNNING|0|n|r\n",
                           "6|0|n|RUN\x1bNING|0|n|r\n", "6|4294967295|n|RUNNING|0|n|r\n", "6|N/A|n|RUNNING|0|n|r\n"}) {
    const auto jobs = parse_squeue(text);
    ASSERT_FALSE(jobs) << text;
    EXPECT_EQ(jobs.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(jobs.error().message(), AllOf(HasSubstr("squeue answered"), Not(HasSubstr("\x1b"))));
  }
  EXPECT_FALSE(parse_sacct("1_0|COMPLETED\n"));
  EXPECT_FALSE(parse_scontrol("slurm_load_jobs error\n"));
}

TEST(SlurmText, WhatItSaysIsShownEscapedAndCut) {
  const auto jobs = parse_squeue("6|0|n|RUNNING|0:01|node\x1b[2J|" + std::string(100'000, 'x') + "\n");
  ASSERT_TRUE(jobs);
  EXPECT_THAT(jobs->front().node, HasSubstr(R"(\x1b[2J)"));
  EXPECT_LT(jobs->front().reason.size(), 400U);
}

TEST(SlurmText, SacctAndScontrolTellHowElementsEnded) {
  const auto accounts = parse_sacct(
      "6_0|COMPLETED|00:01:02|node7|0:0\n6_[3-8%2]|PENDING|00:00:00|None assigned|0:0\n6|FAILED|00:00:01|n|1:0\n"
      "6_1|CANCELLED by 1000|00:00:03|node8|75:0\n");
  ASSERT_TRUE(accounts) << accounts.error().message();
  ASSERT_EQ(accounts->size(), 2U);
  EXPECT_EQ(accounts->at(0).id(), "6_0");
  EXPECT_EQ(accounts->at(1).state, "CANCELLED by 1000");
  EXPECT_EQ(accounts->at(1).reason, "exit 75:0");

  const auto remembered = parse_scontrol(
      "JobId=6 ArrayJobId=6 ArrayTaskId=3-8%2 ArrayTaskThrottle=2 JobName=schemamem-ab JobState=PENDING ExitCode=0:0\n"
      "JobId=8 ArrayJobId=6 ArrayTaskId=1 JobName=schemamem-ab JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15 "
      "RunTime=00:01:02 NodeList=vm Comment=a JobState=RUNNING\n"
      "JobId=9 JobName=other JobState=RUNNING\n");
  ASSERT_TRUE(remembered) << remembered.error().message();
  ASSERT_EQ(remembered->size(), 1U);
  EXPECT_EQ(remembered->front().id(), "6_1");
  EXPECT_EQ(remembered->front().state, "TIMEOUT");
  EXPECT_EQ(remembered->front().node, "vm");
  EXPECT_EQ(remembered->front().reason, "exit 0:15");
}

TEST(SlurmText, NumbersOfJobsAndTheLargestArrayAreFound) {
  EXPECT_EQ(*parse_submitted("17\n"), 17);
  EXPECT_EQ(*parse_submitted("17;cluster\n"), 17);
  for (const char* text : {"", "Submitted batch job 17\n", "0\n", "17\n18\n", "-1\n"})
    EXPECT_FALSE(parse_submitted(text)) << text;
  EXPECT_EQ(parse_array_size("MaxArraySize            = 2501\nMaxJobCount = 9\n"), 2501);
  EXPECT_EQ(parse_array_size(""), 1001);
  EXPECT_EQ(parse_array_size("MaxArraySize = many\n"), 1001);
}

TEST(SlurmText, TheScriptAsksForWhatWasSaidAndRunsPartsOfTheSubmission) {
  const SlurmRequest request{.partition = "cpu,long",
                             .time = "4:00:00",
                             .jobs_per_node = 4,
                             .threads = 2,
                             .array_limit = 10,
                             .warning = 90,
                             .more = {"--account=lab"}};
  ASSERT_TRUE(check_request(request));
  const std::string script = job_script(request, "schemamem-ab", 9, "/opt/schemamem", "avx2", "/data/s/slurm/1");
  for (const char* line :
       {"#!/bin/sh\n", "#SBATCH --job-name=schemamem-ab\n", "#SBATCH --array=0-8%10\n", "#SBATCH --cpus-per-task=8\n",
        "#SBATCH --partition=cpu,long\n", "#SBATCH --time=4:00:00\n", "#SBATCH --signal=B:USR1@90\n",
        "#SBATCH --requeue\n", "#SBATCH --account=lab\n", "#SBATCH --output=/data/s/slurm/1/%a.log\n",
        "\n/opt/schemamem --isa avx2 sweep part /data/s/slurm/1 \"$SLURM_ARRAY_TASK_ID\" &\n", "scontrol requeue"})
    EXPECT_THAT(script, HasSubstr(line));
  const std::string bare = job_script({}, "n", 1, "/p", "avx2", "/s");
  EXPECT_THAT(bare, AllOf(HasSubstr("--array=0-0\n"), Not(HasSubstr("--time")), Not(HasSubstr("--partition"))));
}

TEST(SlurmText, WhatAScriptCannotCarryIsRefused) {
  EXPECT_FALSE(check_request({.partition = "a b"}));
  EXPECT_FALSE(check_request({.partition = "a\n#SBATCH --uid=0"}));
  EXPECT_FALSE(check_request({.time = "1; rm"}));
  EXPECT_FALSE(check_request({.more = {"-p x"}}));
  EXPECT_FALSE(check_request({.more = {"--x\nrm"}}));
  EXPECT_EQ(check_request({.time = "soon!"}).error().kind(), ErrorKind::kUsage);
  EXPECT_TRUE(check_path("/data/my-sweeps/grid_1.5", "the sweep"));
  for (const char* path : {"relative", "/a b", "/a$(id)", "/a%j", "/a\nb", "/a'b", "/\xc3\xa4"})
    EXPECT_FALSE(check_path(path, "the sweep")) << path;
}

TEST(SlurmSubmission, ItsTableIsReadBackAndAStrangersIsRefused) {
  const SlurmSubmission submission{.name = "schemamem-ab",
                                   .job = 17,
                                   .jobs = 2,
                                   .threads = 3,
                                   .evaluate = true,
                                   .parts = {{"gdn-A2V2-fast-s1-00000000", "b"}, {"c"}}};
  const auto again = parse_submission(submission_json(submission), "job.json");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(submission_json(*again), submission_json(submission));
  for (const std::string& text : std::vector<std::string>{
           "", "{}", "[]", R"({"format":2,"name":"n","job":null,"jobs":1,"threads":1,"evaluate":false,"parts":[]})",
           R"({"format":1,"name":"a b","job":null,"jobs":1,"threads":1,"evaluate":false,"parts":[]})",
           R"({"format":1,"name":"n","job":"7","jobs":1,"threads":1,"evaluate":false,"parts":[]})",
           R"({"format":1,"name":"n","job":7,"jobs":0,"threads":1,"evaluate":false,"parts":[]})",
           R"({"format":1,"name":"n","job":7,"jobs":1,"threads":1,"evaluate":false,"parts":[["../../etc"]]})",
           R"({"format":1,"name":"n","job":7,"jobs":1,"threads":1,"evaluate":false,"parts":["x"],"more":1})"}) {
    const auto read = parse_submission(text, "job.json");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind(), ErrorKind::kBadData) << text;
  }
}

}  // namespace
}  // namespace schemamem

// Any text as an answer of Slurm's programs, or as the table of a submission.
#include "support.h"
#include "sweep/slurm_submission.h"
#include "sweep/slurm_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const auto text = fuzz::text_of(data, size);
  for (const auto& jobs : {parse_squeue(text), parse_sacct(text), parse_scontrol(text)}) {
    if (!fuzz::accepted(jobs, {ErrorKind::kBadData})) continue;
    for (const SlurmJob& job : *jobs)
      for (const char letter : job.name + job.used + job.node + job.reason + job.id())
        fuzz::must(letter >= ' ' && letter <= '~');
  }
  fuzz::must(parse_array_size(text) > 0);
  static_cast<void>(fuzz::accepted(parse_submitted(text), {ErrorKind::kBadData}));
  const auto submission = parse_submission(text, "fuzz");
  if (!fuzz::accepted(submission, {ErrorKind::kBadData})) return 0;
  const std::string again = submission_json(*submission);
  fuzz::must(submission_json(parse_submission(again, "again").value()) == again);
  return 0;
}

#pragma once

#include "base/result.h"
#include "models/model.h"
#include "system/ranks.h"
#include "train/run_record.h"
#include "train/trainer.h"

// One run on several ranks: rank 0 has the run's folder and leads (run.h); the others compute with it, and touch no
// file.

namespace schemamem {

/// Rank 0 says whether there is more to do; everyone hears it.
bool goes_on(Ranks& ranks, bool said_by_first);
/// Rank 0's trainer as it stands, into those of the others.
Status share_state(Trainer& trainer, Ranks& ranks);

/// What the other ranks do while rank 0 is in train_run(): steps and checks, until rank 0 says that it is over. Why it
/// is over is told there.
Status follow_run(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                  const StopFlag& stop, Ranks& ranks);

}  // namespace schemamem

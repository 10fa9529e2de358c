#pragma once

#include "base/build_info.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/text.h"
#include "catalog/find_model.h"
#include "catalog/model_files.h"
#include "catalog/places.h"
#include "eval/evaluation.h"
#include "memory/address_memory.h"
#include "models/model_file.h"
#include "models/registry.h"
#include "stream/state_file.h"
#include "stream/stream.h"
#include "system/files.h"
#include "task/address_value.h"
#include "task/registry.h"
#include "task/task.h"
#include "tensors/safetensors.h"
#include "train/checkpoint.h"
#include "train/recipe_file.h"
#include "train/trainer.h"

/// All that this room needs of the others. Include it before any public header, and no other room's header after one.
/// The public classes of include/schemamem live in schemamem::v0, an inline namespace, and some share their names with
/// classes of the rooms. Inside v0 the plain name is the public one; those of the rooms are named here while they are
/// the only ones (docs/decisions/0011).
namespace schemamem::inside {

using schemamem::Done;
using schemamem::Episode;
using schemamem::Error;
using schemamem::ErrorKind;
using schemamem::ModelChoice;
using schemamem::Result;
using schemamem::Rng;
using schemamem::Status;
using schemamem::Stream;
using schemamem::Task;
using schemamem::TaskShape;
using schemamem::Trainer;

}  // namespace schemamem::inside

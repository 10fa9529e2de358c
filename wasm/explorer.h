/// What the explorer asks of a memory beyond include/schemamem/c.h, in the same conventions: a code, and a sentence in
/// sm_last_error(); nothing is thrown across. Texts live until the next call of the same function.
#ifndef SCHEMAMEM_EXPLORER_H
#define SCHEMAMEM_EXPLORER_H

#include <schemamem/c.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A model as sm_model_from_bytes() makes it, if it is small enough for a page: anything larger is SM_BAD_DATA.
int sm_explore_model(const void* bytes, size_t size, sm_model** model);
/// What a model is, as JSON: architecture, task, sizes, and where in sm_inside_get() everything lies.
int sm_describe(const sm_model* model, const char** json);
/// The scenarios of the model's task, as JSON: names, summaries, and which take a delay.
int sm_scenarios(const sm_model* model, const char** json);
/// One episode of a scenario, as JSON: a list of writes, questions and one wait. The same seed gives the same episode.
int sm_scenario(const sm_model* model, const char* name, uint64_t seed, uint64_t delay, const char** json);

/// An empty memory whose commits are seen from the beginning.
int sm_explore_memory(const sm_model* model, sm_memory** memory);
/// How sure the model was of each bit of its last answer, 0.5 to 1; room for as many as a value has bits.
int sm_sure(const sm_memory* memory, float* bits);
/// What a fork says to a question about every address: values [addresses], and sure [addresses, bits] of each.
int sm_ask_all(const sm_memory* memory, int32_t* values, float* sure);

/// Commits that were seen since the memory was made or its state set.
int64_t sm_commits(const sm_memory* memory);
/// How many floats sm_inside_get() writes; the places are in sm_describe().
size_t sm_inside_size(const sm_memory* memory);
int sm_inside_get(const sm_memory* memory, float* numbers, size_t count);

/// Sets what a layer holds to zero; -1: all of them.
int sm_zero(sm_memory* memory, int layer);
/// While it is frozen a memory is read and stays as it is.
int sm_freeze(sm_memory* memory, int frozen);
/// Adds noise to what a memory holds, radians to phases, a share of its size to anything else.
int sm_noise(sm_memory* memory, double amount, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif

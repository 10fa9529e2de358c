/**
 * \file
 * The interface for C, and for every language that can call C: a memory is written, asked, saved and forked.
 *
 * \code{.c}
 * #include <schemamem/c.h>
 *
 * #include <stdio.h>
 *
 * int main(void) {
 *   sm_model *model;
 *   sm_memory *memory;
 *   int value = 0;
 *   float sure = 0;
 *   if (sm_model_load("a5v5-schemamem-steady-s42", &model)) return fprintf(stderr, "%s\n", sm_last_error()), 1;
 *   if (sm_memory_new(model, &memory)) return fprintf(stderr, "%s\n", sm_last_error()), 1;
 *   sm_write(memory, 5, 3);
 *   sm_wait(memory, 1000);
 *   sm_ask(memory, 5, &value, &sure);
 *   printf("5 -> %d (sure: %.3f)\n", value, (double)sure);
 *   sm_memory_free(memory);
 *   sm_model_free(model);
 *   return value == 3 ? 0 : 1;
 * }
 * \endcode
 *
 * Conventions:
 *
 * - **Handles.** sm_model, sm_memory, sm_stream and sm_names are opaque. A function whose last argument is a pointer to
 *   a handle makes one; the caller frees it with the function of the same name that ends in `_free`, once. Freeing NULL
 *   does nothing. After a failure the handle is NULL.
 * - **Ownership.** A memory and a stream share their model: the model's handle may be freed before theirs. Nothing that
 *   is passed in is kept; a text that is returned belongs to the handle it was asked of and lives as long.
 * - **Errors.** A function that returns `int` returns SM_OK, which is 0, or one of the other codes; they are the exit
 *   codes of the program `schemamem`. sm_last_error() says in a sentence what the last failure on this thread was. A
 *   failure leaves the handles as they were. Nothing is thrown, printed or ended; a wrong argument, NULL too, is
 *   SM_USAGE.
 * - **Threads.** A model never changes and may be used by any number of threads at once. A memory or a stream belongs
 * to one thread at a time.
 * - **State.** What a memory or a stream carries is one block of bytes, the same as in a state file: it goes on in this
 *   library, in C++ and in Python with the same bits. Before 1.0 a minor version may change interfaces.
 */
#ifndef SCHEMAMEM_C_H
#define SCHEMAMEM_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a call ended. */
enum sm_code {
  SM_OK = 0,             /**< all went well */
  SM_FAILED = 1,         /**< out of memory, or a fault of the library itself */
  SM_USAGE = 64,         /**< the request itself is wrong */
  SM_BAD_DATA = 65,      /**< an input exists but its content is wrong */
  SM_MISSING_INPUT = 66, /**< an input does not exist or cannot be read */
  SM_CANNOT_CREATE = 73, /**< an output cannot be created */
  SM_INPUT_OUTPUT = 74   /**< reading or writing failed half-way */
};

/** What a row of a stream is, besides its numbers; to be added. */
enum sm_mark {
  SM_MARK_NONE = 0,       /**< nothing in particular */
  SM_MARK_ENDS_CHUNK = 1, /**< a chunk ends before this row: what was written so far is committed to memory */
  SM_MARK_READS = 2       /**< the row only asks */
};

/** A model with its weights. */
typedef struct sm_model sm_model;
/** A model of the address-value task as a database. */
typedef struct sm_memory sm_memory;
/** A model that reads rows of numbers. */
typedef struct sm_stream sm_stream;
/** A list of names. */
typedef struct sm_names sm_names;

/** The sentence about the last failure on this thread: what was expected, what was found, what to do. Empty if there
 *  was none. It lives until the next failure on this thread. */
const char* sm_last_error(void);
/** The version of the library that runs, such as "0.1.0". */
const char* sm_version(void);

/** Every name that sm_model_load() knows. */
int sm_published(sm_names** names);
/** How many there are. */
size_t sm_names_count(const sm_names* names);
/** The name with this number, from 0; NULL if there is none. */
const char* sm_names_at(const sm_names* names, size_t index);
/** Frees a list. */
void sm_names_free(sm_names* names);

/** A model from a published name, a file of weights or the folder of a run. */
int sm_model_load(const char* name_or_path, sm_model** model);
/** A model from the bytes of a model file. */
int sm_model_from_bytes(const void* bytes, size_t size, sm_model** model);
/** Writes a model file; it is complete or absent. */
int sm_model_save(const sm_model* model, const char* path);
/** Frees a model's handle; memories and streams of it stay. */
void sm_model_free(sm_model* model);
/** Which architecture: "schemamem", "mamba3", "gdn". */
const char* sm_model_name(const sm_model* model);
/** 64 hexadecimal digits that differ for any other architecture, sizes or weights. */
const char* sm_model_fingerprint(const sm_model* model);
/** What the file says besides: "task", "setting", "recipe", "seed", "step". NULL if it does not say. */
const char* sm_model_note(const sm_model* model, const char* key);
/** How many numbers are trained. */
size_t sm_model_parameters(const sm_model* model);
/** Numbers of one row that goes in. */
size_t sm_model_row_width(const sm_model* model);
/** Numbers of the row that comes out. */
size_t sm_model_outputs(const sm_model* model);

/** An empty memory. A model that was not trained for the address-value task is SM_USAGE. */
int sm_memory_new(const sm_model* model, sm_memory** memory);
/** Frees a memory. */
void sm_memory_free(sm_memory* memory);
/** How many addresses there are; they are numbered from 0. */
int sm_addresses(const sm_memory* memory);
/** How many values there are; they are numbered from 0. */
int sm_values(const sm_memory* memory);
/** Writes a value to an address. */
int sm_write(sm_memory* memory, int address, int value);
/** What an address holds, and the probability from 0 to 1 that the model gives it. Asking, too, moves the memory on.
 *  Either pointer may be NULL. */
int sm_ask(sm_memory* memory, int address, int* value, float* confidence);
/** Lets questions pass about addresses that were never written; about any, once all were. */
int sm_wait(sm_memory* memory, uint64_t rows);
/** Forgets everything. */
int sm_reset(sm_memory* memory);
/** A second memory with the same past and a future of its own. */
int sm_fork(const sm_memory* memory, sm_memory** other);
/** Rows read since the beginning or the last reset. */
int64_t sm_tokens(const sm_memory* memory);
/** Changes of state smaller than this do not happen from here on; at least 0, where it is off, and below 1. It is part
 *  of the state. */
int sm_set_floor(sm_memory* memory, double floor);
/** The floor; 0: off. */
double sm_floor(const sm_memory* memory);
/** What was last written to an address, by an account beside the model; -1 if nothing was. */
int sm_written(const sm_memory* memory, int address, int* value);
/** Writes a state file; it is complete or absent. */
int sm_save(const sm_memory* memory, const char* path);
/** Goes on from a state file of the same model. */
int sm_load(sm_memory* memory, const char* path);
/** How many bytes the state takes as it stands; writing and reading on may change that a little. 0 after a failure. */
size_t sm_state_size(const sm_memory* memory);
/** Copies the state into a buffer of `size` bytes, at least sm_state_size(). */
int sm_state_get(const sm_memory* memory, void* buffer, size_t size);
/** Goes on from exactly such bytes. */
int sm_state_set(sm_memory* memory, const void* bytes, size_t size);

/** A stream that has read nothing. */
int sm_stream_new(const sm_model* model, sm_stream** stream);
/** Frees a stream. */
void sm_stream_free(sm_stream* stream);
/** Reads `count` rows, [count, row width], and writes as many output rows, [count, outputs]. Marks follow from the rows
 *  as the model's file says. Numbers that are not finite are SM_USAGE, and nothing is read. */
int sm_stream_push(sm_stream* stream, const float* rows, size_t count, float* outputs);
/** Reads rows with one mark each, a sum of sm_mark. */
int sm_stream_push_marked(sm_stream* stream, const float* rows, const uint8_t* marks, size_t count, float* outputs);
/** Forgets everything. */
int sm_stream_reset(sm_stream* stream);
/** A second stream with the same past and a future of its own. */
int sm_stream_fork(const sm_stream* stream, sm_stream** other);
/** Rows read since the beginning or the last reset. */
int64_t sm_stream_tokens(const sm_stream* stream);
/** As sm_set_floor(). */
int sm_stream_set_floor(sm_stream* stream, double floor);
/** The floor; 0: off. */
double sm_stream_floor(const sm_stream* stream);
/** Writes a state file; it is complete or absent. */
int sm_stream_save(const sm_stream* stream, const char* path);
/** Goes on from a state file of the same model. */
int sm_stream_load(sm_stream* stream, const char* path);
/** How many bytes the state takes as it stands. 0 after a failure. */
size_t sm_stream_state_size(const sm_stream* stream);
/** Copies the state into a buffer of `size` bytes, at least sm_stream_state_size(). */
int sm_stream_state_get(const sm_stream* stream, void* buffer, size_t size);
/** Goes on from exactly such bytes. */
int sm_stream_state_set(sm_stream* stream, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif

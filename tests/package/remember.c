#include <schemamem/c.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sm_last_error());
  return 1;
}

/* Rows of one's own: three of zeros, read at once and one by one, with the same result. */
static int read_rows(const sm_model *model) {
  const size_t width = sm_model_row_width(model), outputs = sm_model_outputs(model);
  float *rows = calloc(3 * width, sizeof *rows), *once = calloc(3 * outputs, sizeof *once);
  float *singly = calloc(3 * outputs, sizeof *singly);
  sm_stream *stream = NULL, *other = NULL;
  int code = 1;
  size_t i;
  if (!rows || !once || !singly) goto done;
  if (sm_stream_new(model, &stream) || sm_stream_fork(stream, &other)) goto done;
  if (sm_stream_push(stream, rows, 3, once)) goto done;
  for (i = 0; i < 3; ++i) {
    if (sm_stream_push(other, rows + i * width, 1, singly + i * outputs)) goto done;
  }
  code = memcmp(once, singly, 3 * outputs * sizeof *once) != 0 || sm_stream_tokens(other) != 3;
done:
  sm_stream_free(stream);
  sm_stream_free(other);
  free(rows);
  free(once);
  free(singly);
  return code;
}

int main(void) {
  sm_model *model, *none;
  sm_memory *memory, *later;
  void *state;
  size_t size;
  int value = -1;
  float sure = 0;

  if (sm_model_load("no-such-model", &none) != SM_USAGE || none != NULL) return failed("a wrong name");
  if (sm_model_load("a5v5-schemamem-steady-s42", &model)) return failed("loading");
  if (sm_memory_new(model, &memory)) return failed("a memory");
  if (sm_write(memory, 5, 3) || sm_wait(memory, 1000)) return failed("writing");

  size = sm_state_size(memory);
  state = malloc(size);
  if (!state || sm_state_get(memory, state, size)) return failed("the state");
  if (sm_memory_new(model, &later) || sm_state_set(later, state, size)) return failed("another memory");
  if (read_rows(model)) return failed("rows");
  sm_model_free(model); /* memories keep what they need */
  if (sm_ask(later, 5, &value, &sure)) return failed("asking");
  printf("5 -> %d (sure: %.3f)\n", value, (double)sure);
  if (sm_save(later, "today.state") || sm_load(memory, "today.state")) return failed("a file");
  sm_memory_free(memory);
  sm_memory_free(later);
  free(state);
  return value == 3 && sure > 0.5F ? 0 : 1;
}

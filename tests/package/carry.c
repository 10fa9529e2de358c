/* Does to a memory what the words of its command line say: carry MODEL WORD...
 *   write A V, wait N, ask A (prints value and confidence), floor F
 *   save FILE, load FILE   the state, as a file
 *   get FILE, set FILE     the state, as bytes that this program writes and reads
 *   model FILE             the model
 * carry.cpp does the same in C++: what one leaves, the other goes on with. */
#include <schemamem/c.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int get(const sm_memory *memory, const char *path) {
  const size_t size = sm_state_size(memory);
  void *bytes = malloc(size);
  FILE *file = fopen(path, "wb");
  int code = !bytes || !file || sm_state_get(memory, bytes, size) || fwrite(bytes, 1, size, file) != size;
  if (file && fclose(file)) code = 1;
  free(bytes);
  return code;
}

static int set(sm_memory *memory, const char *path) {
  static char bytes[1 << 22];
  FILE *file = fopen(path, "rb");
  size_t size;
  if (!file) return 1;
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return sm_state_set(memory, bytes, size);
}

static int ask(sm_memory *memory, int address) {
  int value = -1;
  float sure = 0;
  if (sm_ask(memory, address, &value, &sure)) return 1;
  printf("%d %d %a\n", address, value, (double)sure);
  return 0;
}

int main(int count, char **words) {
  sm_model *model;
  sm_memory *memory;
  int i, code = 0;
  if (count < 2 || sm_model_load(words[1], &model) || sm_memory_new(model, &memory)) {
    fprintf(stderr, "carry.c: %s\n", sm_last_error());
    return 1;
  }
  for (i = 2; i + 1 < count && !code; i += 2) {
    const char *word = words[i], *what = words[i + 1];
    if (!strcmp(word, "write") && i + 2 < count) {
      code = sm_write(memory, atoi(what), atoi(words[i + 2]));
      ++i;
    } else if (!strcmp(word, "wait")) {
      code = sm_wait(memory, strtoul(what, NULL, 10));
    } else if (!strcmp(word, "ask")) {
      code = ask(memory, atoi(what));
    } else if (!strcmp(word, "floor")) {
      code = sm_set_floor(memory, atof(what));
    } else if (!strcmp(word, "save")) {
      code = sm_save(memory, what);
    } else if (!strcmp(word, "load")) {
      code = sm_load(memory, what);
    } else if (!strcmp(word, "get")) {
      code = get(memory, what);
    } else if (!strcmp(word, "set")) {
      code = set(memory, what);
    } else if (!strcmp(word, "model")) {
      code = sm_model_save(model, what);
    } else {
      code = 64;
    }
    if (code) fprintf(stderr, "carry.c: %s %s: %s\n", word, what, sm_last_error());
  }
  sm_memory_free(memory);
  sm_model_free(model);
  return code || i != count;
}

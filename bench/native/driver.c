/*
 * A native peer in turns with others: DRIVER FILE. The file (native-input.ts) holds 32-bit words: family, number of
 * prefixes, their words, lengths and values, number of kinds of queries, and for each kind the number of queries,
 * their words and the values that they must give. Prints "ready", then for each line "KIND MILLISECONDS" on stdin a line
 * of nanoseconds per lookup, one for each pass over the queries of that kind. Ends with code 1 and a message at the
 * first wrong answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "peer.h"

static uint32_t *at; /* in the file */

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static uint32_t *take(size_t count) {
  uint32_t *taken = at;
  at += count;
  return taken;
}

static uint32_t reduced(uint32_t value) { return value == 0 ? 0 : (value - 1) % peer_values + 1; }

static void read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("the input cannot be read");
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  at = malloc(size);
  if (at == NULL || fread(at, 1, size, file) != size) fail("the input cannot be read");
  fclose(file);
}

static size_t build(void) {
  int family = (int)*take(1);
  size_t count = *take(1), size = family == 4 ? 1 : 4;
  uint32_t *words = take(count * size), *lengths = take(count), *values = take(count);
  if (peer_open(family, count) != 0) fail("the peer cannot hold a table of this size");
  for (size_t i = 0; i < count; i++)
    if (peer_add(words + i * size, (int)lengths[i], reduced(values[i])) != 0) fail("the peer refused a prefix");
  if (peer_finish() != 0) fail("the peer cannot be built");
  return size;
}

static double nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

struct queries {
  size_t count;
  uint32_t *words, *values, *found;
};

static void check(const struct queries *queries) {
  for (size_t i = 0; i < queries->count; i++) {
    if (queries->found[i] == reduced(queries->values[i])) continue;
    fprintf(stderr, "query %zu gave %u, right is %u\n", i, queries->found[i], reduced(queries->values[i]));
    exit(1);
  }
}

static struct queries read_queries(size_t size) {
  struct queries queries = {.count = *take(1)};
  queries.words = take(queries.count * size);
  queries.values = take(queries.count);
  queries.found = calloc(queries.count, 4);
  if (queries.found == NULL) fail("out of memory");
  peer_lookup(queries.words, queries.found, queries.count);
  check(&queries);
  return queries;
}

static void measure(const struct queries *queries, double milliseconds) {
  for (double end = nanoseconds() + milliseconds * 1e6, start = 0; start < end;) {
    start = nanoseconds();
    peer_lookup(queries->words, queries->found, queries->count);
    printf("%.4f ", (nanoseconds() - start) / (double)queries->count);
  }
  check(queries);
  printf("\n");
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: DRIVER FILE");
  read_file(argv[1]);
  size_t size = build(), kinds = *take(1), kind;
  struct queries *all = calloc(kinds, sizeof *all);
  for (kind = 0; kind < kinds; kind++) all[kind] = read_queries(size);
  printf("ready\n");
  fflush(stdout);
  for (double milliseconds; scanf("%zu %lf", &kind, &milliseconds) == 2;) {
    if (kind >= kinds) fail("there is no such kind of queries");
    measure(&all[kind], milliseconds);
  }
  return 0;
}

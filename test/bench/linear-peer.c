/* A peer for tests: goes through all prefixes. With -DBROKEN it ignores half of them. */
#include <stdlib.h>
#include <string.h>
#include "peer.h"

const uint32_t peer_values = UINT32_MAX;

static struct prefix {
  uint32_t words[4], masks[4], value;
  int length;
} *prefixes;
static size_t count, size;

int peer_open(int family, size_t most) {
  size = family == 4 ? 1 : 4;
  prefixes = calloc(most, sizeof *prefixes);
  return prefixes == NULL;
}

int peer_add(const uint32_t *words, int length, uint32_t value) {
  struct prefix *added = &prefixes[count++];
  memcpy(added->words, words, size * 4);
  added->length = length;
  added->value = value;
  for (size_t word = 0; word < size; word++) {
    int bits = length - 32 * (int)word;
    added->masks[word] = bits <= 0 ? 0 : bits >= 32 ? UINT32_MAX : UINT32_MAX << (32 - bits);
  }
  return 0;
}

int peer_finish(void) {
#ifdef BROKEN
  count /= 2;
#endif
  return 0;
}

static uint32_t value_of(const uint32_t *words) {
  int longest = -1;
  uint32_t value = 0;
  for (size_t i = 0; i < count; i++) {
    size_t word = 0;
    while (word < size && ((words[word] ^ prefixes[i].words[word]) & prefixes[i].masks[word]) == 0) word++;
    if (word < size || prefixes[i].length <= longest) continue;
    longest = prefixes[i].length;
    value = prefixes[i].value;
  }
  return value;
}

void peer_lookup(const uint32_t *words, uint32_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = value_of(words + i * size);
}

/* Poptrie (Asai and Ohara, SIGCOMM 2015), by its own sources: its leaves are numbers of 16 bits. */
#include "peer.h"
#include <poptrie.h>

/* Its table of next hops has 4,096 entries, the first of them its own; it finds one by looking through all of them. */
const uint32_t peer_values = 4000;

static struct poptrie *table;
static int family;

static __uint128_t key6(const uint32_t *words) {
  return ((__uint128_t)words[0] << 96) | ((__uint128_t)words[1] << 64) | ((__uint128_t)words[2] << 32) | words[3];
}

int peer_open(int its_family, size_t prefixes) {
  (void)prefixes;
  family = its_family;
  table = poptrie_init(NULL, 22, 24); /* room for millions of nodes and leaves */
  return table == NULL;
}

int peer_add(const uint32_t *words, int length, uint32_t value) {
  void *hop = (void *)(uintptr_t)value;
  if (family == 4) return poptrie_route_add(table, words[0], length, hop);
  return poptrie6_route_add(table, key6(words), length, hop);
}

int peer_finish(void) { return 0; }

void peer_lookup(const uint32_t *words, uint32_t *values, size_t count) {
  if (family == 4)
    for (size_t i = 0; i < count; i++) values[i] = (uint32_t)(uintptr_t)poptrie_lookup(table, words[i]);
  else
    for (size_t i = 0; i < count; i++) values[i] = (uint32_t)(uintptr_t)poptrie6_lookup(table, key6(words + 4 * i));
}

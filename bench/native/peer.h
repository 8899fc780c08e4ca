/*
 * What a native peer implements; driver.c reads the table and the queries, checks the answers and takes the time.
 * Words of an address: one of IPv4, four of IPv6, the most significant first, in the byte order of the machine.
 */
#ifndef PEER_H
#define PEER_H
#include <stddef.h>
#include <stdint.h>

/* How many different values the peer can hold; driver.c reduces larger ones. */
extern const uint32_t peer_values;

/* Called once, with the number of prefixes that follow. Like the next two: 0, or another number if it failed. */
int peer_open(int family, size_t prefixes);

/* A prefix, not in order; no prefix comes twice. The value is from 1 to peer_values. */
int peer_add(const uint32_t *words, int length, uint32_t value);

/* After the last prefix. */
int peer_finish(void);

/* Writes the value of the most specific prefix that covers each address, 0 for none. This is timed. */
void peer_lookup(const uint32_t *words, uint32_t *values, size_t count);
#endif

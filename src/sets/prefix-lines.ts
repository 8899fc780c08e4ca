import { formatAddressInto } from "../address/format-address.ts";
import { ipv4LengthFrom } from "../address/prefixes-of-boundaries.ts";
import type { Family } from "../address/address.ts";
import { type AddressSet, boundariesOf } from "./address-set.ts";

const SLASH = 0x2f;
const ZERO = 0x30;
const LF = 0x0a;

/** Bytes of a chunk. */
const CHUNK = 1 << 16;
/** "255.255.255.255/31" and a line feed. */
const MAX_LINE = 19;
/** 39 characters of an address, "/127" and a line feed. */
const MAX_IPV6_LINE = 44;

/**
 * The text of `set.prefixes(family)`, one prefix per line, in chunks of ASCII of at most 64 KiB. No string is made
 * for a prefix, and of IPv4 no object. O(prefixes). Throws nothing.
 */
export function* prefixLines(set: AddressSet, family?: Family): Generator<Uint8Array, void, undefined> {
  if (family !== 6) yield* ipv4Lines(boundariesOf(set, 4).words);
  if (family !== 4) yield* ipv6Lines(set);
}

function* ipv4Lines(words: Uint32Array): Generator<Uint8Array, void, undefined> {
  const address = new Uint32Array(1);
  let chunk = new Uint8Array(CHUNK);
  let length = 0;
  for (let at = 0; at < words.length; at += 2) {
    // As in prefixesOf: a part without an end reaches 255.255.255.255.
    const end = at + 1 < words.length ? words[at + 1]! : 2 ** 32;
    for (let first = words[at]!; first < end;) {
      const bits = ipv4LengthFrom(first, end - 1);
      address[0] = first;
      length = writeLength(bits, 32, chunk, formatAddressInto(4, address, chunk, length));
      first += 2 ** (32 - bits);
      if (length <= CHUNK - MAX_LINE) continue;
      yield chunk.subarray(0, length);
      chunk = new Uint8Array(CHUNK); // the consumer of the previous one may still be writing it
      length = 0;
    }
  }
  if (length > 0) yield chunk.subarray(0, length);
}

/** Writes the end of a line, with the prefix length unless it is a single address, of `full` bits. */
function writeLength(bits: number, full: number, out: Uint8Array, at: number): number {
  if (bits < full) {
    out[at++] = SLASH;
    if (bits > 99) out[at++] = ZERO + 1; // 127 at most
    if (bits > 9) out[at++] = ZERO + (Math.trunc(bits / 10) % 10);
    out[at++] = ZERO + (bits % 10);
  }
  out[at++] = LF;
  return at;
}

function* ipv6Lines(set: AddressSet): Generator<Uint8Array, void, undefined> {
  const address = new Uint32Array(4);
  let chunk = new Uint8Array(CHUNK);
  let length = 0;
  for (const { w0, w1, w2, w3, length: bits } of set.prefixes(6)) {
    address[0] = w0;
    address[1] = w1;
    address[2] = w2;
    address[3] = w3;
    length = writeLength(bits, 128, chunk, formatAddressInto(6, address, chunk, length));
    if (length <= CHUNK - MAX_IPV6_LINE) continue;
    yield chunk.subarray(0, length);
    chunk = new Uint8Array(CHUNK);
    length = 0;
  }
  if (length > 0) yield chunk.subarray(0, length);
}

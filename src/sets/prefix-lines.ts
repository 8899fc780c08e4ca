import { formatAddressInto } from "../address/format-address.ts";
import { formatPrefix } from "../address/prefix.ts";
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

/**
 * The text of `set.prefixes(family)`, one prefix per line, in chunks of ASCII of at most 64 KiB. IPv4 is written from
 * the words of the set, without an object or a string for a prefix. O(prefixes). Throws nothing.
 */
export function* prefixLines(set: AddressSet, family?: Family): Generator<Uint8Array | string, void, undefined> {
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
      length = writeLength(bits, chunk, formatAddressInto(4, address, chunk, length));
      first += 2 ** (32 - bits);
      if (length <= CHUNK - MAX_LINE) continue;
      yield chunk.subarray(0, length);
      chunk = new Uint8Array(CHUNK); // the consumer of the previous one may still be writing it
      length = 0;
    }
  }
  if (length > 0) yield chunk.subarray(0, length);
}

/** Writes the end of a line, with the prefix length unless it is a single address. */
function writeLength(bits: number, out: Uint8Array, at: number): number {
  if (bits < 32) {
    out[at++] = SLASH;
    if (bits > 9) out[at++] = ZERO + Math.trunc(bits / 10);
    out[at++] = ZERO + (bits % 10);
  }
  out[at++] = LF;
  return at;
}

function* ipv6Lines(set: AddressSet): Generator<string, void, undefined> {
  let text = "";
  for (const prefix of set.prefixes(6)) {
    text += `${formatPrefix(prefix)}\n`;
    if (text.length < CHUNK - MAX_IPV6_LINE) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/** 39 characters of an address, "/127" and a line feed. */
const MAX_IPV6_LINE = 44;

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { addressBits, type Prefix } from "../../address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../address/prefix.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { encoded, joined } from "../encoded.ts";
import { textLines } from "../text-lines.ts";

/** The list that a bouncer has to enforce, or has received. */
export interface EnforcedList {
  /** SHA-256 in base64url: the same for the same entries; "" for none. */
  readonly digest: string;
  /** When the decision on each prefix ends, in milliseconds since 1970; 0: it does not. In the order of prefixes. */
  readonly ends: ReadonlyMap<string, number>;
  /** An estimate of its memory. */
  readonly byteLength: number;
}

export const NOTHING: EnforcedList = { digest: "", ends: new Map(), byteLength: 0 };

/** Approximate bytes of an entry in memory. */
const ENTRY_BYTES = 100;
/** Bits of a prefix that is expanded to its addresses: wider ones are left out. */
const EXPANDED_BITS = 8;
/** Maximum addresses that a list is expanded to: 100 MB. */
const MAX_HOSTS = 1_000_000;
const HASHED_AT_ONCE = 1 << 18;
const packed = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);
const unpacked = promisify<Uint8Array, Buffer>(inflateRaw);

/** The entries with their digest. O(entries), in slices. */
export async function enforcedList(entries: Iterable<readonly [prefix: string, end: number]>): Promise<EnforcedList> {
  const ends = await inSlices(collecting(entries));
  if (ends.size === 0) return NOTHING;
  const digest = await inSlices(digesting(await inSlices(encoded(joined(linesOf(ends))))));
  return { digest, ends, byteLength: ends.size * ENTRY_BYTES };
}

/** The entries as compressed text, in base64. O(entries), in slices. */
export async function packEntries({ ends }: EnforcedList): Promise<string> {
  const text = await inSlices(encoded(joined(linesOf(ends))));
  return (await packed(text, { level: 1 })).toString("base64");
}

export async function unpackEntries(digest: string, content: string): Promise<EnforcedList> {
  const text = await unpacked(Buffer.from(content, "base64"));
  const ends = await inSlices(collecting(entriesIn(text)));
  return { digest, ends, byteLength: ends.size * ENTRY_BYTES };
}

/**
 * The same as single addresses, for bouncers that lose the length of prefixes. Prefixes of more than 256 addresses are
 * left out, and so is everything beyond a million addresses. O(addresses), in slices.
 */
export async function asHosts({ digest, ends }: EnforcedList): Promise<EnforcedList> {
  const hosts = await inSlices(collecting(expanded(ends)));
  return { digest, ends: hosts, byteLength: hosts.size * ENTRY_BYTES };
}

/**
 * The end of the decision on a single address in `asHosts`, computed without expanding the list: also for addresses
 * left out beyond the first million. Undefined if the address is not listed.
 */
export function endOfHost({ ends }: EnforcedList, host: Prefix): number | undefined {
  const bits = addressBits(host.family);
  if (host.length < bits) return undefined;
  for (let length = bits; length >= bits - EXPANDED_BITS; length--) {
    const end = ends.get(formatPrefix(prefixOf(host, length)));
    if (end !== undefined) return end;
  }
  return undefined;
}

function* collecting(
  entries: Iterable<readonly [prefix: string, end: number]>,
): Generator<undefined, Map<string, number>, undefined> {
  const ends = new Map<string, number>();
  for (const [prefix, end] of entries) {
    ends.set(prefix, end);
    if (ends.size % 256 === 0) yield;
  }
  return ends;
}

function* linesOf(ends: ReadonlyMap<string, number>): Generator<string> {
  for (const [prefix, end] of ends) yield end === 0 ? `${prefix}\n` : `${prefix} ${end}\n`;
}

function* entriesIn(text: Buffer): Generator<[prefix: string, end: number]> {
  for (const line of textLines(text)) {
    const [prefix, ends = "0"] = line.split(" ");
    yield [prefix!, Number(ends)];
  }
}

function* digesting(text: Buffer): Generator<undefined, string, undefined> {
  const hash = createHash("sha256");
  for (let at = 0; at < text.length; at += HASHED_AT_ONCE) {
    hash.update(text.subarray(at, at + HASHED_AT_ONCE));
    yield;
  }
  return hash.digest("base64url");
}

function* expanded(ends: ReadonlyMap<string, number>): Generator<[prefix: string, end: number]> {
  let left = MAX_HOSTS;
  for (const [text, end] of ends) {
    const prefix = parsePrefix(text);
    const bits = addressBits(prefix.family) - prefix.length;
    if (bits > EXPANDED_BITS || 1 << bits > left) continue;
    left -= 1 << bits;
    for (let i = 0; i < 1 << bits; i++) yield [formatPrefix(hostOf(prefix, i)), end];
  }
}

/** The prefix of one of its addresses: the last word of a family holds the number, as at most eight bits are free. */
function hostOf(prefix: Prefix, number: number): Prefix {
  const last = prefix.family === 4 ? { w0: prefix.w0 + number } : { w3: prefix.w3 + number };
  return { ...prefix, ...last, length: addressBits(prefix.family) };
}

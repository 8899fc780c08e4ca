import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Family, Prefix } from "../../address/address.ts";
import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import type { EndingPrefix } from "../../sets/address-times.ts";
import { encoded, joined } from "../encoded.ts";
import { textLines } from "../text-lines.ts";

/** The prefixes of a list, one a line, as they are stored and as most devices read them. */
export interface ListText extends Readonly<Record<Family, Buffer>> {
  /** As `continuingHistory` writes it; absent unless the files of the list's format have a history. */
  readonly history?: Buffer;
  /** As `writingTimes` writes them; absent unless entries have ends. A list has these or a history. */
  readonly times?: Buffer;
}

/** What is known of the ends of all entries. Seconds since 1970. */
export interface TimesSummary {
  /** The latest end of an entry that has one; 0: none has. */
  readonly last: number;
  /** How many entries have no end. */
  readonly permanent: number;
}

/** Less than a millisecond. */
const HASHED_AT_ONCE = 1 << 18;
/** The separator between the families where both are stored as one text. */
const SEPARATOR = Buffer.from("\n");
const packed = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);
const unpacked = promisify<Uint8Array, Buffer>(inflateRaw);

/** Can be interrupted. */
export function* writingList(
  prefixes: (family: Family) => Iterable<Prefix>,
): Generator<undefined, ListText, undefined> {
  return { 4: yield* linesOf(prefixes(4)), 6: yield* linesOf(prefixes(6)) };
}

function linesOf(prefixes: Iterable<Prefix>): Generator<undefined, Buffer, undefined> {
  return encoded(joined(lines(prefixes)));
}

function* lines(prefixes: Iterable<Prefix>): Generator<string> {
  for (const prefix of prefixes) yield `${formatPrefix(prefix)}\n`;
}

/** The first byte of times; a history begins with another one. */
const TIMES = "@";
/** In place of an end. */
const NEVER = "-";

/** The ends of entries, in the order of IPv4 and IPv6 lines, one a line, after a line with what is known of all. */
export function writingTimes(
  { last, permanent }: TimesSummary,
  entries: Iterable<EndingPrefix>,
): Generator<undefined, Buffer, undefined> {
  const lines = function* (): Generator<string> {
    yield `${TIMES} ${last} ${permanent}\n`;
    for (const { end } of entries) yield `${end === Infinity ? NEVER : end}\n`;
  };
  return encoded(joined(lines()));
}

/** O(1) */
export function summaryOfTimes(times: Buffer): TimesSummary {
  const [, last, permanent] = times.toString("latin1", 0, times.indexOf(10)).split(" ");
  return { last: Number(last), permanent: Number(permanent) };
}

/** The entries of some families, in order, with their ends. */
export function* timedEntriesOf(
  text: ListText & { readonly times: Buffer },
  families: readonly Family[],
): Generator<EndingPrefix> {
  const ends = textLines(text.times);
  ends.next();
  for (const family of [4, 6] as const)
    for (const line of textLines(text[family])) {
      const end = ends.next().value!;
      if (families.includes(family)) yield { prefix: parsePrefix(line), end: end === NEVER ? Infinity : Number(end) };
    }
}

/** SHA-256 in base64url: the same for the same prefixes with the same ends and history. */
export function* digestingList(text: ListText): Generator<undefined, string, undefined> {
  const hash = createHash("sha256");
  for (const bytes of partsOf(text))
    for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
      hash.update(bytes.subarray(at, at + HASHED_AT_ONCE));
      yield;
    }
  return hash.digest("base64url");
}

/** The list as `READS.publishedList` returns it: compressed, in base64. */
export async function packList(text: ListText): Promise<string> {
  return (await packed(Buffer.concat(partsOf(text)), { level: 1 })).toString("base64");
}

function partsOf({ 4: ipv4, 6: ipv6, history, times }: ListText): Buffer[] {
  return [ipv4, SEPARATOR, ipv6, ...[history, times].flatMap((part) => (part === undefined ? [] : [SEPARATOR, part]))];
}

export async function unpackList(content: string): Promise<ListText> {
  const whole = await unpacked(Buffer.from(content, "base64"));
  const [ipv4, rest] = splitFirst(whole);
  const [ipv6, more] = splitFirst(rest ?? whole.subarray(whole.length));
  if (more === undefined) return { 4: ipv4, 6: ipv6 };
  return { 4: ipv4, 6: ipv6, [more[0] === TIMES.charCodeAt(0) ? "times" : "history"]: more };
}

/** Lines up to an empty one, and what comes after that; undefined: there is no empty line. */
function splitFirst(bytes: Buffer): readonly [Buffer, Buffer | undefined] {
  if (bytes[0] === SEPARATOR[0]) return [bytes.subarray(0, 0), bytes.subarray(1)];
  const end = bytes.indexOf("\n\n") + 1;
  return end === 0 ? [bytes, undefined] : [bytes.subarray(0, end), bytes.subarray(end + 1)];
}

/** The prefixes of one family. */
export function* prefixesOfList(text: Buffer): Generator<Prefix> {
  for (const line of textLines(text)) yield parsePrefix(line);
}

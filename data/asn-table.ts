import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { addressBits } from "../src/address/address.ts";
import type { Family } from "../src/address/address.ts";
import { parseAddressBytes } from "../src/address/parse-address.ts";

/**
 * The prefixes of one family with the AS number that announces each, in the order of the file. Prefix i has the words
 * `words[i * wordsPerPrefix ...]`, the length `lengths[i]` and the AS number `asns[i]`. A prefix may come twice: the
 * last one wins.
 */
export interface AsnPrefixes {
  readonly family: Family;
  readonly wordsPerPrefix: 1 | 4;
  readonly count: number;
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly asns: Uint32Array;
}

/** The routed prefixes of the internet and the organisations behind their AS numbers. */
export interface AsnTable {
  /** The version of the npm package that the table was read from. */
  readonly version: string;
  readonly ipv4: AsnPrefixes;
  readonly ipv6: AsnPrefixes;
  readonly organisations: ReadonlyMap<number, string>;
}

const COMMA = 0x2c;
const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Reads the CSV files of the npm package `@ip-location-db/asn`; about half a second for its 732,000 prefixes. */
export function readAsnTable(): AsnTable {
  const manifest = createRequire(import.meta.url).resolve("@ip-location-db/asn/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const organisations = new Map<number, string>();
  const read = (family: Family): AsnPrefixes => {
    const file = join(dirname(manifest), `asn-ipv${family}.csv`);
    return parseAsnCsv(readFileSync(file), family, organisations, file);
  };
  return { version, ipv4: read(4), ipv6: read(6), organisations };
}

/**
 * Parses lines `first,last,AS number,"organisation"` into prefixes; adds to `organisations`. Throws an Error that names
 * file and line.
 */
export function parseAsnCsv(
  bytes: Uint8Array,
  family: Family,
  organisations: Map<number, string>,
  file = "asn.csv",
): AsnPrefixes {
  const prefixes = new PrefixList(family);
  const first = new Uint32Array(4);
  const last = new Uint32Array(4);
  let line = 0;
  let at = 0;
  while (at < bytes.length) {
    line++;
    let end = bytes.indexOf(NEWLINE, at);
    if (end < 0) end = bytes.length;
    const firstEnd = bytes.indexOf(COMMA, at);
    const lastEnd = bytes.indexOf(COMMA, firstEnd + 1);
    const asnEnd = bytes.indexOf(COMMA, lastEnd + 1);
    if (firstEnd < 0 || lastEnd < 0 || asnEnd < 0 || asnEnd >= end)
      throw new Error(`${file}:${line}: fewer than four columns`);
    if (
      parseAddressBytes(bytes, at, firstEnd, first) !== family ||
      parseAddressBytes(bytes, firstEnd + 1, lastEnd, last) !== family
    ) {
      throw new Error(`${file}:${line}: not a range of IPv${family} addresses`);
    }
    const asn = parseAsn(bytes, lastEnd + 1, asnEnd);
    if (asn < 0) throw new Error(`${file}:${line}: not an AS number`);
    if (!prefixes.addRange(first, last, asn)) throw new Error(`${file}:${line}: the range ends before it begins`);
    if (!organisations.has(asn)) organisations.set(asn, parseText(bytes, asnEnd + 1, end));
    at = end + 1;
  }
  return prefixes.toPrefixes();
}

function parseAsn(bytes: Uint8Array, start: number, end: number): number {
  let asn = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return -1;
    asn = asn * 10 + digit;
  }
  return start === end || asn > 0xffffffff ? -1 : asn;
}

const decoder = new TextDecoder();

function parseText(bytes: Uint8Array, start: number, end: number): string {
  const text = decoder.decode(bytes.subarray(start, end)).trimEnd();
  return bytes[start] === QUOTE ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** Prefixes in growing typed arrays. */
class PrefixList {
  readonly #family: Family;
  readonly #bits: number;
  readonly #wordsPerPrefix: 1 | 4;
  #count = 0;
  #words: Uint32Array;
  #lengths = new Uint8Array(1 << 16);
  #asns = new Uint32Array(1 << 16);

  constructor(family: Family) {
    this.#family = family;
    this.#bits = addressBits(family);
    this.#wordsPerPrefix = family === 4 ? 1 : 4;
    this.#words = new Uint32Array(this.#wordsPerPrefix << 16);
  }

  /**
   * Adds the fewest prefixes that cover `first` to `last` exactly; changes `first`. False when the range is reversed.
   */
  addRange(first: Uint32Array, last: Uint32Array, asn: number): boolean {
    for (;;) {
      // The widest prefix that begins at `first` has as many host bits as `first` ends in zeros...
      const aligned = this.#trailingZeros(first);
      // ...and stays inside the range. Below the first bit in which the two ends differ everything fits, since `last`
      // has a one there; with that bit it fits only when `last` is the very end of the prefix.
      const differing = this.#differingBits(first, last);
      if (differing < 0) return false;
      const within = this.#trailingOnes(last) >= differing ? differing : differing - 1;
      const hostBits = Math.min(aligned, within);
      this.#add(first, this.#bits - hostBits, asn);
      if (hostBits === differing || !this.#advance(first, hostBits)) return true;
    }
  }

  toPrefixes(): AsnPrefixes {
    const count = this.#count;
    return {
      family: this.#family,
      wordsPerPrefix: this.#wordsPerPrefix,
      count,
      words: this.#words.slice(0, count * this.#wordsPerPrefix),
      lengths: this.#lengths.slice(0, count),
      asns: this.#asns.slice(0, count),
    };
  }

  #add(words: Uint32Array, length: number, asn: number): void {
    if (this.#count === this.#lengths.length) this.#grow();
    for (let word = 0; word < this.#wordsPerPrefix; word++)
      this.#words[this.#count * this.#wordsPerPrefix + word] = words[word]!;
    this.#lengths[this.#count] = length;
    this.#asns[this.#count++] = asn;
  }

  #grow(): void {
    const grown = <T extends Uint32Array | Uint8Array>(from: T, to: T): T => (to.set(from), to);
    this.#words = grown(this.#words, new Uint32Array(this.#words.length * 2));
    this.#lengths = grown(this.#lengths, new Uint8Array(this.#lengths.length * 2));
    this.#asns = grown(this.#asns, new Uint32Array(this.#asns.length * 2));
  }

  #trailingZeros(words: Uint32Array): number {
    let zeros = 0;
    for (let word = this.#wordsPerPrefix - 1; word >= 0; word--) {
      const value = words[word]!;
      if (value !== 0) return zeros + 31 - Math.clz32(value & -value);
      zeros += 32;
    }
    return zeros;
  }

  #trailingOnes(words: Uint32Array): number {
    let ones = 0;
    for (let word = this.#wordsPerPrefix - 1; word >= 0; word--) {
      const rest = ~words[word]!;
      if (rest !== 0) return ones + 31 - Math.clz32(rest & -rest);
      ones += 32;
    }
    return ones;
  }

  /**
   * How many low bits it takes to get from `first` to `last`: 0 when they are equal, -1 when `last` is the smaller one.
   */
  #differingBits(first: Uint32Array, last: Uint32Array): number {
    for (let word = 0; word < this.#wordsPerPrefix; word++) {
      if (first[word] === last[word]) continue;
      if (first[word]! > last[word]!) return -1;
      return this.#bits - word * 32 - Math.clz32(first[word]! ^ last[word]!);
    }
    return 0;
  }

  /** Adds 2^hostBits; false after the last address of the family. */
  #advance(words: Uint32Array, hostBits: number): boolean {
    let word = this.#wordsPerPrefix - 1 - (hostBits >>> 5);
    let carry = 2 ** (hostBits & 31);
    while (word >= 0) {
      const sum = words[word]! + carry;
      words[word] = sum;
      if (sum <= 0xffffffff) return true;
      carry = 1;
      word--;
    }
    return false;
  }
}

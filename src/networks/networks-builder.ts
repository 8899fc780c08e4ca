import type { Address, Family } from "../address/address.ts";
import { rangeToPrefixes } from "../address/range.ts";
import { PrefixPairs } from "../trie/prefix-pairs.ts";
import type { PrefixSource } from "../trie/prefix-source.ts";
import type { NetworksMetadata, NetworksSource } from "./networks.ts";
import type { AddressRange, PublishedRange } from "./published-tables.ts";
import { StoredNumbers } from "./_stored-numbers.ts";

/** What a dataset says about itself. */
export interface NetworksSubject {
  readonly title: string;
  readonly createdAt: Date;
  readonly sources: readonly NetworksSource[];
}

/** Addresses with one owner: the AS number, and the country. */
interface Owned extends AddressRange {
  readonly asn: number;
  readonly country: string | null;
}

const encoder = new TextEncoder();

/**
 * Joins tables of AS numbers with tables of countries: each range of a table of AS numbers is cut where the country
 * changes, and into prefixes. Addresses without an AS number have no network. Where ranges of AS numbers overlap, the
 * one that begins later has the addresses, and of two that begin at the same address the one that was added later.
 */
export class NetworksBuilder {
  readonly #routed: Record<Family, PublishedRange[]> = { 4: [], 6: [] };
  readonly #countries: Record<Family, PublishedRange[]> = { 4: [], 6: [] };
  readonly #names = new Map<number, string>();

  /** Adds a line of a table. The first name of an AS number counts. */
  add(range: PublishedRange): void {
    if (range.asn === null) {
      this.#countries[range.family].push(range);
      return;
    }
    this.#routed[range.family].push(range);
    if (range.name !== null && !this.#names.has(range.asn)) this.#names.set(range.asn, plainText(range.name));
  }

  /** How many ranges with an AS number were added. */
  get size(): number {
    return this.#routed[4].length + this.#routed[6].length;
  }

  /** The prefixes, to freeze, and the metadata of the snapshot. O(n log n), about five microseconds a range. */
  build({ title, createdAt, sources }: NetworksSubject): { source: PrefixSource; metadata: NetworksMetadata } {
    const owned = ([4, 6] as const).flatMap((family) =>
      joined(disjoint(this.#routed[family]), disjoint(this.#countries[family])),
    );
    const keys = new Map<number, Set<string>>();
    for (const { asn, country } of owned) {
      const countries = keys.get(asn) ?? new Set();
      keys.set(asn, countries.add(country ?? ""));
    }
    const asns = [...keys.keys()].sort((a, b) => a - b);
    const values = new Map<string, number>();
    const firstValues: number[] = [];
    const codes: string[] = [];
    for (const asn of asns) {
      firstValues.push(codes.length + 1);
      for (const country of [...keys.get(asn)!].sort()) {
        codes.push(country);
        values.set(`${asn} ${country}`, codes.length);
      }
    }
    const pairs = new PrefixPairs();
    for (const { asn, country, family, first, last } of owned) {
      const value = values.get(`${asn} ${country ?? ""}`)!;
      for (const { w0, w1, w2, w3, length } of rangeToPrefixes(addressAt(family, first), addressAt(family, last)))
        pairs.add(family, w0, w1, w2, w3, length, value);
    }
    const names = asns.map((asn) => encoder.encode(this.#names.get(asn) ?? `AS${asn}`));
    let end = 0;
    const metadata: NetworksMetadata = {
      format: 1,
      title,
      createdAt: createdAt.toISOString(),
      sources,
      asns: StoredNumbers.bytesOf(asns),
      firstValues: StoredNumbers.bytesOf(firstValues),
      countries: encoder.encode(codes.map((code) => code || "\0\0").join("")),
      names: joinedBytes(names),
      nameEnds: StoredNumbers.bytesOf(names.map(({ length }) => (end += length))),
    };
    return { source: pairs, metadata };
  }
}

/** Names are shown in columns and on terminals, where control characters would do harm. */
function plainText(name: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what it looks for
  return name.replaceAll(/[\u0000-\u001f\u007f]/g, " ").trim();
}

function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * The ranges in order, without overlaps:
 *
 *     given      |--------- A ---------|
 *                       |-- B --|
 *     result     |- A -|--- B ---|- A -|
 *
 * `open` are the ranges that reach beyond the address `at`, each of which began after those below it.
 */
function disjoint(ranges: readonly PublishedRange[]): PublishedRange[] {
  const inOrder = ranges.every((range, index) => index === 0 || ranges[index - 1]!.last < range.first);
  if (inOrder) return [...ranges];
  const sorted = ranges.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const result: PublishedRange[] = [];
  const open: PublishedRange[] = [];
  let at = 0n;
  /** Passes on what the open ranges have up to `end`. */
  const close = (end: bigint): void => {
    while (open.length > 0 && at <= end) {
      const top = open.at(-1)!;
      if (top.last < at) {
        open.pop();
        continue;
      }
      const last = top.last < end ? top.last : end;
      result.push({ ...top, first: at, last });
      at = last + 1n;
    }
  };
  for (const range of sorted) {
    close(range.first - 1n);
    at = range.first;
    open.push(range);
  }
  close(sorted.reduce((most, { last }) => (last > most ? last : most), 0n));
  return result;
}

/** The ranges of AS numbers, cut where the country changes. A country of the table itself comes before those of `countries`. */
function joined(routed: readonly PublishedRange[], countries: readonly PublishedRange[]): Owned[] {
  const owned: Owned[] = [];
  let next = 0;
  for (const { family, first, last, asn, country } of routed) {
    if (country !== null) {
      owned.push({ family, first, last, asn: asn!, country });
      continue;
    }
    while (next < countries.length && countries[next]!.last < first) next++;
    let at = first;
    for (let index = next; at <= last; index++) {
      const here = countries[index];
      if (here === undefined || here.first > last) {
        owned.push({ family, first: at, last, asn: asn!, country: null });
        break;
      }
      if (here.first > at) owned.push({ family, first: at, last: here.first - 1n, asn: asn!, country: null });
      const from = here.first > at ? here.first : at;
      const to = here.last < last ? here.last : last;
      const before = owned.at(-1);
      // Two lines about one country are one.
      if (before?.last === from - 1n && before.first >= first && before.country === here.country)
        owned[owned.length - 1] = { ...before, last: to };
      else owned.push({ family, first: from, last: to, asn: asn!, country: here.country });
      at = to + 1n;
    }
  }
  return owned;
}

function addressAt(family: Family, position: bigint): Address {
  if (family === 4) return { family, w0: Number(position), w1: 0, w2: 0, w3: 0 };
  const word = (shift: bigint): number => Number((position >> shift) & 0xffff_ffffn);
  return { family, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) };
}

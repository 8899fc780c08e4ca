import { Random } from "../../bench/data/random.ts";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import type { LookupDocument } from "../../src/cbs/lookup-document.ts";
import type { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { oracleFormat } from "../oracle/address-oracle.ts";
import { IdentifyOracle, type Named } from "../oracle/identify-oracle.ts";

const END = 1n << 128n;
const MAPPED = 0xffffn << 32n;

/** How many addresses of each kind were compared, and how many of them had a match. */
export interface Counts {
  inside: number;
  edges: number;
  outside: number;
  ipv4: number;
  found: number;
}

export const NO_COUNTS: Counts = { inside: 0, edges: 0, outside: 0, ipv4: 0, found: 0 };

/** The prefixes that went into a catalogue, in the form that the oracle takes. */
export function namedPrefixes(trie: PrefixTrie, catalogue: Catalogue): Named[] {
  return [...trie].map(({ prefix, values }) => {
    const [first, length] =
      prefix.family === 4
        ? [MAPPED | BigInt(prefix.w0), prefix.length + 96]
        : [numberOf([prefix.w0, prefix.w1, prefix.w2, prefix.w3]), prefix.length];
    return {
      first,
      length,
      ids: values.map((value) => catalogue.nodes[catalogue.numberOf(value) - 1]!.id),
      sources: values.map((value) => sourceAt(catalogue, catalogue.sourceOf(value))),
    };
  });
}

function sourceAt({ metadata }: Catalogue, position: number) {
  const source = metadata.sources[position - 1];
  if (source === undefined) return { source: null, source_updated_at: null };
  return {
    source: source.id ?? source.name,
    source_updated_at: source.publishedAt ?? source.changedAt ?? source.fetchedAt,
  };
}

export function oracleOf(named: readonly Named[], catalogue: Catalogue): IdentifyOracle {
  const names = new Map(catalogue.nodes.map(({ id, name }) => [id, name]));
  return new IdentifyOracle(named, (id) => names.get(id)!);
}

/**
 * Compares the documents of `count` addresses inside, at the edges of, and outside of random prefixes with the
 * oracle's, in both spellings of IPv4. Adds to `counts`; throws at the first disagreement.
 */
export function compareIdentify(
  identify: (text: string) => LookupDocument,
  named: readonly Named[],
  oracle: IdentifyOracle,
  random: Random,
  count: number,
  counts: Counts,
): void {
  for (let i = 0; i < count; i++) {
    const { first, length } = named[random.below(named.length)]!;
    const size = 1n << BigInt(128 - length);
    const kind = (["inside", "edges", "outside"] as const)[i % 3]!;
    const place = randomNumber(random);
    let address = first + (place % size);
    if (kind === "edges") address = [first, first + size - 1n, first - 1n, first + size][random.below(4)]!;
    // Far away: an IPv4 address if the prefix is IPv4.
    if (kind === "outside") address = first >> 32n === 0xffffn ? MAPPED | (place & 0xffff_ffffn) : place;
    if (address < 0n || address >= END) continue;
    const text = random.below(8) === 0 ? longForm(address) : oracleFormat(address);
    const document = identify(text);
    const expected = `{"ip":${JSON.stringify(text)},${oracle.document(address).slice(1)}`;
    const actual = JSON.stringify(document);
    if (actual !== expected) throw new Error(`${text}: expected ${expected}, got ${actual}`);
    counts[kind]++;
    counts.ipv4 += Number(address >> 32n === 0xffffn);
    counts.found += Number(document.found);
  }
}

/** Eight groups; the last two of a mapped address are written as a dotted quad. */
function longForm(address: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((address >> BigInt(112 - 16 * i)) & 0xffffn).toString(16).toUpperCase(),
  );
  return address >> 32n === 0xffffn ? `::FFFF:${oracleFormat(address)}` : groups.join(":");
}

function randomNumber(random: Random): bigint {
  return numberOf([random.word(), random.word(), random.word(), random.word()]);
}

function numberOf(words: readonly number[]): bigint {
  return words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);
}

/** Broken variants whose answers are nearly right: each must be noticed. */
export function brokenIdentifies(
  catalogue: Catalogue,
  identify: (text: string) => LookupDocument,
): Record<string, (text: string) => LookupDocument> {
  const byMatch = new Map<number, LookupDocument>();
  return {
    "the longest prefix only": (text) => {
      const document = identify(text);
      const ids = document.matches.filter(({ cidr }) => cidr === document.cidr).map(({ cbs_id }) => cbs_id);
      return { ...document, cbs_ids: ids };
    },
    "documents kept by match, not by prefix": (text) => {
      const match = catalogue.table.lookup(text);
      const kept = byMatch.get(match) ?? identify(text);
      byMatch.set(match, kept);
      return { ...kept, ip: text };
    },
    "the first match as the primary one": (text) => {
      const document = identify(text);
      const [first] = document.matches;
      if (first === undefined || document.primary === null) return document;
      const { cidr, cbs_id, provider, type, service, region, source } = first;
      return { ...document, primary: { ...document.primary, cidr, cbs_id, provider, type, service, region, source } };
    },
    "matches from the least specific on": (text) => {
      const document = identify(text);
      return { ...document, matches: document.matches.toReversed() };
    },
  };
}

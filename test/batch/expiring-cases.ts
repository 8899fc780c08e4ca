import { join } from "node:path";
import { formatAddress } from "../../src/address/format-address.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import type { Snapshot } from "../../src/snapshot/snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import type { MatchId } from "../../src/table/match-id.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import type { PlainPrefix } from "../oracle/interval-oracle.ts";
import { randomPrefixes, toWords } from "../table/differential.ts";
import { temporaryFolder } from "./fixture.ts";

export const RENDERER = new URL("./expiry-renderer.ts", import.meta.url).href;
export const NOON = Date.UTC(2026, 10, 21, 12);
/** Before, at and after every expiry, forward and back. */
export const MOMENTS = [
  NOON,
  NOON + 1,
  NOON - 1,
  NOON + 2,
  -Infinity,
  NOON + 3,
  NOON,
  NOON - 2,
  NOON + 1e12,
  NOON - 1,
  0,
];
export const folder = temporaryFolder();

/** Many values share a time; some never expire, one always has. */
export function expiryOf(value: number): number | null {
  return [null, NOON - 1, NOON, NOON + 1, NOON + 2, 0, NOON + 1][value % 7]!;
}

export interface Case {
  readonly prefixes: readonly PlainPrefix[];
  readonly snapshot: Snapshot;
  readonly addresses: readonly { readonly family: 4 | 6; readonly value: bigint }[];
}

let files = 0;

/** A random table: values from a small range, or a different one for each prefix. */
export async function makeCase(random: () => number, ownValues: boolean): Promise<Case> {
  const prefixes = [...randomPrefixes(random), ...randomPrefixes(random)]
    .filter(({ family, first, length }, index, all) => {
      const same = all.findIndex(
        (other) => other.family === family && other.first === first && other.length === length,
      );
      return same === index && (family === 4 || first >> 32n !== 0xffffn); // IPv4-mapped addresses are IPv4
    })
    .map((prefix, index) => ({ ...prefix, values: ownValues ? [index + 1] : prefix.values }));
  const trie = new PrefixTrie();
  for (const { family, first, length, values } of prefixes) {
    const [w0, w1, w2, w3] = toWords(family, first);
    for (const value of values) trie.add({ family, w0, w1, w2, w3, length }, value);
  }
  const path = join(folder, `${files++}.ipsieve`);
  await writeSnapshot(path, { table: freeze(trie, { expiresAt: expiryOf }), metadata: null, kind: "test" });
  const addresses = prefixes.flatMap(({ family, first, length }) => {
    const bits = family === 4 ? 32 : 128;
    const size = 1n << BigInt(bits - length);
    const inside = first + ((BigInt(random()) * BigInt(random()) * BigInt(random())) % size);
    return [first, inside, first + size]
      .filter((value) => value < 1n << BigInt(bits))
      .map((value) => ({ family, value }));
  });
  return { prefixes, snapshot: await openSnapshot(path), addresses };
}

/**
 * The result for an address, found by checking every prefix: the length of the deciding one, and the active values of
 * all that cover the address.
 */
export function oracle(
  prefixes: readonly PlainPrefix[],
  family: 4 | 6,
  value: bigint,
  isActive: (value: number) => boolean,
): string {
  const bits = BigInt(family === 4 ? 32 : 128);
  const covering = prefixes
    .filter(
      (one) =>
        one.family === family && value >> (bits - BigInt(one.length)) === one.first >> (bits - BigInt(one.length)),
    )
    .sort((a, b) => b.length - a.length)
    .map(({ length, values }) => ({ length, values: values.filter(isActive) }))
    .filter(({ values }) => values.length > 0);
  return covering.length === 0
    ? "none"
    : `${covering[0]!.length} ${covering.flatMap(({ values }) => values).join(",")}`;
}

export function activeAt(now: number): (value: number) => boolean {
  return (value) => now < (expiryOf(value) ?? Infinity);
}

export function answerOf({ table }: Snapshot, match: number, now: number): string {
  if (match === 0) return "none";
  const values = table.chain(match as MatchId).flatMap((one) => table.activeValues(one, now));
  return `${table.prefixLength(match as MatchId)} ${values.join(",")}`;
}

export function textOf({ family, value }: Case["addresses"][number]): string {
  const [w0, w1, w2, w3] = toWords(family, value);
  return formatAddress({ family, w0, w1, w2, w3 });
}

/** As text, IPv4-mapped addresses are IPv4, and their lines are not compared. */
export function isMapped({ family, value }: Case["addresses"][number]): boolean {
  return family === 6 && value >> 32n === 0xffffn;
}

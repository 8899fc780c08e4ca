import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix } from "../../src/address/prefix.ts";
import { CtiSearch } from "../../src/cti/search/cti-search.ts";
import { parseQuery } from "../../src/cti/search/parse-query.ts";
import { gatheringSearch } from "../../src/deployments/sources/search.ts";
import { finished } from "../../src/turns/finished.ts";
import { randomWanted, writtenQuery } from "../cti/search/random-query.ts";
import { randomEntries, randomPrefix, searchedDataset, TODAY } from "../cti/search/searched-dataset.ts";
import { searchByReading } from "../oracle/search-oracle.ts";
import { rounds } from "../rounds.ts";

const DAY = 86_400_000;
const NOW = TODAY * DAY;

test("a query lists the addresses whose own document it matches, within prefixes with another one too", () => {
  const random = new Random(23);
  for (let i = 0; i < rounds({ short: 20, long: 500 }); i++) {
    const { dataset, networks, documents } = searchedDataset(randomEntries(random, 60));
    const search = finished(CtiSearch.opening(dataset, networks));
    const rowOf = new Map(documents.map(({ ip }) => [ip, ip]));
    for (let k = 0; k < 10; k++) {
      const wanted = randomWanted(random, 2);
      const fitting = new Set(searchByReading(documents, wanted, NOW).map(({ ip }) => ip));
      const text = writtenQuery(random, wanted);
      const { addresses, prefixes } = finished(gatheringSearch("q", search, parseQuery(text), NOW));
      for (let probe = 0; probe < 60; probe++) {
        const ip = randomPrefix(random).split("/")[0]!;
        const address = parseAddress(ip);
        const match = dataset.table.lookupAddress(address);
        // The row of the most specific prefix around the address.
        const own = match === 0 ? undefined : rowOf.get(prefixAround(ip, dataset.table.prefixLength(match)));
        assert.equal(addresses.has(address), own !== undefined && fitting.has(own), `${text} ${ip}`);
      }
      assert.equal(prefixes.count(4) + prefixes.count(6), fitting.size, text);
    }
  }
});

/** The prefix of a length around an address, by its text alone. */
function prefixAround(ip: string, length: number): string {
  const { family, ...words } = parseAddress(ip);
  const all = family === 4 ? [words.w0] : [words.w0, words.w1, words.w2, words.w3];
  const kept = all.map((word, i) => {
    const bits = Math.min(Math.max(length - 32 * i, 0), 32);
    return bits === 0 ? 0 : Number((BigInt(word) >> BigInt(32 - bits)) << BigInt(32 - bits));
  });
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = kept;
  return formatPrefix({ family, w0, w1, w2, w3, length });
}

test("a query with relative times lists the same until a day leaves one of them, and another one forever", () => {
  const { dataset } = searchedDataset([
    ["192.0.2.1", { lastSeen: TODAY }],
    ["192.0.2.2", { lastSeen: TODAY - 3 }],
  ]);
  const search = finished(CtiSearch.opening(dataset, null));
  const gather = (text: string, now: number) => finished(gatheringSearch("q", search, parseQuery(text), now));
  const sizeAt = (text: string, now: number): bigint => gather(text, now).addresses.size(4);
  const noon = NOW + DAY / 2;
  for (const [text, until] of [
    ["last_seen:3d", NOW + DAY],
    ["last_seen:12h OR last_seen:1d", NOW + DAY],
    ["last_seen:36h", NOW + DAY + DAY / 2],
    ["last_seen >= 2026-06-16", Infinity],
  ] as const)
    assert.equal(gather(text, noon + 1).until, until, text);
  assert.deepEqual([sizeAt("last_seen:3d", NOW + DAY - 1), sizeAt("last_seen:3d", NOW + DAY)], [2n, 1n]);
});

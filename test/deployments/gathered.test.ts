import assert from "node:assert/strict";
import { test } from "node:test";
import type { Family, Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import { CtiBuilder } from "../../src/cti/dataset-builder.ts";
import { CtiDataset } from "../../src/cti/dataset.ts";
import { recordOf } from "../../src/cti/fields.ts";
import { compileList } from "../../src/deployments/compile.ts";
import { endSecondOf, gatheringPrefixes, PrefixTally } from "../../src/deployments/gathered.ts";
import { rejectionsOf } from "../../src/deployments/guard-list.ts";
import { gatheringThreats } from "../../src/deployments/sources/threats.ts";
import { expressingList, gatheredFor } from "../../src/deployments/unprocessable.ts";
import { FORMATS } from "../../src/formats/formats.ts";
import { freeze } from "../../src/table/freeze.ts";
import { finished } from "../../src/turns/finished.ts";
import { CREATED } from "../cbs/catalogues.ts";
import { seededRandom } from "../table/differential.ts";

const prefixes = (texts: readonly string[]): Prefix[] => texts.map((text) => parsePrefix(text));

/** The ten widest, found by sorting all. */
function widestOf(all: readonly Prefix[], family: Family): string[] {
  const sorted = all.filter((each) => each.family === family);
  sorted.sort((one, other) => one.length - other.length || comparePrefixes(one, other));
  return sorted.slice(0, 10).map(formatPrefix);
}

test("a tally counts prefixes of every length and keeps the ten widest, however they are added", () => {
  const random = seededRandom(11);
  for (let round = 0; round < 300; round++) {
    const all = Array.from({ length: random() % 40 }, (): Prefix => {
      // Few lengths and addresses, so that equally wide ones and equal ones occur.
      const length = [0, 1, 8, 9, 30, 31, 32][random() % 7]!;
      return random() % 4 === 0
        ? prefixOf({ family: 6, w0: random(), w1: 0, w2: 0, w3: random() }, [0, 19, 64, 128][random() % 4]!)
        : prefixOf({ family: 4, w0: (random() % 64) * 0x02000001, w1: 0, w2: 0, w3: 0 }, length);
    });
    const [tally, plain] = [new PrefixTally(), new PrefixTally()];
    for (const prefix of all) {
      plain.add(prefix);
      if (prefix.family === 6) tally.add(prefix);
      else tally.addIpv4(prefix.w0, prefix.length);
    }
    for (const each of [tally, plain])
      for (const family of [4, 6] as const) {
        const of = all.filter((prefix) => prefix.family === family);
        assert.deepEqual(each.widest(family).map(formatPrefix), widestOf(all, family), `round ${round}`);
        assert.equal(each.count(family), of.length);
        for (const limit of [0, 1, 9, 32])
          assert.equal(each.countWiderThan(family, limit), of.filter(({ length }) => length < limit).length);
        const size = of.reduce((sum, { length }) => sum + 2n ** BigInt((family === 4 ? 32 : 128) - length), 0n);
        assert.equal(each.addresses(family), size);
      }
  }
});

test("a time ends with the second that is not over before it", () => {
  assert.deepEqual([0, 1, 1000, 1001, 1999, 2000].map(endSecondOf), [0, 1, 1, 2, 2, 2]);
});

test("a list of one family has nothing of the other, whatever its sources have", () => {
  const include = [finished(gatheringPrefixes("both", prefixes(["20.0.0.0/24", "2a00::/20", "20.0.2.0/23"])))];
  const of = (...families: Family[]) => compileList({ include, exclude: [], families });
  const counted = ({ entries, tally }: ReturnType<typeof of>) => [entries, tally.count(4), tally.count(6)];
  assert.deepEqual(counted(of(4, 6)), [{ 4: 2, 6: 1 }, 2, 1]);
  assert.deepEqual(counted(of(4)), [{ 4: 2, 6: 0 }, 2, 0]);
  assert.deepEqual(counted(of(6)), [{ 4: 0, 6: 1 }, 0, 1]);
  assert.deepEqual([...of(4).prefixes()].map(formatPrefix), ["20.0.0.0/24", "20.0.2.0/23"]);
  assert.deepEqual([...of(4, 6).prefixes(6)].map(formatPrefix), ["2a00::/20"]);
});

test("a list that cannot be shortened enough says how short it can be, and why no shorter", () => {
  const list = compileList({
    include: [finished(gatheringPrefixes("x", prefixes(["20.0.0.0", "20.0.0.2"])))],
    exclude: [],
  });
  const reason = "some addresses must not be added";
  const message = (limits: Parameters<typeof rejectionsOf>[2]) => rejectionsOf(list, 1, limits)[0]!.message;
  assert.equal(
    message({ maxEntries: 1, shortest: { entries: 2, reason } }),
    `the list has 2 entries, more than the 1 allowed, and cannot be shortened to fewer than 2, as ${reason}`,
  );
  assert.equal(message({ maxEntries: 1 }), "the list has 2 entries, more than the 1 allowed");
  assert.equal(message({ maxBytes: 0 }), "the list has 1 bytes, more than the 0 allowed");
  assert.deepEqual(rejectionsOf(list, 7, { maxEntries: 2, maxBytes: 7 }), []);
  assert.equal(rejectionsOf(list, 7, { maxEntries: 2 }, 3)[0]!.code, "too-many-entries", "of the largest file");
});

test("what a format cannot express is named, a hundred at most, and the rest is written in order", () => {
  const express = (texts: readonly string[]) => {
    const format = FORMATS["azure-ip-group"];
    const sources = [finished(gatheringPrefixes("include", prefixes(texts), gatheredFor(format)))];
    const list = compileList({ include: sources, exclude: [] });
    const { written, unprocessable } = finished(expressingList(list, sources, format));
    return { written: [...written()].map(formatPrefix), unprocessable };
  };
  const all = Array.from({ length: 130 }, (_, at) => `20.${at}.0.0/24`);
  const { written, unprocessable } = express(["2001:db8::/32", ...all, "2001:dba::/32"]);
  assert.deepEqual(written, all);
  assert.deepEqual(
    unprocessable.named.map(({ prefix }) => formatPrefix(prefix)),
    ["2001:db8::/32", "2001:dba::/32"],
  );
  assert.equal(unprocessable.count, 2);
  for (const { reason } of unprocessable.named) assert.notEqual(reason, "");
  const many = express(Array.from({ length: 101 }, (_, at) => `2001:db8:${(2 * at).toString(16)}::/48`)).unprocessable;
  assert.deepEqual([many.count, many.named.length], [101, 100]);
});

test("threat intelligence is selected by its class, any of the tags, and the day on which it was seen", () => {
  const [day, now] = [20_000, 20_010 * 86_400_000];
  const builder = new CtiBuilder();
  for (const [text, known] of [
    ["20.0.0.1", { classification: "malicious", tags: ["a", "b"], lastSeen: day + 10 }],
    ["20.0.0.3", { classification: "malicious", tags: ["b"], lastSeen: day + 9 }],
    ["20.0.0.5", { classification: "benign", tags: ["c"], lastSeen: day }],
    ["20.0.0.7", { tags: [], lastSeen: null }],
  ] as const)
    builder.add(parsePrefix(text), recordOf(known));
  const { trie, metadata } = builder.build({ title: "x", createdAt: CREATED, sources: [] });
  const dataset = new CtiDataset(metadata, freeze(trie));
  const selected = (selection: Parameters<typeof gatheringThreats>[2], at = now): string[] => {
    const { addresses } = finished(gatheringThreats("x", dataset, selection, at));
    return [...addresses.prefixes()].map((prefix) => formatPrefix(prefix).slice("20.0.0.".length));
  };
  const until = (at: number) => finished(gatheringThreats("x", dataset, { seenWithinDays: 1 }, at)).until;
  assert.deepEqual([until(now), until(now + 86_400_000)], [now + 86_400_000, now + 2 * 86_400_000]);
  assert.equal(until(now + 2 * 86_400_000), Infinity);
  assert.deepEqual(selected({}), ["1", "3", "5", "7"]);
  assert.deepEqual(selected({ classification: "malicious" }), ["1", "3"]);
  assert.deepEqual(selected({ tags: ["a", "c"] }), ["1", "5"]);
  assert.deepEqual(selected({ tags: [] }), []);
  assert.deepEqual(selected({ classification: "malicious", tags: ["a", "c"] }), ["1"]);
  assert.deepEqual(selected({ seenWithinDays: 0 }), ["1"]);
  assert.deepEqual(selected({ seenWithinDays: 1 }), ["1", "3"]);
  assert.deepEqual(selected({ seenWithinDays: 1 }, now + 86_400_000), ["1"]);
  assert.deepEqual(selected({ seenWithinDays: 10 }), ["1", "3", "5"]);
  assert.deepEqual(selected({ seenWithinDays: 10 }, now + 86_400_000 - 1), ["1", "3", "5"]);
});

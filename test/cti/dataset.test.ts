import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { Matcher } from "../../src/batch/engine/matcher.ts";
import { bulkDocuments, bulkJson, bulkJsonLines, bulkLookup } from "../../src/cti/bulk-lookup.ts";
import { CtiBuilder } from "../../src/cti/dataset-builder.ts";
import { CtiDataset } from "../../src/cti/dataset.ts";
import { type CtiRecord, mergeRecords, NOTHING_KNOWN, recordOf } from "../../src/cti/fields.ts";
import { FeedImport } from "../../src/cti/import-feed.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PREFIX_SETS } from "../cases/prefix-sets.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { DatasetOracle, type FeedDocument } from "./dataset-oracle.ts";
import { rounds } from "../rounds.ts";

const ABOUT = { title: "test", createdAt: new Date("2026-06-17T00:00:00Z"), sources: [] };

function freezeDataset(builder: CtiBuilder): CtiDataset {
  const { trie, metadata } = builder.build(ABOUT);
  return new CtiDataset(metadata, freeze(trie));
}

/** The dataset as built, and as opened from a file. */
async function forms(builder: CtiBuilder): Promise<{ made: CtiDataset; opened: CtiDataset; matcher: Matcher }> {
  const { trie, metadata } = builder.build(ABOUT);
  const table = freeze(trie);
  return inTemporaryFolder(async (folder) => {
    const path = join(folder, "cti.ipsieve");
    await writeSnapshot(path, { table, metadata, kind: "cti" });
    const snapshot = await openSnapshot(path);
    return {
      made: new CtiDataset(metadata, table),
      opened: new CtiDataset(snapshot.metadata, snapshot.table),
      matcher: new Matcher(snapshot),
    };
  });
}

for (const { name, entries, given = entries, addresses } of PREFIX_SETS) {
  test(`only the document of the most specific prefix: ${name}`, async () => {
    const builder = new CtiBuilder();
    for (const [prefix] of given)
      builder.add(
        parsePrefix(prefix, "mask"),
        recordOf({
          actor: formatPrefix(parsePrefix(prefix, "mask")),
          spoofable: prefix.length % 2 === 0 ? true : null,
        }),
      );
    const { made, opened, matcher } = await forms(builder);
    for (const [address, covering] of addresses) {
      const longest = covering.at(-1);
      const actor = longest === undefined ? "" : formatPrefix(parsePrefix(longest));
      for (const dataset of [made, opened]) {
        assert.deepEqual(
          [dataset.lookup(address).seen, dataset.lookup(address).actor],
          [longest !== undefined, actor],
          address,
        );
      }
    }
    const ips = addresses.map(([address]) => address);
    const expected = ips.map((ip) => {
      const { seen, spoofable } = made.lookup(ip);
      return { seen, spoofable };
    });
    for (const [dataset, engine] of [
      [made, made.table],
      [opened, opened.table],
      [opened, matcher],
    ] as const) {
      const states = bulkLookup(dataset, ips, engine);
      assert.deepEqual(bulkDocuments(ips, states), Object.fromEntries(ips.map((ip, i) => [ip, expected[i]])));
      assert.deepEqual(JSON.parse(bulkJson(ips, states)), bulkDocuments(ips, states));
      assert.deepEqual(
        bulkJsonLines(ips, states)
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
        ips.map((ip, i) => ({ ip, ...expected[i] })),
      );
    }
  });
}

/**
 * A document in which each member is known or unknown; few different values, so that documents overlap and contradict
 * each other.
 */
function randomDocument(random: Random): FeedDocument {
  const some = <Value>(make: () => Value, none: Value): Value => (random.below(3) === 0 ? make() : none);
  const text = (): string => ["a", "b", 'ä\n"', "\u{1f4a1}", "\uffee"][random.below(5)]!;
  const texts = (): string[] => [...new Set(Array.from({ length: random.below(3) }, text))].sort();
  const ports = (): number[] =>
    [...new Set(Array.from({ length: random.below(3) }, () => [0, 22, 443, 65535][random.below(4)]!))].sort(
      (a, b) => a - b,
    );
  const day = (): string => `2026-01-0${1 + random.below(9)}`;
  return {
    spoofable: [true, false, null][random.below(3)]!,
    classification: (["unknown", "benign", "promiscuous", "malicious"] as const)[random.below(4)]!,
    actor: some(text, ""),
    tags: texts(),
    rdns: some(text, ""),
    first_seen: some(day, null),
    last_seen: some(day, null),
    active_days: some(() => random.below(300), null),
    tag_ids: texts(),
    cve: texts(),
    src: {
      asn: { number: some(() => [0, 64500, 0xffff_ffff][random.below(3)]!, null), name: some(text, "") },
      geo: {
        country: { code: some(text, ""), name: some(text, "") },
        continent: { code: some(text, ""), name: some(text, "") },
        city: some(text, ""),
      },
    },
    network: { ports: ports(), non_spoofable_ports: ports() },
    fingerprints: { muonfp: texts(), ja3: texts(), ja4: texts() },
    http: { path: texts(), user_agent: texts() },
  };
}

/** Few distinct bits, so that prefixes repeat and nest. */
function randomAddress(random: Random): string {
  const few = (): number => random.below(3);
  return random.below(2) === 0 ? `10.${few()}.${few()}.${few()}` : `2001:db8:${few()}::${few()}:${few()}`;
}

function randomPrefix(random: Random): string {
  const address = randomAddress(random);
  const full = address.includes(":") ? 128 : 32;
  return formatPrefix(parsePrefix(`${address}/${random.below(2) === 0 ? full : full - 1 - random.below(24)}`, "mask"));
}

/** Merges feeds of random lines and looks up random addresses in the oracle. Returns how many answers differ. */
function differences(
  seed: number,
  break_: (document: FeedDocument) => FeedDocument = (document) => document,
): { asked: number; seen: number; wrong: number } {
  const random = new Random(seed);
  const builder = new CtiBuilder();
  const oracle = new DatasetOracle();
  const feed = new FeedImport({}, (prefix, record) => builder.add(prefix, record));
  for (let line = 0; line < 60; line++) {
    const ip = randomPrefix(random);
    const document = randomDocument(random);
    oracle.add(parsePrefix(ip), break_(document));
    feed.push(`${JSON.stringify({ ip, ...document })}\n`);
  }
  assert.equal(feed.end().skippedCount, 0);
  const dataset = freezeDataset(builder);
  dataset.checkDocuments();
  let seen = 0;
  let wrong = 0;
  for (let i = 0; i < 100; i++) {
    const ip = randomAddress(random);
    const expected = oracle.lookup(parseAddress(ip));
    const { ip: told, seen: wasSeen, ...found } = dataset.lookupExtended(ip);
    const same =
      told === ip &&
      wasSeen === (expected !== undefined) &&
      JSON.stringify(found) === JSON.stringify(expected ?? NOT_SEEN);
    if (!same) wrong++;
    if (wasSeen) seen++;
    const { spoofable, classification, actor, tags } = found;
    assert.deepEqual(dataset.lookup(ip), { ip, seen: wasSeen, spoofable, classification, actor, tags });
    assert.deepEqual(bulkDocuments([ip], bulkLookup(dataset, [ip])), { [ip]: { seen: wasSeen, spoofable } });
  }
  return { asked: 100, seen, wrong };
}

const { ip: _, seen: __, ...NOT_SEEN } = freezeDataset(new CtiBuilder()).lookupExtended("192.0.2.1");

test("an address that is in no feed", () => {
  const dataset = freezeDataset(new CtiBuilder());
  assert.deepEqual(dataset.lookup("2001:DB8::1"), {
    ip: "2001:DB8::1",
    seen: false,
    spoofable: null,
    classification: "unknown",
    actor: "",
    tags: [],
  });
  assert.deepEqual(dataset.lookupExtended("192.0.2.1"), {
    ip: "192.0.2.1",
    seen: false,
    spoofable: null,
    classification: "unknown",
    actor: "",
    tags: [],
    rdns: "",
    first_seen: null,
    last_seen: null,
    active_days: null,
    tag_ids: [],
    cve: [],
    src: {
      asn: { number: null, name: "" },
      geo: { country: { code: "", name: "" }, continent: { code: "", name: "" }, city: "" },
    },
    network: { ports: [], non_spoofable_ports: [] },
    fingerprints: { muonfp: [], ja3: [], ja4: [] },
    http: { path: [], user_agent: [] },
  });
  assert.throws(() => dataset.lookup("192.0.2.0/24"), { name: "AddressError" });
});

test("datasets equal the oracle", (t) => {
  let asked = 0;
  let seen = 0;
  const seeds = rounds({ short: 50, long: 150 });
  for (let seed = 1; seed <= seeds; seed++) {
    const result = differences(seed);
    assert.equal(result.wrong, 0, `seed ${seed}`);
    asked += result.asked;
    seen += result.seen;
  }
  t.diagnostic(`${asked} addresses asked, ${seen} seen, seeds 1 to ${seeds}`);
  assert.ok(seen > asked / 3 && seen < asked);
});

test("negative control: an oracle that takes true for unknown is detected", () => {
  const wrong = [1, 2, 3].map(
    (seed) =>
      differences(seed, (document) => ({
        ...document,
        spoofable: document.spoofable === true ? null : document.spoofable,
      })).wrong,
  );
  assert.ok(wrong.every((count) => count > 0));
});

describe("a union", () => {
  const record = (random: Random): CtiRecord => {
    const records: CtiRecord[] = [];
    const feed = new FeedImport({}, (_, found) => records.push(found));
    feed.push(JSON.stringify({ ip: "192.0.2.1", ...randomDocument(random) }));
    feed.end();
    return records[0]!;
  };

  test("does not depend on order, grouping or repetition, and unknown values add nothing", () => {
    const random = new Random(7);
    for (let i = 0; i < rounds({ short: 700, long: 2000 }); i++) {
      const [a, b, c] = [record(random), record(random), record(random)];
      const ab = mergeRecords(a, b);
      assert.deepEqual(mergeRecords(b, a), ab);
      assert.deepEqual(mergeRecords(ab, c), mergeRecords(a, mergeRecords(b, c)));
      assert.deepEqual(mergeRecords(ab, a), ab);
      assert.deepEqual(mergeRecords(a, NOTHING_KNOWN), a);
    }
  });

  test("yields the same bytes for feeds in any order", () => {
    const random = new Random(8);
    const lines = Array.from({ length: 200 }, (): [string, CtiRecord] => [randomPrefix(random), record(random)]);
    const bytesOf = (order: typeof lines): unknown => {
      const builder = new CtiBuilder();
      for (const [prefix, known] of order) builder.add(parsePrefix(prefix), known);
      const { trie, metadata } = builder.build(ABOUT);
      return { metadata, table: Buffer.from(freeze(trie).buffer) };
    };
    assert.deepEqual(bytesOf(lines.toReversed()), bytesOf(lines));
  });
});

test("a builder can be extended after a build", () => {
  const builder = new CtiBuilder();
  const tags = (...names: string[]): CtiRecord => recordOf({ tags: names });
  builder.add(parsePrefix("192.0.2.1"), tags("b"));
  builder.add(parsePrefix("192.0.2.1"), tags("a"));
  assert.deepEqual(freezeDataset(builder).lookup("192.0.2.1").tags, ["a", "b"]);
  assert.equal(builder.add(parsePrefix("192.0.2.1"), tags("c")), false);
  assert.equal(builder.add(parsePrefix("192.0.2.2"), tags("a", "b", "c")), true);
  const dataset = freezeDataset(builder);
  assert.deepEqual([dataset.lookup("192.0.2.1").tags, dataset.documentCount], [["a", "b", "c"], 1]);
});

describe("a bulk lookup", () => {
  const builder = new CtiBuilder();
  builder.add(parsePrefix("192.0.2.0/24"), recordOf({ spoofable: true }));
  builder.add(parsePrefix("192.0.2.1"), recordOf({ spoofable: false }));
  builder.add(parsePrefix("2001:db8::/32"), recordOf({ tags: ["x"] }));
  const dataset = freezeDataset(builder);

  test("has results under each address as written; repeated ones once", () => {
    const ips = ["192.0.2.1", "2001:DB8::1", "192.0.2.2", "2001:db8:0::1", "192.0.2.1", "::ffff:192.0.2.1", "8.8.8.8"];
    const text =
      '{"192.0.2.1":{"seen":true,"spoofable":false},"2001:DB8::1":{"seen":true,"spoofable":null},"192.0.2.2":{"seen":true,"spoofable":true},"2001:db8:0::1":{"seen":true,"spoofable":null},"::ffff:192.0.2.1":{"seen":true,"spoofable":false},"8.8.8.8":{"seen":false,"spoofable":null}}';
    const states = bulkLookup(dataset, ips);
    assert.equal(bulkJson(ips, states), text);
    assert.equal(JSON.stringify(bulkDocuments(ips, states)), text);
    assert.equal(bulkJsonLines(ips.slice(0, 1), states), '{"ip":"192.0.2.1","seen":true,"spoofable":false}\n');
    assert.deepEqual([bulkJson([], bulkLookup(dataset, [])), bulkJsonLines([], states)], ["{}", ""]);
  });

  test("of many addresses equals single lookups, whatever the other addresses are", () => {
    const random = new Random(3);
    const ips = Array.from({ length: 5000 }, () => {
      const address =
        random.below(4) === 0
          ? `2001:db${random.below(10)}::${random.below(9)}`
          : `192.0.${random.below(4)}.${random.below(3)}`;
      return formatAddress(parseAddress(address));
    });
    const states = bulkLookup(dataset, ips);
    for (const [i, ip] of ips.entries()) assert.equal(states[i], bulkLookup(dataset, [ip])[0]);
  });

  test("rejects malformed addresses, all of them by index, the first with the reason", () => {
    const ips: unknown[] = Array.from({ length: 2000 }, (_, i) => `192.0.2.${i % 256}`);
    const bad = { 0: "192.0.2.256", 7: "2001:db8::/32", 511: "", 512: "__proto__", 700: 5, 701: null, 1999: "é" };
    Object.assign(ips, bad);
    assert.throws(
      () => bulkLookup(dataset, ips),
      (error: Error & { code: string; value: unknown }) => {
        assert.deepEqual(
          [error.name, error.code, error.value],
          ["CtiError", "bad-addresses", Object.keys(bad).map(Number)],
        );
        assert.match(
          error.message,
          /^7 of 2000 addresses are malformed, at index 0 \("192\.0\.2\.256" at position 8: .*\), 7 \(.*\), 511 \(.*\), 512 \(.*\), 700 \(.*not text\), 701, 1999; /,
        );
        return true;
      },
    );
  });
});

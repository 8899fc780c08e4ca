import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { bulkLookup } from "../../src/cti/bulk-lookup.ts";
import { CtiBuilder } from "../../src/cti/dataset-builder.ts";
import { CtiDataset, type CtiMetadata } from "../../src/cti/dataset.ts";
import { CtiError, type CtiErrorCode } from "../../src/cti/cti-error.ts";
import { CLASSIFICATIONS, recordOf } from "../../src/cti/fields.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { rounds } from "../rounds.ts";

const IPS = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1"];

function good(): { metadata: CtiMetadata; table: PrefixTable } {
  const builder = new CtiBuilder();
  IPS.forEach((ip, i) => {
    const list = Array.from({ length: i }, (_, k) => `text-${i}-${k}-é`);
    builder.add(
      parsePrefix(ip),
      recordOf({
        spoofable: [true, false, null][i % 3]!,
        classification: "malicious",
        actor: `actor ${i}`,
        tags: list,
        lastSeen: 20_000 + i,
        activeDays: i,
        ports: [22, 443 + i],
        cve: list,
        city: "x",
      }),
    );
  });
  const { trie, metadata } = builder.build({
    title: "good",
    createdAt: new Date(0),
    sources: [{ name: "a", entries: 4 }],
  });
  return { metadata, table: freeze(trie) };
}

/** Calls everything that reads a dataset, on all its addresses. */
function askAll(metadata: unknown, table: PrefixTable): void {
  const dataset = new CtiDataset(metadata, table);
  for (const ip of IPS) {
    dataset.lookup(ip);
    const { seen, spoofable, classification, actor, tags, last_seen, network } = dataset.lookupExtended(ip);
    // Whatever a crafted file contains, the members have their types.
    assert.ok(
      seen && (spoofable === null || typeof spoofable === "boolean") && CLASSIFICATIONS.includes(classification),
    );
    assert.ok(
      typeof actor === "string" &&
        tags.every((tag) => typeof tag === "string") &&
        (last_seen === null || /^\d{4}-\d\d-\d\d$/.test(last_seen)),
    );
    assert.ok(network.ports.every((port) => Number.isInteger(port) && port >= 0 && port <= 65535));
  }
  assert.ok(bulkLookup(dataset, IPS).every((state) => state >= 1 && state <= 3));
  dataset.checkDocuments();
}

const blob = (...documents: number[][]): CtiMetadata["documents"] => {
  let end = 0;
  return {
    bytes: Uint8Array.from(documents.flat()),
    ends: new Uint8Array(Uint32Array.from(documents, (document) => (end += document.length)).buffer),
  };
};
/** Four documents, of which this is the last. */
const withDocument =
  (...bytes: number[]) =>
  (metadata: CtiMetadata): unknown => ({ ...metadata, documents: blob([], [], [], bytes) });

const BAD: readonly (readonly [what: string, code: CtiErrorCode, change: (metadata: CtiMetadata) => unknown])[] = [
  ["nothing", "bad-metadata", () => null],
  ["an array", "bad-metadata", () => []],
  ["another format", "bad-metadata", (metadata) => ({ ...metadata, format: 2 })],
  ["no title", "bad-metadata", (metadata) => ({ ...metadata, title: undefined })],
  ["no date", "bad-metadata", (metadata) => ({ ...metadata, createdAt: "soon" })],
  ["sources that are no array", "bad-metadata", (metadata) => ({ ...metadata, sources: {} })],
  ["a source without a name", "bad-metadata", (metadata) => ({ ...metadata, sources: [{ entries: 1 }] })],
  ["no documents", "bad-metadata", (metadata) => ({ ...metadata, documents: undefined })],
  ["documents as text", "bad-metadata", (metadata) => ({ ...metadata, documents: { bytes: "", ends: "" } })],
  [
    "half an end",
    "bad-metadata",
    (metadata) => ({ ...metadata, documents: { ...metadata.documents, ends: new Uint8Array(7) } }),
  ],
  ["too few documents", "unknown-document", (metadata) => ({ ...metadata, documents: blob([], []) })],
  [
    "ends behind the bytes",
    "bad-metadata",
    (metadata) => ({ ...metadata, documents: { ...metadata.documents, bytes: new Uint8Array(3) } }),
  ],
  [
    "ends that descend",
    "bad-metadata",
    (metadata) => ({
      ...metadata,
      documents: { bytes: new Uint8Array(9), ends: new Uint8Array(Uint32Array.of(5, 4, 6, 9).buffer) },
    }),
  ],
  ["no texts", "bad-metadata", (metadata) => ({ ...metadata, texts: undefined })],
  ["too few texts", "bad-document", (metadata) => ({ ...metadata, texts: blob() })],
  [
    "a text that is not UTF-8",
    "bad-document",
    (metadata) => ({ ...metadata, texts: { ...metadata.texts, bytes: metadata.texts.bytes.map(() => 0xff) } }),
  ],
  ["a number that ends early", "bad-document", withDocument(7, 0x80)],
  ["a number past 2^32 - 1", "bad-document", withDocument(7, 0xff, 0xff, 0xff, 0xff, 0x7f)],
  ["a number without an end", "bad-document", withDocument(7, ...new Uint8Array(20).fill(0x80), 1)],
  ["a field that there is not", "bad-document", withDocument(200, 1)],
  ["fields that descend", "bad-document", withDocument(7, 1, 1, 1)],
  ["a field twice", "bad-document", withDocument(7, 1, 7, 1)],
  ["a field without a value", "bad-document", withDocument(7)],
  ["spoofable 2", "bad-document", withDocument(0, 2)],
  ["spoofable cut off", "bad-document", withDocument(0)],
  ["a fifth classification", "bad-document", withDocument(1, 4)],
  ["a list longer than its bytes", "bad-document", withDocument(3, 0xff, 0xff, 0xff, 0xff, 0x0f)],
  ["a port past the last", "bad-document", withDocument(17, 1, 0x80, 0x80, 4)],
  ["a day past 9999", "bad-document", withDocument(5, 0xff, 0xff, 0xff, 0x7f)],
];

describe("bad datasets", () => {
  test("the valid one is accepted", () => {
    const { metadata, table } = good();
    askAll(metadata, table);
    askAll({ ...metadata, documents: blob([], [], [], []) }, table);
  });

  for (const [what, code, change] of BAD) {
    test(`refused: ${what}`, () => {
      const { metadata, table } = good();
      assert.throws(
        () => askAll(change(metadata), table),
        (error) => {
          assert.ok(error instanceof CtiError, String(error));
          assert.equal(error.code, code);
          assert.match(
            error.message,
            /; (import its feeds again|use the newer version of ipsieve that wrote this file; import its feeds again)$/,
          );
          return true;
        },
      );
    });
  }

  test("after any change, results have their types or errors are typed", (t) => {
    const random = new Random(11);
    let refused = 0;
    const changes = rounds({ short: 6_000, long: 20_000 });
    const { metadata, table } = good();
    for (let round = 0; round < changes; round++) {
      const part = (["documents", "texts"] as const)[random.below(2)]!;
      const member = (["bytes", "ends"] as const)[random.below(2)]!;
      const bytes = metadata[part][member].slice(
        0,
        random.below(8) === 0 ? random.below(metadata[part][member].length + 1) : undefined,
      );
      for (let i = random.below(4); i >= 0 && bytes.length > 0; i--)
        bytes[random.below(bytes.length)] = random.below(256);
      try {
        askAll({ ...metadata, [part]: { ...metadata[part], [member]: bytes } }, table);
      } catch (error) {
        assert.ok(error instanceof CtiError, `round ${round}: ${String((error as Error).stack)}`);
        refused++;
      }
    }
    t.diagnostic(`${changes} changed datasets, ${refused} refused, seed 11`);
    assert.ok(refused > changes / 4 && refused < changes);
  });

  test("a table that refers to missing matches is rejected by the lookup that finds them", () => {
    const { metadata, table } = good();
    const dataset = new CtiDataset(metadata, table);
    const engine = { lookupBatchInto: (_family: 4 | 6, _words: Uint32Array, out: Uint32Array) => void out.fill(99) };
    assert.throws(() => bulkLookup(dataset, IPS, engine), { name: "TableError" });
  });

  test("a file opens as the same dataset", async () => {
    const { metadata, table } = good();
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, "cti.ipsieve");
      await writeSnapshot(path, { metadata, table, kind: "cti" });
      const snapshot = await openSnapshot(path);
      askAll(snapshot.metadata, snapshot.table);
      const [a, b] = [new CtiDataset(metadata, table), new CtiDataset(snapshot.metadata, snapshot.table)];
      for (const ip of IPS) assert.deepEqual(b.lookupExtended(ip), a.lookupExtended(ip));
    });
  });
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue, CATALOGUE_KIND } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { CatalogueTree, ROOT } from "../../src/cbs/catalogue-tree.ts";
import { diffCatalogues } from "../../src/cbs/diff.ts";
import { EXPORT_FORMATS, exportCatalogue } from "../../src/cbs/export-catalogue.ts";
import { finished } from "../../src/turns/finished.ts";
import { listRanges } from "../../src/cbs/ranges.ts";
import { catalogueStats } from "../../src/cbs/stats.ts";
import { Metrics } from "../../src/service/usage/metrics.ts";
import { openCatalogueView } from "../../src/service/datasets/catalogue-view.ts";
import { ServedDataset } from "../../src/service/datasets/served-dataset.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { until } from "../until.ts";

let seed = 20261123;
function random(below: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

interface Line {
  readonly prefix: Prefix;
  readonly label: string;
  readonly source: string;
  readonly expiresAt: number | null;
}

const LABELS = ["/saas/acme/api", "/saas/acme/web", "/cloud/none/ec2", "scanner", "spam"];
const SOURCES = ["a.csv", "b.csv"];

function randomLine(): Line {
  const text =
    random(4) === 0 ? `2001:db8:${random(3)}::/${48 - random(3)}` : `10.${random(2)}.${random(4)}.0/${24 - random(3)}`;
  return {
    prefix: masked(text),
    label: LABELS[random(LABELS.length)]!,
    source: SOURCES[random(2)]!,
    expiresAt: random(3) === 0 ? null : 1000 + random(6),
  };
}

/** The prefix of a text that may have host bits. */
function masked(text: string): Prefix {
  for (let [address, length] = text.split("/") as [string, string]; ;) {
    try {
      return parsePrefix(`${address}/${length}`);
    } catch (error) {
      const meant = /did you mean ([^?]+)\?/.exec((error as Error).message)?.[1];
      if (meant === undefined) throw error;
      [address, length] = meant.split("/") as [string, string];
    }
  }
}

/** A catalogue of these lines; all nodes are named, so that those without prefixes are there too. */
function catalogueOf(lines: readonly Line[], now?: number): Catalogue {
  const builder = new CatalogueBuilder();
  for (const label of LABELS) builder.addNode(label, label.replaceAll("/", " ").trim());
  for (const { prefix, label, source, expiresAt } of lines) builder.add(prefix, label, source, expiresAt);
  const sources = SOURCES.map((name) => ({
    id: null,
    name,
    version: null,
    url: null,
    license: null,
    attribution: null,
    publishedAt: null,
    fetchedAt: null,
    changedAt: null,
  }));
  const { trie, metadata, expiresAt } = builder.build({ title: "test", createdAt: new Date(0), sources });
  return new Catalogue(metadata, freeze(trie, expiresAt === undefined ? {} : { expiresAt }), now);
}

/** Everything that is counted, listed and exported from a catalogue, by ids. */
function allOf(catalogue: Catalogue): object {
  const tree = new CatalogueTree(catalogue);
  const nodes = catalogue.nodes.map(({ id }) => id).sort();
  const text = (bytes: Iterable<Uint8Array>): string => Buffer.concat(Array.from(bytes)).toString("latin1");
  return {
    whole: tree.extent(ROOT),
    extents: nodes.map((id) => [
      id,
      tree.extent(tree.valueOf(id)),
      tree.sourcesOf(tree.valueOf(id)).map(({ name }) => name),
    ]),
    ranges: nodes.map((id) => [
      id,
      finished(listRanges(tree, id, {})),
      finished(listRanges(tree, id, { source: "a.csv" })),
    ]),
    stats: catalogueStats(tree),
    bySource: finished(tree.sourceExtents()),
    // An MMDB says the same in different bytes: of equal records, it only shares those of one match.
    exports: EXPORT_FORMATS.filter((format) => format !== "mmdb").map((format) => text(exportCatalogue(tree, format))),
  };
}

test("counts, ranges, exports and differences are those of a catalogue built without the expired lines", () => {
  let expired = 0;
  for (let round = 0; round < 40; round++) {
    const lines = Array.from({ length: 1 + random(30) }, randomLine);
    // As of 1000 nothing has expired; as of 1006 everything that ever expires has.
    const now = 999 + random(8);
    // A label that a source gives a prefix more than once lasts until the latest expiry.
    const left = lines.filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
    expired += lines.length - left.length;
    const [current, expected] = [
      catalogueOf(lines, now),
      catalogueOf(left.map((line) => ({ ...line, expiresAt: null }))),
    ];
    assert.deepEqual(
      allOf(current),
      allOf(expected),
      `round ${round}, as of ${now}: ${lines.map(({ prefix }) => formatPrefix(prefix)).join()}`,
    );
    const difference = diffCatalogues(new CatalogueTree(current), new CatalogueTree(expected));
    assert.deepEqual([difference.prefixes, difference.prefixes_added, difference.nodes], [[], 0, []]);
    const { from, until } = current.unchangedWithin();
    assert.ok(from <= now && now < until);
    const latest = new Map<string, number>();
    for (const { prefix, label, source, expiresAt } of lines) {
      const claim = `${formatPrefix(prefix)} ${label} ${source}`;
      latest.set(claim, Math.max(latest.get(claim) ?? 0, expiresAt ?? Infinity));
    }
    const gone = (at: number): number => [...latest.values()].filter((time) => time <= at).length;
    for (let at = 999; at < 1008; at++) if (from <= at && at < until) assert.equal(gone(at), gone(now));
  }
  assert.ok(expired > 100);
});

test("negative control: without a time, the same catalogue shows expired lines", () => {
  const line = { prefix: masked("10.0.0.0/24"), label: "spam", source: "a.csv", expiresAt: 1000 };
  assert.notDeepEqual(allOf(catalogueOf([line])), allOf(catalogueOf([])));
  assert.deepEqual(
    new CatalogueTree(catalogueOf([line])).extent(ROOT),
    new CatalogueTree(catalogueOf([line], 999)).extent(ROOT),
  );
});

test("a server leaves lines out once they have expired, with another tag, without a new file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-expired-"));
  const path = join(folder, "catalogue.ipsieve");
  let now = Date.now();
  const soon = now + 1500;
  const lines = [
    { prefix: masked("10.0.0.0/8"), label: "spam", source: "a.csv", expiresAt: null },
    { prefix: masked("10.0.0.0/24"), label: "scanner", source: "a.csv", expiresAt: soon },
  ];
  const { metadata, table } = catalogueOf(lines);
  await writeSnapshot(path, { metadata, table, kind: CATALOGUE_KIND });
  const silent = { info: () => {}, error: (about: object) => assert.fail(JSON.stringify(about)) };
  const served = new ServedDataset({
    name: "catalogue",
    paths: [path],
    mayBeMissing: false,
    load: openCatalogueView,
    metrics: new Metrics(),
    now: () => now,
    log: silent,
  });
  try {
    await served.open();
    const before = served.view();
    assert.equal(before.until, soon);
    const known = JSON.parse(before.writer.write(parsePrefix("10.0.0.1"), "10.0.0.1").json);
    assert.deepEqual([known.cidr, known.cbs_ids], ["10.0.0.0/24", ["scanner", "spam"]]);
    now = soon;
    await until("the line has expired", () => served.view() !== before);
    const after = served.view();
    assert.equal(after.until, Infinity);
    assert.equal(after.generation, before.generation);
    assert.notEqual(after.tag, before.tag);
    assert.equal((await after.browsing()).tree.extent(ROOT).ipv4_count, 1);
    const left = JSON.parse(after.writer.write(parsePrefix("10.0.0.1"), "10.0.0.1").json);
    assert.deepEqual([left.cidr, left.cbs_ids], ["10.0.0.0/8", ["spam"]]);
  } finally {
    served.close();
    rmSync(folder, { recursive: true });
  }
});

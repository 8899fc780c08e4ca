import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { CtiBuilder } from "../../../src/cti/dataset-builder.ts";
import { CtiDataset } from "../../../src/cti/dataset.ts";
import { recordOf } from "../../../src/cti/fields.ts";
import { FeedImport } from "../../../src/cti/import-feed.ts";
import { bulkLookup } from "../../../src/cti/bulk-lookup.ts";
import { freeze } from "../../../src/table/freeze.ts";

/** Blocklists as published, with a manifest that counts them; next to the publishers' lists. */
const folder = resolve(
  process.env.IPSIEVE_LISTS ?? join(import.meta.dirname, "../../../../shared/data/cbs"),
  "../blocklists",
);
const manifestPath = join(folder, "MANIFEST.md");
const absent = existsSync(manifestPath)
  ? false
  : `no blocklists in ${folder}; name the folder beside theirs in IPSIEVE_LISTS`;

interface Counted {
  readonly path: string;
  readonly entries: number;
  readonly hostBits: number;
}

function readManifest(): Counted[] {
  const sections = readFileSync(manifestPath, "utf8").split(/^### /m).slice(1);
  return sections.flatMap((section) => {
    const [, origin, file] = /^(\S+) \/ `(.+)`/.exec(section) ?? [];
    const [ipv4, ipv6, hostBits] =
      /^- entries: (\d+) v4 \/ (\d+) v6, .* (\d+) with host bits/m.exec(section)?.slice(1).map(Number) ?? [];
    const path = `${origin}/${file}`;
    return ipv4 === undefined || !existsSync(join(folder, path))
      ? []
      : [{ path, entries: ipv4 + ipv6!, hostBits: hostBits! }];
  });
}

describe("published blocklists", { skip: absent }, () => {
  const manifest = absent === false ? readManifest() : [];
  const builder = new CtiBuilder();

  test("exist", (t) => {
    t.diagnostic(`${manifest.length} lists in ${folder}`);
    assert.ok(manifest.length >= 10);
  });

  for (const { path, entries, hostBits } of manifest) {
    test(`${path}: ${entries} entries`, () => {
      const feed = new FeedImport(
        { defaults: recordOf({ tags: [path], classification: "malicious" }) },
        (prefix, record) => builder.add(prefix, record),
      );
      const text = readFileSync(join(folder, path), "utf8");
      for (let at = 0; at < text.length; at += 65_536) feed.push(text.slice(at, at + 65_536));
      const report = feed.end();
      assert.deepEqual(report.skippedLines, []);
      assert.equal(report.entries, entries);
      const masked = report.warnings.find(({ message }) => message.startsWith("host bits"))?.count ?? 0;
      assert.equal(masked, hostBits);
    });
  }

  test("all of them in one dataset: every address is seen, with the tag of its list or of a more specific one", () => {
    const { trie, metadata } = builder.build({ title: "all", createdAt: new Date(), sources: [] });
    const dataset = new CtiDataset(metadata, freeze(trie));
    dataset.checkDocuments();
    assert.ok(dataset.documentCount < 2000, `${dataset.documentCount} sets of tags`);
    for (const { path } of manifest) {
      const addresses = readFileSync(join(folder, path), "utf8")
        .split(/\r?\n/)
        .map((line) => /^[0-9a-fA-F:.]+/.exec(line)?.[0] ?? "")
        .filter((text) => text !== "");
      assert.ok(
        bulkLookup(dataset, addresses).every((state) => state !== 0),
        path,
      );
      for (const address of addresses.slice(0, 200)) assert.ok(dataset.lookup(address).tags.length > 0);
    }
  });
});

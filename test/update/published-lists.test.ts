import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { decodeList } from "../../src/cbs/importers/decode-list.ts";
import { type SourceFile, SOURCES } from "../../src/cbs/importers/sources.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { FolderOrigin } from "../../src/update/folder-origin.ts";
import { compareLists, impossibleList, shareOfChange, unusualChange } from "../../src/update/guard-list.ts";
import { updateCatalogue, type UpdateReport } from "../../src/update/update-catalogue.ts";
import { WebOrigin } from "../../src/update/web-origin.ts";
import { noPublishedLists, PUBLISHED as folder } from "../cbs/published-lists.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { startPublisher } from "./publisher.ts";

const home = temporaryFolder();
after(() => home.remove());
const OPTIONS = { maxChange: 0.5, keep: 90 };
const files = new Map<string, SourceFile>(SOURCES.flatMap((source) => source.files.map((file) => [file.path, file])));
const imported = (path: string, of = path) => files.get(of)!.importer(decodeList(readFileSync(join(folder, path))));

const taken = ({ files }: UpdateReport) => files.filter(({ outcome }) => outcome !== "absent" && outcome !== "failed");

describe("the lists as they were published", { skip: noPublishedLists }, () => {
  test("all of them pass the guards, from a folder", async (t) => {
    const report = await updateCatalogue({
      ...OPTIONS,
      home: join(home.path, "folder"),
      origin: new FolderOrigin(folder),
    });
    const there = [...files.keys()].filter((path) => existsSync(join(folder, path)));
    assert.ok(there.length >= 40);
    for (const { path, outcome, problem } of taken(report)) assert.equal(outcome, "new", `${path}: ${problem}`);
    for (const path of there)
      assert.ok(
        taken(report).some((file) => file.path === path),
        `${path} is not taken`,
      );
    assert.deepEqual(report.left, []);
    t.diagnostic(
      `${taken(report).length} lists of ${report.sources} sources, ${report.nodes} nodes, ${report.ipv4} IPv4 and ${report.ipv6} IPv6 prefixes`,
    );
  });

  test("and from a mirror, alternately compressed; both catalogues are the same", async () => {
    const publisher = await startPublisher();
    // The best compression takes longer than the rest of the test.
    const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
    const encodings: [name: string, encode: (bytes: Buffer) => Buffer][] = [
      ["identity", (bytes) => bytes],
      ["gzip", (bytes) => gzipSync(bytes)],
      ["br", (bytes) => brotliCompressSync(bytes, fast)],
    ];
    for (const [i, path] of [...files.keys()].entries()) {
      if (!existsSync(join(folder, path))) continue;
      const [name, encode] = encodings[i % 3]!;
      const body = encode(readFileSync(join(folder, path)));
      publisher.pages.set(`/${path}`, (request, response) => {
        if (request.headers["if-none-match"] === `"${path}"`) response.writeHead(304).end();
        else response.writeHead(200, { "content-encoding": name, etag: `"${path}"` }).end(body);
      });
    }
    const update = async (): Promise<UpdateReport> => {
      const origin = await WebOrigin.open(publisher.options(), publisher.url("/"));
      return updateCatalogue({ ...OPTIONS, home: join(home.path, "mirror"), origin }).finally(() => origin.close());
    };
    const first = await update();
    assert.ok(taken(first).every(({ outcome }) => outcome === "new") && taken(first).length >= 40);
    const [a, b] = await Promise.all(
      ["folder", "mirror"].map((name) => openSnapshot(join(home.path, name, "catalogue.ipsieve"))),
    );
    const sections = (snapshot: typeof a): number[] => snapshot!.info.sections.slice(0, -1).map(({ crc32 }) => crc32);
    assert.deepEqual(sections(a), sections(b));
    const second = await update();
    assert.ok(taken(second).every(({ outcome }) => outcome === "unchanged") && second.generation === null);
    await publisher.close();
  });

  test("no list violates the limits, and the widest prefixes are well below them", (t) => {
    const widest = { 4: 32, 6: 128 };
    let entries = 0;
    for (const path of files.keys()) {
      if (!existsSync(join(folder, path))) continue;
      const list = imported(path);
      assert.equal(impossibleList(list), undefined, path);
      entries += list.entries.length;
      for (const { prefix } of list.entries) widest[prefix.family] = Math.min(widest[prefix.family], prefix.length);
    }
    t.diagnostic(`${entries} entries, widest: IPv4 /${widest[4]}, IPv6 /${widest[6]}`);
    assert.ok(widest[4] >= 9 && widest[6] >= 20);
  });

  /** Older and newer editions of one list, and the outcome of going from one to the other at once. */
  const EDITIONS: [older: string, newer: string, of: string, code: string | undefined][] = [
    ["digitalocean/google-2025-07.csv", "digitalocean/google.csv", "digitalocean/google.csv", undefined],
    // From three providers' regions to many more, in 17 months.
    ["salesforce/hyperforce-sample.json", "salesforce/ip-ranges.json", "salesforce/ip-ranges.json", "changed"],
    // The newer one was requested without IPv6.
    ["microsoft365/worldwide.json", "microsoft365/worldwide-2026-noipv6.json", "microsoft365/worldwide.json", "half"],
  ];

  test("very different editions, and half a list", (t) => {
    const there = EDITIONS.filter(
      ([older, newer]) => existsSync(join(folder, older)) && existsSync(join(folder, newer)),
    );
    assert.ok(there.length > 0);
    for (const [older, newer, of, code] of there) {
      const change = compareLists(imported(older, of), imported(newer, of));
      t.diagnostic(
        `${of}: ${change.before} to ${change.after} prefixes, ${Math.round(shareOfChange(change) * 100)} % changed`,
      );
      assert.equal(unusualChange(change, OPTIONS.maxChange)?.code, code, of);
    }
    for (const path of [
      "aws/ip-ranges.json",
      "github/meta.json",
      "cloudflare/ips-v4",
      "starlink/feed.csv",
      "okta/ip_ranges.json",
    ]) {
      const list = imported(path);
      const distinct = [...new Map(list.entries.map((entry) => [JSON.stringify(entry.prefix), entry])).values()];
      const half = { entries: distinct.slice(0, Math.floor((distinct.length - 1) / 2)) };
      assert.equal(unusualChange(compareLists(list, half), 1)?.code, "half", path);
    }
  });
});

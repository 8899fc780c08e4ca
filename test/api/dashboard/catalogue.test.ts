import assert from "node:assert/strict";
import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { Catalogue } from "../../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../../src/cbs/catalogue-builder.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import { addOrganisation, startServer } from "../start-server.ts";
import { addUser, visit } from "./browser.ts";

const TIME = "2026-11-20T00:00:00.000Z";

test("origin of the catalogue: sources with their nodes, as far as known", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-sources-"));
  const path = join(folder, "sources.ipsieve");
  const source = {
    version: "7",
    url: null,
    license: "CC0",
    attribution: null,
    publishedAt: TIME,
    fetchedAt: null,
    changedAt: null,
  };
  const builder = new CatalogueBuilder();
  builder.add(parsePrefix("192.0.2.0/24"), "/cloud/google");
  // The id of a source is not that of its provider.
  const { trie, metadata } = builder.build({
    title: "Mine",
    createdAt: new Date(TIME),
    sources: [
      { ...source, id: "google-cloud", name: "Google Cloud" },
      { ...source, id: "none", name: "Of nobody" },
      { ...source, id: null, name: "A list" },
    ],
  });
  await writeSnapshot(path, {
    table: new Catalogue(metadata, freeze(trie)).table,
    metadata,
    kind: "catalogue",
    createdAt: new Date(TIME),
  });
  const t = await startServer({}, path);
  try {
    const viewer = await addUser(t, await addOrganisation(t, "sources"), "viewer");
    const { status, body } = await visit(t, "GET", "/catalogue", { token: viewer.token });
    const told = {
      version: "7",
      url: null,
      license: "CC0",
      attribution: null,
      published_at: TIME,
      fetched_at: null,
      changed_at: null,
    };
    assert.equal(status, 200);
    const official = { layer: "official", source: "google-cloud" };
    assert.deepEqual(body.sources, [
      { node: "/cloud/google", name: "Google Cloud", ...official, ...told },
      { node: null, name: "Of nobody", ...official, source: "none", ...told },
      { node: null, name: "A list", layer: "own", source: "A list", ...told },
    ]);
    assert.deepEqual([body.title, body.created_at], ["Mine", TIME]);
    const fresh = { oldest_at: TIME, newest_at: TIME, age_days: 1, is_old: false, advice: null };
    assert.deepEqual(body.layers, [
      { layer: "official", sources: 2, ...fresh },
      { layer: "own", sources: 1, ...fresh },
    ]);
    t.clock.now += 90 * 86_400_000;
    const { layers } = (
      await visit(t, "GET", "/catalogue", {
        token: (await addUser(t, await addOrganisation(t, "later"), "viewer")).token,
      })
    ).body;
    assert.deepEqual(
      layers.map((layer: { age_days: number; is_old: boolean }) => [layer.age_days, layer.is_old]),
      [
        [91, true],
        [91, true],
      ],
    );
    assert.match(layers[0].advice, /ipsieve cbs update/);
    const without = await addUser(t, await addOrganisation(t, "without", ["edl"]), "admin");
    assert.equal((await visit(t, "GET", "/catalogue", { token: without.token })).status, 403);
  } finally {
    await t.close();
    rmSync(folder, { recursive: true });
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CatalogueView } from "../../../src/service/datasets/catalogue-view.ts";
import { inSlices } from "../../../src/turns/in-slices.ts";
import { Catalogue } from "../../../src/cbs/catalogue.ts";
import { CatalogueTree } from "../../../src/cbs/catalogue-tree.ts";
import { finished } from "../../../src/turns/finished.ts";
import { SearchIndex } from "../../../src/cbs/search.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";

const BUNDLED = fileURLToPath(new URL("../../../data/catalogue.ipsieve", import.meta.url));

async function bundled(): Promise<Catalogue> {
  const { metadata, table } = await openSnapshot(BUNDLED);
  return new Catalogue(metadata, table);
}

test("a catalogue can be used for lookups at once, is completed in many turns, and equals one completed in a single turn", async () => {
  const catalogue = await bundled();
  const view = finished(CatalogueView.make(await openSnapshot(BUNDLED), Date.now()));
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const made = view.browsing();
  // A lookup does not need it.
  assert.equal(JSON.parse(view.writer.write(parsePrefix("1.1.1.1"), "1.1.1.1").json).found, true);
  assert.equal(view.browsing(), made);
  const browsing = await made;
  clearInterval(counting);
  assert.ok(turns > 10, `${turns} turns of others`);
  const [tree, search] = [new CatalogueTree(await bundled()), new SearchIndex(await bundled())];
  for (let value = 0; value <= catalogue.nodeCount; value++)
    assert.deepEqual(browsing.tree.extent(value), tree.extent(value));
  for (const text of ["cloudflare", "amazon", "clodflare", "goo", "1.1.1.1", "isp"])
    assert.deepEqual(browsing.search.search(text), search.search(text));
});

test("work in slices lets other work run in between; work done at once does not", async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const work = function* (): Generator<undefined, string, undefined> {
    for (let part = 0; part < 10; part++) {
      for (const end = performance.now() + 10; performance.now() < end;);
      yield;
    }
    return "done";
  };
  assert.equal(finished(work()), "done");
  assert.equal(turns, 0);
  assert.equal(await inSlices(work()), "done");
  clearInterval(counting);
  assert.ok(turns >= 8, `${turns} turns`);
});

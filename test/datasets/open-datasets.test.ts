import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { CreateRowTemplates } from "../../src/batch/engine/create-row-templates.ts";
import { createRowTemplates } from "../../src/datasets/catalogue-renderer.ts";
import { DatasetError } from "../../src/datasets/dataset-error.ts";
import { BUNDLED_CATALOGUE } from "../../src/datasets/open-catalogue.ts";
import { BUNDLED_NETWORKS } from "../../src/datasets/open-networks.ts";
import { SAMPLE_DATASET } from "../../src/datasets/sample-dataset.ts";
import {
  networksFromBytes,
  openCatalogue,
  openCatalogueSnapshot,
  openCtiDataset,
  openCtiSnapshot,
  openNetworks,
  openNetworksSnapshot,
  UsageError,
} from "../../src/index.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { NO_MATCH } from "../../src/table/match-id.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-datasets-"));
after(() => rmSync(folder, { recursive: true }));

async function unusable(kind: string): Promise<string> {
  const path = join(folder, `${kind}.ipsieve`);
  const table = freeze(new PrefixTrie());
  await writeSnapshot(path, { table, metadata: { format: "none" }, kind, createdAt: new Date(0) });
  return path;
}

test("without a path, the files that come with the package are opened", async () => {
  assert.ok((await openCatalogue()).nodeCount > 100);
  assert.ok((await openCtiDataset()).documentCount > 0);
  assert.equal((await openCatalogueSnapshot()).info.kind, "catalogue");
  assert.equal((await openCtiSnapshot()).info.kind, "cti");
  assert.equal((await openNetworksSnapshot()).info.kind, "networks");
  assert.ok((await openNetworks()).asnCount > 90_000);
});

const wrong: [what: string, open: () => Promise<unknown>, code: string, message: RegExp][] = [
  [
    "a dataset opened as a catalogue",
    () => openCatalogue(SAMPLE_DATASET),
    "wrong-kind",
    /cti-sample\.ipsieve: its kind is "cti", not "catalogue"; give a file written by "ipsieve build"$/,
  ],
  [
    "a catalogue opened as a dataset",
    () => openCtiDataset(BUNDLED_CATALOGUE),
    "wrong-kind",
    /catalogue\.ipsieve: its kind is "catalogue", not "cti"; give a file written by "ipsieve cti import"$/,
  ],
  [
    "a catalogue with foreign metadata",
    async () => openCatalogue(await unusable("catalogue")),
    "unusable",
    /^\S+catalogue\.ipsieve: /,
  ],
  [
    "a catalogue opened as networks",
    () => openNetworks(BUNDLED_CATALOGUE),
    "wrong-kind",
    /catalogue\.ipsieve: its kind is "catalogue", not "networks"; give a file written by "ipsieve cbs update"$/,
  ],
  [
    "networks with foreign metadata",
    async () => openNetworks(await unusable("networks")),
    "unusable",
    /^\S+networks\.ipsieve: the dataset's format cannot be used: it is not 1/,
  ],
  [
    "a dataset with foreign metadata",
    async () => openCtiDataset(await unusable("cti")),
    "unusable",
    /^\S+cti\.ipsieve: /,
  ],
];

for (const [what, open, code, message] of wrong)
  test(`${what} is rejected with the file's name and a code`, () =>
    assert.rejects(open, (error) => {
      assert.ok(error instanceof DatasetError && error instanceof UsageError);
      assert.deepEqual([error.name, error.code], ["UsageError", code]);
      assert.match(error.message, message);
      return true;
    }));

test("networks from bytes are those of the file", async () => {
  const bytes = readFileSync(BUNDLED_NETWORKS);
  assert.deepEqual(networksFromBytes(bytes).lookup("8.8.8.8"), (await openNetworks()).lookup("8.8.8.8"));
});

test("a missing file causes the error of the snapshot", () =>
  assert.rejects(openCatalogue(join(folder, "absent")), { name: "SnapshotError", code: "not-found" }));

test("the renderer is the one that the log pipeline calls", async () => {
  const create: CreateRowTemplates = createRowTemplates;
  const template = create(await openCatalogueSnapshot(), "append", 0)(NO_MATCH);
  assert.deepEqual([...template], [0x09]);
});

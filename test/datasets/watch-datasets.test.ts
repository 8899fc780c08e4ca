import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  Ruleset,
  saveRuleset,
  type SnapshotHolder,
  watchCatalogue,
  watchCtiDataset,
  watchNetworks,
  watchRuleset,
} from "../../src/index.ts";
import { BUNDLED_CATALOGUE } from "../../src/datasets/open-catalogue.ts";
import { BUNDLED_NETWORKS } from "../../src/datasets/open-networks.ts";
import { SAMPLE_DATASET } from "../../src/datasets/sample-dataset.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-watched-"));
after(() => rmSync(folder, { recursive: true }));

const EVERY = { interval: 100 };

async function next(holder: SnapshotHolder<any>, event: "swap" | "failure"): Promise<unknown[]> {
  return once(holder as never, event, { signal: AbortSignal.timeout(120_000) });
}

test("a ruleset decides by the newest file: rules that are saved are used, and a corrupt or other file changes nothing", async () => {
  const path = join(folder, "rules.ipsieve");
  const rules = new Ruleset({ name: "watched" });
  await saveRuleset(path, rules);
  const holder = await watchRuleset(path, EVERY);
  const nameFor = (ip: string): string | null | undefined => holder.current!.content.check(ip)?.name;
  assert.equal(nameFor("8.8.8.8"), undefined);
  for (const name of ["first", "second"]) {
    rules.add("8.8.8.8", { name, mode: "override" });
    const swapped = next(holder, "swap");
    await saveRuleset(path, rules);
    await swapped;
    assert.equal(nameFor("8.8.8.8"), name);
  }
  for (const replace of [() => writeFileSync(path, "no snapshot"), () => copyFileSync(SAMPLE_DATASET, path)]) {
    const failed = next(holder, "failure");
    replace();
    const [error] = await failed;
    assert.match((error as Error).message, /rules\.ipsieve/);
    assert.equal(nameFor("8.8.8.8"), "second");
  }
  holder.close();
});

test("a catalogue and a dataset are followed, too", async () => {
  for (const [bundled, watch] of [
    [BUNDLED_CATALOGUE, watchCatalogue],
    [SAMPLE_DATASET, watchCtiDataset],
    [BUNDLED_NETWORKS, watchNetworks],
  ] as const) {
    const path = join(folder, "copy.ipsieve");
    copyFileSync(bundled, path);
    const holder: SnapshotHolder<unknown> = await watch(path, EVERY);
    const before = holder.current!.content;
    const swapped = next(holder, "swap");
    copyFileSync(bundled, `${path}.new`);
    renameSync(`${path}.new`, path);
    await swapped;
    assert.notEqual(holder.current!.content, before);
    holder.close();
  }
});

test("the first file must be of the right kind", async () => {
  await assert.rejects(watchRuleset(BUNDLED_CATALOGUE, EVERY), /catalogue/);
  await assert.rejects(watchCatalogue(join(folder, "none.ipsieve"), EVERY), /none\.ipsieve/);
  await assert.rejects(watchCtiDataset(BUNDLED_CATALOGUE, EVERY), /catalogue/);
});

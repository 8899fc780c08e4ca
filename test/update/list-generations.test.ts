import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { listGenerations } from "../../src/update/list-generations.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { temporaryFolder } from "../cli/run-command.ts";

test("the catalogues of a folder, the oldest first, those of one moment by their names", async (c) => {
  const names = ["c", "a", "d", "b", "e"];
  // They are not read if they are known: these could not be.
  const folder = temporaryFolder({
    "notes.txt": "no catalogue",
    ...Object.fromEntries(names.map((name) => [`${name}.ipsieve`, "no snapshot"])),
  });
  c.after(() => folder.remove());
  const known = names.map((name) => ({
    path: join(folder.path, `${name}.ipsieve`),
    createdAt: new Date(name === "a" ? 2000 : name === "e" ? 1 : 1000),
    generation: name,
  }));
  const listed = async (of: typeof known) =>
    (await listGenerations(folder.path, of)).map(({ generation }) => generation);
  for (const order of [known, known.toReversed()]) assert.deepEqual(await listed(order), ["e", "b", "c", "d", "a"]);
  await assert.rejects(listed(known.slice(1)), { name: "SnapshotError" });
});

test("a catalogue that is not known is read", async (c) => {
  const folder = temporaryFolder({});
  c.after(() => folder.remove());
  const path = join(folder.path, "a.ipsieve");
  const { table, metadata } = catalogueOf([["20.0.0.0/24", "/cdn/cloudflare"]]);
  const { generation } = await writeSnapshot(path, { table, metadata, kind: "catalogue" });
  const [found, ...others] = await listGenerations(folder.path);
  assert.deepEqual([found!.path, found!.generation, others], [path, generation, []]);
});

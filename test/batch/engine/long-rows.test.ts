import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { identify } from "../../../src/batch/identify.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import { PrefixTrie } from "../../../src/trie/prefix-trie.ts";
import { temporaryFolder } from "../fixture.ts";
import { made } from "./long-rows-renderer.ts";

const folder = temporaryFolder();
const TEMPLATE_BYTES = 16 << 20;
const renderer = new URL("./long-rows-renderer.ts", import.meta.url).href;

// 1,000 templates of 20 KB do not fit into the memory that a thread has for them.
test("templates that are dropped and made anew yield the same rows, on one thread and on three", async () => {
  const trie = new PrefixTrie();
  for (let index = 0; index < 1000; index++)
    trie.insert(parsePrefix(`10.${index >> 8}.${index & 255}.0/24`), index + 1);
  await writeSnapshot(join(folder, "table"), { table: freeze(trie), metadata: null, kind: "test" });
  const snapshot = await openSnapshot(join(folder, "table"));
  assert.equal(snapshot.table.matchCount, 1000);
  const input = join(folder, "lines");
  writeFileSync(
    input,
    Array.from(
      { length: 3000 },
      (_, line) => `10.${((line * 7) % 1000) >> 8}.${((line * 7) % 1000) & 255}.1 and more\n`,
    ).join(""),
  );
  const rowsOf = async (engine: "webassembly" | "typescript", threads: number): Promise<string> => {
    const output = join(folder, "rows");
    const limits = { shardBytes: 20_000, rowBytes: 16 << 20, workerBytes: 1, templateBytes: TEMPLATE_BYTES };
    const result = await identify({
      inputs: [input],
      snapshot,
      engine,
      format: "tsv",
      renderer,
      threads,
      limits,
      output: { path: output },
    });
    assert.deepEqual([result.lines, result.matched], [3000, 3000]);
    return createHash("sha256").update(readFileSync(output)).digest("hex");
  };
  const expected = await rowsOf("typescript", 1);
  for (const threads of [1, 3, 3]) assert.equal(await rowsOf("webassembly", threads), expected, `${threads} threads`);
});

// The 200 templates that are needed take 4 MB, but with those of all 63 neighbours of each 256 MB.
test("once neighbouring templates have filled the memory, only needed templates are made, each once", async () => {
  const trie = new PrefixTrie();
  for (let index = 0; index < 12_800; index++)
    trie.insert(parsePrefix(`10.${index >> 8}.${index & 255}.0/24`), index + 1);
  await writeSnapshot(join(folder, "wide"), { table: freeze(trie), metadata: null, kind: "test" });
  const input = join(folder, "far-apart");
  const line = (block: number): string => `10.${block >> 2}.${(block & 3) * 64 + 32}.1\n`;
  writeFileSync(input, Array.from({ length: 600 }, (_, at) => line((at * 7) % 200)).join(""));
  const before = made.templates;
  const result = await identify({
    inputs: [input],
    snapshot: await openSnapshot(join(folder, "wide")),
    engine: "webassembly",
    format: "tsv",
    renderer,
    threads: 1,
    limits: { rowBytes: 16 << 20, templateBytes: TEMPLATE_BYTES },
    output: { path: join(folder, "rows") },
  });
  assert.deepEqual([result.lines, result.matched], [600, 600]);
  // The rows made until the memory was full, where the first neighbours have shorter rows, and then the 200.
  const filling = Math.ceil(TEMPLATE_BYTES / 20_000);
  const count = made.templates - before;
  assert.ok(count > filling && count <= filling + 64 + 200, `${count} templates, ${filling} fill the memory`);
});

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

const folder = temporaryFolder();
const renderer = new URL("./long-rows-renderer.ts", import.meta.url).href;

// 1,000 templates of 20 KB do not fit into the memory that a thread has for them.
test("templates that are forgotten and made anew give the same rows, on one thread and on three", async () => {
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
    const limits = { shardBytes: 20_000, rowBytes: 16 << 20, workerBytes: 1 };
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

import { writeFileSync } from "node:fs";
import { cachePath, writeWhole } from "../data/cache.ts";
import { type DatasetName, readDataset } from "../data/dataset.ts";
import { QUERY_KINDS } from "../data/queries.ts";

/** Writes a dataset, which must be in the cache, as the words that driver.c reads. Returns the path. */
export async function writeNativeInput(name: DatasetName): Promise<string> {
  const { table, queries } = readDataset(name);
  const kinds = QUERY_KINDS.flatMap((kind) => {
    const { words, answers } = queries[kind];
    return [Uint32Array.of(answers.length), words, answers];
  });
  const head = [Uint32Array.of(table.family, table.count), table.words, Uint32Array.from(table.lengths), table.values];
  const parts = [...head, Uint32Array.of(QUERY_KINDS.length), ...kinds];
  const path = cachePath(`${name}.words`);
  await writeWhole(path, (temporary) =>
    writeFileSync(
      temporary,
      Buffer.concat(parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength))),
    ),
  );
  return path;
}

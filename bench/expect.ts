/**
 * Makes every input of the benchmarks and writes their checksums to bench/expected.json. Run it when an input was
 * changed on purpose (a new version of the ASN package, another recipe), and check its result before the commit.
 */
import { rmSync } from "node:fs";
import { acceptExpected } from "./data/expected.ts";
import { CACHE_FOLDER, cachePath } from "./data/cache.ts";
import { acceptDataset, DATASET_NAMES } from "./data/dataset.ts";
import { FILES } from "./data/files.ts";
import { generate } from "./data/generated-file.ts";

rmSync(CACHE_FOLDER, { recursive: true, force: true });
const entries: Record<string, object> = {};
for (const name of DATASET_NAMES) {
  console.error(`making ${name}`);
  entries[name] = await acceptDataset(name);
  acceptExpected(entries);
}
for (const file of FILES) {
  console.error(`making ${file.name}`);
  entries[file.name] = await generate(file, cachePath(file.name));
  acceptExpected(entries);
}

/**
 * Makes every input of the benchmarks and writes their checksums to bench/expected.json. To be run when an input was meant
 * to change (a new version of the ASN package, another recipe), and its result to be read before it is committed.
 */
import { rmSync } from "node:fs";
import { acceptExpected } from "./data/expected.ts";
import { CACHE_FOLDER } from "./data/cache.ts";
import { DATASET_NAMES, datasetChecksums, makeDataset } from "./data/dataset.ts";

rmSync(CACHE_FOLDER, { recursive: true, force: true });
const entries: Record<string, object> = {};
for (const name of DATASET_NAMES) {
  console.error(`making ${name}`);
  entries[name] = datasetChecksums(makeDataset(name));
}
acceptExpected(entries);

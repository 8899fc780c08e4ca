import { writeSync } from "node:fs";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { Random, sampleTable } from "./sample.ts";

// Publishes snapshots without end, numbered upwards from the one that is there, and reports each number when it is
// done.
const path = process.argv[2]!;
const table = sampleTable(new Random(1), 3000);
const first = await openSnapshot(path).then(
  ({ metadata }) => (metadata as { number: number }).number,
  () => 0,
);
writeSync(1, `${first}\n`);
for (let number = first + 1; ; number++) {
  await writeSnapshot(path, { table, metadata: { number }, kind: "numbered" });
  writeSync(1, `${number}\n`);
}

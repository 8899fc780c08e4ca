import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import type { Snapshot } from "../../../src/snapshot/snapshot.ts";

/**
 * `node open-often.ts PATH OPENS KEPT [without]`: opens the snapshot repeatedly, keeps the last KEPT, and prints the
 * kind of memory it is in, the match of 1.2.3.4, and the maximum resident memory in MiB. `without` removes WebAssembly
 * first.
 */
const [path = "", opens, kept, without] = process.argv.slice(2);
// Not with `--jitless`: Node uses WebAssembly to strip the types of this file.
if (without !== undefined) Reflect.deleteProperty(globalThis, "WebAssembly");
const alive: Snapshot[] = [];
let most = 0;
for (let opened = 0; opened < Number(opens); opened++) {
  alive[opened % Number(kept)] = await openSnapshot(path);
  most = Math.max(most, process.memoryUsage.rss());
}
process.stdout.write(
  JSON.stringify({
    isMemory: alive[0]!.memory !== null,
    match: alive[0]!.table.lookup("1.2.3.4"),
    mebibytes: Math.round(most / 2 ** 20),
  }),
);

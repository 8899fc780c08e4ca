import { rmSync } from "node:fs";
import { cachePath } from "../data/cache.ts";
import { ENGINES } from "../figures/whole-command.ts";
import { freeze } from "../../src/table/freeze.ts";
import { identify } from "../../src/batch/identify.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { trieOf } from "./ipsieve.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import type { LineContender, LineWay } from "../harness/line-contender.ts";

/** The library: `identifyLines` reads the file and counts, with both of its engines. */
export const contender: LineContender = {
  name: "ipsieve",
  async open({ path, table }) {
    const file = cachePath(`lines-${process.pid}.ipsieve`);
    await writeSnapshot(file, { table: freeze(trieOf(table)), metadata: null, kind: "benchmark" });
    const snapshot = await openSnapshot(file);
    rmSync(file);
    return ENGINES.flatMap((engine) =>
      [1, 2].map((threads): LineWay => ({
        subject: "ipsieve identifyLines",
        engine,
        threads,
        run: async () => ({
          matched: (await identify({ inputs: [path], snapshot, format: "none", threads, engine })).matched,
        }),
      })),
    );
  },
};

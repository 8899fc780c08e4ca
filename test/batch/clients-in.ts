import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../bench/data/random.ts";
import { identify } from "../../src/batch/identify.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "./fixture.ts";

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);

/** An address for a client in a log. */
export function randomClient(random: Random, family: 4 | 6): string {
  if (family === 4) return `203.0.113.${random.below(256)}`;
  // Eight groups, so that a port behind them is one.
  return `2001:db8:${Array.from({ length: 6 }, () => (1 + random.below(0xffff)).toString(16)).join(":")}`;
}

/** The clients that `identify` reads in these lines: those of rows that have an address. */
export async function clientsIn(text: string, field: string | number | undefined): Promise<string[]> {
  const path = join(folder, "a.log");
  const output = join(folder, "rows.tsv");
  writeFileSync(path, text);
  await identify({
    inputs: [path],
    snapshot,
    engine: ENGINE,
    format: "tsv",
    renderer: RENDERER,
    output: { path: output },
    ...(field !== undefined && { field }),
  });
  const rows = readFileSync(output, "utf8").split("\n");
  return rows.map((row) => row.split("\t")[0]!).filter((address) => address !== "" && address !== "ip");
}

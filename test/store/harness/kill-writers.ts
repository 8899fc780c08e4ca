import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore, type StoreLocation } from "../../../src/store/open-store.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { Random } from "../../snapshot/harness/sample.ts";
import { until } from "../../until.ts";
import { rulesOfColumns } from "./memory.ts";
import { SaidWrites } from "./said-writes.ts";

export interface KillReport {
  kills: number;
  acknowledged: number;
  /** Acknowledged writes that were lost. */
  lost: string[];
}

/**
 * Starts real processes that write to a SQLite file, kills each with SIGKILL at a random time, and checks that what was
 * acknowledged is there and that the file is intact.
 */
export async function killWriters(
  path: string,
  seed: number,
  timing: "honest" | "early",
  go: (report: KillReport) => boolean,
): Promise<KillReport> {
  const report: KillReport = { kills: 0, acknowledged: 0, lost: [] };
  const random = new Random(seed);
  let rules: Rule[] = [];
  while (go(report)) {
    const said = new SaidWrites();
    said.begin(rules);
    for (const line of await killOne(path, seed + report.kills, timing, random.below(150_000) / 1000)) said.hear(line);
    report.kills++;
    report.acknowledged += said.acknowledged;
    rules = await readRules({ file: path });
    report.lost.push(...said.missingFrom(rules));
  }
  return report;
}

/** Writes acknowledged before the kill, however slow the machine is. */
const MIN = 10;

/** What the writer reported; it is killed `delay` milliseconds after its first writes. */
async function killOne(path: string, seed: number, timing: string, delay: number): Promise<string[]> {
  const program = fileURLToPath(new URL("./killed-writer.ts", import.meta.url));
  const writer = spawn(process.execPath, [program, path, String(seed), "full", timing, "1000000"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  writer.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const closed = once(writer, "close");
  const isAtWork = () => said.split("\ndone ").length > MIN;
  await until("the writer is at work, or has ended", () => isAtWork() || writer.exitCode !== null, { every: 1 });
  await setTimeout(delay);
  writer.kill("SIGKILL");
  await closed;
  if (!said.startsWith("ready\n")) throw new Error("the writer did not start");
  return said.slice(0, said.lastIndexOf("\n")).split("\n");
}

/** The rules in the database. Throws StoreError if the database is corrupt. */
export async function readRules(location: StoreLocation): Promise<Rule[]> {
  const store = await openStore(location, { create: false });
  try {
    await store.check();
    const rules: Rule[] = [];
    await store.load((part) => rules.push(...rulesOfColumns(part.rules)));
    return rules;
  } finally {
    await store.close();
  }
}

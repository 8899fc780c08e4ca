import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifySnapshot } from "../../../src/snapshot/verify-snapshot.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { Random } from "./sample.ts";

export interface KillReport {
  kills: number;
  /** Kills that left a temporary file: they came in the middle of a publish. */
  inTheMiddle: number;
  /** Publishes that were reported as done. */
  published: number;
  /** Errors: a snapshot older than one reported as done, or a corrupt one. */
  wrong: string[];
}

/**
 * Starts real processes that publish to `path` without end, kills each with SIGKILL at a random time, and checks what
 * is there.
 */
export async function killWriters(
  path: string,
  seed: number,
  go: (report: KillReport) => boolean,
): Promise<KillReport> {
  const report: KillReport = { kills: 0, inTheMiddle: 0, published: 0, wrong: [] };
  const random = new Random(seed);
  let acknowledged = 0;
  let leftBehind = 0;
  while (go(report)) {
    const last = await killOne(path, random.below(40_000) / 1000);
    report.published += last - acknowledged;
    report.kills++;
    acknowledged = last;
    const found = await verifySnapshot(path).then(
      async () => ((await openSnapshot(path)).metadata as { number: number }).number,
      (error: unknown) => String(error),
    );
    // The one after the last reported may have been completed already.
    if (found !== last && found !== last + 1) report.wrong.push(`said ${last}, found ${found}`);
    else acknowledged = found;
    const temporaries = (await temporariesOf(path)).length;
    if (temporaries > leftBehind) report.inTheMiddle++;
    leftBehind = temporaries;
  }
  return report;
}

/** The last number that the writer reported; it is killed `delay` milliseconds after its first. */
async function killOne(path: string, delay: number): Promise<number> {
  const writer = spawn(process.execPath, [fileURLToPath(new URL("./killed-writer.ts", import.meta.url)), path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  writer.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const closed = once(writer, "close");
  // The first line shows that the process is about to write; a process that fails to start closes instead.
  await Promise.race([once(writer.stdout, "data"), closed]);
  await setTimeout(delay);
  writer.kill("SIGKILL");
  await closed;
  return Number(said.trim().split("\n").at(-1));
}

export async function temporariesOf(path: string): Promise<string[]> {
  return (await readdir(dirname(path))).filter(
    (name) => name.startsWith(`.${basename(path)}.`) && name.endsWith(".tmp"),
  );
}

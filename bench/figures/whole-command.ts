import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { spawnSync } from "node:child_process";
import { cachePath } from "../data/cache.ts";
import { ensureFile } from "../data/generated-file.ts";
import { factsOf, labelledList } from "../data/files.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A whole process: how long it took, started and ended, and what it wrote to stdout when that was asked for. */
export interface Run {
  readonly milliseconds: number;
  readonly stdout: string;
}

/** Runs a program to its end; throws when it fails. Without `wanted` its stdout goes to the null device. */
export function run(program: string, args: readonly string[], wanted: "stdout" | "nothing"): Run {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, { stdio: ["ignore", wanted === "stdout" ? "pipe" : "ignore", "pipe"] });
  const milliseconds = performance.now() - start;
  if (error !== undefined || status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${error ?? stderr}`);
  return { milliseconds, stdout: wanted === "stdout" ? stdout.toString() : "" };
}

/** Runs the built command, as an installed package has it. */
export function runIpsieve(args: readonly string[], wanted: "stdout" | "nothing"): Run {
  if (!existsSync(MAIN)) throw new Error("dist/ is missing; build it with: npm run build");
  return run(process.execPath, [MAIN, ...args], wanted);
}

export function isInstalled(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

/** The routed prefixes as a catalogue, built anew by `ipsieve build`: the format may have changed since the last run. */
export async function routedCatalogue(): Promise<string> {
  const list = await ensureFile(labelledList, factsOf(labelledList));
  const catalogue = cachePath("routed.ipsieve");
  runIpsieve(["build", "--strict", list, "-o", catalogue], "nothing");
  return catalogue;
}

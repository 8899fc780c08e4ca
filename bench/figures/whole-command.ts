import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { spawnSync } from "node:child_process";
import { cachePath } from "../data/cache.ts";
import { ensureFile } from "../data/generated-file.ts";
import { factsOf } from "../data/files.ts";
import { summarize } from "./part.ts";
import type { Measurement } from "./part.ts";
import type { PrefixList } from "../data/files.ts";

/** What `identify --engine` takes. */
export const ENGINES = ["webassembly", "typescript"] as const;

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const GNU_TIME = "/usr/bin/time";

/** A whole process: how long it took, started and ended, and what it wrote to stdout when that was asked for. */
export interface Run {
  readonly milliseconds: number;
  readonly stdout: string;
}

/**
 * Runs a program to its end; throws when it fails. Without `wanted` its stdout goes to the null device. `input` is the
 * path of a file for its standard input.
 */
export function run(program: string, args: readonly string[], wanted: "stdout" | "nothing", input?: string): Run {
  const stdin = input === undefined ? "ignore" : openSync(input, "r");
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    stdio: [stdin, wanted === "stdout" ? "pipe" : "ignore", "pipe"],
  });
  const milliseconds = performance.now() - start;
  if (stdin !== "ignore") closeSync(stdin);
  if (error !== undefined || status !== 0)
    throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${error ?? stderr}`);
  return { milliseconds, stdout: wanted === "stdout" ? stdout.toString() : "" };
}

/** Runs the built command, as an installed package has it. */
export function runIpsieve(args: readonly string[], wanted: "stdout" | "nothing", input?: string): Run {
  if (!existsSync(MAIN)) throw new Error("dist/ is missing; build it with: npm run build");
  return run(process.execPath, [MAIN, ...args], wanted, input);
}

/** The program and the first argument of the built command. */
export const IPSIEVE = [process.execPath, MAIN] as const;

/** The most memory that a run of a program took, in MB, as GNU time says; null where that is not installed. */
export function peakMegabytes(program: string, args: readonly string[]): number | null {
  if (!existsSync(GNU_TIME)) return null;
  const { status, stderr } = spawnSync(GNU_TIME, ["-f", "%M", program, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stderr}`);
  return Number(stderr.trim().split("\n").at(-1)) / 1000;
}

export function isInstalled(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

/** The prefixes as a catalogue, built anew by `ipsieve build`: the format may have changed since the last run. */
export async function catalogueOf({ every, labelled }: PrefixList): Promise<string> {
  const list = await ensureFile(labelled, factsOf(labelled));
  const catalogue = cachePath(`routed-${every}.ipsieve`);
  runIpsieve(["build", "--strict", list, "-o", catalogue], "nothing");
  return catalogue;
}

/** A command in turns with others. */
export interface Turn extends Pick<Measurement, "subject" | "engine" | "list"> {
  readonly threads: number;
  run(): Run;
  /** What a run must print, if that is short enough to be compared in every run. */
  readonly stdout?: string;
}

/** Runs the commands by turns, for the given rounds; throws if one fails or has a wrong output. */
export function measureTurns(turns: readonly Turn[], rounds: number): Measurement[] {
  const samples = turns.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, turn] of turns.entries()) {
      const { milliseconds, stdout } = turn.run();
      if (turn.stdout !== undefined && stdout.trim() !== turn.stdout)
        throw new Error(`${turn.subject} printed ${stdout.trim()}, right is ${turn.stdout}`);
      samples[index]!.push(milliseconds);
    }
  }
  return turns.map(({ subject, engine, list, threads }, index): Measurement => ({
    subject,
    ...(engine && { engine }),
    ...(list && { list }),
    threads,
    unit: "ms",
    ...summarize(samples[index]!),
  }));
}

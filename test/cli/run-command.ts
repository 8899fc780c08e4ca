import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND_FILE } from "../command-file.ts";
import { canRunHere, runHere } from "./run-here.ts";

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  /** The descriptor of a file to use as standard input, instead of `input`. */
  readonly stdin?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** No updated catalogue, whatever is in the home folder of the user who runs the tests. */
export const NO_HOME = join(tmpdir(), "ipsieve-no-home");

/** Starts the real command in a process of its own, without colours or updated catalogues unless `env` sets them. */
export function start(args: readonly string[], { cwd, env, stdin }: RunOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [COMMAND_FILE, ...args], {
    cwd,
    env: environment(env),
    stdio: [stdin ?? "pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {}); // the command may end before it has read everything
  return child;
}

function environment(env: NodeJS.ProcessEnv | undefined): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, FORCE_COLOR: _force, NO_COLOR: _no, ...inherited } = process.env;
  return { ...inherited, IPSIEVE_HOME: NO_HOME, ...env };
}

/**
 * Runs the real command to completion: in a process of its own, or in this one if that is enough (`canRunHere`).
 */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  if (canRunHere(args, options)) return runHere(args, options.cwd, environment(options.env));
  const child = start(args, options);
  child.stdin?.end(options.input ?? "");
  return outcomeOf(child);
}

export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout!.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr!.on("data", (chunk: Buffer) => stderr.push(chunk));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...end) => resolve(end));
  });
  return { code, signal, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** A temporary folder with these files, and how to remove it. */
export function temporaryFolder(files: Readonly<Record<string, string | Buffer>> = {}): {
  path: string;
  remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), "ipsieve-cli-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

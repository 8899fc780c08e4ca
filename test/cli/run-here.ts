import { Writable } from "node:stream";
import { splitName } from "../../src/cli/command-table.ts";
import type { Outcome, RunOptions } from "./run-command.ts";

/** These write to the descriptors of the process, or run until they get a signal. */
const NEED_A_PROCESS: ReadonlySet<string> = new Set(["identify", "lookup", "demo", "serve"]);
let last: Promise<unknown> = Promise.resolve();

/**
 * Whether a command can run in this process, which takes a fraction of the time: it reads no standard input, and sets no
 * variable that Node reads when it starts.
 */
export function canRunHere(args: readonly string[], { input, stdin, env = {} }: RunOptions): boolean {
  if (input !== undefined || stdin !== undefined || args.includes("-")) return false;
  if (Object.keys(env).some((name) => /^(NODE_|TZ$|LC_|LANG)/.test(name))) return false;
  return !NEED_A_PROCESS.has(splitName(args).name);
}

/** Runs a command of the sources in this process, after those that were started here before. */
export function runHere(args: readonly string[], cwd: string | undefined, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const outcome = last.then(() => inPlaceOfProcess(args, cwd, env));
  last = outcome.catch(() => {});
  return outcome;
}

async function inPlaceOfProcess(
  args: readonly string[],
  cwd: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Outcome> {
  const { runCommandLine } = await import("../../src/cli/command-line.ts");
  const [stdout, stderr] = [collect(), collect()];
  const before = { folder: process.cwd(), env: { ...process.env } };
  const streams = Object.getOwnPropertyDescriptors(process);
  try {
    Object.defineProperty(process, "stdout", { ...streams.stdout, get: () => stdout.stream });
    Object.defineProperty(process, "stderr", { ...streams.stderr, get: () => stderr.stream });
    setEnvironment(env);
    if (cwd !== undefined) process.chdir(cwd);
    const code = await runCommandLine(args);
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before.folder);
    setEnvironment(before.env);
    Object.defineProperties(process, { stdout: streams.stdout, stderr: streams.stderr });
  }
}

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

/** A stream that is no terminal, and the text written to it so far. */
function collect(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    chunks.push(chunk);
    done();
  };
  return { stream: new Writable({ write }), text: () => Buffer.concat(chunks).toString() };
}

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Agent, request, type RequestOptions } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { parsePrefix, prefixContains } from "../../../src/address/prefix.ts";
import type { RuleExportFormat } from "../../../src/rulesets/export-rules.ts";

/** A program that reads exported rules. */
export interface Consumer {
  readonly name: string;
  readonly format: RuleExportFormat;
  /** A line that the program leaves out or warns about and then continues: `listed` must notice it. */
  readonly wrongLine?: string;
  /** Why the program cannot be tested here; false if it can. */
  readonly missing: string | false;
  /**
   * Whether the program regards each address as listed; the exported file is in `folder`, which is the program's own.
   */
  listed(file: string, addresses: readonly string[], folder: string): Promise<boolean[]>;
}

/** Runs a program to completion; fails if the program fails. Returns both standard output and standard error. */
export function output(command: string, options: readonly string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync(command, options, { encoding: "utf8", input });
  assert.equal(status, 0, error?.message ?? stderr + stdout);
  return stdout + stderr;
}

/** For each address, whether one of the prefixes that a program reports contains it. */
export function inOneOf(texts: readonly string[], addresses: readonly string[]): boolean[] {
  const prefixes = texts.map((text) => parsePrefix(text));
  return addresses.map((text) => {
    const address = parseAddress(text);
    const host = { ...address, length: address.family === 4 ? 32 : 128 };
    return prefixes.some((prefix) => prefixContains(prefix, host));
  });
}

/** A server that takes the client's address from a header, and how to reach it. */
export interface AskedServer {
  readonly process: ChildProcess;
  readonly reached: Pick<RequestOptions, "socketPath" | "port" | "path">;
  readonly header: string;
}

/** Whether the server denies each address: it answers 403, or another status. The server is ended afterwards. */
export async function denied(server: AskedServer, addresses: readonly string[]): Promise<boolean[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ended = once(server.process, "close");
  const ask = (ip: string): Promise<number> =>
    statusOf({ agent, host: "127.0.0.1", ...server.reached, headers: { [server.header]: ip } });
  try {
    await untilItAnswers(server.process, () => ask("192.0.2.1"));
    const answers: boolean[] = [];
    for (const address of addresses) answers.push((await ask(address)) === 403);
    return answers;
  } finally {
    agent.destroy();
    server.process.kill();
    await ended;
  }
}

/** A program that is queried over the network while it runs, and everything that it has printed. */
export interface RunningProgram {
  readonly process: ChildProcess;
  printed(): string;
}

/** Starts a program, and ends it when `ask` has finished. */
export async function whileRunning<Answer>(
  command: string,
  options: readonly string[],
  ask: (program: RunningProgram) => Promise<Answer>,
): Promise<Answer> {
  const process = spawn(command, options, { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [process.stdout, process.stderr]) stream.on("data", (chunk: Buffer) => void (log += chunk));
  const ended = once(process, "close");
  try {
    return await ask({ process, printed: () => log });
  } finally {
    process.kill();
    await ended;
  }
}

/** Calls `ask` until it succeeds, for at most two minutes. */
export async function untilItAnswers<Answer>(process: ChildProcess, ask: () => Promise<Answer>): Promise<Answer> {
  const end = performance.now() + 120_000;
  while (process.exitCode === null) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw new Error(`${process.spawnfile} does not answer`, { cause: error });
      await sleep(20);
    }
  }
  throw new Error(`${process.spawnfile} ended with exit code ${process.exitCode}`);
}

function statusOf(options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode!));
      response.resume();
    });
    sent.on("error", reject);
    sent.end();
  });
}

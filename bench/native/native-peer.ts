import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { cachePath } from "../data/cache.ts";
import type { Rejection } from "../harness/fleet.ts";
import { QUERY_KINDS, type QueryKind } from "../data/queries.ts";

/** Sources in C that together with driver.c are a program: an adapter (peer.h), and what it calls. */
export interface NativeSources {
  readonly name: string;
  /** The adapter, the sources of the peer, and compiler flags such as -I and -l, in their order. */
  readonly args: readonly string[];
}

const FLAGS = ["-O3", "-march=native", "-std=gnu11", "-w"];

/** Compiles a peer with the machine's `cc`, and returns the program's path. */
export function compilePeer({ name, args }: NativeSources): string {
  const program = cachePath(`native-${name}`);
  const driver = join(import.meta.dirname, "driver.c");
  const all = [...FLAGS, "-o", program, `-I${import.meta.dirname}`, driver, ...args];
  const { status, stderr, error } = spawnSync("cc", all, { encoding: "utf8" });
  if (error !== undefined || status !== 0)
    throw new Error(`cc ${all.join(" ")} ended with ${error ?? status}; does the path hold its sources?\n${stderr}`);
  return program;
}

/** A native peer that holds one table, has answered every query rightly, and waits for its turns. */
export class NativePeer implements Disposable {
  readonly name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #reader: AsyncIterator<string>;
  /** Until the program has ended and all that it wrote has been read; rejects if it could not be started. */
  readonly #closed: Promise<unknown>;
  #stderr = "";

  private constructor(program: string, input: string) {
    this.name = basename(program).replace(/^native-/, "");
    this.#child = spawn(program, [input]);
    this.#closed = once(this.#child, "close");
    this.#closed.catch(() => {}); // the next line rejects with it
    this.#child.stdin.on("error", () => {}); // it has ended: the next line says why
    this.#child.stderr.on("data", (data: Buffer) => (this.#stderr += data.toString()));
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#reader = this.#lines[Symbol.asyncIterator]();
  }

  /** Starts the program; one that cannot build the table or answers a query wrongly is rejected. */
  static async start(program: string, input: string): Promise<NativePeer | Rejection> {
    const peer = new NativePeer(program, input);
    try {
      await peer.#nextLine();
      return peer;
    } catch (error) {
      return { contender: peer.name, reason: (error as Error).message };
    }
  }

  /** Nanoseconds per lookup of each pass over the queries of a kind, for about so many milliseconds. */
  async measure(kind: QueryKind, milliseconds: number): Promise<number[]> {
    this.#child.stdin.write(`${QUERY_KINDS.indexOf(kind)} ${milliseconds}\n`);
    return (await this.#nextLine()).trim().split(" ").map(Number);
  }

  [Symbol.dispose](): void {
    this.#child.stdin.end();
  }

  async #nextLine(): Promise<string> {
    const { value, done } = await this.#reader.next();
    if (done !== true) return value;
    await this.#closed;
    throw new Error(this.#stderr.trim() || `the program ended with ${this.#child.exitCode ?? this.#child.signalCode}`);
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { processorSeconds } from "../../../bench/api/processes.ts";
import type { StoreLocation } from "../../../src/store/open-store.ts";
import { SMALL_CATALOGUE } from "./small-catalogue.ts";
import { COMMAND_FILE } from "../../command-file.ts";

export const SAMPLE_THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

/**
 * The command line of a server over a store (a text is the path of a SQLite file); by default with a small catalogue.
 */
export function serveArguments(store: string | StoreLocation, args: readonly string[] = []): string[] {
  const location =
    typeof store === "object" && "url" in store
      ? ["--database-url", store.url]
      : ["--db", typeof store === "string" ? store : store.file];
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const catalogue = args.includes("--catalogue") ? [] : ["--catalogue", SMALL_CATALOGUE];
  // By default, those of a PostgreSQL database are in the home folder of the user who runs the tests.
  const isNamed = args.includes("--ruleset-snapshots") || location[0] === "--db";
  const snapshots = isNamed ? [] : ["--ruleset-snapshots", "off"];
  const threats = args.includes("--cti") ? [] : ["--cti", SAMPLE_THREATS];
  return [COMMAND_FILE, "serve", ...port, ...location, ...catalogue, ...snapshots, ...threats, ...args];
}

interface ProcessOptions {
  readonly logTo?: number | "inherit" | "pipe";
  readonly nodeArgs?: readonly string[];
}

/** The output of a process so far; of standard error, if that is a pipe. */
interface Log {
  text: string;
}

/** The real command in a process of its own, listening on a port of its own. */
export class ServiceProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | string>;
  readonly #log: Log;
  readonly #printed: Log;

  private constructor(child: ChildProcess, port: number, ended: Promise<number | string>, log: Log, printed: Log) {
    this.#child = child;
    this.port = port;
    this.#ended = ended;
    this.#log = log;
    this.#printed = printed;
  }

  /**
   * A text is the path of a SQLite file. `logTo`: a file descriptor for the log, or "pipe" for `logged`; `nodeArgs`:
   * flags of the engine.
   */
  static async start(
    store: string | StoreLocation,
    args: readonly string[] = [],
    { logTo = "inherit", nodeArgs = [] }: ProcessOptions = {},
  ): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [...nodeArgs, ...serveArguments(store, args)], {
      // On a busy machine turns of the event loop take long: a server only sheds for that if its arguments say so.
      env: { ...process.env, IPSIEVE_LOG_LEVEL: "error", IPSIEVE_EVENT_LOOP_DELAY: "60000" },
      stdio: ["ignore", "pipe", logTo],
    });
    const log: Log = { text: "" };
    child.stderr?.on("data", (chunk) => (log.text += String(chunk)));
    const printed: Log = { text: "" };
    child.stdout!.on("data", (chunk) => (printed.text += String(chunk)));
    // Output to a pipe may arrive after the end of the process: at "close", all of it has arrived.
    const ended = new Promise<number | string>((resolve) =>
      child.once(logTo === "pipe" ? "close" : "exit", (code, signal) => resolve(code ?? signal!)),
    );
    const line = new Promise<string>((resolve) => createInterface({ input: child.stdout! }).once("line", resolve));
    const first = await Promise.race([line, ended]);
    const port = /http:\/\/[^ ]*:(\d+)/.exec(String(first))?.[1];
    if (port === undefined) throw new Error(`the service ended with ${first} before it listened: ${log.text}`);
    return new ServiceProcess(child, Number(port), ended, log, printed);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Sends a signal. Resolves with the exit code, or the signal that ended it. */
  end(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL"): Promise<number | string> {
    this.#child.kill(signal);
    return this.#ended;
  }

  /** What it has printed for the person who started it. */
  get printed(): string {
    return this.#printed.text;
  }

  /** The lines of its log so far, if that is a pipe. */
  get logged(): Record<string, unknown>[] {
    return this.#log.text
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line));
  }

  /** Processor seconds, user and system, that it and its threads have used; NaN if the system does not report them. */
  get processorSeconds(): number {
    try {
      return processorSeconds({ process: this.#child });
    } catch {
      return NaN;
    }
  }

  /** The maximum of its resident memory in MiB; NaN if the system does not report it. */
  get mostMemory(): number {
    try {
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1]) / 1024;
    } catch {
      return NaN;
    }
  }
}

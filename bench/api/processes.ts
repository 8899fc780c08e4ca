import { type ChildProcess, fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { LoadMessage, LoadOrder, LoadReport } from "./load-messages.ts";
import { LONGEST_TURN } from "./turn-meter.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A server in a process of its own. */
export interface Listener {
  readonly port: number;
  readonly process: ChildProcess;
  /** From the start of the process to its first line, which it prints when it answers. */
  readonly milliseconds: number;
  /** Ends it by SIGTERM. Rejects if it does not end successfully. */
  stop(): Promise<void>;
}

/** Starts the service as an installed package has it, and waits until it listens. */
export function startService(args: readonly string[], nodeOptions: readonly string[] = []): Promise<Listener> {
  return start([...nodeOptions, MAIN, "serve", "--port", "0", ...args]);
}

/** Starts one of our own scripts, which prints its address as the service does. */
export function startScript(name: string, args: readonly string[]): Promise<Listener> {
  return start([fileURLToPath(new URL(name, import.meta.url)), ...args]);
}

async function start(args: readonly string[]): Promise<Listener> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).once("line", resolve);
    child.once("exit", (code, signal) =>
      reject(new Error(`${args.join(" ")} ended with ${code ?? signal} before it listened`)),
    );
  });
  const port = Number(/:(\d+)\b/.exec(line.replace(/^.*\/\//, ""))?.[1]);
  return { port, process: child, milliseconds: performance.now() - startedAt, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise<unknown>((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  child.kill("SIGTERM");
  const code = await ended;
  if (code !== 0 && code !== "SIGTERM") throw new Error(`the server ended with ${String(code)}`);
}

/** Of a service that was started with the meter of turns: see there. */
export function longestTurn(listener: Listener): Promise<number> {
  return tellsOf(listener, LONGEST_TURN);
}

/** The number with which a meter loaded before the service answers the question. */
export function tellsOf({ process: child }: Listener, question: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`the server ended before it told its ${question}`));
    child.once("exit", ended);
    child.once("message", (answer: number) => {
      child.off("exit", ended);
      resolve(answer);
    });
    child.send(question, (error) => {
      if (error !== null) ended();
    });
  });
}

/** Processor seconds, user and system, that a process and its threads have had (Linux). */
export function processorSeconds({
  process: { pid },
}: {
  readonly process: { readonly pid?: number | undefined };
}): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const TICKS = 100;
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Resident memory in MiB (Linux): now, or the most there was. */
export function residentMiB({ process: { pid } }: Listener, which: "VmRSS" | "VmHWM"): number {
  const kib = new RegExp(`^${which}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

/** The process that sends the load. One at a time. */
export class LoadProcess {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL("load.ts", import.meta.url)), [], {
    serialization: "advanced",
  });

  /** `begun` is called when its connections are open and it starts sending. */
  run(order: LoadOrder, begun = (): void => {}): Promise<LoadReport> {
    return new Promise((resolve, reject) => {
      const listen = (message: LoadMessage): void => {
        if (message === "begun") return begun();
        this.#child.off("message", listen);
        if ("error" in message) reject(new Error(message.error));
        else resolve(message.report);
      };
      this.#child.on("message", listen);
      this.#child.send(order);
    });
  }

  stop(): void {
    this.#child.disconnect();
  }
}

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import type { StoreLocation } from "../../../src/store/open-store.ts";
import { until } from "../../until.ts";
import { ServiceProcess } from "./service-process.ts";

/** What undoes something when it ends, such as a test. */
export interface Cleaning {
  after(clean: () => unknown): void;
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined if it is none. */
  readonly body: any;
}

export interface DoorQuestion {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | AsyncIterable<string>;
}

/** A connection to one of the processes. */
export class Door {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  /** The number of the process. */
  number = 0;

  constructor(port: number) {
    this.#port = port;
  }

  ask(method: string, path: string, { headers = {}, body }: DoorQuestion = {}): Promise<DoorAnswer> {
    return new Promise((resolve, reject) => {
      const where = { host: "127.0.0.1", port: this.#port, method, path, agent: this.#agent };
      const sent = request({ ...where, headers: { ...headers } }, (response) => {
        const parts: Buffer[] = [];
        response.on("error", reject);
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          const isJson = /json/.test(response.headers["content-type"] ?? "");
          const { statusCode: status, headers: got } = response;
          resolve({ status: status!, headers: got, text, body: isJson ? JSON.parse(text) : undefined });
        });
      });
      sent.once("error", reject);
      void (async () => {
        if (typeof body === "object" && !(body instanceof Buffer)) for await (const part of body) sent.write(part);
        else if (body !== undefined) sent.write(body);
        sent.end();
      })().catch(reject);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A server of several processes, and connections to each of them. */
export class ClusteredService {
  readonly service: ServiceProcess;

  private constructor(service: ServiceProcess) {
    this.service = service;
  }

  /** Ends with the test. */
  static async start(
    t: Cleaning,
    store: StoreLocation,
    args: readonly string[] = [],
    processes = 2,
  ): Promise<ClusteredService> {
    const all = ["--processes", String(processes), "--log-level", "info", ...args];
    const service = await ServiceProcess.start(store, all, { logTo: "pipe" });
    t.after(() => service.end("SIGKILL"));
    return new ClusteredService(service);
  }

  /** The ids of the processes that serve requests, as the system knows them. */
  get pids(): number[] {
    return childrenOf(this.service.pid);
  }

  /** Sends a signal to one of the processes, by its number, if none has been started again. */
  signal(number: number, signal: NodeJS.Signals): void {
    process.kill(this.pids.toSorted((a, b) => a - b)[number - 1]!, signal);
  }

  /** A connection to each process, in the order of their numbers. */
  async doors(t: Cleaning, processes = 2): Promise<Door[]> {
    const found = new Map<number, Door>();
    for (let tries = 0; found.size < processes; tries++) {
      assert.ok(tries < 2000, `only ${[...found.keys()].join()} of ${processes} processes have taken a connection`);
      const door = new Door(this.service.port);
      door.number = await this.#numberOf(door);
      if (found.has(door.number)) door.close();
      else found.set(door.number, door);
    }
    const doors = [...found.values()].toSorted((a, b) => a.number - b.number);
    t.after(() => doors.forEach((door) => door.close()));
    return doors;
  }

  /** The line of the log about a request names the process. */
  async #numberOf(door: Door): Promise<number> {
    const id = randomUUID();
    await door.ask("GET", "/livez", { headers: { "X-Request-Id": id } });
    const line = () => this.service.logged.find((each) => each["request_id"] === id);
    await until("the request is in the log", () => line() !== undefined, { every: 2 });
    return line()!["process"] as number;
  }
}

/** The processes that a process has started and that are still there. */
export function childrenOf(pid: number): number[] {
  if (process.platform !== "linux") {
    const out = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
    return out.trim().split("\n").map(Number);
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return NaN;
  }
}

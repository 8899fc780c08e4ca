import type { Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { makeToken } from "../../service/access/secret-token.ts";
import type { EndSignal } from "../end-signals.ts";
import type { FileWriter } from "../../store/sqlite/file-writer.ts";
import { cluster } from "./cluster.ts";
import type { FromProcess, ToProcess } from "./messages.ts";
import { Questions } from "./questions.ts";

/** Milliseconds until a process that has ended is started again: doubled each time that it ends soon after its start. */
const [RESTART_AFTER, MAX_RESTART_AFTER] = [100, 30_000];
/** Milliseconds after which a process has not ended soon. */
const SOON = 10_000;
/** The exit code of a server that cannot start. */
const CANNOT_START = 2;

/** A place for a process, which has one number whatever process is in it. */
class Place {
  readonly number: number;
  worker: Worker | undefined;
  isReady = false;
  /** Whether a process here has ever been ready. */
  hasServed = false;
  startedAt = 0;
  /** How often in a row a process here has ended soon. */
  failures = 0;

  constructor(number: number) {
    this.number = number;
  }

  send(message: ToProcess): void {
    // It may have ended a moment ago.
    if (this.worker?.isConnected() === true) this.worker.send(message, () => {});
  }
}

export interface SupervisorOptions {
  readonly processes: number;
  readonly log: Logger;
  /** Writes the SQLite file, if there is one, for all of them. */
  readonly writer: FileWriter | undefined;
}

/** A process that could not start, and has said why. */
export class StartFailure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("a process of the server did not start");
    this.exitCode = exitCode;
  }
}

/**
 * Starts the processes that serve requests, which share the port, and starts those that end again. It serves nothing
 * itself: it passes on signals, and questions that the processes have for each other.
 */
export class Supervisor {
  readonly #places: readonly Place[];
  readonly #log: Logger;
  readonly #writer: FileWriter | undefined;
  readonly #setupToken = makeToken();
  readonly #questions = new Questions();
  #isEnding = false;

  constructor({ processes, log, writer }: SupervisorOptions) {
    this.#log = log;
    this.#writer = writer;
    this.#places = Array.from({ length: processes }, (_, index) => new Place(index + 1));
    const own = cluster();
    // Each process takes connections when it is free: none of them waits for one that is busy, or has been killed.
    own.schedulingPolicy = own.SCHED_NONE;
    own.setupPrimary({ serialization: "advanced" });
  }

  /**
   * Resolves with what the first process has to say when all of them listen. The first one alone brings the database up
   * to date. Rejects with StartFailure if one ends before; none is left then.
   */
  async start(): Promise<string> {
    const [first, ...others] = this.#places;
    try {
      const text = await this.#startFirstTime(first!);
      await Promise.all(others.map((place) => this.#startFirstTime(place)));
      return text;
    } catch (error) {
      this.#isEnding = true;
      this.#kill();
      await this.#allEnded();
      throw error;
    }
  }

  reload(): void {
    for (const place of this.#places) place.send({ kind: "reload" });
  }

  /** Has all processes finish their requests. Resolves when they have ended; after this many milliseconds, they are killed. */
  async end(signal: EndSignal, within: number): Promise<void> {
    this.#tellEnd(signal);
    const isOver = new AbortController();
    const timer = sleep(within, undefined, { signal: isOver.signal }).then(
      () => this.#kill(),
      () => {},
    );
    await this.#allEnded();
    isOver.abort();
    await timer;
  }

  /** Has all processes end at once. */
  endAtOnce(signal: EndSignal): void {
    this.#tellEnd(signal);
  }

  #tellEnd(signal: EndSignal): void {
    this.#isEnding = true;
    for (const place of this.#places) place.send({ kind: "end", signal });
  }

  #kill(): void {
    for (const { worker } of this.#places) worker?.process.kill("SIGKILL");
  }

  async #allEnded(): Promise<void> {
    await Promise.all(
      this.#places.map(({ worker }) => worker && new Promise((resolve) => worker.once("exit", resolve))),
    );
  }

  /** Resolves with what a process says when it listens; rejects if it ends before. */
  #startFirstTime(place: Place): Promise<string> {
    return new Promise((resolve, reject) => {
      const worker = this.#fork(place, resolve);
      worker.once("exit", (code) => reject(new StartFailure(code === 0 ? CANNOT_START : (code ?? CANNOT_START))));
    });
  }

  #fork(place: Place, ready: (text: string) => void): Worker {
    const worker = cluster().fork();
    Object.assign(place, { worker, isReady: false, startedAt: performance.now() });
    worker.on("message", (message: FromProcess) => this.#received(place, message, ready));
    // A message to a process that has just ended.
    worker.on("error", () => {});
    worker.once("exit", (code, signal) => this.#ended(place, signal ?? code));
    return worker;
  }

  #received(place: Place, message: FromProcess, ready: (text: string) => void): void {
    if (message.kind === "hello")
      return place.send({ kind: "begin", number: place.number, setupToken: this.#setupToken });
    if (message.kind === "write") return void this.#write(place, message);
    if (message.kind === "answer") return this.#questions.answered(place, message);
    if (message.kind === "ask")
      return this.#questions.ask(
        place,
        message,
        this.#places.filter((other) => other !== place && other.isReady),
      );
    Object.assign(place, { isReady: true, hasServed: true });
    ready(message.text);
  }

  /** The others read what has been written as soon as whoever had it written is told. */
  async #write(by: Place, { id, method, argument }: Extract<FromProcess, { kind: "write" }>): Promise<void> {
    const { worker } = by;
    const reply = await this.#writer!.reply(method, argument);
    // Another process may have taken the place meanwhile.
    if (by.worker === worker) by.send({ kind: "written", id, reply });
    if (method !== "execute" || !("result" in reply)) return;
    for (const place of this.#places) if (place !== by) place.send({ kind: "changed" });
  }

  #ended(place: Place, how: string | number): void {
    const wasReady = place.isReady;
    Object.assign(place, { worker: undefined, isReady: false });
    this.#questions.ended(place);
    // Whoever waits for its first start is told by `#startFirstTime`.
    if (this.#isEnding || !place.hasServed) return;
    place.failures = wasReady && performance.now() - place.startedAt > SOON ? 0 : place.failures + 1;
    const after = Math.min(RESTART_AFTER * 2 ** Math.max(0, place.failures - 1), MAX_RESTART_AFTER);
    this.#log.error({ process: place.number, end: how, after }, "a process has ended; it is started again");
    setTimeout(() => {
      if (this.#isEnding) return;
      this.#fork(place, () => this.#log.info({ process: place.number }, "the process serves requests again"));
    }, after);
  }
}

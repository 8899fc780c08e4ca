import { constants } from "node:os";
import type { Logger } from "pino";
import { makeToken } from "../../service/access/secret-token.ts";
import type { EndSignal } from "../end-signals.ts";
import type { FileWriter } from "../../store/sqlite/file-writer.ts";
import { cluster } from "./cluster.ts";
import { forkProcess, type ProcessEnd } from "./fork-process.ts";
import type { FromProcess } from "./messages.ts";
import { Questions } from "./questions.ts";
import { Slot } from "./slot.ts";

/** Milliseconds until a process that has ended is started again: doubled each time that it ends soon after its start. */
const [RESTART_AFTER, MAX_RESTART_AFTER] = [100, 30_000];
/** Milliseconds after which a process has not ended soon. */
const SOON = 10_000;
/** Milliseconds between log lines about a process that is still starting. */
const SLOW_START = 30_000;
/** After this many of them without a message of that process, it is killed. */
const MAX_SILENCES = 4;
/** Milliseconds that a process has to end at once, before it is killed. */
const AT_ONCE = 2000;
/** The exit code of a server that cannot start. */
const CANNOT_START = 2;

export interface SupervisorOptions {
  readonly processes: number;
  readonly log: Logger;
  /** Writes the SQLite file, if there is one, for all of them. */
  readonly writer: FileWriter | undefined;
  /** Milliseconds between log lines about a process that is still starting; by default, 30,000. */
  readonly slowStart?: number;
}

/** A process ended before it was ready. The log says why: a line of the process itself, or of the supervisor. */
export class StartFailure extends Error {
  /** If a signal ended it, that of a shell: a supervisor of services may start the server again. */
  readonly exitCode: number;

  constructor(end: ProcessEnd) {
    super("a process of the server did not start");
    const signal = constants.signals[end as NodeJS.Signals] as number | undefined;
    this.exitCode = typeof end === "number" ? end || CANNOT_START : signal === undefined ? CANNOT_START : 128 + signal;
  }
}

/**
 * Starts the processes that serve requests, which share the port, and starts those that end again. It serves nothing
 * itself: it passes on signals, and questions that the processes have for each other.
 */
export class Supervisor {
  readonly #slots: readonly Slot[];
  readonly #log: Logger;
  readonly #writer: FileWriter | undefined;
  readonly #slowStart: number;
  readonly #setupToken = makeToken();
  readonly #questions = new Questions();
  #isEnding = false;

  constructor({ processes, log, writer, slowStart = SLOW_START }: SupervisorOptions) {
    this.#log = log;
    this.#writer = writer;
    this.#slowStart = slowStart;
    this.#slots = Array.from({ length: processes }, (_, index) => new Slot(index + 1));
    const own = cluster();
    // Each process takes connections when it is free: none of them waits for one that is busy, or has been killed.
    own.schedulingPolicy = own.SCHED_NONE;
    own.setupPrimary({ serialization: "advanced" });
  }

  /**
   * Resolves with what the first process has to say when all of them listen. The first one alone brings the database up
   * to date. Rejects with StartFailure if one ends before; none is left then, unless `end` was called.
   */
  async start(): Promise<string> {
    const [first, ...others] = this.#slots;
    try {
      const text = await this.#fork(first!);
      if (!this.#isEnding) await Promise.all(others.map((slot) => this.#fork(slot)));
      return text;
    } catch (error) {
      // Otherwise, `end` waits for those that serve requests already.
      if (!this.#isEnding) await this.#killAll();
      throw error;
    }
  }

  async #killAll(): Promise<void> {
    this.#isEnding = true;
    this.#kill();
    await this.#allEnded();
  }

  reload(): void {
    for (const slot of this.#slots) slot.send({ kind: "reload" });
  }

  /**
   * Has all processes finish their requests, and those that are still starting end at once. Resolves when they have
   * ended; after this many milliseconds, they are killed.
   */
  async end(signal: EndSignal, within: number): Promise<void> {
    this.#sendEnd(signal);
    const starting = this.#slots.filter(({ isReady }) => !isReady);
    const timers = [setTimeout(() => this.#kill(starting), AT_ONCE), setTimeout(() => this.#kill(), within)];
    await this.#allEnded();
    for (const timer of timers) clearTimeout(timer);
  }

  /** Has all processes end at once, while `end` waits for them. */
  endAtOnce(signal: EndSignal): void {
    this.#sendEnd(signal);
    setTimeout(() => this.#kill(), AT_ONCE).unref();
  }

  #sendEnd(signal: EndSignal): void {
    this.#isEnding = true;
    for (const slot of this.#slots) {
      clearTimeout(slot.restart);
      slot.send({ kind: "end", signal });
    }
  }

  #kill(slots = this.#slots): void {
    for (const { worker } of slots) worker?.process.kill("SIGKILL");
  }

  async #allEnded(): Promise<void> {
    await Promise.all(this.#slots.map(({ ended }) => ended));
  }

  /** Resolves with what a process says when it listens; rejects with StartFailure if it ends before. */
  #fork(slot: Slot): Promise<string> {
    const { worker, ended } = forkProcess();
    Object.assign(slot, { worker, ended, isReady: false, startedAt: performance.now(), silences: 0 });
    const slow = setInterval(() => {
      if (this.#lookAtStart(slot) === "killed") clearInterval(slow);
    }, this.#slowStart).unref();
    return new Promise<string>((resolve, reject) => {
      worker?.on("message", (message: FromProcess) => this.#received(slot, message, resolve));
      void ended.then((end) => {
        this.#ended(slot, end);
        reject(new StartFailure(end));
      });
    }).finally(() => clearInterval(slow));
  }

  /**
   * Logs that a process is still starting. Kills one that hangs, as one that has been stopped does; it may take a while
   * to end, which is not logged again.
   */
  #lookAtStart(slot: Slot): "starting" | "killed" {
    if (this.#isEnding) return "starting"; // `end` waits for it, and kills it
    const seconds = Math.round((performance.now() - slot.startedAt) / 1000);
    const about = { process: slot.number, pid: slot.worker?.process.pid, seconds };
    if (++slot.silences < MAX_SILENCES) {
      this.#log.warn(about, "a process is still starting");
      return "starting";
    }
    this.#log.error(about, "a process hangs while starting: it did not respond and was killed");
    this.#kill([slot]);
    return "killed";
  }

  #received(slot: Slot, message: FromProcess, ready: (text: string) => void): void {
    slot.silences = 0;
    if (message.kind === "alive") return;
    if (message.kind === "hello")
      return slot.send({ kind: "begin", number: slot.number, setupToken: this.#setupToken });
    if (message.kind === "write") return void this.#write(slot, message);
    if (message.kind === "answer") return this.#questions.answered(slot, message);
    if (message.kind === "ask")
      return this.#questions.ask(
        slot,
        message,
        this.#slots.filter((other) => other !== slot && other.isReady),
      );
    Object.assign(slot, { isReady: true, hasServed: true });
    ready(message.text);
  }

  /** The others are told that there are changes, and read them, once the one that wrote them has its answer. */
  async #write(by: Slot, { id, method, argument }: Extract<FromProcess, { kind: "write" }>): Promise<void> {
    const { worker } = by;
    const reply = await this.#writer!.reply(method, argument);
    // Another process may be in the slot by now.
    if (by.worker === worker) by.send({ kind: "written", id, reply });
    if (method !== "execute" || !("result" in reply)) return;
    for (const slot of this.#slots) if (slot !== by) slot.hintChange();
  }

  #ended(slot: Slot, end: ProcessEnd): void {
    const hasLasted = slot.isReady && performance.now() - slot.startedAt > SOON;
    Object.assign(slot, { worker: undefined, isReady: false });
    this.#questions.ended(slot);
    if (this.#isEnding) return;
    const about = { process: slot.number, end };
    if (!slot.hasServed) {
      // Otherwise, it has written why.
      if (typeof end === "string")
        this.#log.error(about, "a process ended before it was ready; the server cannot start");
      return;
    }
    slot.failures = hasLasted ? 0 : slot.failures + 1;
    const after = Math.min(RESTART_AFTER * 2 ** Math.max(0, slot.failures - 1), MAX_RESTART_AFTER);
    this.#log.error({ ...about, restart_after: after / 1000 }, "a process ended; it will be started again");
    slot.restart = setTimeout(() => void this.#forkAgain(slot), after);
  }

  async #forkAgain(slot: Slot): Promise<void> {
    try {
      await this.#fork(slot);
      this.#log.info({ process: slot.number }, "the process serves requests again");
    } catch {
      // It has ended, and will be started again.
    }
  }
}

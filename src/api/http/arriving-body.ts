import type { IncomingMessage } from "node:http";
import { turn } from "../../turns/in-slices.ts";
import { Problem } from "../problem.ts";

/** Where a body is counted while it arrives. */
export interface BodyAccount {
  /**
   * When it has to be waited for; of a stream before any of it is read.
   * @throws Problem (503) where too many bodies are under way
   */
  began(body: ArrivingBody): void;
  /** For each part of a body that is kept. @throws Problem (503) where too much is kept already */
  keep(bytes: number): void;
  /** When no more of it is waited for. */
  ended(body: ArrivingBody): void;
}

export interface BodyRules {
  /** The most bytes that it may have; Infinity for a stream. */
  readonly limit: number;
  /** What sets it, for the rejection; undefined where it is no setting. */
  readonly setting?: string | undefined;
  /** Whether its parts are answered as they come and not kept. */
  readonly isStream: boolean;
}

/**
 * The body of one request, read as fast as its reader asks for it, part by part. It is never destroyed when its reader
 * stops: to destroy it is to hang up, and then the client would not see the answer. What is left of it is discarded
 * after the answer (see `early-answers.ts`).
 */
export class ArrivingBody implements AsyncIterable<Buffer> {
  readonly #message: IncomingMessage;
  readonly #account: BodyAccount;
  readonly rules: BodyRules;
  #length = 0;
  #isWaited = false;
  #error: Problem | undefined;
  #wake: () => void = () => {};
  /** When its reader began to wait for what comes next, in milliseconds of a monotonic clock; 0 while it does not. */
  waitingSince = 0;
  readonly startedAt = performance.now();

  constructor(message: IncomingMessage, rules: BodyRules, account: BodyAccount) {
    this.#message = message;
    this.rules = rules;
    this.#account = account;
    // A stream is answered while it arrives, so that its answer cannot say later that there are too many.
    if (rules.isStream) account.began(this);
  }

  /** Whether its client has gone away. */
  get isGone(): boolean {
    return this.#message.destroyed && !this.#message.complete;
  }

  /** Ends the reading with an error. */
  fail(problem: Problem): void {
    this.#error ??= problem;
    this.#wake();
  }

  /** @throws Problem (408, 413, 503) */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    const message = this.#message;
    try {
      // What has come together with the head is there in the next tick.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      while (!this.#hasEnded()) {
        const part = message.read() as Buffer | null;
        if (part === null) {
          await this.#more();
          continue;
        }
        yield this.#counted(part);
        // The system gives up to 2 MB of a connection before others have their turn: one part of all bodies is read in
        // each.
        await turn();
      }
    } finally {
      this.#leave();
      // So that its end is noticed, without which its connection would not go on.
      if (message.complete) message.resume();
    }
  }

  async whole(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this) parts.push(part);
    return Buffer.concat(parts, this.#length);
  }

  #hasEnded(): boolean {
    const { complete, readableLength } = this.#message;
    if (this.#error !== undefined) throw this.#error;
    if (this.isGone) throw new Problem("request-timeout", "the connection was closed before the end of the body");
    return complete && readableLength === 0;
  }

  #counted(part: Buffer): Buffer {
    this.#length += part.length;
    if (this.#length > this.rules.limit) throw tooLong(this.rules);
    if (!this.rules.isStream) this.#account.keep(part.length);
    return part;
  }

  async #more(): Promise<void> {
    if (!this.#isWaited) this.#beginToWait();
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    // It may have ended, or failed, before there was anything to wake.
    if (this.#hasEnded()) return;
    this.waitingSince = performance.now();
    await woken;
    this.waitingSince = 0;
  }

  #beginToWait(): void {
    if (!this.rules.isStream) this.#account.began(this);
    this.#isWaited = true;
    for (const event of EVENTS) this.#message.on(event, this.#woken);
  }

  readonly #woken = (): void => this.#wake();

  #leave(): void {
    this.#account.ended(this);
    if (!this.#isWaited) return;
    this.#isWaited = false;
    for (const event of EVENTS) this.#message.off(event, this.#woken);
  }
}

const EVENTS = ["readable", "end", "error", "close"] as const;

export function tooLong({ limit, setting }: Pick<BodyRules, "limit" | "setting">): Problem {
  return new Problem(
    "content-too-large",
    `the body is longer than the ${limit} bytes that this operation accepts${setting === undefined ? "" : ` (${setting})`}`,
  );
}

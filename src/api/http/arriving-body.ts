import type { IncomingMessage } from "node:http";
import { turn } from "../../turns/in-slices.ts";
import { Problem } from "../problem.ts";

/** Counts a body while it arrives. */
export interface BodyAccount {
  /** The maximum that can ever be kept for its caller. */
  readonly maxKept: number;
  /**
   * Called when the body has to be waited for; for a stream, before any of it is read.
   * @throws Problem (503) if too many bodies are arriving
   */
  began(body: ArrivingBody): void;
  /** Called for each part of a body that is kept. @throws Problem (503) if too much is kept already */
  keep(bytes: number): void;
  /** Called when the body is no longer waited for. */
  ended(body: ArrivingBody): void;
  /**
   * Called when the reader has work to do, and again when it waits for the client or has finished. Not called for
   * streams.
   */
  read(isRead: boolean): void;
}

export interface BodyRules {
  /** Maximum bytes; Infinity for a stream. */
  readonly limit: number;
  /** The setting of the limit, for the error; undefined if it is not a setting. */
  readonly setting?: string | undefined;
  /** Whether its parts are processed as they arrive and not kept. */
  readonly isStream: boolean;
}

/**
 * The body of one request, read part by part as fast as its reader asks for it. It is never destroyed when its reader
 * stops: that would close the connection, and the client would not see the response. What is left of it is discarded
 * after the response (see `early-answers.ts`).
 */
export class ArrivingBody implements AsyncIterable<Buffer> {
  readonly #message: IncomingMessage;
  readonly #account: BodyAccount;
  readonly rules: BodyRules;
  #length = 0;
  #isWaited = false;
  #isRead = false;
  #error: Problem | undefined;
  #wake: () => void = () => {};
  /**
   * When its reader started to wait for the next part, in milliseconds of a monotonic clock; 0 if it is not waiting.
   */
  waitingSince = 0;
  readonly startedAt = performance.now();

  constructor(message: IncomingMessage, rules: BodyRules, account: BodyAccount) {
    this.#message = message;
    this.rules = rules;
    this.#account = account;
    // A stream is responded to while it arrives, so its response cannot report later that there are too many.
    if (rules.isStream) account.began(this);
  }

  /** Whether its client has disconnected. */
  get isGone(): boolean {
    return this.#message.destroyed && !this.#message.complete;
  }

  get maxKept(): number {
    return this.#account.maxKept;
  }

  /**
   * Counts what the reader builds from the body and keeps until the response, as if it were part of the body. @throws
   * Problem (503)
   */
  keep(bytes: number): void {
    this.#account.keep(bytes);
  }

  /** Makes the reader fail with this error. */
  fail(problem: Problem): void {
    this.#error ??= problem;
    this.#wake();
  }

  /** @throws Problem (408, 413, 503) */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    const message = this.#message;
    try {
      this.#setRead(true);
      // A part that arrived together with the headers is available in the next tick.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      while (!this.#hasEnded()) {
        const part = message.read() as Buffer | null;
        if (part === null) {
          await this.#more();
          continue;
        }
        yield this.#counted(part);
        // The system returns up to 2 MB of a connection before others have their turn: in each turn, one part of all
        // bodies is read.
        await turn();
      }
    } finally {
      this.#leave();
      // Without this, the end of the body would go unnoticed and the connection would not continue.
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
    // The body may have ended or failed before anyone waited for it.
    if (this.#hasEnded()) return;
    this.waitingSince = performance.now();
    this.#setRead(false);
    await woken;
    this.#setRead(true);
    this.waitingSince = 0;
  }

  #beginToWait(): void {
    if (!this.rules.isStream) this.#account.began(this);
    this.#isWaited = true;
    for (const event of EVENTS) this.#message.on(event, this.#woken);
  }

  #setRead(isRead: boolean): void {
    if (this.rules.isStream || this.#isRead === isRead) return;
    this.#isRead = isRead;
    this.#account.read(isRead);
  }

  readonly #woken = (): void => this.#wake();

  #leave(): void {
    this.#setRead(false);
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

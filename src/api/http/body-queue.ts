import { FairShare } from "./fair-share.ts";

/** Bodies that are read at a time: enough that the server never waits for the next one. A single caller gets half. */
const READ_AT_ONCE = 16;
/** This many are read for each caller, whatever others send. */
const MIN_READ = 4;

/** A request whose body is not read yet. */
export interface QueuedBody {
  readonly caller: string;
  /** Called when the body may be read, which lasts until `leave` is called. */
  admit(): void;
  /** Called when the request has waited too long. */
  giveUp(): void;
}

interface Waiting {
  readonly body: QueuedBody;
  readonly since: number;
}

/**
 * Lets requests wait until their bodies may be read. Reading few bodies at a time, one after the other, ends each of
 * them sooner than reading all of them in turns, and needs less memory. Waiting costs a fraction of a rejection, after
 * which the body arrives anyway. Callers take turns. O(callers that wait) each.
 */
export class BodyQueue {
  readonly #slots = new FairShare(READ_AT_ONCE);
  readonly #room: FairShare;
  readonly #maxWait: number;
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();

  /**
   * At most `maxWaiting` requests wait, each for a limited time in milliseconds; no caller has more than a fair share
   * of the waiting requests.
   */
  constructor(maxWaiting: number, maxWait: number) {
    this.#room = new FairShare(maxWaiting);
    this.#maxWait = maxWait;
  }

  get length(): number {
    return this.#room.used;
  }

  /** Calls `admit`, now or later, or `giveUp` if the wait is too long. */
  enter(body: QueuedBody): void {
    const { caller } = body;
    const own = this.#waiting.get(caller);
    if (own === undefined && this.#slots.hasRoom(caller, MIN_READ)) return this.#admit(body);
    if (!this.#room.take(caller, 1)) return body.giveUp();
    const waiting = { body, since: performance.now() };
    if (own === undefined) this.#waiting.set(caller, [waiting]);
    else own.push(waiting);
  }

  /** Call once for each admitted request. */
  leave(caller: string): void {
    this.#slots.give(caller, 1);
    for (const [next, own] of this.#waiting) {
      while (this.#slots.hasRoom(next, MIN_READ) && own.length > 0) {
        const { body, since } = own.shift()!;
        this.#room.give(next, 1);
        if (performance.now() - since > this.#maxWait) {
          body.giveUp();
          continue;
        }
        this.#takeTurn(next, own);
        return this.#admit(body);
      }
      if (own.length === 0) this.#waiting.delete(next);
    }
  }

  /** Gives up the requests that have waited too long. Between two calls, `leave` does the same for those it reaches. */
  giveUpLate(): void {
    const now = performance.now();
    for (const [caller, own] of this.#waiting) {
      while (own.length > 0 && now - own[0]!.since > this.#maxWait) {
        this.#room.give(caller, 1);
        own.shift()!.body.giveUp();
      }
      if (own.length === 0) this.#waiting.delete(caller);
    }
  }

  #admit(body: QueuedBody): void {
    this.#slots.force(body.caller, 1);
    body.admit();
  }

  /** The caller's next turn comes after those of the others. */
  #takeTurn(caller: string, own: Waiting[]): void {
    this.#waiting.delete(caller);
    if (own.length > 0) this.#waiting.set(caller, own);
  }
}

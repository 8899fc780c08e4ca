/** Requests started per turn of the event loop: for the most expensive ones without a body, some ten milliseconds. */
export const MAX_BEGUN = 64;

/** A connection whose next request waits for a later turn. */
export interface WaitingConnection {
  /** The client: connections of the same origin share their turns. */
  readonly origin: string;
  /** Starts the request, in this turn. */
  admit(): void;
}

/**
 * Limits how many requests are started in one turn of the event loop, which by itself takes everything that has arrived
 * on all connections. The others wait for later turns, in which origins take turns, however many connections each has.
 * Each method is O(1), or O(requests started).
 */
export class TurnBudget {
  #left = MAX_BEGUN;
  #isTurnCounted = false;
  /** By origin, in the order in which they came. */
  readonly #waiting = new Map<string, WaitingConnection[]>();
  /** Origins with a waiting connection; the one that was served last is last. */
  readonly #origins: string[] = [];

  /** Starts a request if one may start now, and returns whether it may; nothing overtakes those that wait. */
  take(): boolean {
    if (this.#left === 0 || this.#waiting.size > 0) return false;
    this.#begin();
    return true;
  }

  /** Call after `take` has returned false. */
  wait(connection: WaitingConnection): void {
    const { origin } = connection;
    const own = this.#waiting.get(origin);
    if (own === undefined) {
      this.#waiting.set(origin, [connection]);
      this.#origins.push(origin);
    } else own.push(connection);
    this.#countTurn();
  }

  #begin(): void {
    this.#left--;
    this.#countTurn();
  }

  #countTurn(): void {
    if (this.#isTurnCounted) return;
    this.#isTurnCounted = true;
    setImmediate(this.#startTurn);
  }

  readonly #startTurn = (): void => {
    this.#isTurnCounted = false;
    this.#left = MAX_BEGUN;
    while (this.#left > 0 && this.#waiting.size > 0) {
      this.#begin();
      this.#next().admit();
    }
  };

  // A set or map would skip entries deleted from its front, again and again.
  #next(): WaitingConnection {
    const origin = this.#origins.shift()!;
    const own = this.#waiting.get(origin)!;
    const connection = own.shift()!;
    if (own.length > 0) this.#origins.push(origin);
    else this.#waiting.delete(origin);
    return connection;
  }
}

/** Requests that are begun in a turn of the event loop: of the dearest that need no body, some ten milliseconds. */
export const MAX_BEGUN = 64;

/** A connection whose next request waits for a later turn. */
export interface WaitingConnection {
  /** Whose it is: all of one share their turns. */
  readonly origin: string;
  /** Lets the request begin, in this turn. */
  admit(): void;
}

/**
 * Bounds how many requests are begun in one turn of the event loop, which by itself takes what has arrived on all
 * connections. The rest waits for the turns that follow, in which origins come one after the other, however many
 * connections each has. Each method is O(1), or O(requests begun).
 */
export class TurnBudget {
  #left = MAX_BEGUN;
  #isTurnCounted = false;
  /** By origin, in the order in which they came. */
  readonly #waiting = new Map<string, WaitingConnection[]>();
  /** Those of whom a connection waits; the one that was served last comes last. */
  readonly #origins: string[] = [];

  /** Whether a request may begin now, which it then does; nothing overtakes those that wait. */
  take(): boolean {
    if (this.#left === 0 || this.#waiting.size > 0) return false;
    this.#begin();
    return true;
  }

  /** After `take` has said no. */
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

  // A set or map would skip what has been deleted from its front, again and again.
  #next(): WaitingConnection {
    const origin = this.#origins.shift()!;
    const own = this.#waiting.get(origin)!;
    const connection = own.shift()!;
    if (own.length > 0) this.#origins.push(origin);
    else this.#waiting.delete(origin);
    return connection;
  }
}

/** Requests started per turn of the event loop: for the most expensive ones without a body, some ten milliseconds. */
export const MAX_BEGUN = 64;

/** Milliseconds of a turn after one in which a connection was accepted. */
const SHORT_TURN = 2;

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
 * The loop accepts one connection per turn, so turns are kept short while there are connections to accept: on a busy
 * server, new connections would otherwise wait for seconds before they are read. Each method is O(1), or O(requests
 * started).
 */
export class TurnBudget {
  #left = MAX_BEGUN;
  /** Requests started in this turn. */
  #begun = 0;
  #turnStartedAt = 0;
  #hasAccepted = false;
  #isTurnCounted = false;
  /** By origin, in the order of arrival. */
  readonly #waiting = new Map<string, WaitingConnection[]>();
  /** Origins with a waiting connection; the most recently served one is last. */
  readonly #origins: string[] = [];

  /** Starts a request if one may start now, and returns whether it did. No request overtakes those that wait. */
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

  /** Call when a connection has been accepted: more may be waiting to be accepted. */
  accepted(): void {
    this.#hasAccepted = true;
    this.#countTurn();
  }

  #begin(): void {
    this.#left--;
    this.#begun++;
    this.#countTurn();
  }

  #countTurn(): void {
    if (this.#isTurnCounted) return;
    this.#isTurnCounted = true;
    setImmediate(this.#startTurn);
  }

  readonly #startTurn = (): void => {
    this.#isTurnCounted = false;
    this.#left = this.#budget();
    while (this.#left > 0 && this.#waiting.size > 0) {
      this.#begin();
      this.#next().admit();
    }
  };

  /**
   * The budget of the turn that starts now. In a short turn, it follows from the time that requests of the previous
   * turn took.
   */
  #budget(): number {
    const now = performance.now();
    const short = Math.ceil((SHORT_TURN * this.#begun) / (now - this.#turnStartedAt));
    const budget = this.#hasAccepted ? Math.min(Math.max(1, short), MAX_BEGUN) : MAX_BEGUN;
    this.#turnStartedAt = now;
    this.#begun = 0;
    this.#hasAccepted = false;
    return budget;
  }

  // A set or map would have to step over the entries deleted from its front each time.
  #next(): WaitingConnection {
    const origin = this.#origins.shift()!;
    const own = this.#waiting.get(origin)!;
    const connection = own.shift()!;
    if (own.length > 0) this.#origins.push(origin);
    else this.#waiting.delete(origin);
    return connection;
  }
}

import { ServiceError } from "../service-error.ts";

/** Who waits for a password to be hashed. */
export interface Applicant {
  /** Everything of one `who` shares its turns: an address or /56, or a user. */
  readonly who: string;
  /**
   * Whether they have shown that they are a user or an invited one: by a session, a device or a token. They go first.
   */
  readonly isKnown: boolean;
}

const MAX_RUNNING = 2;
/** Of each kind. More do not wait: they would do so for seconds. */
const MAX_WAITING = 16;
const MAX_WAITING_EACH = 4;
/** One turn in so many is for those who are not known, so that the known ones never shut them out. */
const TURNS = 4;

interface Waiter {
  readonly start: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/**
 * Runs two tasks at a time, since each takes much memory. The others wait: known applicants go first, and within a kind
 * all take turns, however many tasks each has.
 */
export class HashQueue {
  #running = 0;
  #turn = 0;
  readonly #known = new Lane();
  readonly #others = new Lane();

  /** Rejects with ServiceError "unavailable" when too many wait, or too many of `who`; else as the task does. */
  async run<Result>({ who, isKnown }: Applicant, task: () => Promise<Result>): Promise<Result> {
    if (this.#running < MAX_RUNNING) this.#running++;
    else await new Promise<void>((start, refuse) => (isKnown ? this.#known : this.#others).add(who, { start, refuse }));
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  #passOn(): void {
    this.#turn = (this.#turn + 1) % TURNS;
    const next =
      this.#turn === 0 ? (this.#others.next() ?? this.#known.next()) : (this.#known.next() ?? this.#others.next());
    if (next === undefined) this.#running--;
    else next.start();
  }
}

/** Tasks that wait, by who they are of: whoever had the last turn is last in the order. */
class Lane {
  readonly #waiting = new Map<string, Waiter[]>();
  #count = 0;

  add(who: string, waiter: Waiter): void {
    const own = this.#waiting.get(who) ?? [];
    if (own.length >= MAX_WAITING_EACH || (this.#count >= MAX_WAITING && !this.#dropOneForLess(own.length + 1)))
      return waiter.refuse(tooMany());
    own.push(waiter);
    this.#waiting.set(who, own);
    this.#count++;
  }

  next(): Waiter | undefined {
    const [who, own] = this.#waiting.entries().next().value ?? [];
    if (who === undefined || own === undefined) return undefined;
    this.#waiting.delete(who);
    const [first, ...rest] = own;
    if (rest.length > 0) this.#waiting.set(who, rest);
    this.#count--;
    return first;
  }

  /** Rejects the last task of whoever has most of them, if that is more than `wanted`. */
  #dropOneForLess(wanted: number): boolean {
    const most = [...this.#waiting.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (most.length <= wanted) return false;
    most.pop()!.refuse(tooMany());
    this.#count--;
    return true;
  }
}

function tooMany(): ServiceError {
  return new ServiceError("unavailable", "too many sign-ins at the moment; try again in 5 s", { retryAfter: 5 });
}

import { ServiceError } from "./service-error.ts";

/** Someone on whose behalf a task runs, such as the hashing of a password. */
export interface Applicant {
  /** Tasks with the same `who` share turns: an address or /56, a user or an organisation. */
  readonly who: string;
  /** Whether a session, a device or a token has proved that they are a user or an invited person. They go first. */
  readonly isKnown: boolean;
}

/** Maximum waiting applicants of each kind. Further ones are rejected: they would wait for seconds. */
const MAX_WAITING = 16;
const MAX_WAITING_EACH = 4;
/** One turn in this many goes to unknown applicants, so that known ones never shut them out. */
const TURNS = 4;

interface Waiter {
  readonly start: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/** What differs between queues. */
export interface QueueOptions {
  /** Tasks that run at a time. */
  readonly atOnce: number;
  /** The word for the tasks in the error when too many wait, such as "sign-ins". */
  readonly what: string;
}

/**
 * Runs few tasks at a time, since each needs a lot of memory. The others wait: known applicants go first, and within a
 * kind applicants take turns, however many tasks each has.
 */
export class FairQueue {
  #running = 0;
  #turn = 0;
  readonly #atOnce: number;
  readonly #known: Waiting;
  readonly #others: Waiting;

  constructor({ atOnce, what }: QueueOptions) {
    this.#atOnce = atOnce;
    this.#known = new Waiting(what);
    this.#others = new Waiting(what);
  }

  /**
   * Rejects with ServiceError "unavailable" when too many tasks wait, in total or of `who`; otherwise settles as the
   * task does.
   */
  async run<Result>({ who, isKnown }: Applicant, task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running++;
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

/** Waiting tasks by applicant: the applicant that had the last turn goes to the end of the order. */
class Waiting {
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #what: string;
  #count = 0;

  constructor(what: string) {
    this.#what = what;
  }

  add(who: string, waiter: Waiter): void {
    const own = this.#waiting.get(who) ?? [];
    if (own.length >= MAX_WAITING_EACH || (this.#count >= MAX_WAITING && !this.#dropOneForLess(own.length + 1)))
      return waiter.refuse(tooMany(this.#what));
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

  /** Rejects the last task of the applicant with the most tasks, if that is more than `wanted`. */
  #dropOneForLess(wanted: number): boolean {
    const most = [...this.#waiting.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (most.length <= wanted) return false;
    most.pop()!.refuse(tooMany(this.#what));
    this.#count--;
    return true;
  }
}

function tooMany(what: string): ServiceError {
  return new ServiceError("unavailable", `too many ${what} at the moment; try again in 5 s`, { retryAfter: 5 });
}

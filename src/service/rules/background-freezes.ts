import type { Logger } from "pino";
import type { RuleIndex } from "../../rulesets/index/rule-index.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { Metrics } from "../usage/metrics.ts";
import { KERNEL_ENGINE } from "./kernel-engine.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/**
 * After a freeze, a ruleset is left alone for this many times as long as the freeze took, so rules that are added
 * without a pause cost at most a twentieth of the processor.
 */
const REST = 20;
/** Milliseconds until a freeze that failed is tried again: the first time, and at most. */
const FIRST_RETRY = 1000;
const MAX_RETRY = 60_000;

interface FreezeOptions {
  readonly memory: Pick<ServiceMemory, "staleRulesets" | "rulesOf">;
  readonly metrics: Pick<Metrics, "freezes">;
  readonly log: Logger;
  /** For tests, which cannot wait that long. */
  readonly firstRetry?: number;
  readonly rest?: number;
}

interface StaleRuleset {
  readonly id: string;
  readonly rules: RuleIndex;
  /** The earliest time of its next freeze, by the monotonic clock. */
  readonly due: number;
}

/**
 * Freezes rulesets in the background, one at a time, in slices between requests, so that checks of them are answered
 * from tables (see `RuleIndex.freezing`). Answers are exact without it, and at every moment of it. A freeze that fails,
 * for lack of memory, is logged, counted and tried again; until then the ruleset works as before.
 */
export class BackgroundFreezes {
  readonly #options: FreezeOptions;
  /** By ruleset: when it may be frozen again. Times that have passed are removed. */
  readonly #restUntil = new Map<string, number>();
  #failures = 0;
  /** Before this time nothing is frozen. */
  #retryAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: FreezeOptions) {
    this.#options = options;
  }

  /**
   * Freezes rulesets that have changed enough to be worth it. Call it after each change; usually there is nothing to
   * do.
   */
  check(): void {
    if (this.#isStopped || this.#work !== undefined) return;
    const stale = this.#firstStale();
    if (stale === undefined) return;
    if (stale.due > performance.now()) return this.#checkAt(stale.due);
    this.#work = this.#freeze(stale).finally(() => {
      this.#work = undefined;
      this.check();
    });
  }

  /** Starts no further freeze, and aborts the one in progress. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  #checkAt(due: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.check(), due - performance.now()).unref();
  }

  /** The stale ruleset that is due first. */
  #firstStale(): StaleRuleset | undefined {
    const now = performance.now();
    for (const [id, due] of this.#restUntil) if (due <= now) this.#restUntil.delete(id);
    let first: StaleRuleset | undefined;
    for (const [id, rules] of this.#options.memory.staleRulesets()) {
      const due = Math.max(this.#retryAt, this.#restUntil.get(id) ?? 0);
      if (first === undefined || due < first.due) first = { id, rules, due };
    }
    return first;
  }

  async #freeze({ id, rules }: StaleRuleset): Promise<void> {
    const { log, metrics, firstRetry = FIRST_RETRY, rest = REST } = this.#options;
    try {
      const milliseconds = await inSlices(this.#freezing(id, rules));
      if (milliseconds === undefined) return;
      this.#failures = 0;
      this.#restUntil.set(id, performance.now() + rest * milliseconds);
      metrics.freezes.inc({ result: "done" });
      log.debug({ ruleset: id, rules: rules.count, milliseconds: Math.round(milliseconds) }, "a ruleset was frozen");
    } catch (error) {
      const wait = Math.min(MAX_RETRY, firstRetry * 2 ** this.#failures++);
      this.#retryAt = performance.now() + wait;
      metrics.freezes.inc({ result: "failed" });
      log.error(
        { err: error, ruleset: id, rules: rules.count },
        `a ruleset could not be frozen; checks of it are exact but slower until that succeeds; the next try is in ${wait / 1000} s`,
      );
    }
  }

  /**
   * Resolves with the milliseconds of work; undefined if the ruleset has been replaced or deleted, or the server stops.
   */
  *#freezing(id: string, rules: RuleIndex): Generator<undefined, number | undefined, undefined> {
    const work = rules.freezing(KERNEL_ENGINE);
    for (let milliseconds = 0; ;) {
      if (this.#isStopped || this.#options.memory.rulesOf(id) !== rules) return undefined;
      const start = performance.now();
      const { done } = work.next();
      milliseconds += performance.now() - start;
      if (done === true) return milliseconds;
      yield;
    }
  }
}

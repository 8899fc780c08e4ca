import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { FoundRules, RuleFilter } from "../../rulesets/index/rule-search.ts";
import { stateOf } from "../../store/state.ts";
import { Slice } from "../../turns/in-slices.ts";
import { copyOf } from "../store/copied-rules.ts";
import { preparedRules } from "./prepared-rules.ts";
import type { LiveRuleset } from "../store/service-memory.ts";

/** Maximum bytes kept of all searches together; the least recently used is dropped first. */
const MAX_BYTES = 32 << 20;
const MAX_SEARCHES = 1000;
/** Rules searched before the clock is checked again: some hundred microseconds. */
const STEP = 4096;
/** A ruleset that changes while it is searched is searched again this many times; then a copy of it is searched. */
const MAX_TRIES = 3;

/** What to show of a ruleset: `limit` of the matching rules, after the first `offset`. */
export interface RowsRequest {
  readonly filter: RuleFilter;
  readonly offset: number;
  readonly limit: number;
}

export interface Rows {
  /** As it was when its rules were read. */
  readonly ruleset: LiveRuleset;
  readonly rules: readonly Rule[];
  /** How many rules match. */
  readonly count: number;
}

/** Returns the ruleset as it is when called, undefined once it is gone. */
type Current = () => LiveRuleset | undefined;

/**
 * The rows of tables over rulesets of a million rules, at any offset. Without a filter, or by active and expired alone,
 * the index counts them: O(limit). Any other filter is a search, O(rules) in slices, whose result is kept as long as it
 * is valid.
 */
export class RuleRows {
  readonly #found = new Map<string, FoundRules>();
  readonly #running = new Map<string, Promise<void>>();
  #bytes = 0;

  /** Bytes of the results that are kept. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** Undefined if the ruleset is gone. */
  async get(current: Current, request: RowsRequest, now: number): Promise<Rows | undefined> {
    if (isByState(request.filter)) await preparedRules(current, now);
    for (let tries = 0; ; tries++) {
      const ruleset = current();
      if (ruleset === undefined) return undefined;
      // The search finds positions in the index, which are read in the same turn in which the version is checked.
      const rows = countedRows(ruleset, request, now) ?? this.#keptRows(ruleset, request, now);
      if (rows !== undefined) return rows;
      if (tries === MAX_TRIES) return rowsOfCopy(ruleset, request, now);
      await this.#search(current, ruleset, request.filter, now);
    }
  }

  #keptRows(ruleset: LiveRuleset, { filter, offset, limit }: RowsRequest, now: number): Rows | undefined {
    const key = keyOf(ruleset, filter);
    const found = this.#found.get(key);
    if (found === undefined) return undefined;
    this.#drop(key);
    if (now < found.since || now >= found.until) return undefined;
    this.#keep(key, found);
    return { ruleset, rules: found.page(offset, limit), count: found.count };
  }

  /**
   * One search serves all callers that need the same result at the same time. Its result is not kept if the ruleset has
   * changed.
   */
  #search(current: Current, ruleset: LiveRuleset, filter: RuleFilter, now: number): Promise<void> {
    const key = keyOf(ruleset, filter);
    const running =
      this.#running.get(key) ??
      this.#searchInSlices(current, ruleset, filter, now).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #searchInSlices(current: Current, ruleset: LiveRuleset, filter: RuleFilter, now: number): Promise<void> {
    const { rules, about } = ruleset;
    const search = rules.search(filter, now);
    const slice = new Slice();
    while (search.advance(STEP)) {
      if (!slice.isOver) continue;
      await slice.pause();
      const now = current();
      if (now === undefined || stateOf(now.about) !== stateOf(about)) return;
    }
    this.#keep(keyOf(ruleset, filter), search.found());
  }

  /** The most recent result stays, however large, because it is about to be read. */
  #keep(key: string, found: FoundRules): void {
    this.#drop(key);
    this.#found.set(key, found);
    this.#bytes += found.byteLength;
    for (const oldest of this.#found.keys()) {
      if (oldest === key || (this.#bytes <= MAX_BYTES && this.#found.size <= MAX_SEARCHES)) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#found.get(key)?.byteLength ?? 0;
    this.#found.delete(key);
  }
}

/** The rows of a copy, for a ruleset that keeps changing. */
async function rowsOfCopy(live: LiveRuleset, { filter, offset, limit }: RowsRequest, now: number): Promise<Rows> {
  const ruleset: LiveRuleset = { ...live, rules: await copyOf(live.rules) };
  const search = ruleset.rules.search(filter, now);
  const slice = new Slice();
  while (search.advance(STEP)) await slice.pause();
  const found = search.found();
  return { ruleset, rules: found.page(offset, limit), count: found.count };
}

/** The rows that need no search; undefined for others. */
function countedRows(ruleset: LiveRuleset, { filter, offset, limit }: RowsRequest, now: number): Rows | undefined {
  const { state } = filter;
  if (!isByState(filter)) return undefined;
  const { rules } = ruleset;
  const page = rules.page({ offset, limit, activeOnly: state === "active", expiredOnly: state === "expired" }, now);
  const count =
    state === undefined ? rules.count : state === "active" ? rules.activeCount(now) : rules.expiredCount(now);
  return { ruleset, rules: page, count };
}

/** Whether the filter selects by state alone, or selects all rules. */
function isByState({ state, name = "", related }: RuleFilter): boolean {
  return name === "" && related === undefined && state !== "expiring";
}

function keyOf({ about }: LiveRuleset, { state, within, name, related }: RuleFilter): string {
  return JSON.stringify([
    about.id,
    stateOf(about),
    state,
    state === "expiring" ? within : 0,
    name?.toLowerCase(),
    related && formatPrefix(related),
  ]);
}

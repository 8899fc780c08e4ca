import type { Prefix } from "../../address/address.ts";
import type { FamilyRules } from "./_family-rules.ts";
import { grown } from "./_column.ts";
import type { RuleSlots } from "./_rule-slots.ts";
import { RuleWalk } from "./_rule-walk.ts";
import type { Rule } from "../rule.ts";

/** The conditions that rules must meet: all that are set. */
export interface RuleFilter {
  /** `expiring`: active, and expiring at most `within` from now. */
  readonly state?: "active" | "expired" | "expiring" | undefined;
  /** Milliseconds, above 0. */
  readonly within?: number | undefined;
  /** A part of the name, ignoring case. */
  readonly name?: string | undefined;
  /** Rules that cover this prefix, are it, or are covered by it. */
  readonly related?: Prefix | undefined;
}

const FIRST_CAPACITY = 256;
/** Names whose result is cached: rules of a ruleset with few names share them. */
const MAX_VERDICTS = 4096;

/**
 * Searches the rules of an index, as many at a time as the caller likes:
 *
 *     const search = index.search(filter, now);
 *     while (search.advance(4096)) if (isTired()) await others();
 *     const found = search.found();
 *
 * O(rules), or with `related` O(related rules). The index must not change meanwhile.
 */
export class RuleSearch {
  readonly #filter: RuleFilter;
  readonly #within: number;
  readonly #now: number;
  readonly #name: NameTest | null;
  readonly #parts: FoundPart[];
  readonly #walks: { readonly part: FoundPart; readonly walk: RuleWalk }[] = [];
  /** When the first rule starts or stops matching without being changed. */
  #until = Number.POSITIVE_INFINITY;

  constructor(families: readonly FamilyRules[], filter: RuleFilter, now: number) {
    this.#filter = filter;
    this.#within = filter.within ?? 0;
    this.#now = now;
    this.#name = filter.name === undefined || filter.name === "" ? null : new NameTest(filter.name);
    const { related } = filter;
    this.#parts = families.map(({ slots }) => new FoundPart(slots));
    for (const [index, { slots, tree }] of families.entries()) {
      const part = this.#parts[index]!;
      const walk = new RuleWalk(tree);
      if (related === undefined) this.#walks.push({ part, walk: walk.startAt(0) });
      else if (related.family === slots.family) {
        // Rules that cover a prefix come before those inside it, and the rule with the prefix itself is the first of
        // the latter.
        for (const slot of tree.covering(related))
          if (slots.lengths[slot]! < related.length) this.#consider(part, slot);
        this.#walks.push({ part, walk: walk.startWithin(related) });
      }
    }
  }

  /** Checks at most `most` further rules. False when there are no more. */
  advance(most: number): boolean {
    for (let left = most; left > 0; left--) {
      const current = this.#walks[0];
      if (current === undefined) return false;
      const slot = current.walk.next();
      if (slot === 0) this.#walks.shift();
      else this.#consider(current.part, slot);
    }
    return this.#walks.length > 0;
  }

  /** The result, once `advance` has returned false. */
  found(): FoundRules {
    return new FoundRules(this.#parts, this.#now, this.#until);
  }

  #consider(part: FoundPart, slot: number): void {
    const { slots } = part;
    if (this.#name !== null && !this.#name.fits(slots.names.get(slot))) return;
    if (this.#filter.state === undefined || this.#hasState(slots.expiresAt[slot]!)) part.add(slot);
  }

  /** Whether a rule of this expiry has the state now; notes when that changes. */
  #hasState(expiresAt: number): boolean {
    const { state } = this.#filter;
    const isActive = this.#now < expiresAt;
    const isNear = expiresAt - this.#within <= this.#now;
    // When the state of an active rule changes next. An expired rule stays expired while time goes forward:
    //     ----------- expiresAt - within -------- expiresAt ---------▶ time
    //       active     |   active, expiring        |   expired
    if (isActive)
      this.#until = Math.min(this.#until, state === "expiring" && !isNear ? expiresAt - this.#within : expiresAt);
    if (state === "expiring") return isActive && isNear;
    return isActive === (state === "active");
  }
}

/** The rules that match a filter, in the order of prefixes: valid as long as the index does not change. */
export class FoundRules {
  readonly count: number;
  /** The times at which exactly these rules match: from `since` to before `until`. Milliseconds since 1970 UTC. */
  readonly since: number;
  readonly until: number;
  readonly #parts: readonly FoundPart[];

  constructor(parts: readonly FoundPart[], since: number, until: number) {
    this.#parts = parts;
    this.count = parts.reduce((sum, { count }) => sum + count, 0);
    this.since = since;
    this.until = until;
  }

  /** Bytes of memory that the result takes. */
  get byteLength(): number {
    return this.#parts.reduce((sum, { found }) => sum + found.byteLength, 0);
  }

  /** At most `limit` rules after the first `offset`. O(limit). */
  page(offset: number, limit: number): Rule[] {
    const page: Rule[] = [];
    let skip = offset;
    for (const { slots, found, count } of this.#parts) {
      const end = Math.min(count, skip + limit - page.length);
      for (let at = skip; at < end; at++) page.push(slots.ruleAt(found[at]!));
      skip = Math.max(0, skip - count);
    }
    return page;
  }
}

/** The slots found in one family: doubled when full, so n of them are copied fewer than 2n times. */
class FoundPart {
  readonly slots: RuleSlots;
  found = new Uint32Array(FIRST_CAPACITY);
  count = 0;

  constructor(slots: RuleSlots) {
    this.slots = slots;
  }

  add(slot: number): void {
    if (this.count === this.found.length) this.found = grown(this.found, new Uint32Array(2 * this.count));
    this.found[this.count++] = slot;
  }
}

class NameTest {
  readonly #part: string;
  readonly #verdicts = new Map<string, boolean>();

  constructor(part: string) {
    this.#part = part.toLowerCase();
  }

  fits(name: string | null): boolean {
    if (name === null) return false;
    // In a ruleset with more names than the cache holds, most names have only one rule.
    const isFull = this.#verdicts.size >= MAX_VERDICTS;
    const known = isFull ? undefined : this.#verdicts.get(name);
    if (known !== undefined) return known;
    const fits = name.toLowerCase().includes(this.#part);
    if (!isFull) this.#verdicts.set(name, fits);
    return fits;
  }
}

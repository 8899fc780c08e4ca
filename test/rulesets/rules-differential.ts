import assert from "node:assert/strict";
import type { Address, Family, Prefix } from "../../src/address/address.ts";
import { prefixContains, prefixOf } from "../../src/address/prefix.ts";
import { finished } from "../../src/turns/finished.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { RuleId } from "../../src/rulesets/rule-id.ts";
import { partsOf, RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { storedRules, storingRules } from "../../src/rulesets/stored/stored-ruleset.ts";
import { PaintedRules } from "../oracle/painted-rules.ts";
import { checkInvariants } from "./check-invariants.ts";
import { randomWords } from "../random-words.ts";

/** Enough for a freeze to take several steps, with writes in between. */
const RULES = 12_000;
/** Each of these happens once in this many rounds. */
const NEW_FREEZE = 50;
const THROUGH_FILE = 100;

/** What was compared. */
export interface Tally {
  answers: number;
  /** Addresses that some rule decides. */
  found: number;
  /** Addresses for which the answers of all methods were compared with a list of all rules. */
  whole: number;
  writes: number;
  freezes: number;
  /** How often the rules were stored and read back, after which the comparison continued with these. */
  stored: number;
  stepsBack: number;
}

export function emptyTally(): Tally {
  return { answers: 0, found: 0, whole: 0, writes: 0, freezes: 0, stored: 0, stepsBack: 0 };
}

/** All addresses that are looked up, ascending, as words. Few, so that prefixes coincide and cover each other. */
function addressesOf(family: Family): Uint32Array {
  const words: number[] = [];
  if (family === 4) for (let at = 0; at < 4 << 18; at++) words.push((at >>> 18) * 0x4000_0000 + (at & 0x3ffff));
  else
    for (let w0 = 0x2001_0db8; w0 <= 0x2001_0db9; w0++)
      for (const high of [0, 0x8000_0000])
        for (let low = 0; low < 256; low++)
          for (let w2 = 0; w2 < 3; w2++) for (let w3 = 0; w3 < 64; w3++) words.push(w0, high + low, w2, w3);
  return Uint32Array.from(words);
}

function numberOf(family: Family, { w0, w1, w2, w3 }: Address): bigint {
  if (family === 4) return BigInt(w0);
  return (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
}

/** The addresses of a family. */
class FamilyWorld {
  readonly family: Family;
  readonly words: Uint32Array;
  readonly count: number;
  readonly numbers: readonly bigint[];

  constructor(family: Family) {
    this.family = family;
    this.words = addressesOf(family);
    this.count = this.words.length / (family === 4 ? 1 : 4);
    this.numbers = Array.from({ length: this.count }, (_, at) => numberOf(family, this.address(at)));
  }

  address(at: number): Address {
    const { family, words } = this;
    if (family === 4) return { family, w0: words[at]!, w1: 0, w2: 0, w3: 0 };
    const [w0, w1, w2, w3] = words.subarray(4 * at, 4 * at + 4) as unknown as [number, number, number, number];
    return { family, w0, w1, w2, w3 };
  }
}

const WORLDS = [new FamilyWorld(4), new FamilyWorld(6)] as const;
const LENGTHS = { 4: [32, 32, 32, 31, 28, 24, 20, 12, 8, 0], 6: [128, 128, 127, 120, 96, 64, 63, 48, 32, 20, 0] };
const keyOf = (prefix: Prefix): string => Object.values(prefix).join();

/**
 * Compares an index that is repeatedly frozen, stored and read back with one that never is, and both with an oracle
 * that paints the rules over all addresses, while rules are added, changed, deleted and expire, and `now` moves back
 * and forth. Throws at the first difference.
 */
export class RulesDifferential {
  readonly tally: Tally;
  readonly #next: () => number;
  readonly #oracles = [new PaintedRules(32, WORLDS[0].numbers), new PaintedRules(128, WORLDS[1].numbers)] as const;
  readonly #rules = new Map<string, Rule>();
  /** Prefixes of some rules that were added, most of which still exist. */
  readonly #known: Prefix[] = [];
  readonly #plain = new RuleIndex();
  readonly #asked: number;
  readonly #isBroken: boolean;
  #index = new RuleIndex();
  #freeze: Generator<undefined, void, undefined>;
  #now = 100;

  /** Looks up `asked` addresses of each family in a round; `break_` makes the first of the two indexes wrong. */
  constructor(seed: number, asked: number, tally: Tally, break_?: (index: RuleIndex) => void) {
    this.tally = tally;
    this.#next = randomWords(seed);
    this.#asked = asked;
    this.#isBroken = break_ !== undefined;
    break_?.(this.#index);
    for (let rule = 0; rule < RULES; rule++) this.#set(this.#rule(this.#prefix()));
    this.#freeze = this.#index.freezing();
  }

  round(): void {
    this.#write();
    this.#freezeOn();
    if (!this.#isBroken && this.#next() % THROUGH_FILE === 0) this.#storeAndRead();
    const before = this.#now;
    this.#now = 100 + (this.#next() % 60) - 30;
    if (this.#now < before) this.tally.stepsBack++;
    for (const world of WORLDS) this.#ask(world);
  }

  /** Checks the invariants at the end. */
  finish(): void {
    checkInvariants(this.#index);
  }

  #prefix(): Prefix {
    const world = WORLDS[this.#next() % 3 === 0 ? 1 : 0];
    const lengths = LENGTHS[world.family];
    return prefixOf(world.address(this.#next() % world.count), lengths[this.#next() % lengths.length]!);
  }

  #rule(prefix: Prefix): Rule {
    const next = this.#next;
    const expiresAt = next() % 2 === 0 ? null : this.#now - 20 + (next() % 40);
    const name = next() % 3 === 0 ? null : `name ${next() % 500}`;
    return { prefix, name, expiresAt, createdAt: next() % 5, updatedAt: next() % 300 };
  }

  #set(rule: Rule): void {
    const { prefix, expiresAt } = rule;
    if (!this.#rules.has(keyOf(prefix))) this.#known.push(prefix);
    this.#index.set(rule);
    this.#plain.set(rule);
    this.#rules.set(keyOf(prefix), rule);
    this.#oracleOf(prefix.family).set(numberOf(prefix.family, prefix), prefix.length, expiresAt);
  }

  #delete(prefix: Prefix): void {
    assert.equal(this.#index.delete(prefix), this.#plain.delete(prefix));
    this.#rules.delete(keyOf(prefix));
    this.#oracleOf(prefix.family).delete(numberOf(prefix.family, prefix), prefix.length);
  }

  #takeKnown(): Prefix {
    const known = this.#known;
    const at = this.#next() % known.length;
    const prefix = known[at]!;
    known[at] = known.at(-1)!;
    known.pop();
    return prefix;
  }

  #oracleOf(family: Family): PaintedRules {
    return this.#oracles[family === 4 ? 0 : 1];
  }

  #write(): void {
    for (let write = this.#next() % 40; write > 0; write--, this.tally.writes++) {
      const action = this.#next() % 5;
      if (action === 0) this.#delete(this.#prefix());
      else if (action < 3 && this.#rules.size > RULES) this.#delete(this.#takeKnown());
      else this.#set(this.#rule(this.#prefix()));
    }
  }

  /** Continues a freeze while rules are written; now and then abandons it and starts another. */
  #freezeOn(): void {
    if (this.#next() % NEW_FREEZE === 0) this.#freeze = this.#index.freezing();
    for (let step = this.#next() % 4; step > 0; step--) {
      if (this.#freeze.next().done !== true) continue;
      this.tally.freezes++;
      this.#freeze = this.#index.freezing();
    }
  }

  #storeAndRead(): void {
    const { table, metadata } = finished(
      storingRules(this.#index, { name: "", purpose: "blocklist", allowSpecialPurpose: true, sequence: 0 }),
    );
    this.#index = storedRules(metadata, table).rules;
    this.#freeze = this.#index.freezing();
    this.tally.stored++;
  }

  #ask(world: FamilyWorld): void {
    const { family, words } = world;
    const width = family === 4 ? 1 : 4;
    const at = Uint32Array.from({ length: this.#asked }, () => this.#next() % world.count);
    const asked = new Uint32Array(this.#asked * width);
    for (let i = 0; i < at.length; i++) asked.set(words.subarray(at[i]! * width, (at[i]! + 1) * width), i * width);
    const lengths = this.#oracleOf(family).lengthsAt(this.#now);
    const [ids, plain] = [new Uint32Array(this.#asked), new Uint32Array(this.#asked)];
    this.#index.decideWordsInto(family, asked, ids, this.#now);
    this.#plain.decideWordsInto(family, asked, plain, this.#now);
    const [found, other] = [lengthsIn(this.#index, family, ids), lengthsIn(this.#plain, family, plain)];
    for (let i = 0; i < at.length; i++) {
      const length = lengths[at[i]!]!;
      if (found[i] === length && other[i] === length) continue;
      const given = `${found[i]} frozen, ${other[i]} never frozen, ${length} painted`;
      assert.fail(`${JSON.stringify(world.address(at[i]!))} at ${this.#now}: length ${given}`);
    }
    this.tally.answers += at.length;
    this.tally.found += found.filter((length) => length !== 255).length;
    const one = this.#next() % this.#asked;
    this.#askAll(world.address(at[one]!), ids[one]!);
  }

  /** Compares every method for one address with a list of all rules. */
  #askAll(address: Address, id: number): void {
    const { w0, w1, w2, w3, family } = address;
    const now = this.#now;
    const index = this.#index;
    assert.equal(family === 4 ? index.decide4(w0, now) : index.decide6(w0, w1, w2, w3, now), id);
    const host = { ...address, length: family === 4 ? 32 : 128 };
    const covering = [...this.#rules.values()].filter(({ prefix }) => prefixContains(prefix, host));
    const active = covering.filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
    active.sort((a, b) => b.prefix.length - a.prefix.length);
    assert.deepEqual(index.check(address, now), { rule: active[0] ?? null, covering: active });
    assert.deepEqual(id === 0 ? null : index.ruleAt(id as RuleId), active[0] ?? null);
    assert.equal(index.covering(address).length, covering.length);
    this.tally.whole++;
  }
}

/**
 * The lengths of the rules with these ids, 255 for none. A deciding rule covers the address, so its length identifies
 * it.
 */
function lengthsIn(index: RuleIndex, family: Family, ids: Uint32Array): Uint8Array {
  const { lengths } = partsOf(index)[family === 4 ? 0 : 1].slots;
  return Uint8Array.from(ids, (id) => (id === 0 ? 255 : lengths[id >>> 1]!));
}

/** Indexes that are deliberately wrong. */
export const BROKEN: Readonly<Record<string, (index: RuleIndex) => void>> = {
  "what comes after a freeze is not seen": (index) => {
    for (const { decider } of partsOf(index)) {
      const add = decider.add.bind(decider);
      decider.add = (slot) => (decider.frozen === undefined ? add(slot) : undefined);
    }
  },
  "an expired rule decides": (index) => {
    for (const { slots } of partsOf(index)) {
      const write = slots.write.bind(slots);
      slots.write = (slot, rule) =>
        write(slot, { ...rule, expiresAt: rule.expiresAt === null ? null : rule.expiresAt + 1 });
    }
  },
  "a rule that goes still decides": (index) => {
    for (const { slots } of partsOf(index)) slots.clear = (slot) => slots.names.set(slot, null);
  },
};

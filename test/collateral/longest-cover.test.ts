import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { formatPrefix } from "../../src/address/prefix.ts";
import { carvingRules } from "../../src/collateral/carve-rules.ts";
import { ANY_LENGTH } from "../../src/collateral/protected.ts";
import { compacting } from "../../src/rulesets/compact.ts";
import { addListed, type ListedRule } from "../../src/rulesets/listed-rule.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { desiredIn } from "../../src/rulesets/rule-columns.ts";
import { addRule, CONFLICT_MODES, type ConflictMode } from "../../src/rulesets/write-rule.ts";
import type { DesiredRule } from "../../src/rulesets/plan-replacement.ts";
import { RuleList } from "../../src/rulesets/rule-list.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { finished } from "../../src/turns/finished.ts";
import { Random } from "../../bench/data/random.ts";
import { rounds } from "../rounds.ts";

const SEED = 20261127;
const ROUNDS = rounds({ short: 2000, long: 100_000 });
/** Addresses of the small universe: the last 5 bits of a prefix. */
const BITS = 5;
const NOW = 1000;

const prefixes: readonly Prefix[] = [
  { family: 4, w0: 0x1e000000, w1: 0, w2: 0, w3: 0, length: 32 - BITS },
  { family: 6, w0: 0x2a000000, w1: 1, w2: 2, w3: 0, length: 128 - BITS },
];

function randomPrefix(random: Random, whole: Prefix): Prefix {
  const bits = random.below(BITS + 1);
  const word = (random.below(1 << BITS) >>> (BITS - bits)) << (BITS - bits);
  const length = whole.length + bits;
  return whole.family === 4 ? { ...whole, w0: whole.w0 + word, length } : { ...whole, w3: word, length };
}

/** The numbers of the addresses in a prefix. */
function numbersIn({ family, w0, w3, length }: Prefix): number[] {
  const first = (family === 4 ? w0 : w3) & ((1 << BITS) - 1);
  const count = 1 << ((family === 4 ? 32 : 128) - length);
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Until when each address is covered, by trying all rules; -1: never. */
function covers(rules: readonly DesiredRule[]): number[] {
  const until = new Array<number>(1 << BITS).fill(-1);
  for (const { prefix, expiresAt } of rules)
    for (const number of numbersIn(prefix)) until[number] = Math.max(until[number]!, expiresAt ?? Infinity);
  return until;
}

/** Distinct prefixes, nested at random, with a few expiries, some of them past. */
function randomRules(random: Random, whole: Prefix): DesiredRule[] {
  const rules = new Map<string, DesiredRule>();
  for (let count = 1 + random.below(12); count > 0; count--) {
    const prefix = randomPrefix(random, whole);
    const expiresAt = random.below(3) === 0 ? null : NOW + (random.below(4) - 1) * 100;
    rules.set(formatPrefix(prefix), { prefix, name: random.below(2) === 0 ? null : "a", expiresAt });
  }
  return [...rules.values()];
}

function listOf(rules: readonly DesiredRule[], stays: "first" | "longest" = "first") {
  const list = new RuleList();
  for (const [line, rule] of rules.entries()) list.add(rule, line);
  return finished(list.inOrder(() => {}, stays));
}

function carved(rules: readonly DesiredRule[], protectedPrefix: Prefix): ListedRule[] {
  const hit = {
    kind: "allowed",
    id: null,
    name: "allowed",
    addresses: AddressSet.of([protectedPrefix]),
    longest: ANY_LENGTH,
  } as const;
  return finished(carvingRules(listOf(rules), [hit])).flatMap((part) => [...desiredIn(part)]);
}

function compacted(rules: readonly DesiredRule[]): DesiredRule[] {
  const sorted = listOf(rules).flatMap((part) => [...desiredIn(part)]);
  const times = { createdAt: 0, updatedAt: 0 };
  const all = sorted.map((rule) => ({ ...rule, ...times }));
  const compaction = finished(compacting(all, NOW, { ignoreNames: true }));
  return compaction.rules.flatMap((part) => [...desiredIn(part)]);
}

/** In how many of the rounds an address is covered for another time, or a protected one at all. */
function differences(carve: typeof carved): number {
  const random = new Random(SEED);
  let wrong = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const whole = prefixes[round % 2]!;
    const rules = randomRules(random, whole);
    const own = randomPrefix(random, whole);
    const expected = covers(rules);
    for (const number of numbersIn(own)) expected[number] = -1;
    if (covers(carve(rules, own)).join() !== expected.join()) wrong++;
  }
  return wrong;
}

test(`carving ${ROUNDS} random nested lists keeps for each address the longest cover it had`, (t) => {
  assert.equal(differences(carved), 0);
  // A part that gives way to a rule of the same prefix, whatever their times, is noticed.
  const broken = differences((rules, own) => {
    const parts = rules.flatMap((rule) => {
      const rest = AddressSet.of([rule.prefix]).difference(AddressSet.of([own]));
      return Array.from(rest.prefixes(), (prefix) => ({ ...rule, prefix }));
    });
    const whole = new Set(rules.map(({ prefix }) => formatPrefix(prefix)));
    const kept = parts.filter(({ prefix }) => whole.has(formatPrefix(prefix)));
    return listOf([...kept.toReversed(), ...parts]).flatMap((part) => [...desiredIn(part)]);
  });
  t.diagnostic(`seed ${SEED}: 0 of ${ROUNDS} differ; without regard to times ${broken}`);
  assert.ok(broken > ROUNDS / 20);
});

type Add = typeof addListed;

/** The rules after an import; undefined if it is refused. */
function imported(
  existing: readonly DesiredRule[],
  listed: readonly ListedRule[],
  mode: ConflictMode,
  add: Add,
): DesiredRule[] | undefined {
  const times = { createdAt: NOW, updatedAt: NOW };
  const after = new Map<string, Rule>(existing.map((rule) => [formatPrefix(rule.prefix), { ...rule, ...times }]));
  for (const each of listed) {
    const { action, rule } = add(after.get(formatPrefix(each.prefix)), each, mode, NOW);
    if (action === "conflict") return undefined;
    after.set(formatPrefix(each.prefix), rule);
  }
  return [...after.values()];
}

/** In how many of the rounds an address is covered for another time than the named rules and the parts say together. */
function importDifferences(add: Add): Map<ConflictMode, number> {
  const random = new Random(SEED + 2);
  const wrong = new Map<ConflictMode, number>(CONFLICT_MODES.map((mode) => [mode, 0]));
  for (let round = 0; round < ROUNDS; round++) {
    const whole = prefixes[round % 2]!;
    const mode = CONFLICT_MODES[random.below(CONFLICT_MODES.length)]!;
    const [existing, rules, own] = [
      randomRules(random, whole),
      randomRules(random, whole),
      randomPrefix(random, whole),
    ];
    const hit = new Set(numbersIn(own));
    const isCut = ({ prefix }: DesiredRule): boolean => numbersIn(prefix).some((number) => hit.has(number));
    // What the list names and the guard leaves whole is as without a guard; what is cut lasts at least as long as it says.
    const named = imported(
      existing,
      rules.filter((rule) => !isCut(rule)),
      mode,
      (old, rule) => addRule(old, { ...rule, mode }, NOW),
    );
    const parts = covers(rules.filter(isCut)).map((until, number) => (hit.has(number) ? -1 : until));
    const expected = named && covers(named).map((until, number) => Math.max(until, parts[number]!));
    const found = imported(existing, carved(rules, own), mode, add);
    if ((found && covers(found))?.join() !== expected?.join()) wrong.set(mode, wrong.get(mode)! + 1);
  }
  return wrong;
}

test(`importing ${ROUNDS} random carved lists shortens no rule that only a part of a cut rule meets, in any mode`, (t) => {
  const none = CONFLICT_MODES.map((mode) => [mode, 0]);
  assert.deepEqual([...importDifferences(addListed)], none);
  // Parts that are added as if the list named them are noticed.
  const broken = importDifferences((old, { prefix, name, expiresAt }, mode, now) =>
    addRule(old, { prefix, name, expiresAt, mode }, now),
  );
  t.diagnostic(`seed ${SEED}: 0 of ${ROUNDS} differ; with parts as named rules ${[...broken].join(" ")}`);
  for (const mode of ["override", "skip", "fail"] as const) assert.ok(broken.get(mode)! > ROUNDS / 200, mode);
});

test(`compacting ${ROUNDS} random nested lists keeps for each address the active cover it had`, () => {
  const random = new Random(SEED + 1);
  for (let round = 0; round < ROUNDS; round++) {
    const rules = randomRules(random, prefixes[round % 2]!);
    // What has expired covers nothing, before and after.
    const active = (of: readonly DesiredRule[]): string =>
      covers(of)
        .map((until) => (until > NOW ? until : -1))
        .join();
    assert.equal(active(compacted(rules)), active(rules), JSON.stringify(rules));
  }
});

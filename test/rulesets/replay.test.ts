import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address, Prefix } from "../../src/address/address.ts";
import { formatPrefix, prefixContains, prefixOf } from "../../src/address/prefix.ts";
import { type Replay, replayDifference, replaying, type SeenAddresses, topHits } from "../../src/rulesets/replay.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import type { RuleId } from "../../src/rulesets/rule-id.ts";
import { finished } from "../../src/turns/finished.ts";

const NOW = Date.UTC(2026, 5, 1);

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = randomNumbers(20_261_123);

/** From a small part of each family, so that rules and addresses coincide. */
function anyAddress(): Address {
  const low = Math.floor(random() * 4096);
  if (random() < 0.5) return { family: 4, w0: (0x14000000 | low) >>> 0, w1: 0, w2: 0, w3: 0 };
  return { family: 6, w0: 0x20010db8 + (low & 1), w1: 0, w2: 0, w3: low };
}

function anyRuleset(): Ruleset {
  const ruleset = new Ruleset({ allowSpecialPurpose: true });
  for (let at = 0; at < 40; at++) {
    const address = anyAddress();
    const prefix = prefixOf(address, (address.family === 4 ? 20 : 116) + Math.floor(random() * 13));
    ruleset.add(prefix, random() < 0.3 ? { expiresAt: NOW + Math.floor(random() * 3) - 1 } : {}, NOW - 1000);
  }
  return ruleset;
}

/** Addresses with their numbers of lines, as in the log and in columns. */
function anyLog(): { addresses: [Address, number][]; seen: SeenAddresses } {
  const byText = new Map<string, [Address, number]>();
  for (let at = 0; at < 6000; at++) {
    const address = anyAddress();
    byText.set(JSON.stringify(address), [address, 1 + Math.floor(random() * 9)]);
  }
  const addresses = [...byText.values()];
  const of = (family: 4 | 6): [Address, number][] => addresses.filter(([address]) => address.family === family);
  const seen = {
    words4: new Uint32Array(of(4).map(([{ w0 }]) => w0)),
    counts4: new Float64Array(of(4).map(([, lines]) => lines)),
    words6: new Uint32Array(of(6).flatMap(([{ w0, w1, w2, w3 }]) => [w0, w1, w2, w3])),
    counts6: new Float64Array(of(6).map(([, lines]) => lines)),
  };
  return { addresses: [...of(4), ...of(6)], seen };
}

/** The most specific active rule, found by looking at all of them. */
function decidingOf(ruleset: Ruleset, address: Address): Prefix | undefined {
  const host: Prefix = { ...address, length: address.family === 4 ? 32 : 128 };
  return [...ruleset]
    .filter(({ prefix, expiresAt }) => prefixContains(prefix, host) && (expiresAt === null || NOW < expiresAt))
    .map(({ prefix }) => prefix)
    .sort((a, b) => b.length - a.length)[0];
}

type Counted = Record<string, { lines: number; addresses: number }>;

function expectedOf(ruleset: Ruleset, addresses: readonly [Address, number][]): Counted {
  const counted: Counted = {};
  for (const [address, lines] of addresses) {
    const prefix = decidingOf(ruleset, address);
    if (prefix === undefined) continue;
    const hits = (counted[formatPrefix(prefix)] ??= { lines: 0, addresses: 0 });
    hits.lines += lines;
    hits.addresses++;
  }
  return counted;
}

function foundIn(ruleset: Ruleset, { byRule }: Replay): Counted {
  return Object.fromEntries(
    [...byRule].map(([id, hits]) => [formatPrefix(ruleset.prefixAt(id as RuleId)), { ...hits }]),
  );
}

/** The addresses that rules decide about, those with the most lines first. */
function topOf(ruleset: Ruleset, addresses: readonly [Address, number][]): [Address, number][] {
  const numberOf = ({ family, w0, w3 }: Address): number => (family === 6 ? 2 ** 13 * (w0 % 2) + w3 : w0);
  return addresses
    .filter(([address]) => decidingOf(ruleset, address) !== undefined)
    .toSorted(([a, lines], [b, more]) => more - lines || a.family - b.family || numberOf(a) - numberOf(b));
}

test("every line counts for the rule that decides; two lists differ by the addresses that one of them hits", () => {
  for (let round = 0; round < 5; round++) {
    const [first, second] = [anyRuleset(), anyRuleset()];
    const { addresses, seen } = anyLog();
    const [one, other] = [finished(replaying(first, seen, NOW)), finished(replaying(second, seen, NOW))];
    const expected = expectedOf(first, addresses);
    assert.deepEqual(foundIn(first, one), expected);
    const hits = Object.values(expected);
    assert.equal(
      one.lines,
      hits.reduce((sum, { lines }) => sum + lines, 0),
    );
    assert.equal(
      one.addresses,
      hits.reduce((sum, each) => sum + each.addresses, 0),
    );
    assert.deepEqual(
      topHits(one, seen, 900).map(({ family, at }) => addresses[family === 4 ? at : seen.counts4.length + at]),
      topOf(first, addresses).slice(0, 900),
    );
    const order = Object.entries(expected).toSorted(([, a], [, b]) => b.lines - a.lines || b.addresses - a.addresses);
    assert.deepEqual(
      one.byRule.most(12).map((id) => one.byRule.get(id)),
      order.slice(0, 12).map(([, each]) => each),
    );
    const only = (a: Ruleset, b: Ruleset): object => {
      const found = addresses.filter(([address]) => decidingOf(a, address) && !decidingOf(b, address));
      return { lines: found.reduce((sum, [, lines]) => sum + lines, 0), addresses: found.length };
    };
    assert.deepEqual(replayDifference(one, other, seen), {
      onlyFirst: only(first, second),
      onlySecond: only(second, first),
    });
    assert.notDeepEqual(foundIn(second, other), expected, "negative control: other rules have other hits");
  }
});

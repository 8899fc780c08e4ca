import assert from "node:assert/strict";
import { test } from "node:test";
import { allocateForMatcher, Matcher } from "../../../src/batch/engine/matcher.ts";
import { finished } from "../../../src/turns/finished.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { partsOf, RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import type { RuleEngine } from "../../../src/rulesets/index/rule-engine.ts";
import { KERNEL_ENGINE } from "../../../src/service/rules/kernel-engine.ts";
import { prefixOf } from "../../../src/address/prefix.ts";
import { randomWords } from "../../random-words.ts";

const NOW = 100;

/** Crowded enough that half of the addresses have a rule. */
function addressOf(next: () => number, family: 4 | 6) {
  if (family === 4) return { family, w0: ((next() & 0xc001_ffff) | 0x0800_0000) >>> 0, w1: 0, w2: 0, w3: 0 };
  return { family, w0: 0x2001_0db8, w1: next() & 0xffff, w2: 0, w3: next() & 3 };
}

function ruleOf(next: () => number): Rule {
  const family = next() % 2 === 0 ? 4 : 6;
  const lengths = family === 4 ? [32, 32, 32, 30, 24, 12] : [128, 128, 127, 64, 48];
  const prefix = prefixOf(addressOf(next, family), lengths[next() % lengths.length]!);
  return {
    prefix,
    name: null,
    expiresAt: next() % 3 === 0 ? NOW - 5 + (next() % 10) : null,
    createdAt: 0,
    updatedAt: 0,
  };
}

/** Compares an index that an engine answers for with one that is never frozen, before and after writes. */
function compare(engine: RuleEngine, rules: number): { answers: number; found: number } {
  const next = randomWords(16);
  const [frozen, plain] = [new RuleIndex(), new RuleIndex()];
  const tally = { answers: 0, found: 0 };
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < (round === 0 ? rules : rules / 100); i++) {
      const rule = ruleOf(next);
      for (const index of [frozen, plain]) {
        if (i % 4 === 3) index.delete(rule.prefix);
        else index.set(rule);
      }
    }
    // In the second round, the table of the first one and a tree answer together.
    if (round !== 1) finished(frozen.freezing(engine));
    for (const family of [4, 6] as const) {
      const asked = Array.from({ length: 5000 }, () => addressOf(next, family));
      const words = Uint32Array.from(asked.flatMap(({ w0, w1, w2, w3 }) => (family === 4 ? [w0] : [w0, w1, w2, w3])));
      const [one, other] = [new Uint32Array(asked.length), new Uint32Array(asked.length)];
      frozen.decideWordsInto(family, words, one, NOW);
      plain.decideWordsInto(family, words, other, NOW);
      const lengthsOf = (of: RuleIndex, ids: Uint32Array): number[] => {
        const { lengths } = partsOf(of)[family === 4 ? 0 : 1].slots;
        return Array.from(ids, (id) => (id === 0 ? -1 : lengths[id >>> 1]!));
      };
      const found = lengthsOf(frozen, one);
      assert.deepEqual(found, lengthsOf(plain, other));
      tally.answers += asked.length;
      tally.found += found.filter((length) => length >= 0).length;
    }
  }
  return tally;
}

test("batches in the kernel for frozen rules equal an index that is never frozen; nothing is copied", (t) => {
  let matchers = 0;
  const all: RuleEngine = {
    allocate: allocateForMatcher,
    batchesOver(table) {
      const before = process.memoryUsage().external;
      const matcher = new Matcher(table);
      assert.equal(matcher.engine, "webassembly");
      assert.ok(matcher.table.buffer instanceof SharedArrayBuffer && process.memoryUsage().external - before < 1 << 22);
      matchers++;
      return matcher;
    },
  };
  const tally = compare(all, 4000);
  t.diagnostic(JSON.stringify(tally));
  assert.ok(tally.found > tally.answers / 10 && matchers === 4);
});

test("large tables use the kernel, small ones do not", () => {
  const tally = compare(KERNEL_ENGINE, 60_000);
  assert.ok(tally.found > 0);
  assert.ok(KERNEL_ENGINE.allocate(1 << 10) instanceof ArrayBuffer);
  assert.ok(KERNEL_ENGINE.allocate(2 << 20) instanceof SharedArrayBuffer);
});

test("negative control: an engine that is wrong about one match in a hundred is detected", () => {
  const wrong: RuleEngine = {
    allocate: (byteLength) => new ArrayBuffer(byteLength),
    batchesOver: (table) => ({
      lookupBatchInto(family, words, out, count) {
        table.lookupBatchInto(family, words, out, count);
        for (let i = 0; i < count; i += 100) out[i] = 0;
      },
    }),
  };
  assert.throws(() => compare(wrong, 4000), assert.AssertionError);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Prefix } from "../../../src/address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../../src/address/prefix.ts";
import { createLog } from "../../../src/api/plugins/logging.ts";
import { finished } from "../../../src/turns/finished.ts";
import { ruleDocument } from "../../../src/formats/rule-document.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { columnsOf } from "../../../src/rulesets/rule-columns.ts";
import type { RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import { AddressBatch } from "../../../src/service/address-batch.ts";
import { writeDocuments } from "../../../src/service/address-documents.ts";
import { BackgroundFreezes } from "../../../src/service/rules/background-freezes.ts";
import { checkBatch, checkDocument, checkText } from "../../../src/service/rules/check-rules.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import { Metrics } from "../../../src/service/usage/metrics.ts";
import { RuleOracle } from "../../oracle/rule-oracle.ts";
import { rounds } from "../../rounds.ts";
import { EMPTY_STATE } from "../../../src/store/state.ts";
import { randomWords } from "../../random-words.ts";
import { aboutRuleset } from "./about-ruleset.ts";

const SEED = 20_261_123;
const RULES = 500;
const TEXTS = 30;
const [organisationId, rulesetId] = ["organisation", "ruleset"];

/** A crowded world: prefixes repeat, nest, and are drawn again. */
class World {
  readonly next = randomWords(SEED);

  pick<Item>(items: readonly Item[]): Item {
    return items[this.next() % items.length]!;
  }

  prefix(): Prefix {
    const w0 = ((this.next() % 4) * 0x4000_0000 + (this.next() & 0x3ff)) >>> 0;
    if (this.next() % 3 > 0)
      return prefixOf({ family: 4, w0, w1: 0, w2: 0, w3: 0 }, this.pick([32, 32, 32, 31, 28, 24, 20, 12, 8, 0]));
    const [w1, w3] = [(this.next() & 0x8000_000f) >>> 0, this.next() & 0xff];
    const address = { family: 6 as const, w0: 0x2001_0db8, w1, w2: this.next() % 3, w3 };
    return prefixOf(address, this.pick([128, 128, 127, 120, 96, 64, 63, 48, 32, 20, 0]));
  }

  rule(now: number): Rule {
    const expiresAt = this.next() % 2 === 0 ? null : now - 20 + (this.next() % 40);
    const name = this.pick([null, "office", 'quoted "name"', "Büro \\ 東京"]);
    return { prefix: this.prefix(), name, expiresAt, createdAt: this.next() % 5, updatedAt: this.next() };
  }

  /**
   * An address, or in one case of four a prefix, in the forms that people write; sometimes twice, or in another form.
   */
  text(): string {
    const prefix = this.prefix();
    const bits = prefix.family === 4 ? 32 : 128;
    const text = formatPrefix(this.next() % 4 === 0 ? prefix : { ...prefix, length: bits });
    if (this.next() % 8 > 0 || text.includes("/")) return text;
    return prefix.family === 4 ? `::ffff:${text}` : text.toUpperCase();
  }
}

function documentOf(oracle: RuleOracle, ip: string, now: number): object {
  const covering = oracle.covering(parsePrefix(ip)).filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
  const documents = covering.map(ruleDocument);
  return { ip, matched: documents.length > 0, rule: documents[0] ?? null, covering: documents };
}

interface Tally {
  answers: number;
  found: number;
  nested: number;
  writes: number;
  replaced: number;
  freezes: number;
  stepsBack: number;
}

/** Compares the service's answers with a list of all rules, while rules change, expire and are frozen. */
async function compare(times: number, break_: (rules: RuleIndex) => void = () => {}): Promise<Tally> {
  const tally: Tally = { answers: 0, found: 0, nested: 0, writes: 0, replaced: 0, freezes: 0, stepsBack: 0 };
  const world = new World();
  const oracle = new RuleOracle();
  const memory = new ServiceMemory();
  for (let i = 0; i < RULES; i++) oracle.set(world.rule(100));
  for (const rules of columnsOf(oracle.rules())) memory.addRules({ rulesetId, rules });
  await memory.addState({ ...EMPTY_STATE, sequence: 1, rulesets: [aboutRuleset(rulesetId, organisationId, "")] });
  const metrics = new Metrics();
  const freezes = new BackgroundFreezes({ memory, metrics, log: createLog("error", process.stderr), rest: 0 });
  freezes.check();
  let now = 100;
  for (let round = 0; round < times; round++) {
    const upserts = Array.from({ length: world.next() % 40 }, () => world.rule(now));
    const deletes = Array.from({ length: world.next() % 20 }, () => world.prefix());
    for (const rule of upserts) oracle.set(rule);
    for (const prefix of deletes) oracle.delete(prefix);
    const sequence = memory.sequence + 1;
    const signed = { sequence, stamp: `stamp-${sequence}`, at: now, actor: "user:test", organisationId };
    const change = { ...signed, rulesetId };
    if (world.next() % 20 === 0) {
      // Replaces all rules at once: a freeze in progress is then of rules that no longer exist.
      await memory.apply([{ ...change, kind: "rules-replaced", rules: columnsOf(oracle.rules()) }]);
      tally.replaced++;
    } else {
      await memory.apply([{ ...change, kind: "rules", upserts, deletes }]);
    }
    tally.writes += upserts.length + deletes.length;
    freezes.check();
    for (let turn = world.next() % 3; turn > 0; turn--) await nextTurn();
    const before = now;
    now = 100 + (world.next() % 60) - 30;
    if (now < before) tally.stepsBack++;
    const rules = memory.rulesOf(rulesetId)!;
    break_(rules);
    ask(rules, oracle, world, now, tally);
  }
  await freezes.stop();
  tally.freezes = (await metrics.freezes.get()).values[0]?.value ?? 0;
  return tally;
}

function ask(rules: RuleIndex, oracle: RuleOracle, world: World, now: number, tally: Tally): void {
  const texts = Array.from({ length: TEXTS }, () => world.text());
  const batch = new AddressBatch([...texts, ...texts.slice(0, 5)], (index, error) => assert.fail(`${index}: ${error}`));
  const checks = finished(checkBatch(rules, batch, now));
  const parts = [...writeDocuments(batch.texts, "map", (place) => checkDocument(batch.texts[place]!, checks[place]!))];
  const expected = Object.fromEntries(texts.map((text) => [text, documentOf(oracle, text, now)]));
  const answers = JSON.parse(parts.join(""));
  assert.deepEqual(answers, expected);
  assert.deepEqual(Object.keys(answers), Object.keys(expected));
  const single = world.pick(texts);
  assert.deepEqual(JSON.parse(checkText(rules, single, parsePrefix(single), now)), expected[single]);
  tally.answers += batch.count;
  for (const { matched, covering } of Object.values<any>(answers)) {
    if (matched === true) tally.found++;
    if (covering.length > 1) tally.nested++;
  }
}

test("checks equal those of a list of rules, while rules change, expire, and are replaced and frozen", async (t) => {
  const tally = await compare(rounds({ short: 80, long: 1000 }));
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(tally)}`);
  assert.ok(Object.values(tally).every((count) => count > 0));
});

test("negative control: an index that misses covering rules or expiries is detected", async () => {
  await assert.rejects(
    compare(50, (rules) => (rules.decideAbove = () => 0 as never)),
    assert.AssertionError,
  );
  const decide = (rules: RuleIndex): void => {
    const { decideWordsInto } = rules;
    rules.decideWordsInto = function (family, words, out, _now, count) {
      decideWordsInto.call(this, family, words, out, 90, count);
    };
  };
  await assert.rejects(compare(50, decide), assert.AssertionError);
});

test("a batch has each text once, by family, and reports malformed ones until the caller stops it", () => {
  const texts = [
    "1.2.3.4",
    "x",
    "::1",
    "0:0::1",
    "::1",
    "10.0.0.0/8",
    "1.2.3.4",
    "10.0.0.1/8",
    "::ffff:1.2.3.4",
    "y",
    "z",
  ];
  const malformed: string[] = [];
  const batch = new AddressBatch(texts, (index, { message }) => malformed.push(`${index} ${message}`) < 3);
  assert.deepEqual(batch.texts, ["1.2.3.4", "::1", "0:0::1", "10.0.0.0/8", "::ffff:1.2.3.4"]);
  assert.deepEqual(
    malformed.map((line) => line.split(" ")[0]),
    ["1", "7", "9"],
  );
  assert.match(malformed[1]!, /did you mean 10\.0\.0\.0\/8/);
  assert.deepEqual([...batch.indexes4.subarray(0, batch.count4)], [0, 4]);
  assert.deepEqual([...batch.indexes6.subarray(0, batch.count6)], [1, 2]);
  assert.deepEqual(batch.prefixIndexes, [3]);
  assert.equal(new AddressBatch([], () => true).count, 0);
});

test("a full batch of texts with the same words is found completely", () => {
  const zeros = Array.from({ length: 5000 }, (_, at) => `${"0:".repeat(1 + (at % 6))}:${(at >> 3).toString(16)}`);
  const different = new Set(zeros);
  const batch = new AddressBatch([...zeros, ...zeros.toReversed()], () => true);
  assert.deepEqual(batch.texts, [...different]);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import type { RuleId } from "../../src/rulesets/rule-id.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";

const NOW = Date.UTC(2026, 10, 22);
const DAY = 86_400_000;

/** Rules for documentation ranges, as the tests need them. */
function examples(): Ruleset {
  const ruleset = new Ruleset({ name: "examples", allowSpecialPurpose: true });
  ruleset.add("192.0.2.0/24", { name: "network" }, NOW);
  ruleset.add("192.0.2.1", { name: "host", expiresInDays: 1 }, NOW);
  ruleset.add("2001:db8::/32", { expiresAt: NOW + 10 }, NOW);
  return ruleset;
}

describe("writing", () => {
  test("a rule is created, extended, overridden, skipped or rejected, as in the service", () => {
    const ruleset = examples();
    const add = (mode: "extend" | "override" | "skip" | "fail", expiresAt: number | null): [string, number | null] => {
      const { action, rule } = ruleset.add("192.0.2.1", { mode, expiresAt }, NOW + 1);
      return [action, rule.expiresAt];
    };
    assert.deepEqual(add("extend", NOW), ["skipped", NOW + DAY]);
    assert.deepEqual(add("extend", NOW + 2 * DAY), ["updated", NOW + 2 * DAY]);
    assert.deepEqual(add("skip", null), ["skipped", NOW + 2 * DAY]);
    assert.deepEqual(add("fail", null), ["conflict", NOW + 2 * DAY]);
    assert.deepEqual(add("override", null), ["updated", null]);
    assert.equal(ruleset.get("192.0.2.1")!.name, null);
    assert.equal(ruleset.count, 3);
  });

  test("an update changes only the given fields, and its time changes only if something else does", () => {
    const ruleset = examples();
    const before = ruleset.sequence;
    assert.equal(ruleset.update("192.0.2.0/24", { name: "network" }, NOW + 5)!.updatedAt, NOW);
    assert.equal(ruleset.sequence, before);
    const rule = ruleset.update("192.0.2.0/24", { name: null, expiresInDays: 2 }, NOW + 5)!;
    assert.deepEqual([rule.name, rule.expiresAt, rule.updatedAt], [null, NOW + 5 + 2 * DAY, NOW + 5]);
    assert.equal(ruleset.update("198.51.100.0/24", { name: "x" }), undefined);
    assert.equal(ruleset.sequence, before + 1);
  });

  test("rules that were made here are ready", async () => {
    assert.equal(await examples().ready(), undefined);
  });

  test("a deleted rule is gone at once, and its id is invalid", () => {
    const ruleset = examples();
    const id = ruleset.decideText("192.0.2.1", NOW);
    assert.equal(ruleset.delete("192.0.2.1"), true);
    assert.equal(ruleset.delete("192.0.2.1"), false);
    assert.equal(ruleset.nameAt(ruleset.decideText("192.0.2.1", NOW)), "network");
    assert.throws(() => ruleset.ruleAt(id), RangeError);
    const before = ruleset.sequence;
    ruleset.clear();
    ruleset.clear();
    assert.equal(ruleset.sequence, before + 1, "a change is counted once, and what changes nothing is not");
    assert.equal(ruleset.count, 0);
    assert.equal(ruleset.decideText("192.0.2.1", NOW), 0);
  });

  const rejected: Record<string, [write: (ruleset: Ruleset) => unknown, error: object]> = {
    "host bits": [(r) => r.add("192.0.2.1/24"), { code: "bad-prefix" }],
    "host bits of a prefix that is no text": [
      (r) => r.add({ ...parsePrefix("192.0.2.0/24"), w0: 0xc0000201 }),
      { code: "bad-prefix" },
    ],
    "a length beyond the family": [
      (r) => r.add({ ...parsePrefix("192.0.2.0/24"), length: 33 }),
      { code: "bad-prefix" },
    ],
    "a private block": [(r) => r.add("10.0.0.0/8"), { code: "special-purpose" }],
    "a private block that is no text": [(r) => r.add(parsePrefix("10.0.0.0/8")), { code: "special-purpose" }],
    "a number": [(r) => r.add(7 as never), { code: "wrong-type" }],
    "an object of another kind": [(r) => r.add({} as never), TypeError],
    "a name with a line end": [(r) => r.add("8.8.8.8", { name: "a\nb" }), { code: "bad-character" }],
    "a name that is a number": [(r) => r.add("8.8.8.8", { name: 7 as never }), { code: "wrong-type" }],
    "an expiry that is a text": [(r) => r.add("8.8.8.8", { expiresAt: "tomorrow" as never }), { code: "wrong-type" }],
    "an expiry that is NaN": [(r) => r.add("8.8.8.8", { expiresAt: Number.NaN }), { code: "out-of-range" }],
    "an expiry before 1970": [(r) => r.add("8.8.8.8", { expiresAt: -1 }), { code: "out-of-range" }],
    "half a day": [(r) => r.add("8.8.8.8", { expiresInDays: 0.5 }), { code: "out-of-range" }],
    "two expiries": [(r) => r.add("8.8.8.8", { expiresAt: null, expiresInDays: 1 }), { code: "two-expiries" }],
    "an unknown mode": [(r) => r.add("8.8.8.8", { mode: "replace" as never }), TypeError],
    "an unknown option": [(r) => r.add("8.8.8.8", { expires_at: 1 } as never), TypeError],
    "an unknown option of an update": [(r) => r.update("8.8.8.8", { mode: "skip" } as never), TypeError],
  };
  for (const [what, [write, error]] of Object.entries(rejected)) {
    test(`${what} is rejected, and nothing is written`, () => {
      const ruleset = new Ruleset();
      assert.throws(() => write(ruleset), error);
      assert.deepEqual([ruleset.count, ruleset.sequence], [0, 0]);
    });
  }

  test("a ruleset accepts only valid names and purposes", () => {
    assert.throws(() => new Ruleset({ purpose: "greylist" as never }), TypeError);
    assert.throws(() => new Ruleset({ name: "a\tb" }), { code: "bad-character" });
    assert.deepEqual([new Ruleset().name, new Ruleset().purpose], ["", "blocklist"]);
  });
});

describe("asking", () => {
  test("the most specific active rule decides, at any given time", () => {
    const ruleset = examples();
    const names = (now: number): (string | null | undefined)[] => [
      ruleset.check("192.0.2.1", now)?.name,
      ruleset.check(parseAddress("192.0.2.2"), now)?.name,
      ruleset.check("192.0.2.0/25", now)?.name,
      ruleset.check("192.0.0.0/16", now)?.name,
      ruleset.check("2001:db8::1", now)?.name,
    ];
    assert.deepEqual(names(NOW), ["host", "network", "network", undefined, null]);
    assert.deepEqual(names(NOW + DAY), ["network", "network", "network", undefined, undefined]);
    assert.deepEqual(names(NOW), ["host", "network", "network", undefined, null], "the clock has gone back");
    assert.deepEqual(
      ruleset.checkAll("192.0.2.1", NOW).map(({ name }) => name),
      ["host", "network"],
    );
    assert.deepEqual(
      ruleset.checkAll("192.0.2.1", NOW + DAY).map(({ name }) => name),
      ["network"],
    );
    assert.deepEqual(
      ruleset.covering("192.0.2.1").map(({ name }) => name),
      ["host", "network"],
    );
    assert.deepEqual([ruleset.activeCount(NOW + 10), ruleset.nextExpiry(NOW + 10)], [2, NOW + DAY]);
  });

  test("decisions return ids without objects, one by one and in bulk", () => {
    const ruleset = examples();
    const texts = ["192.0.2.1", "192.0.2.9", "8.8.8.8", "2001:db8::1", "2001:db9::1"];
    const ids = new Uint32Array(texts.length);
    ruleset.decideInto(texts, ids, NOW);
    assert.deepEqual(
      [...ids].map((id) => (id === 0 ? null : formatPrefix(ruleset.prefixAt(id as RuleId)))),
      ["192.0.2.1", "192.0.2.0/24", null, "2001:db8::/32", null],
    );
    assert.deepEqual(
      texts.map((text) => ruleset.decideText(text, NOW)),
      [...ids],
    );
    const words = Uint32Array.of(0xc0000201, 0xc0000209, 0x08080808);
    assert.deepEqual(
      [...words].map((word) => ruleset.decide4(word, NOW)),
      [...ids.subarray(0, 3)],
    );
    ruleset.decideWordsInto(4, words, words, NOW);
    assert.deepEqual([...words], [...ids.subarray(0, 3)]);
    const six = new Uint32Array(1);
    ruleset.decideWordsInto(6, Uint32Array.of(0x20010db8, 0, 0, 1), six, NOW);
    assert.equal(six[0], ids[3]);
    assert.equal(ruleset.decide6(0x20010db8, 0, 0, 1, NOW + 10), 0);
    const [host, network] = [ids[0] as RuleId, ids[1] as RuleId];
    assert.deepEqual([ruleset.nameAt(host), ruleset.expiryAt(host)], ["host", NOW + DAY]);
    assert.deepEqual([ruleset.ruleAt(network).name, ruleset.expiryAt(network)], ["network", null]);
  });

  test("a malformed address is thrown, or reported with its index", () => {
    const ruleset = examples();
    const texts = ["192.0.2.1", "192.0.2.300", "192.0.2.0/24", 7 as never];
    const ids = new Uint32Array(4).fill(9);
    assert.throws(() => ruleset.decideInto(texts, ids, NOW), { name: "AddressError" });
    const bad: [number, string][] = [];
    ruleset.decideInto(texts, ids, NOW, (index, error) => bad.push([index, error.name]));
    assert.deepEqual(bad, [
      [1, "AddressError"],
      [2, "AddressError"],
      [3, "TypeError"],
    ]);
    assert.equal(ruleset.nameAt(ids[0] as RuleId), "host");
    assert.deepEqual([...ids.subarray(1)], [0, 0, 0]);
    assert.throws(() => ruleset.check("192.0.2.1/24"), { code: "host-bits-set" });
    assert.throws(() => ruleset.decideText("x", NOW), { name: "AddressError" });
  });

  test("a time that is NaN, an id of no rule and arrays that are too short are errors", () => {
    const ruleset = examples();
    const out = new Uint32Array(1);
    for (const ask of [
      () => ruleset.check("192.0.2.1", Number.NaN),
      () => ruleset.decide4(1, Number.NaN),
      () => ruleset.decide6(1, 1, 1, 1, Number.NaN),
      () => ruleset.decideText("192.0.2.1", Number.NaN),
      () => ruleset.decideInto([], out, Number.NaN),
      () => ruleset.decideWordsInto(4, out, out, Number.NaN),
      () => ruleset.decideInto(["192.0.2.1", "192.0.2.1"], out, NOW),
      () => ruleset.decideWordsInto(4, new Uint32Array(2), out, NOW),
      () => ruleset.decideWordsInto(6, new Uint32Array(5), out, NOW),
      () => ruleset.decideWordsInto(6, new Uint32Array(4), out, NOW, -1),
      () => ruleset.ruleAt(0 as RuleId),
      () => ruleset.nameAt(99 as RuleId),
      () => ruleset.prefixAt(-2 as RuleId),
      () => ruleset.expiryAt(2.5 as RuleId),
    ])
      assert.throws(ask, RangeError);
  });
});

describe("lists", () => {
  test("an import adds all rules of a list, and exports can be imported", () => {
    const ruleset = examples();
    const done = ruleset.import(
      "192.0.2.0/24\n198.51.100.0/24\n",
      "text",
      { defaults: { name: "x", expiresAt: null } },
      NOW,
    );
    assert.deepEqual([done.created, done.updated, done.skipped, done.errors], [1, 0, 1, []]);
    const text = [...ruleset.export("ndjson", { includeExpired: true })].join("");
    const again = new Ruleset({ allowSpecialPurpose: true });
    assert.equal(again.import(text, "ndjson", {}, NOW).created, 4);
    assert.deepEqual([...again], [...ruleset]);
    assert.equal([...ruleset.export("text", { now: NOW + 10 })].join(""), "192.0.2.0/24\n192.0.2.1\n198.51.100.0/24\n");
    for (const format of ["yaml", "constructor", undefined])
      assert.throws(() => ruleset.export(format as never), /^TypeError: the format must be one of text, csv, /);
    assert.deepEqual([...ruleset.rulesAfter("192.0.2.1")].length, 2);
  });

  test("if a line cannot be read, or a rule exists in mode fail, nothing is written", () => {
    const ruleset = examples();
    const before = [...ruleset];
    const bad = ruleset.import(["198.51.100.0/24\n198.51", ".100.1/24\n"], "text", {}, NOW);
    assert.deepEqual([bad.created, bad.errors.length, bad.errors[0]!.line], [0, 1, 2]);
    const conflict = ruleset.import("198.51.100.0/24\n192.0.2.1\n", "text", { mode: "fail" }, NOW);
    assert.deepEqual([conflict.created, conflict.conflicts.map(({ name }) => name)], [0, ["host"]]);
    assert.deepEqual([...ruleset], before);
    assert.equal(new Ruleset().import("10.0.0.1\n", "text").errors.length, 1);
    const left = ruleset.import("198.51.100.0/24\nx\n", "text", { skipInvalid: true }, NOW);
    assert.deepEqual([left.created, left.leftOut.count], [1, 1]);
    assert.throws(() => ruleset.import("", "text", { mode: "x" as never }), TypeError);
    assert.throws(() => ruleset.import("", "xml" as never), TypeError);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import type { DesiredRule } from "../../../src/rulesets/plan-replacement.ts";
import { RuleList } from "../../../src/rulesets/rule-list.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { keyOfPrefix } from "../../../src/store/_prefix-key.ts";
import { type RuleValues, valuesOfRule } from "../../../src/store/_rule-values.ts";
import type { BatchRulesCommand } from "../../../src/store/command.ts";
import { checkMatch } from "../../../src/store/decide/_match.ts";
import { Replacement } from "../../../src/store/decide/_replacement.ts";
import {
  decideRestoration,
  restoredFew,
  restoredRules,
  restoredWhole,
} from "../../../src/store/decide/_restoration.ts";
import { decideRules } from "../../../src/store/decide/_rule-commands.ts";
import { RuleEdit } from "../../../src/store/decide/_rule-edit.ts";
import { addRestored, type ExpiryMarks, RuleEvents } from "../../../src/store/decide/_rule-events.ts";
import { checkName, checkRules } from "../../../src/store/decide/_rule-limits.ts";
import { changedRulesOf, inverseOf, RuleTally } from "../../../src/store/decide/_rules-summary.ts";
import { RulesetDraft } from "../../../src/store/decide/_ruleset-draft.ts";
import { MAX_LISTED_RULES, TouchedRules } from "../../../src/store/decide/_touched-rules.ts";
import { ruleTag } from "../../../src/store/if-match.ts";
import { keptLength, MAX_KEPT } from "../../../src/store/kept-length.ts";
import { type Ruleset, stateOf } from "../../../src/store/state.ts";
import { finished } from "../../../src/turns/finished.ts";

const NOW = 1000;

function rule(text: string, about: Partial<Rule> = {}): Rule {
  return { prefix: parsePrefix(text), name: null, expiresAt: null, createdAt: 1, updatedAt: 2, ...about };
}

const row = (text: string, about: Partial<Rule> = {}): RuleValues => valuesOfRule(rule(text, about));
const addresses = (count: number): string[] => Array.from({ length: count }, (_, at) => `20.0.${at >> 8}.${at & 255}`);

function marks(expiredUntil = 0, nextExpiry: number | null = null): ExpiryMarks {
  return new RulesetDraft(3, { id: "r" } as Ruleset, 0, { expiredUntil, nextExpiry });
}

test("events of rules: created, updated, deleted; an expiry that is over is in the feed once", () => {
  const of = (before: RuleValues | null, after: RuleValues | null, of: ExpiryMarks = marks()) => {
    const events = new RuleEvents(of, NOW);
    events.add(before, after);
    return events.take().map(([kind]) => kind);
  };
  const plain = row("20.0.0.1");
  assert.deepEqual([of(null, plain), of(plain, plain), of(plain, null), of(null, null)], [[0], [1], [2], []]);
  const expired = row("20.0.0.1", { expiresAt: 500 });
  assert.deepEqual(of(null, expired, marks(500)), [0, 3], "at once");
  assert.deepEqual(of(null, expired, marks(499)), [0], "when it is due");
  assert.deepEqual(of(expired, expired, marks(500)), [1], "it is in the feed already");
  assert.deepEqual(of(row("20.0.0.1", { expiresAt: 501 }), expired, marks(500)), [1, 3]);
  assert.deepEqual(of(plain, expired, marks(500)), [1, 3]);
  const later = row("20.0.0.1", { expiresAt: 1001 });
  assert.deepEqual(of(expired, later, marks(2000)), [1, 3], "active again, by this clock");
  const now = row("20.0.0.1", { expiresAt: NOW });
  assert.deepEqual(of(expired, now, marks(2000)), [1]);
  const events = new RuleEvents(marks(), NOW);
  events.add(expired, later);
  const [key, name, expiresAt, createdAt, updatedAt] = later;
  assert.deepEqual(events.take(), [[1, key, name, expiresAt, createdAt, updatedAt, NOW]]);
  assert.equal(events.length, 0);
});

test("the next expiry of a ruleset is the earliest that is not in the feed yet", () => {
  const after = (expiresAt: number | null, expiredUntil: number, nextExpiry: number | null) => {
    const draft = marks(expiredUntil, nextExpiry);
    new RuleEvents(draft, NOW).add(null, row("20.0.0.1", { expiresAt }));
    return [draft.nextExpiry, draft.areMarksChanged];
  };
  assert.deepEqual(after(null, 500, 700), [700, false]);
  assert.deepEqual(after(600, 500, null), [600, true]);
  assert.deepEqual(after(600, 500, 700), [600, true]);
  assert.deepEqual(after(700, 500, 700), [700, false]);
  assert.deepEqual(after(800, 500, 700), [700, false]);
  assert.deepEqual(after(500, 500, 700), [700, true], "the expiry was appended");
});

test("restored rules: those that were there are changed or added again, the others deleted", () => {
  const before = [row("20.0.0.1"), row("20.0.0.2", { name: "x" })];
  const after = [row("20.0.0.2"), row("20.0.0.3")];
  const events = new RuleEvents(marks(), NOW);
  addRestored(events, { before, after }, NOW);
  const told = events.take().map(([kind, key, , , , updatedAt]) => [kind, key, updatedAt]);
  const keys = addresses(4).map((text) => keyOfPrefix(parsePrefix(text)));
  assert.deepEqual(told, [
    [0, keys[1], NOW],
    [1, keys[2], NOW],
    [2, keys[3], 2],
  ]);
  const { change, oldRules } = restoredFew("r", { before, after }, NOW);
  assert.deepEqual(change, {
    kind: "rules",
    rulesetId: "r",
    upserts: [rule("20.0.0.1", { updatedAt: NOW }), rule("20.0.0.2", { name: "x", updatedAt: NOW })],
    deletes: [parsePrefix("20.0.0.3")],
  });
  assert.deepEqual(oldRules, { rules: [after[1], after[0]] });
  assert.deepEqual(restoredRules("r", before, NOW).change, { ...change, deletes: [] });
});

test("an undo is decided by what the change left, and by the room that it needs", () => {
  const counts = (added: number, changed: number, deleted: number) =>
    Object.fromEntries(
      Object.entries({ added, changed, deleted }).map(([kind, count]) => [kind, { count, only: null }]),
    ) as unknown as Parameters<typeof decideRestoration>[0];
  const state = { isAsLeft: true, count: 10, max: 12, sequence: 7 };
  assert.deepEqual(decideRestoration(counts(1, 2, 3), state), { touched: 6, more: 2 });
  assert.throws(() => decideRestoration(counts(0, 0, 3), state), { code: "too-many-rules" });
  assert.deepEqual(decideRestoration(counts(1, 0, 0), { ...state, max: 5 }), { touched: 1, more: -1 });
  assert.throws(() => decideRestoration(counts(1, 0, 0), { ...state, isAsLeft: false }), {
    code: "rules-changed",
    message: /change 7 /,
  });
});

test("a summary counts, keeps the first rules only, and can be turned round", () => {
  const tally = new RuleTally();
  tally.add(null, rule("20.0.0.1"));
  tally.add(rule("20.0.0.2"), rule("20.0.0.2", { name: "x" }));
  tally.add(rule("20.0.0.3"), null);
  tally.add(rule("20.0.0.4"), null);
  const summary = tally.summary({ isKept: true, skipped: 3 });
  const shown = changedRulesOf(summary);
  const one = (text: string) => ({ count: 1, only: parsePrefix(text) });
  assert.deepEqual(shown, {
    added: one("20.0.0.1"),
    changed: one("20.0.0.2"),
    deleted: { count: 2, only: null },
    before: [rule("20.0.0.2"), rule("20.0.0.3"), rule("20.0.0.4")],
    beforeCount: 3,
    after: [rule("20.0.0.1"), rule("20.0.0.2", { name: "x" })],
    afterCount: 2,
  });
  assert.deepEqual([summary.isKept, summary.skipped], [true, 3]);
  const inverse = inverseOf(summary, NOW);
  assert.deepEqual(
    [inverse.added, inverse.deleted, inverse.changed],
    [summary.deleted, summary.added, summary.changed],
  );
  assert.deepEqual(inverse.after[0], row("20.0.0.2", { updatedAt: NOW }));
  assert.deepEqual([inverse.before, inverse.isKept], [summary.after, false]);
  const many = new RuleTally();
  for (const text of addresses(150)) many.add(null, rule(text));
  const of150 = many.summary({ isKept: false });
  // 8,000 characters: each has its address, its name and 50 more.
  const all = addresses(150).map((text) => formatPrefix(parsePrefix(text)).length + 50);
  let fitting = 0;
  for (let sum = all[0]!; sum <= 8000 && fitting < 100; sum += all[fitting]!) fitting++;
  assert.deepEqual([of150.after.length, of150.added], [fitting, [150, row("20.0.0.0")[0]]]);
  const short = new RuleTally();
  for (const text of addresses(150)) short.add(rule(text, { name: "n".repeat(9) }), null);
  const named = all.map((length) => length + 9);
  let fittingNamed = 0;
  for (let sum = named[0]!; sum <= 8000 && fittingNamed < 100; sum += named[fittingNamed]!) fittingNamed++;
  assert.equal(short.summary({ isKept: true }).before.length, fittingNamed);
  assert.deepEqual(restoredWhole("r", [], 5, undefined, NOW).summary, undefined);
  assert.deepEqual(restoredWhole("r", [], 5, summary, NOW).summary, inverse);
});

function columns(...rules: readonly DesiredRule[]) {
  const list = new RuleList();
  rules.forEach((each, at) => list.add(each, at));
  return finished(list.inOrder(() => {}));
}

const desired = (text: string, name: string | null = null, expiresAt: number | null = null): DesiredRule => ({
  prefix: parsePrefix(text),
  name,
  expiresAt,
});

test("a replacement adds, removes, changes and keeps, in the order of prefixes of both families", () => {
  const touched = new TouchedRules(new RuleEvents(marks(), NOW));
  const parts = columns(
    desired("20.0.0.0/24"),
    desired("20.0.0.0/25", "kept", 50),
    desired("20.0.0.3", "new name"),
    desired("2001:db8::/32"),
    desired("2001:db8::1", null, 60),
    desired("ffff::/16"),
  );
  const replacement = new Replacement(touched, parts, NOW);
  for (const current of [
    row("20.0.0.0/25", { name: "kept", expiresAt: 50 }),
    row("20.0.0.1"),
    row("20.0.0.3"),
    row("20.0.0.4"),
    row("2001:db8::1", { expiresAt: 59 }),
    row("2001:db8::1:0:0:0", {}),
  ])
    assert.equal(replacement.meet(current), false);
  assert.equal(replacement.addRest(), false);
  assert.deepEqual([touched.added, touched.updated, touched.removed, replacement.unchanged], [3, 2, 3, 1]);
  const { change } = touched.recorded("r", [], { skipped: 1, digest: undefined }, null);
  assert.deepEqual(change, {
    kind: "rules",
    rulesetId: "r",
    upserts: [
      rule("20.0.0.0/24", { createdAt: NOW, updatedAt: NOW }),
      rule("20.0.0.3", { name: "new name", updatedAt: NOW }),
      rule("2001:db8::/32", { createdAt: NOW, updatedAt: NOW }),
      rule("2001:db8::1", { expiresAt: 60, updatedAt: NOW }),
      rule("ffff::/16", { createdAt: NOW, updatedAt: NOW }),
    ],
    deletes: ["20.0.0.1", "20.0.0.4", "2001:db8::1:0:0:0"].map((text) => parsePrefix(text)),
  });
  const times = parts.flatMap(({ createdAt, updatedAt }) =>
    Array.from(createdAt, (at, index) => [at, updatedAt[index]]),
  );
  assert.deepEqual(times, [
    [NOW, NOW],
    [1, 2],
    [1, NOW],
    [NOW, NOW],
    [1, NOW],
    [NOW, NOW],
  ]);
});

test("many rules are replaced in steps, and rules out of order are an error", () => {
  const touched = new TouchedRules(new RuleEvents(marks(), NOW));
  const parts = columns(...addresses(3000).map((text) => desired(text)));
  const replacement = new Replacement(touched, parts, NOW);
  const paused = addresses(2048).map((text) => replacement.meet(row(text)));
  assert.deepEqual(
    paused.flatMap((isPause, at) => (isPause ? [at + 1] : [])),
    [1024, 2048],
  );
  assert.deepEqual([replacement.addRest(), touched.added, replacement.unchanged], [false, 952, 2048]);
  const further = new Replacement(new TouchedRules(new RuleEvents(marks(), NOW)), parts, NOW);
  assert.deepEqual([further.addRest(), further.addRest(), further.addRest()], [true, true, false]);
  const twice = [...columns(desired("20.0.0.2")), ...columns(desired("20.0.0.2"))];
  const wrong = new Replacement(new TouchedRules(new RuleEvents(marks(), NOW)), twice, NOW);
  assert.throws(() => wrong.addRest(), { name: "RangeError", message: /20\.0\.0\.2 follows 20\.0\.0\.2$/ });
});

test("up to 4,000 rules are listed; what is written, deleted and kept is taken once", () => {
  const touched = new TouchedRules(new RuleEvents(marks(), NOW));
  for (const text of addresses(MAX_LISTED_RULES)) touched.add(rule(text));
  assert.deepEqual([touched.count, touched.isListed, touched.isKept], [4000, true, true]);
  assert.deepEqual(touched.waiting, { upserts: 4000, deletes: 0, texts: 4000 });
  touched.remove(rule("30.0.0.1"));
  touched.update(rule("30.0.0.2"), rule("30.0.0.2", { name: "x" }));
  assert.equal(touched.isListed, false);
  assert.deepEqual(touched.waiting, { upserts: 4001, deletes: 1, texts: 4003 });
  assert.equal(touched.takeUpserts().length, 4001);
  assert.deepEqual(touched.takeDeletes(), [row("30.0.0.1")[0]]);
  const { rules, upserts, deletes } = touched.takeTexts();
  assert.deepEqual([rules.length, upserts.length, deletes], [2, 4001, [JSON.stringify(row("30.0.0.1")[0])]]);
  assert.deepEqual(touched.waiting, { upserts: 0, deletes: 0, texts: 0 });
  const { change, ruleCount, kept, summary } = touched.recorded("r", [], { skipped: 2, digest: "d" }, "k");
  assert.deepEqual([change.kind, ruleCount, kept], ["rules-replaced", 4002, "k"]);
  assert.deepEqual([summary!.skipped, summary!.digest, summary!.isKept], [2, "d", true]);
  touched.writeNoMore();
  touched.add(rule("30.0.0.3"));
  touched.remove(rule("30.0.0.4"));
  touched.update(rule("30.0.0.5"), rule("30.0.0.5"));
  assert.deepEqual([touched.count, touched.waiting], [4005, { upserts: 0, deletes: 0, texts: 0 }]);
  assert.equal(touched.events.length, 0);
});

test("rules that are kept take about as much as their text", () => {
  const long = "x".repeat(255);
  assert.equal(keptLength(rule("20.0.0.1")), 15 + 4 + 4 + 34);
  assert.equal(keptLength(rule("2001:db8::", { name: long, expiresAt: 1 })), 40 + 257 + 13 + 34);
  const touched = new TouchedRules(new RuleEvents(marks(), NOW));
  const one = rule("20.0.0.1", { name: "x".repeat(2 ** 20) });
  const most = Math.floor(MAX_KEPT / keptLength(one));
  for (let count = 0; count < most; count++) touched.add(one);
  assert.equal(touched.isKept, true);
  touched.add(one);
  assert.deepEqual([touched.isKept, touched.takeTexts().upserts.length], [false, most]);
});

function draftOf(...rules: readonly Rule[]): RulesetDraft {
  const draft = new RulesetDraft(3, { id: "r" } as Ruleset, rules.length, { expiredUntil: NOW, nextExpiry: 2000 });
  for (const each of rules) draft.read(keyOfPrefix(each.prefix), each);
  return draft;
}

test("an edit has no effect on its draft until it is kept, and sees itself", () => {
  const draft = draftOf(rule("20.0.0.1"), rule("20.0.0.2"));
  const edit = new RuleEdit(draft, 3, NOW);
  const add = (text: string) => edit.add({ ...desired(text), mode: "extend" }).action;
  assert.equal(add("20.0.0.3"), "created");
  assert.throws(() => add("20.0.0.4"), { code: "too-many-rules" });
  edit.delete(parsePrefix("20.0.0.1"));
  assert.equal(edit.get(parsePrefix("20.0.0.1")), null);
  assert.equal(add("20.0.0.4"), "created", "there is room again");
  edit.delete(parsePrefix("20.0.0.4"));
  assert.equal(edit.update(parsePrefix("20.0.0.2"), { name: "x" }).name, "x");
  assert.throws(() => edit.update(parsePrefix("20.0.0.9"), { name: "x" }), { code: "rule-not-found" });
  assert.throws(() => edit.update(parsePrefix("20.0.0.2"), { name: "\0" }), { code: "invalid-text" });
  assert.throws(() => edit.delete(parsePrefix("20.0.0.1")), { code: "rule-not-found", message: /for 20\.0\.0\.1$/ });
  assert.deepEqual(
    [draft.count, draft.isCountChanged, draft.get(keyOfPrefix(parsePrefix("20.0.0.3")))],
    [2, false, null],
  );
  const kept = finished(edit.keep())!;
  const changed = rule("20.0.0.2", { name: "x", updatedAt: NOW });
  const added = rule("20.0.0.3", { createdAt: NOW, updatedAt: NOW });
  assert.deepEqual(kept.change, {
    kind: "rules",
    rulesetId: "r",
    upserts: [added, changed],
    deletes: [parsePrefix("20.0.0.1"), parsePrefix("20.0.0.4")],
  });
  assert.deepEqual(kept.oldRules, { rules: [row("20.0.0.1"), row("20.0.0.2")] });
  assert.deepEqual(
    kept.ruleEvents!.map(([kind]) => kind),
    [0, 2, 1],
  );
  assert.equal(kept.summary, undefined, "few rules");
  assert.deepEqual([draft.count, draft.isCountChanged], [2, false]);
  assert.deepEqual(
    draft.upserts(),
    [added, changed].map((each) => [3, ...valuesOfRule(each)]),
  );
  assert.deepEqual(
    draft.deletes(),
    ["20.0.0.1", "20.0.0.4"].map((text) => [3, keyOfPrefix(parsePrefix(text))]),
  );
  assert.equal(finished(new RuleEdit(draft, 3, NOW).keep()), null);
  draft.expireUntil(NOW - 1);
  assert.equal(draft.expiredUntil, NOW);
  draft.expireUntil(NOW + 1);
  assert.equal(draft.expiredUntil, NOW + 1);
});

test("after its mark has moved back, a rule that was announced counts as announced until it is written", () => {
  const [early, late] = [rule("20.0.0.1", { expiresAt: NOW - 1 }), rule("20.0.0.2", { expiresAt: NOW })];
  const draft = draftOf(early, late);
  const keyOf = ({ prefix }: Rule): string => keyOfPrefix(prefix);
  assert.deepEqual(
    [draft.keys(), draft.expiries()],
    [
      [keyOf(early), keyOf(late)],
      [NOW - 1, NOW],
    ],
  );
  assert.equal(draft.hasAnnounced, false);
  draft.moveBack(NOW - 5);
  assert.deepEqual([draft.expiredUntil, draft.announcedUntil, draft.hasAnnounced], [NOW - 5, NOW, true]);
  draft.announced.set(keyOf(early), NOW - 1).set(keyOf(late), NOW);
  assert.ok(draft.isAnnounced(valuesOfRule(early)));
  assert.ok(!draft.isAnnounced(valuesOfRule({ ...early, expiresAt: NOW - 2 })), "another expiry");
  const events = new RuleEvents(draft, NOW - 4);
  events.add(valuesOfRule(early), valuesOfRule({ ...early, expiresAt: NOW - 9 }));
  assert.deepEqual(
    events.take().map(([kind]) => kind),
    [1],
    "announced, and over now",
  );
  events.add(valuesOfRule(late), valuesOfRule({ ...late, name: "again" }));
  assert.deepEqual([draft.nextExpiry, [...draft.rewritten]], [NOW, [keyOf(early), keyOf(late)]]);
  assert.ok(!draft.isAnnounced(valuesOfRule(late)));
  draft.expireUntil(NOW);
  assert.equal(draft.hasAnnounced, false);
  draft.moveBack(NOW - 7);
  assert.equal(draft.announcedUntil, NOW, "the latest");
  const other = draftOf(early, late);
  other.moveBack(NOW - 5);
  assert.ok(other.areMarksChanged);
  other.moveBack(NOW - 9);
  assert.deepEqual([other.expiredUntil, other.announcedUntil], [NOW - 9, NOW], "however often");
});

test("an edit of more than 20 rules has a summary", () => {
  for (const count of [20, 21]) {
    const draft = draftOf();
    const edit = new RuleEdit(draft, 100, NOW);
    for (const text of addresses(count)) edit.add({ ...desired(text), mode: "extend" });
    const kept = finished(edit.keep())!;
    assert.equal(kept.summary === undefined, count === 20);
    assert.deepEqual([kept.oldRules, draft.count, draft.isCountChanged], [undefined, count, true]);
  }
});

test("an edit keeps the rules as they were, if they and what they became are not too long together", () => {
  const [long, other] = ["x", "y"].map((letter) => letter.repeat(2 ** 20)) as [string, string];
  for (const [count, isKept] of [
    [31, true],
    [32, false],
  ] as const) {
    const texts = addresses(count);
    const edit = new RuleEdit(draftOf(...texts.map((text) => rule(text, { name: long }))), 100, NOW);
    for (const text of texts) edit.update(parsePrefix(text), { name: other });
    const kept = finished(edit.keep())!;
    assert.deepEqual([kept.oldRules !== undefined, kept.summary!.isKept], [isKept, isKept], `${count} rules`);
  }
  const gone = new RuleEdit(draftOf(...addresses(65).map((text) => rule(text, { name: long }))), 100, NOW);
  for (const text of addresses(65)) gone.delete(parsePrefix(text));
  assert.equal(finished(gone.keep())!.oldRules, undefined, "deleted ones count as well");
});

test("a batch: each item has its result; an atomic one writes all or nothing", () => {
  const batch = (atomic: boolean, ...items: unknown[]) => {
    const draft = draftOf(rule("20.0.0.1"), rule("20.0.0.2"));
    const command = { kind: "batch-rules", at: NOW, items, atomic } as unknown as BatchRulesCommand;
    const { outcome, changes } = finished(decideRules(command, draft, 3));
    const { results } = outcome as { results: readonly { action: string; error?: string }[] };
    return {
      told: results.map(({ action, error }) => (error === undefined ? action : `${action}: ${error}`)),
      changes,
    };
  };
  const add = (text: string, mode = "fail") => ({ add: { ...desired(text), mode } });
  const remove = (text: string, mustExist?: boolean) => ({
    delete: parsePrefix(text),
    ...(mustExist !== undefined && { mustExist }),
  });
  const items = [
    remove("20.0.0.1", true),
    remove("20.0.0.9"),
    add("20.0.0.2"),
    add("20.0.0.3"),
    add("20.0.0.4"),
    add("20.0.0.5"),
    remove("20.0.0.8", true),
  ];
  const { told, changes } = batch(false, ...items);
  assert.deepEqual(told.slice(0, 5), [
    "deleted",
    "absent",
    "conflict: a rule for 20.0.0.2 already exists",
    "created",
    "created",
  ]);
  assert.match(told[5]!, /^too_many_rules: cannot add 20\.0\.0\.5: a ruleset holds at most 3 rules/);
  assert.equal(told[6], "absent: there is no rule for 20.0.0.8 to delete");
  assert.equal(changes.length, 1);
  assert.throws(() => batch(true, ...items), {
    code: "batch-refused",
    message: "a rule for 20.0.0.2 already exists, so nothing was written",
  });
  assert.deepEqual(batch(true, items[0], items[1], items[3]).told, ["deleted", "absent", "created"]);
  assert.deepEqual(batch(false, items[1]), { told: ["absent"], changes: [] });
});

test("a rule is added, changed or deleted by itself; what is in the way is an error that names it", () => {
  const decide = (command: object) =>
    finished(decideRules({ at: NOW, ...command } as never, draftOf(rule("20.0.0.1", { name: "a" })), 2));
  const [prefix, other] = ["20.0.0.1", "20.0.0.9"].map((text) => parsePrefix(text));
  const deleted = decide({ kind: "delete-rule", prefix });
  assert.deepEqual(deleted.outcome, {});
  const { change } = deleted.changes[0] as unknown as { change: { deletes: unknown[]; upserts: unknown[] } };
  assert.deepEqual([change.deletes, change.upserts], [[prefix], []]);
  const { rule: changed } = decide({ kind: "update-rule", prefix, changes: { name: "b" } }).outcome as { rule: Rule };
  assert.equal(changed.name, "b");
  for (const kind of ["delete-rule", "update-rule"])
    assert.throws(() => decide({ kind, prefix: other, changes: {} }), { code: "rule-not-found" });
  const add = (text: string, about: object = {}, name: string | null = null) =>
    decide({ kind: "add-rule", request: { ...desired(text, name), mode: "fail" }, ...about });
  assert.equal((add("20.0.0.2").outcome as { action: string }).action, "created");
  assert.throws(() => add("20.0.0.1"), { code: "conflict", message: "a rule for 20.0.0.1 already exists" });
  const known = rule("20.0.0.1", { name: "a" });
  for (const ifNoneMatch of ["*", [ruleTag(known)]])
    assert.throws(() => add("20.0.0.1", { ifNoneMatch }), { code: "rule-exists" });
  assert.throws(() => add("20.0.0.1", { ifNoneMatch: ["other"] }), { code: "conflict" });
  // In a batch as well: only what may happen to single items is told of them.
  assert.throws(() => add("20.0.0.2", {}, "a\0"), { code: "invalid-text" });
  const items = [{ add: { ...desired("20.0.0.2", "a\0"), mode: "fail" } }];
  assert.throws(() => decide({ kind: "batch-rules", atomic: false, items }), { code: "invalid-text" });
});

test("names and numbers of rules that the database does not hold are rejected", () => {
  const parts = columns(desired("20.0.0.1", "a"), desired("2001:db8::1", "b"));
  checkRules(parts, 2);
  assert.throws(() => checkRules(parts, 1), { code: "too-many-rules", message: /at most 1 rules, expired ones too/ });
  assert.throws(() => checkRules(columns(desired("20.0.0.1", "a\0")), 9), { code: "invalid-text" });
  checkName(null);
  assert.throws(() => checkName("\ud800"), { code: "invalid-text" });
});

test("a required version, or a rule as it was read", () => {
  const match = (versions: string[], rules: string[]) => ({ versions, rules, lists: [] });
  const [four, five] = [4, 5].map((version) => ({ version, stamp: "0a0b0c0d" })) as [Ruleset, Ruleset];
  const current = rule("20.0.0.1");
  checkMatch(five, undefined);
  checkMatch(five, match([stateOf(four), stateOf(five)], []));
  checkMatch(five, match([], [ruleTag(current)]), current);
  checkMatch(five, match([stateOf(five)], ["x"]), current);
  assert.throws(() => checkMatch(five, match([stateOf(four)], [])), {
    code: "version-mismatch",
    message: /^the ruleset or its rules/,
  });
  assert.throws(() => checkMatch({ ...five, stamp: "lost" }, match([stateOf(five)], [])), { code: "version-mismatch" });
  const changed = { code: "version-mismatch", message: /^the rule has changed/ };
  assert.throws(() => checkMatch(five, match([stateOf(four)], ["x"]), current), changed);
  assert.throws(() => checkMatch(five, match([], [ruleTag(current)])), changed);
});

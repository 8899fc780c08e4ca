/** What a preview says about each line is what the import then does, on a real store. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { type Preview, previewRules, readListToEnd, readRulesToEnd } from "../../../src/service/rules/preview-rules.ts";
import { ServiceError } from "../../../src/service/service-error.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { readDesiredList } from "../../../src/service/rules/desired-rules.ts";
import { desiredIn } from "../../../src/rulesets/rule-columns.ts";
import { type AddRequest, CONFLICT_MODES, type ConflictMode } from "../../../src/rulesets/write-rule.ts";
import type { BatchResult } from "../../../src/store/command.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { StoreError } from "../../../src/store/store-error.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeFastFolder } from "../../store/harness/fast-folder.ts";
import { takingTurns, sampled } from "../../rounds.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const MAX_RULES = 12;
const ROUNDS = 300;

let store: Store;
const memory = new ServiceMemory();
const folder = makeFastFolder();
let organisationId = "";
let rulesetId = "";
before(async () => {
  store = await openStore({ file: join(folder, "store.db") }, { rulesPerRuleset: MAX_RULES });
  await memory.addState(await store.load((part) => memory.addRules(part)));
  store.follow(
    memory.sequence,
    (changes) => memory.apply(changes),
    (error) => assert.fail(String(error)),
  );
  const { organisation, rulesets } = await store.write({
    kind: "create-organisation",
    actor: "user:test",
    at: NOW,
    name: "preview",
  });
  [organisationId, rulesetId] = [organisation.id, rulesets[0]!.id];
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const about = () => ({ actor: "user:test", at: NOW, organisationId, rulesetId });
const current = () => memory.ruleset(organisationId, rulesetId);

/** Integers from 0 up, the same on each run. */
let seed = 20_261_121;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}
const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)]!;

const IPS = [
  "8.8.8.8",
  "8.8.8.0/24",
  "8.8.0.0/16",
  "9.9.9.9",
  "1.1.1.1",
  "1.1.1.2",
  "1.1.1.3",
  "2a00::/16",
  "2a00:1::1",
  "::ffff:8.8.8.8",
  "7.7.7.7",
  "7.7.7.8",
  "7.7.7.9",
  "7.7.8.0/24",
];
const BAD = ["8.8.8.8/24", "hello", "10.0.0.1", "1.1.1", "", "8.8.8.8,a,b,c"];
const NAMES = ["", "a", "b", '"c, d"'];
const EXPIRIES = ["", "2026-11-20T00:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"];

function anyLine(): string {
  return random(40) === 0 ? `${pick(BAD)},x,` : `${pick(IPS)},${pick(NAMES)},${pick(EXPIRIES)}`;
}

const readCsv = async (text: string, skipInvalid = false) =>
  (
    await readDesiredList(
      { text: inChunks(text), format: "csv" },
      { now: NOW, allowSpecialPurpose: false, maxRules: MAX_RULES, setting: "", skipInvalid },
    )
  ).rules;

/** Chunks cut anywhere, as a request body arrives. */
async function* inChunks(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7 + (text.length >> 4)) yield text.slice(at, at + 7 + (text.length >> 4));
}

/** Fills the ruleset with some rules, so that lists meet existing ones. */
async function refill(): Promise<void> {
  const wanted = new Map(
    Array.from({ length: random(MAX_RULES + 1) }, (): [string, string] => [
      pick(IPS.filter((ip) => !ip.startsWith("::"))),
      `${pick(NAMES)},${pick(EXPIRIES)}`,
    ]),
  );
  const rules = await readCsv(`ip,name,expires_at\n${[...wanted].map(([ip, rest]) => `${ip},${rest}\n`).join("")}`);
  await store.write({ kind: "replace-rules", ...about(), at: NOW - 1000, rules, shrink: { allowEmpty: true } });
}

async function refillWith(rules: readonly Rule[]): Promise<void> {
  await store.write({ kind: "replace-rules", ...about(), at: NOW - 1000, rules: [], shrink: { allowEmpty: true } });
  const { results } = await store.write({
    kind: "batch-rules",
    ...about(),
    at: NOW - 1000,
    items: rules.map(({ prefix, name, expiresAt }) => ({ add: { prefix, name, expiresAt, mode: "fail" as const } })),
    atomic: true,
  });
  assert.equal(results.length, rules.length);
}

/** The results of adding the rules one after the other; rejected ones are not written. */
async function resultsOf(requests: readonly AddRequest[]): Promise<readonly BatchResult[]> {
  const { results } = await store.write({
    kind: "batch-rules",
    ...about(),
    items: requests.map((add) => ({ add })),
    atomic: false,
  });
  return results;
}

/** Whether the import of the text succeeds, executed as the operation does it. */
async function importAll(text: string, mode: ConflictMode, skipInvalid = false): Promise<boolean> {
  try {
    const rules = await readCsv(text, skipInvalid);
    await store.write({ kind: "import-rules", ...about(), rules, mode });
    return true;
  } catch (error) {
    assert.ok(
      error instanceof ServiceError || (error instanceof StoreError && error.code === "batch-refused"),
      String(error),
    );
    return false;
  }
}

type PreviewRules = typeof previewRules;

/** Compares previews with imports; throws if they differ. Returns how often each verdict occurred. */
async function compare(makePreview: PreviewRules): Promise<Record<string, number>> {
  const counted: Record<string, number> = {
    created: 0,
    updated: 0,
    skipped: 0,
    conflict: 0,
    error: 0,
    imported: 0,
    refused: 0,
  };
  for (let round = 0; round < ROUNDS; round++) {
    await refill();
    const mode = pick(CONFLICT_MODES);
    const text = `ip,name,expires_at\n${Array.from({ length: random(10) }, () => `${anyLine()}\n`).join("")}`;
    const list = await readListToEnd(inChunks(text), "csv", { maxRules: MAX_RULES });
    const options = { mode, now: NOW, maxRules: MAX_RULES };
    const { version } = current()!.about;
    const preview = (await makePreview(current, list, options))!;
    assert.equal(preview.version, version);
    assert.equal(current()!.about.version, version);

    const rules = [...current()!.rules.rules()];
    const wentThrough = await importAll(text, mode);
    assert.equal(wentThrough, preview.counts.error + preview.counts.conflict === 0);
    if (wentThrough) checkRules(preview);
    else {
      assert.deepEqual([...current()!.rules.rules()], rules);
      if (round % 2 === 0) {
        assert.equal(
          await importAll(text, mode, true),
          preview.counts.conflict === 0 && preview.skip_refusal === null,
          "without the rejected lines",
        );
        await refillWith(rules);
      }
      await checkVerdicts(
        preview,
        list.parts.flatMap((part) => [...desiredIn(part)]).map((rule) => ({ ...rule, mode })),
      );
    }
    counted[wentThrough ? "imported" : "refused"]!++;
    for (const { verdict } of preview.lines) counted[verdict]!++;
    const told = preview.lines.length + list.repeated;
    assert.equal(told, text.split("\n").length - 2, "every line that names a rule is told, unless it repeats one");
  }
  return counted;
}

test("previews equal the import line by line, and nothing is written before it", async (t) => {
  const counted = await compare(previewRules);
  t.diagnostic(JSON.stringify(counted));
  assert.ok(Object.values(counted).every((count) => count > 20));
});

/** The negative control. */
const BROKEN: Record<string, PreviewRules> = {
  "knows no mode but extend": (live, list, options) => previewRules(live, list, { ...options, mode: "extend" }),
  "lets one rule too many in": (live, list, options) =>
    previewRules(live, list, { ...options, maxRules: MAX_RULES + 1 }),
  "forgets a rejected line": (live, list, options) =>
    previewRules(live, { ...list, rejected: list.rejected.slice(1) }, options),
};
for (const [what, broken] of sampled(Object.entries(BROKEN), 3)) {
  test(`negative control: a preview that ${what} is detected`, () =>
    assert.rejects(compare(broken), assert.AssertionError));
}

/** After an import: asserts that each line's rule is as the preview says. */
function checkRules({ lines }: Preview): void {
  for (const { ip, verdict, before: was, after: becomes } of lines) {
    const rule = [...current()!.rules.rules()].find(({ prefix }) => formatPrefix(prefix) === ip);
    assert.deepEqual(rule, verdict === "skipped" ? was : becomes);
  }
}

/** If the import is rejected as a whole: compares the verdict of each rule that can be read. */
async function checkVerdicts({ lines }: Preview, requests: readonly AddRequest[]): Promise<void> {
  const results = await resultsOf(requests);
  const read = lines.filter(({ verdict, message }) => verdict !== "error" || message!.startsWith("a ruleset holds"));
  const inOrder = requests.map(({ prefix }) => read.find(({ ip }) => ip === formatPrefix(prefix))!);
  assert.deepEqual(
    inOrder.map(({ verdict }) => verdict),
    results.map(({ action }) => (action === "too_many_rules" ? "error" : action)),
  );
}

test("a JSON document is read to its end, with every error of every rule", async () => {
  const members = [
    { ip: "8.8.8.8" },
    { ip: "8.8.8.8/8", name: "a" },
    { ip: "9.9.9.9", name: "x".repeat(300) },
    { ip: "::ffff:8.8.8.8", name: "b" },
    { ip: "7.7.7.7", expires_at: null, expires_in_days: 1 },
    { ip: "8.8.8.8/32" },
  ];
  const list = await readRulesToEnd(
    (async function* () {
      yield members;
    })(),
    { now: NOW, allowSpecialPurpose: false },
  );
  const { lines, counts } = (await previewRules(current, list, { mode: "extend", now: NOW, maxRules: MAX_RULES }))!;
  assert.deepEqual([counts.error, list.repeated], [4, 1]);
  assert.deepEqual(
    lines.map(({ line, ip }) => [line, ip]),
    members.slice(0, -1).map(({ ip }, index) => [index + 1, ip.replace("::ffff:", "")]),
  );
  assert.match(lines[1]!.message!, /^ip: .*did you mean 8.0.0.0\/8/);
  assert.match(lines[2]!.message!, /^name: .*255/);
  assert.match(lines[3]!.message!, /is already in rules\[0\], with another name or expiry/);
  assert.match(lines[4]!.message!, /^expires_at: .*; expires_in_days: /);
});

test(
  "for long lists the rejected lines are reported first, and that there are more",
  { skip: takingTurns(3, 1) },
  async () => {
    const good = Array.from({ length: 15_000 }, (_, i) => `${20 + (i >> 16)}.0.${(i >> 8) & 255}.${i & 255}`);
    const text = [...good, ...Array.from({ length: 300 }, (_, i) => `bad ${i}`)].join("\n");
    const list = await readListToEnd(inChunks(text), "text", { maxRules: 20_000 });
    const preview = (await previewRules(current, list, { mode: "extend", now: NOW, maxRules: 1e6 }))!;
    assert.deepEqual(
      [preview.counts.error, preview.counts.created, preview.lines.length, preview.truncated],
      [300, 15_000, 10_000, true],
    );
    assert.equal(preview.lines.filter(({ verdict }) => verdict === "error").length, 300);
    const hopeless = await readListToEnd(inChunks("x\n".repeat(150_000)), "text", { maxRules: 20_000 });
    assert.deepEqual([hopeless.rejected.length, hopeless.rejectedCount, hopeless.isWhole], [10_001, 100_002, false]);
    assert.match(hopeless.rejection!, /^line 100001: .* more than 100000 lines cannot be read/);
    const long = await readListToEnd(inChunks("8.8.8.8\n8.8.8.9\n8.8.8.10\n8.8.8.11"), "text", { maxRules: 2 });
    assert.deepEqual(
      [long.parts[0]!.lengths.length, long.isWhole, long.rejected.map(({ line }) => line)],
      [2, false, [3]],
    );
  },
);

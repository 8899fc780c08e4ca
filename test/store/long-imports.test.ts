/**
 * An import of a long list leaves the writer to others while it finds out which rules are skipped, and what it found out
 * counts only as long as the ruleset is as it was.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { deserialize, serialize } from "node:v8";
import { formatPrefix } from "../../src/address/prefix.ts";
import { columnsOf, desiredIn, type RuleColumns } from "../../src/rulesets/rule-columns.ts";
import { packNames } from "../../src/rulesets/rule-names.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { addRule, type ConflictMode } from "../../src/rulesets/write-rule.ts";
import { Random } from "../../bench/data/random.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { openAndLoad } from "../../src/store/open-store.ts";
import { FileWriter, type RemoteWriter } from "../../src/store/sqlite/file-writer.ts";
import { columnsOfTexts } from "./harness/columns.ts";
import { makeFastFolder } from "./harness/fast-folder.ts";
import { adding, by, databases, Replica } from "./harness/stores.ts";

const folder = makeFastFolder();
after(() => rmSync(folder, { recursive: true }));

const LIMITS = {
  rulesPerRuleset: 1_000_000,
  rulesetsPerOrganisation: 10,
  deploymentsPerOrganisation: 1,
  listsPerOrganisation: 1,
  webhooksPerOrganisation: 1,
  credentialsPerOrganisation: 1,
  auditDays: 1,
  eventDays: 1,
  eventsPerOrganisation: 1_000_000,
};
const PART = 2000;
const COUNT = 20_000;

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `10.0.${at >> 8}.${at & 255}`);

/** As the service passes lists: in parts of some thousand rules with packed names. */
function inParts(columns: readonly RuleColumns[]): RuleColumns[] {
  return columns.flatMap((all) => {
    const stride = all.family === 4 ? 1 : 4;
    const names = [...desiredIn(all)].map(({ name }) => name);
    return Array.from({ length: Math.ceil(names.length / PART) }, (_, part): RuleColumns => {
      const [at, to] = [part * PART, (part + 1) * PART];
      return {
        family: all.family,
        words: all.words.slice(stride * at, stride * to),
        lengths: all.lengths.slice(at, to),
        names: packNames(names.slice(at, to)),
        expiresAt: all.expiresAt.slice(at, to),
        createdAt: all.createdAt.slice(at, to),
        updatedAt: all.updatedAt.slice(at, to),
      };
    });
  });
}

for (const { name, skip, make, stop } of await databases()) {
  describe(`long imports on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    const withReplica = async (run: (replica: Replica) => Promise<void>): Promise<void> =>
      Replica.using(await make(), run);

    async function rulesetOf(
      replica: Replica,
      organisationName = "Example",
    ): Promise<{ organisationId: string; rulesetId: string }> {
      const { organisation, blocklist } = await replica.organisation(organisationName);
      return { organisationId: organisation.id, rulesetId: blocklist.id };
    }

    test("another organisation's writes are confirmed while a list is imported whose rules are all skipped", () =>
      withReplica(async (replica) => {
        const [own, other] = [await rulesetOf(replica), await rulesetOf(replica, "Other")];
        const importing = (mode: ConflictMode) =>
          replica.store.write({
            kind: "import-rules",
            ...own,
            rules: inParts(columnsOfTexts(texts(COUNT))),
            mode,
            ...by(2),
          });
        /** How many rules of the other organisation were confirmed before the import. */
        const writtenBeside = async (mode: ConflictMode): Promise<number> => {
          let isRunning = true;
          const imported = importing(mode).finally(() => (isRunning = false));
          let written = 0;
          for (; ; written++) {
            await replica.store.write({ kind: "add-rule", ...other, request: adding(`192.0.2.${written}`), ...by(3) });
            if (!isRunning) break;
          }
          await imported;
          return written;
        };
        await importing("skip");
        assert.ok((await writtenBeside("skip")) >= 3);
        assert.ok((await writtenBeside("extend")) >= 3);
        // The negative control: every rule is written, in one transaction, which began first.
        assert.equal(await writtenBeside("override"), 0);
      }));

    test("a list is imported as rule after rule would be, whichever are skipped", () =>
      withReplica(async (replica) => {
        const random = new Random(5);
        const into = await rulesetOf(replica);
        const expected = new Map<string, Rule>();
        for (let round = 0; round < rounds({ short: 6, long: 15 }); round++) {
          const at = 10 + round;
          const mode = random.below(2) === 0 ? "skip" : "extend";
          const list = columnsOf(randomRules(random, 1000 + random.below(3 * PART)));
          const counts = { created: 0, updated: 0, skipped: 0 };
          for (const desired of list.flatMap((each) => [...desiredIn(each)])) {
            const key = formatPrefix(desired.prefix);
            const { action, rule } = addRule(expected.get(key), { ...desired, mode }, at);
            if (action !== "conflict") counts[action]++;
            expected.set(key, rule);
          }
          const rules = inParts(list);
          const done = await replica.store.write({ kind: "import-rules", ...into, rules, mode, ...by(at) });
          assert.deepEqual(done, { ...counts, isKept: true });
          const stored = [...replica.memory.rulesOf(into.rulesetId).values()];
          assert.deepEqual(stored.toSorted(inOrder), [...expected.values()].toSorted(inOrder));
        }
      }));

    test("what was found out at an earlier version of the ruleset is not used", () =>
      withReplica(async (replica) => {
        const into = await rulesetOf(replica);
        const importing = (unskipped?: { version: number; indexes: Uint32Array[] }) =>
          replica.store.write({
            kind: "import-rules",
            ...into,
            rules: columnsOfTexts(texts(3)),
            mode: "skip",
            ...by(2),
            ...(unskipped && { unskipped }),
          });
        const versionNow = async (): Promise<number> => (await replica.store.changesAfter(0)).at(-1)!.sequence;
        await importing();
        const version = await versionNow();
        const noneLeft = (at: number) => ({ version: at, indexes: [new Uint32Array()] });
        await replica.store.write({ kind: "delete-rule", ...into, prefix: adding("10.0.0.1").prefix, ...by(3) });
        // The negative control: at the current version it is believed, although it is wrong.
        const believed = await importing(noneLeft(await versionNow()));
        assert.deepEqual(believed, { created: 0, updated: 0, skipped: 3, isKept: true });
        assert.deepEqual(await importing(noneLeft(version)), { created: 1, updated: 0, skipped: 2, isKept: true });
      }));

    test("another server changes the ruleset while a list is prepared: both have their effect", async () => {
      const location = await make();
      const replicas = [await Replica.open(location), await Replica.open(location)] as const;
      try {
        const into = await rulesetOf(replicas[0]);
        const list = () => inParts(columnsOfTexts(texts(COUNT / 2)));
        const importing = () =>
          replicas[0].store.write({ kind: "import-rules", ...into, rules: list(), mode: "skip", ...by(2) });
        await importing();
        for (let round = 0; round < rounds({ short: 4, long: 10 }); round++) {
          const { prefix } = adding(`10.0.0.${round}`);
          const imported = importing();
          const deleted = replicas[1].store.write({ kind: "delete-rule", ...into, prefix, ...by(3) });
          const [{ created }] = await Promise.all([imported, deleted]);
          const isThere = replicas[0].memory.rulesOf(into.rulesetId).has(formatPrefix(prefix));
          assert.equal(isThere, created === 1);
        }
      } finally {
        await Promise.all(replicas.map(({ store }) => store.close()));
      }
    });

    test("commands about the ruleset wait for its import, in their order, and a store that is closed finishes it", async () => {
      const replica = await Replica.open(await make());
      const into = await rulesetOf(replica);
      const rules = () => inParts(columnsOfTexts(texts(COUNT)));
      const order: string[] = [];
      const noted = (what: string, written: Promise<unknown>) => written.then(() => void order.push(what));
      await replica.store.write({ kind: "import-rules", ...into, rules: rules(), mode: "skip", ...by(2) });
      const writes = [
        noted("first", replica.store.write({ kind: "import-rules", ...into, rules: rules(), mode: "skip", ...by(3) })),
        noted("rule", replica.store.write({ kind: "add-rule", ...into, request: adding("192.0.2.1"), ...by(3) })),
        noted("last", replica.store.write({ kind: "import-rules", ...into, rules: rules(), mode: "skip", ...by(4) })),
        noted("gone", replica.store.write({ kind: "delete-ruleset", ...into, ...by(5) })),
      ];
      await replica.store.close();
      await Promise.all(writes);
      assert.deepEqual(order, ["first", "rule", "last", "gone"]);
    });
  });
}

test("from a process that only reads the file: another organisation's writes are confirmed meanwhile", async () => {
  const path = join(folder, "shared.db");
  const file = await FileWriter.open(path, LIMITS);
  // As between processes: what arrives is in the buffer of its message.
  const crossed = <Value>(value: Value): Value => deserialize(serialize(value)) as Value;
  const writer: RemoteWriter = {
    call: async (method, argument) => crossed(await file.reply(method, crossed(argument))),
    onChange: () => {},
  };
  const { store: opening } = openAndLoad({ file: path }, LIMITS, () => {}, undefined, writer);
  const store = await opening;
  try {
    const organisation = async (called: string) => {
      const { organisation: made, rulesets } = await store.write({
        kind: "create-organisation",
        name: called,
        ...by(1),
      });
      return { organisationId: made.id, rulesetId: rulesets[0]!.id };
    };
    const [own, other] = [await organisation("Own"), await organisation("Other")];
    const importing = (count: number, mode: ConflictMode) => {
      const rules = inParts(columnsOfTexts(texts(count)));
      return store.write({ kind: "import-rules", ...own, rules, mode, ...by(2) });
    };
    await importing(COUNT, "skip");
    const order: string[] = [];
    const inTurn = async (mode: ConflictMode) => {
      const imported = importing(COUNT + 1, mode).finally(() => order.push(mode));
      await store.write({ kind: "add-rule", ...other, request: adding("192.0.2.1"), ...by(3) });
      order.push("rule");
      return imported;
    };
    assert.deepEqual(await inTurn("skip"), { created: 1, updated: 0, skipped: COUNT, isKept: true });
    // The negative control: every rule is written, in one transaction, which began first.
    await inTurn("override");
    assert.deepEqual(order, ["rule", "skip", "override", "rule"]);
    assert.equal((await store.check()).rules, COUNT + 2);
  } finally {
    await store.close();
    await file.close();
  }
});

function inOrder(one: Rule, other: Rule): number {
  return formatPrefix(one.prefix) < formatPrefix(other.prefix) ? -1 : 1;
}

/** Different prefixes in order, of both families, few enough that lists have many in common. */
function randomRules(random: Random, count: number): Rule[] {
  const values = [...new Set(Array.from({ length: count }, () => random.below(4 * PART)))].toSorted((a, b) => a - b);
  return ([4, 6] as const).flatMap((family) =>
    values
      .filter((value) => (value % 3 === 0) === (family === 6))
      .map((value): Rule => {
        const word = (0x0a000000 + value) >>> 0;
        return {
          prefix: { family, w0: word, w1: 0, w2: 0, w3: 0, length: 32 },
          name: random.below(2) === 0 ? null : `name ${random.below(3)}`,
          expiresAt: random.below(2) === 0 ? null : 1 + random.below(100),
          createdAt: 0,
          updatedAt: 0,
        };
      }),
  );
}

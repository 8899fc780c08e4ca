import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { formatPrefix } from "../../src/address/prefix.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { type IfMatch, ruleTag, rulesetsTag } from "../../src/store/if-match.ts";
import { stateOf } from "../../src/store/state.ts";
import { adding, by, databases, Replica } from "./harness/stores.ts";
import { onlyLong } from "../rounds.ts";

const ofRule = (rule: Rule): IfMatch => ({ versions: [], rules: [ruleTag(rule)], lists: [] });
const mismatch = { code: "version-mismatch" };

for (const { name, skip, make, stop } of await databases()) {
  describe(`conditional commands on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    /** Two servers on one database, and a ruleset with one rule. */
    async function withTwo(
      run: (
        one: Replica,
        other: Replica,
        into: { organisationId: string; rulesetId: string },
        rule: Rule,
      ) => Promise<void>,
    ): Promise<void> {
      const location = await make();
      const replicas = [await Replica.open(location), await Replica.open(location)] as const;
      try {
        const { organisation, blocklist } = await replicas[0].organisation();
        const into = { organisationId: organisation.id, rulesetId: blocklist.id };
        const { rule } = await replicas[0].store.write({
          kind: "add-rule",
          ...into,
          request: adding("10.0.0.0/8", { name: "first" }),
          ...by(2),
        });
        await run(...replicas, into, rule);
        await replicas[0].store.check();
      } finally {
        await Promise.all(replicas.map(({ store }) => store.close()));
      }
    }

    test("of many servers' updates conditional on one state of a rule, exactly one is executed", () =>
      withTwo(async (one, other, into, rule) => {
        const update = ({ store }: Replica, i: number) =>
          store.write({
            kind: "update-rule",
            ...into,
            prefix: rule.prefix,
            changes: { name: `by ${i}` },
            ifMatch: ofRule(rule),
            ...by(3),
          });
        const made = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) => update(i % 2 === 0 ? one : other, i)),
        );
        assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
        for (const each of made) if (each.status === "rejected") assert.equal(each.reason.code, "version-mismatch");
      }));

    test("control: without the condition all are executed", () =>
      withTwo(async (one, other, into, { prefix }) => {
        const update = ({ store }: Replica, i: number) =>
          store.write({ kind: "update-rule", ...into, prefix, changes: { name: `by ${i}` }, ...by(3) });
        const made = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) => update(i % 2 === 0 ? one : other, i)),
        );
        assert.equal(made.filter(({ status }) => status === "fulfilled").length, 20);
      }));

    test("commands of one group: each sees the effects of earlier ones", () =>
      withTwo(async ({ store }, _, into, rule) => {
        const about = { ...into, prefix: rule.prefix };
        const [first, second, third] = await Promise.allSettled([
          store.write({ kind: "update-rule", ...about, changes: { name: "second" }, ifMatch: ofRule(rule), ...by(3) }),
          store.write({ kind: "delete-rule", ...about, ifMatch: ofRule(rule), ...by(3) }),
          store.write({
            kind: "delete-rule",
            ...about,
            ifMatch: ofRule({ ...rule, name: "second", updatedAt: 3 }),
            ...by(3),
          }),
        ]);
        assert.deepEqual([first.status, second.status, third.status], ["fulfilled", "rejected", "fulfilled"]);
        const add = (ifMatch: IfMatch) =>
          store.write({ kind: "add-rule", ...into, request: adding("10.0.0.0/8"), ifMatch, ...by(4) });
        await assert.rejects(add(ofRule(rule)), mismatch);
        await assert.rejects(add({ versions: [], rules: [], lists: [] }), mismatch);
      }));

    test("any of several states is accepted, and the version is that of the database, not of a server's memory", () =>
      withTwo(async (one, other, into, rule) => {
        const version = async (): Promise<string> =>
          stateOf((await one.store.load(null)).rulesets.find(({ id }) => id === into.rulesetId)!);
        const old = await version();
        await other.store.write({ kind: "add-rule", ...into, request: adding("192.0.2.0/24"), ...by(3) });
        const about = { ...into, prefix: rule.prefix };
        await assert.rejects(
          one.store.write({
            kind: "delete-rule",
            ...about,
            ifMatch: { versions: [old], rules: [], lists: [] },
            ...by(4),
          }),
          mismatch,
        );
        await one.store.write({
          kind: "update-rule",
          ...about,
          changes: { name: "x" },
          ifMatch: { versions: [old, await version()], rules: [], lists: [] },
          ...by(4),
        });
        await assert.rejects(
          one.store.write({
            kind: "update-rule",
            ...about,
            changes: { name: "y" },
            ifMatch: { versions: [old], rules: [ruleTag(rule)], lists: [] },
            ...by(5),
          }),
          mismatch,
        );
        await other.store.write({
          kind: "delete-rule",
          ...about,
          ifMatch: { versions: [old], rules: [ruleTag({ ...rule, name: "x", updatedAt: 4 })], lists: [] },
          ...by(5),
        });
        await assert.rejects(one.store.write({ kind: "delete-rule", ...about, ifMatch: ofRule(rule), ...by(6) }), {
          code: "rule-not-found",
        });
      }));

    test("ifNoneMatch: of many additions of one prefix, one is executed", () =>
      withTwo(async (one, other, into) => {
        const add = ({ store }: Replica) =>
          store.write({
            kind: "add-rule",
            ...into,
            request: adding("192.0.2.7", { mode: "override" }),
            ifNoneMatch: "*",
            ...by(3),
          });
        const made = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => add(i % 2 === 0 ? one : other)));
        assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
        assert.equal(
          made.filter(
            (each) =>
              each.status === "rejected" &&
              each.reason.code === "rule-exists" &&
              formatPrefix(each.reason.existing.prefix) === "192.0.2.7",
          ).length,
          9,
        );
      }));

    test("of many creations of rulesets conditional on one list, one is executed", () =>
      withTwo(async (one, other, { organisationId }) => {
        const { rulesets } = await one.store.load(null);
        const create = ({ store }: Replica, lists: string[]) =>
          store.write({
            kind: "create-ruleset",
            organisationId,
            name: "next",
            purpose: "allowlist",
            description: "",
            ifMatch: { versions: [], rules: [], lists },
            ...by(3),
          });
        const made = await Promise.allSettled(
          Array.from({ length: 10 }, (_, i) => create(i % 2 === 0 ? one : other, [rulesetsTag(rulesets)])),
        );
        assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
        await create(other, [
          rulesetsTag(rulesets),
          rulesetsTag(rulesets.filter(({ purpose }) => purpose === "blocklist")),
        ]);
      }));
  });
}

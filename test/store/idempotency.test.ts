/**
 * Idempotency keys as the draft of their standard says (draft-ietf-httpapi-idempotency-key-header): one request for each
 * key, whose answer every repetition gets; another request with the key is refused; what decided nothing is executed
 * again.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import type { Command } from "../../src/store/command.ts";
import { MATCHES_NOTHING } from "../../src/store/if-match.ts";
import type { Ruleset } from "../../src/store/state.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { columnsOfTexts } from "./harness/columns.ts";
import { adding, by, databases, ofVersion, Replica } from "./harness/stores.ts";

const DAY = 86_400_000;
const SEED = 20_261_127;

/** The code of a rejection, or the outcome. */
type Answer = unknown;

const answerOf = (writing: Promise<unknown>): Promise<Answer> =>
  writing.catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    return error.code;
  });

/** How two requests reach the database: which store gets the second one, and whether it waits for the first. */
const DOORS = {
  "one after the other": { other: false, atOnce: false },
  "in one group": { other: false, atOnce: true },
  "at another server, one after the other": { other: true, atOnce: false },
  "at another server, at the same time": { other: true, atOnce: true },
} as const;

for (const { name, skip, make, stop } of await databases()) {
  describe(`idempotency keys on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);
    let serial = 0;

    /** `open`: starts another server, which is closed afterwards. */
    const withRuleset = async (
      run: (replica: Replica, list: Ruleset, open: () => Promise<Replica>) => Promise<void>,
    ): Promise<void> => {
      const location = await make();
      const opened: Replica[] = [];
      const open = async (): Promise<Replica> => {
        opened.push(await Replica.open(location));
        return opened.at(-1)!;
      };
      try {
        await Replica.using(location, async (replica) => run(replica, (await replica.organisation()).blocklist, open));
      } finally {
        for (const { store } of opened) await store.close();
      }
    };

    const add = ({ id, organisationId }: Ruleset, prefix: string, key: string, request: string, at = 10) =>
      ({
        kind: "add-rule",
        organisationId,
        rulesetId: id,
        request: adding(prefix, { mode: "fail" }),
        idempotency: { key, request },
        ...by(at),
      }) as const;

    /** Both requests by a door, behind another write, so that the next two form a group. */
    const both = async (
      [first, second]: readonly [Replica, Replica],
      list: Ruleset,
      commands: readonly [Command, Command],
      atOnce: boolean,
    ): Promise<[Answer, Answer]> => {
      const write = (replica: Replica, command: Command) => answerOf(replica.store.write(command as never));
      if (!atOnce) return [await write(first, commands[0]), await write(second, commands[1])];
      const before = write(first, add(list, `198.18.0.${++serial % 256}`, `before ${serial}`, ""));
      const answers = await Promise.all([write(first, commands[0]), write(second, commands[1])]);
      await before;
      return answers;
    };

    for (const [door, { other, atOnce }] of Object.entries(DOORS)) {
      test(`two requests with one key, ${door}: the first is executed, the other refused, and repetitions get the same`, () =>
        withRuleset(async (replica, list, open) => {
          const second = other ? await open() : replica;
          const commands = [add(list, "192.0.2.1", "k", "one"), add(list, "192.0.2.2", "k", "two")] as const;
          const answers = await both([replica, second], list, commands, atOnce);
          // Of two servers at the same time, either may be the first.
          const won = answers[0] === "idempotency-mismatch" ? 1 : 0;
          if (!(other && atOnce)) assert.equal(won, 0);
          assert.equal((answers[won] as { action: string }).action, "created");
          assert.equal(answers[1 - won], "idempotency-mismatch");
          for (const each of [replica, second]) {
            assert.deepEqual(await answerOf(each.store.write(commands[won]!)), answers[won]);
            assert.equal(await answerOf(each.store.write(commands[1 - won]!)), "idempotency-mismatch");
          }
          const loaded = await open();
          const rules = loaded.memory.rulesOf(list.id);
          assert.deepEqual([rules.has("192.0.2.1"), rules.has("192.0.2.2")], [won === 0, won === 1]);
        }));

      test(`one request twice, ${door}: it is executed once`, () =>
        withRuleset(async (replica, list, open) => {
          const second = other ? await open() : replica;
          const command = add(list, "192.0.2.1", "k", "one");
          const [one, again] = await both([replica, second], list, [command, command], atOnce);
          assert.equal((one as { action: string }).action, "created");
          assert.deepEqual(again, one);
        }));
    }

    test("an answer is kept over restarts for a day, also while the key is not cleaned up; then the key is new", () =>
      withRuleset(async (replica, list, open) => {
        const command = add(list, "192.0.2.1", "k", "one");
        const first = await replica.store.write(command);
        const restarted = await open();
        assert.deepEqual(await restarted.store.write({ ...command, ...by(10 + DAY) }), first);
        const other = { ...add(list, "192.0.2.2", "k", "two"), ...by(10 + DAY) };
        assert.equal(await answerOf(restarted.store.write(other)), "idempotency-mismatch");
        const next = await restarted.store.write({ ...other, ...by(11 + DAY) });
        assert.equal(next.action, "created");
        assert.deepEqual(await restarted.store.write({ ...other, ...by(12 + DAY) }), next);
        assert.equal(await answerOf(restarted.store.write({ ...command, ...by(13 + DAY) })), "idempotency-mismatch");
      }));

    test("a rejection that decides about the request is repeated even when its reason is gone; others are not kept", () =>
      withRuleset(async (replica, list) => {
        const { store } = replica;
        const of = { organisationId: list.organisationId, rulesetId: list.id };
        const prefix = parsePrefix("192.0.2.1");
        const plain = (command: object): Promise<unknown> => store.write({ ...of, ...by(20), ...command } as Command);
        const addRule = () => plain({ kind: "add-rule", request: adding("192.0.2.1") });
        const removeRule = () => plain({ kind: "delete-rule", prefix });
        const { deployment } = await store.write({
          kind: "create-deployment",
          organisationId: list.organisationId,
          name: "edge",
          definition: definitionOf({}),
          ...by(3),
        });
        const patch = {
          kind: "update-deployment",
          deploymentId: deployment.id,
          definition: { description: "changed" },
        };
        const others = { ...deployment.definition, device: "fortinet-64mb" };
        const current = (): Ruleset => replica.memory.rulesets.get(list.id)!;
        const rows: readonly (readonly [
          what: string,
          code: string,
          isKept: boolean,
          command: object,
          before: () => unknown,
          cure: () => unknown,
        ])[] = [
          [
            "conflict",
            "conflict",
            true,
            { kind: "add-rule", request: adding("192.0.2.1", { mode: "fail" }) },
            addRule,
            removeRule,
          ],
          ["no rule", "rule-not-found", true, { kind: "delete-rule", prefix }, () => {}, addRule],
          [
            "the client's version",
            "version-mismatch",
            true,
            { kind: "delete-rule", prefix, ifMatch: ofVersion(1) },
            () => {},
            () => {},
          ],
          [
            "a batch",
            "batch-refused",
            true,
            { kind: "batch-rules", atomic: true, items: [{ add: adding("192.0.2.1", { mode: "fail" }) }] },
            () => {},
            removeRule,
          ],
          [
            "the server's own version",
            "version-mismatch",
            false,
            {
              kind: "replace-rules",
              rules: columnsOfTexts(["192.0.2.9"]),
              shrink: { allowEmpty: true },
              isOwnMatch: true,
              ifMatch: MATCHES_NOTHING,
            },
            () => {},
            () => {},
          ],
          [
            "what it was checked with",
            "definition-changed",
            false,
            { ...patch, checkedWith: others },
            () => {},
            () => {},
          ],
        ];
        for (const [what, code, isKept, command, before, cure] of rows) {
          await before();
          const send = (changes: object = {}) =>
            answerOf(plain({ ...command, idempotency: { key: what, request: what }, ...changes }));
          assert.equal(await send(), code, what);
          await cure();
          // The server makes the command again, from what it has read meanwhile.
          const again = isKept
            ? {}
            : { ifMatch: ofVersion(current().version, current().stamp), checkedWith: undefined };
          const repeated = await send("checkedWith" in command ? { checkedWith: undefined } : again);
          if (isKept) assert.equal(repeated, code, what);
          else {
            assert.equal(typeof repeated, "object", `${what}: ${JSON.stringify(repeated)}`);
            assert.deepEqual(await send(), repeated, `${what}: its answer is kept`);
          }
        }
      }));

    test("a server that closes, or another request that was refused, decides nothing", () =>
      withRuleset(async (replica, list, open) => {
        const closed = await open();
        await closed.store.close();
        const command = add(list, "192.0.2.1", "k", "one");
        assert.equal(await answerOf(closed.store.write(command)), "closed");
        assert.equal((await replica.store.write(command)).action, "created");
      }));

    test("random requests in random groups: for each key, the first one's answer, and a refusal of all others", (t) =>
      withRuleset(async (replica, list) => {
        const random = new Random(SEED);
        const steps = rounds({ short: 60, long: 300 });
        const known = new Map<
          string,
          { readonly request: string; readonly answer: Promise<Answer>; readonly at: number }
        >();
        const counts = { executed: 0, repeated: 0, refused: 0, forgotten: 0 };
        let at = 10;
        for (let step = 0; step < steps; step++) {
          if (random.below(10) === 0) at += random.below(DAY);
          const group = Array.from({ length: 1 + random.below(6) }, () => {
            const [key, request] = [`k${random.below(4)} ${step >> 3}`, `r${random.below(3)}`];
            const prefix = `10.${(step >> 8) & 255}.${step & 255}.${serial++ & 255}`;
            const command = { ...add(list, prefix, key, request), ...by(at) };
            return { key, request, answer: answerOf(replica.store.write(command)) };
          });
          for (const { key, request, answer } of group) {
            const before = known.get(key);
            const isForgotten = before !== undefined && before.at < at - DAY;
            if (before === undefined || isForgotten) {
              assert.equal(((await answer) as { action?: string }).action, "created");
              known.set(key, { request, answer, at });
              counts[isForgotten ? "forgotten" : "executed"]++;
            } else if (before.request === request) {
              assert.deepEqual(await answer, await before.answer);
              counts.repeated++;
            } else {
              assert.equal(await answer, "idempotency-mismatch");
              counts.refused++;
            }
          }
        }
        t.diagnostic(JSON.stringify(counts));
        assert.ok(Object.values(counts).every((count) => count > 0));
      }));
  });
}

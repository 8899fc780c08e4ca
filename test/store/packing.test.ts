/** Answers and commands with thousands of items cross between threads in pieces, and arrive unchanged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GroupAnswer } from "../../src/store/_answer.ts";
import { CommandQueue } from "../../src/store/queue/_command-queue.ts";
import type { BatchRulesCommand, Command } from "../../src/store/command.ts";
import { areLongCommands, isLongAnswer, pack, packing, unpack, unpacking } from "../../src/store/sqlite/_packing.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { columnsOf } from "../../src/rulesets/rule-columns.ts";

const rule = (w0: number): Rule => ({
  prefix: { family: 4, w0, w1: 0, w2: 0, w3: 0, length: 32 },
  name: w0 % 3 === 0 ? null : `"${w0}" \u2028 \0list`,
  expiresAt: w0 % 2 === 0 ? null : w0,
  createdAt: 1,
  updatedAt: 2,
});
const signed = { actor: "key:a", at: 1, organisationId: "o" };
const batchOf = (count: number): BatchRulesCommand => ({
  kind: "batch-rules",
  ...signed,
  rulesetId: "r",
  atomic: false,
  items: Array.from({ length: count }, (_, at) => ({ delete: rule(at).prefix })),
});
const answerOf = (count: number): GroupAnswer => {
  const rules = Array.from({ length: count }, (_, at) => rule(at));
  return {
    answers: [
      { outcome: { results: rules.map((each) => ({ action: "created" as const, rule: each })) } },
      {
        rejection: {
          code: "batch-refused",
          message: "no",
          results: rules.map(({ prefix }) => ({ action: "not_applied" as const, prefix })),
        },
      },
      { outcome: {} },
    ],
    changes: [
      {
        sequence: 7,
        stamp: "00000007",
        ...signed,
        kind: "rules",
        rulesetId: "r",
        upserts: rules,
        deletes: rules.map(({ prefix }) => prefix),
      },
      {
        sequence: 8,
        stamp: "00000007",
        ...signed,
        kind: "rules-replaced",
        rulesetId: "r",
        rules: columnsOf(rules.slice(0, 3)),
      },
    ],
    organisations: [],
    sequence: 8,
  };
};

function stepsOf(work: Generator<undefined, unknown, undefined>): number {
  let steps = 1;
  while (work.next().done !== true) steps++;
  return steps;
}

for (const count of [1, 256, 257, 10_000]) {
  test(`${count} items round-trip`, () => {
    const answer = answerOf(count);
    const before = structuredClone(answer);
    assert.equal(isLongAnswer(answer), count > 256);
    assert.equal(areLongCommands([batchOf(1), batchOf(count)]), count > 256);
    const packed = structuredClone(pack(answer));
    assert.equal(packed.lists.length, count > 256 ? 4 : 0);
    assert.deepEqual(unpack(packed), before);
    assert.deepEqual(answer, before, "what is packed stays as it is");
    assert.deepEqual(unpack(structuredClone(pack([batchOf(count)]))), [batchOf(count)]);
  });
}

test("packing and unpacking can be interrupted every few hundred items", () => {
  const answer = answerOf(10_000);
  assert.ok(stepsOf(packing(answer)) > 100);
  assert.ok(stepsOf(unpacking(pack(answer))) > 100);
});

test("a group has no more items than the limit for commands, and a large batch gets a group of its own", async () => {
  const groups: number[][] = [];
  const queue = new CommandQueue(
    async (commands) => {
      const sizes = commands.map((command) => (command.kind === "batch-rules" ? command.items.length : 1));
      groups.push(sizes);
      return { answers: commands.map(() => ({ outcome: {} })), changes: [], organisations: [], sequence: 0 };
    },
    async () => {},
  );
  const single: Command = { kind: "delete-ruleset", ...signed, rulesetId: "r" };
  const one: Command = { kind: "delete-rule", ...signed, rulesetId: "r", prefix: rule(1).prefix };
  const sent = [200, 200, 200, 256, 256, 10_000, 3].map(batchOf);
  await Promise.all([...sent, single, ...Array.from({ length: 600 }, () => one)].map((each) => queue.push(each)));
  assert.deepEqual(
    groups.map((sizes) => [sizes.length, sizes.reduce((sum, size) => sum + size, 0)]),
    [
      [2, 400],
      [2, 456],
      [1, 256],
      [1, 10_000],
      [1, 3],
      [1, 1],
      [512, 512],
      [88, 88],
    ],
  );
  await queue.close();
});

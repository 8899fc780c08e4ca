import assert from "node:assert/strict";
import { test } from "node:test";
import {
  measureNeighbours,
  type MeasuredOperation,
  operationIds,
  uncovered,
} from "../../bench/api/measure-neighbours.ts";
import { measureControl } from "../../bench/api/neighbours.ts";
import { isWithin, operationLines, summaryTable, worstOf, worstTable } from "../../bench/api/neighbours-report.ts";
import { startServer } from "../api/start-server.ts";
import { onlyLong } from "../rounds.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { fixtureRecord } from "./record-fixture.ts";

test("every operation of both documents has a costliest request, and there are no other entries", async () => {
  const t = await startServer({ logLevel: "silent" });
  try {
    const ids = await operationIds(t.server.url);
    assert.ok(ids.public.length >= 27 && ids.dashboard.length >= 50);
    assert.deepEqual(uncovered(ids), []);
    assert.deepEqual(
      uncovered({ ...ids, public: [...ids.public, "somethingNew"] }),
      ["somethingNew"],
      "negative control: a new operation",
    );
    assert.deepEqual(
      uncovered({ ...ids, dashboard: ids.dashboard.filter((id) => id !== "getUsage") }),
      ["getUsage"],
      "negative control: one that is gone",
    );
  } finally {
    await t.close();
  }
});

test("the victim is served beside costly requests, and its times are counted", { skip: onlyLong() }, async (t) => {
  const { alone, operations } = await inTemporaryFolder((folder) =>
    measureNeighbours({ folder, rules: 1000, milliseconds: 300, only: ["public lookupCbs"] }),
  );
  t.diagnostic(JSON.stringify(operations));
  const [operation] = operations;
  assert.ok(alone[0]!.served >= 10);
  for (const { victim, neighbour, memory, turn } of operation!.requests) {
    assert.equal(typeof turn, "number");
    assert.ok(victim.served >= 10 && victim.p50 > 0 && victim.p50 <= victim.p99 && victim.p99 <= victim.longest);
    assert.ok(Object.values(neighbour.statuses).some((count) => count > 0));
    assert.ok(memory! > 0);
  }
});

test("negative control: a server that pauses for 300 ms exceeds the limits", { skip: onlyLong() }, async (t) => {
  const control = await measureControl();
  t.diagnostic(JSON.stringify(control));
  assert.ok(control.requests[0]!.victim.longest > 200);
});

const measured = (
  operation: string,
  p99: number,
  others: Partial<{ longest: number; refused: Record<string, number>; memory: number | null }> = {},
): MeasuredOperation => {
  const request = (name: string, at: number) => ({
    name,
    neighbour: { seconds: 5, statuses: { 200: 7 }, bytesSent: 0 },
    memory: others.memory === undefined ? 300 : others.memory,
    victim: {
      sent: 1000,
      served: 990,
      p50: 1,
      p99: at,
      longest: others.longest ?? 2 * at,
      refused: others.refused ?? {},
    },
  });
  return { scope: "public", operation, requests: [request("a small one", p99 / 2), request("a large one", p99)] };
};

test("the table names the worst request of each operation, and counts those within the limits", () => {
  const operations = [
    measured("good", 10),
    measured("slow", 60),
    measured("stalls", 20, { longest: 900 }),
    measured("sheds", 12, { refused: { 503: 10 } }),
    measured("ends", 30, { memory: null }),
  ];
  assert.deepEqual(
    operations.map((each) => isWithin(each)),
    [true, false, false, false, false],
  );
  assert.equal(worstOf(operations[0]!).name, "a large one");
  const { machine, startedAt } = fixtureRecord();
  const record = {
    format: 1,
    startedAt,
    machine,
    rules: 1_000_000,
    seconds: 5,
    control: operations[1]!,
    alone: [operations[0]!.requests[0]!.victim],
    operations,
  } as const;
  const lines = operationLines(record).trim().split("\n").slice(2);
  assert.equal(lines[0], "| `ends` | a small one | 1 ms | 15 ms | 30 ms | 0 % | the server ended |");
  assert.equal(lines[1], "| `slow` | a large one | 1 ms | 60 ms | 120 ms | 0 % | 300 MiB |");
  assert.equal(lines.at(-2), "| `sheds` | a large one | 1 ms | 12 ms | 24 ms | 1 % | 300 MiB |");
  const summary = summaryTable(record);
  assert.match(summary, /^\| a victim's requests without a neighbour, p99 \|  \| 5 ms \|$/m);
  assert.match(summary, /^\| operations with a p99 within that \| all \| 3 of 5 \|$/m);
  assert.match(summary, /no request took more than 200 ms \| all \| 3 of 5 \|$/m);
  assert.match(summary, /every request was served \| all \| 3 of 5 \|$/m);
  assert.deepEqual(worstTable(record).trimEnd().split("\n").slice(4), lines);
});

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { startProxy } from "../store/harness/proxy.ts";
import { startReplicas } from "./harness/replicas.ts";
import { until } from "../until.ts";
import { onlyLong } from "../rounds.ts";

describe("server processes on one PostgreSQL", { skip: await whyNoPostgres() }, () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());

  test("writes to one server are visible on the other, even if no notification arrives; both reject a revoked key", async (t) => {
    const url = await postgres.database();
    const proxy = await startProxy(url, { losesNotifications: true });
    const {
      replicas: [first, second, deaf],
      revokeKey,
    } = await startReplicas(t, [url, url, proxy.url]);
    t.after(() => proxy.close());
    const waits = { notified: 0, polled: 0 };
    for (let i = 0; i < 5; i++) {
      const ip = `198.18.0.${i}`;
      assert.equal(await first!.add(ip), 201);
      const began = performance.now();
      await Promise.all([
        second!.until(ip, 200).then(() => (waits.notified = Math.max(waits.notified, performance.now() - began))),
        deaf!.until(ip, 200).then(() => (waits.polled = Math.max(waits.polled, performance.now() - began))),
      ]);
    }
    t.diagnostic(`milliseconds until it was answered, at most: ${JSON.stringify(waits)}`);
    assert.ok(proxy.lost > 0, "the proxy has kept notifications back");
    assert.equal(await deaf!.add("198.18.0.9"), 201);
    assert.equal(await deaf!.get("198.18.0.9"), 200, "what it wrote itself it answers with at once");
    await revokeKey();
    for (const replica of [first!, second!, deaf!]) await replica.until("198.18.0.0", 401);
  });

  test(
    "SIGKILL of one during writes: the other continues, and no acknowledged write is lost",
    { skip: onlyLong() },
    async (t) => {
      const url = await postgres.database();
      const {
        replicas: [first, second],
        startAnother,
      } = await startReplicas(t, [url, url]);
      const writing = [first!.write("198.18"), second!.write("198.19")];
      await until("10 writes are acknowledged", () => first!.acknowledged.size >= 10);
      await first!.kill();
      const before = second!.acknowledged.size;
      await until("100 writes more are acknowledged", () => second!.acknowledged.size >= before + 100);
      for (const replica of [first!, second!]) replica.stopWriting();
      await Promise.all(writing);
      const acknowledged = [...first!.acknowledged, ...second!.acknowledged];
      t.diagnostic(
        `${first!.acknowledged.size} acknowledged by the one that was killed, ${second!.acknowledged.size} by the other`,
      );
      assert.ok(first!.acknowledged.size > 0);
      assert.deepEqual(second!.refused, []);
      for (const replica of [second!, await startAnother(url)]) {
        const told = await replica.rules(acknowledged.length);
        assert.deepEqual(
          acknowledged.filter((ip) => !told.has(ip)),
          [],
        );
      }
      assert.ok(!(await second!.rules(0)).has("198.20.0.0"), "negative control: what was not written is not told");
    },
  );

  test(
    "PostgreSQL restarts under load: no acknowledged write is lost, and the servers recover by themselves",
    { skip: onlyLong() },
    async (t) => {
      const url = await postgres.database();
      const { replicas } = await startReplicas(t, [url, url]);
      const writing = replicas.map((replica, index) => replica.write(`198.${18 + index}`));
      for (let restarts = 0; restarts < 2; restarts++) {
        await sleep(500);
        await postgres.restart();
      }
      const before = replicas.map(({ acknowledged }) => acknowledged.size);
      await until("50 writes more of each are acknowledged", () =>
        replicas.every(({ acknowledged }, index) => acknowledged.size >= before[index]! + 50),
      );
      for (const replica of replicas) replica.stopWriting();
      await Promise.all(writing);
      const acknowledged = replicas.flatMap((replica) => [...replica.acknowledged]);
      t.diagnostic(
        `${acknowledged.length} acknowledged; refused meanwhile: ${JSON.stringify(replicas.flatMap(({ refused }) => refused))}`,
      );
      // A write waits for the database; a write that cannot wait is rejected.
      assert.ok(replicas.every(({ refused }) => refused.every((status) => status === 503)));
      for (const replica of replicas) {
        const told = await replica.rules(acknowledged.length);
        assert.deepEqual(
          acknowledged.filter((ip) => !told.has(ip)),
          [],
        );
      }
    },
  );
});

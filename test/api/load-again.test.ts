import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/store/open-store.ts";
import { addKey, addOrganisation, ask, startServer } from "./start-server.ts";

const ROUNDS = 20;

test("a server that needs deleted changes reloads the state by itself: reads get the old state or the new one, and writes continue", async (c) => {
  const t = await startServer({ perMinute: 1e9 });
  const file = join(t.folder, "store.db");
  const other = await openStore({ file });
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    const organisationId = await addOrganisation(t, "load again");
    const { text: key } = await addKey(t, organisationId);
    const {
      body: { id },
    } = await ask(t, "POST", "/v1/edl/ip-rulesets/", { key, body: { name: "list", purpose: "blocklist" } });
    const rules = `/v1/edl/ip-rulesets/${id}/rules`;
    const loads = (): number => t.logged().split("the state has been loaded again").length - 1;
    const counts: number[] = [];
    const state = { isOver: false };
    const reading = (async () => {
      while (!state.isOver) counts.push((await ask(t, "GET", rules, { key })).body.count);
    })();
    let rounds = 0;
    // A server that has polled between the two does not need to load: then it is repeated.
    for (; loads() === 0 && rounds < ROUNDS; rounds++) {
      const items = Array.from({ length: 10 }, (_, i) => ({
        add: {
          prefix: { family: 4 as const, w0: 0xc6120000 + rounds * 256 + i, w1: 0, w2: 0, w3: 0, length: 32 },
          name: null,
          expiresAt: null,
          mode: "fail" as const,
        },
      }));
      await other.write({
        kind: "batch-rules",
        actor: "user:test",
        at: t.clock.now,
        organisationId,
        rulesetId: id,
        items,
        atomic: true,
      });
      database.exec("delete from changes");
      const { status } = await ask(t, "POST", rules, { key, body: { ip: `198.19.0.${rounds}` } });
      assert.equal(status, 201);
      assert.equal(
        (await ask(t, "GET", `${rules}/rule?ip=198.19.0.${rounds}`, { key })).status,
        200,
        "what was written is answered",
      );
      assert.equal((await ask(t, "GET", rules, { key })).body.count, (rounds + 1) * 11);
    }
    await sleep(100);
    state.isOver = true;
    await reading;
    c.diagnostic(`loaded again in round ${rounds}; ${counts.length} reads`);
    assert.ok(loads() > 0);
    assert.deepEqual(
      [...new Set(counts.map((count) => count % 11))].filter((left) => left !== 0 && left !== 10),
      [],
      "no read sees a part of a batch",
    );
    assert.equal((await ask(t, "POST", rules, { key, body: { ip: "198.19.1.1" } })).status, 201);
  } finally {
    database.close();
    await other.close();
    await t.close();
  }
});

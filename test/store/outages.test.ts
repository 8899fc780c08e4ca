import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { type PostgresServer, startPostgres, whyNoPostgres } from "./harness/postgres.ts";
import { mountSmallDisk, whyNoSmallDisk } from "./harness/small-disk.ts";
import { startProxy } from "./harness/proxy.ts";
import { adding, by, Replica } from "./harness/stores.ts";
import { until } from "../until.ts";
import { takingTurns } from "../rounds.ts";

describe("PostgreSQL outages", { skip: await whyNoPostgres() }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test("a commit whose confirmation is lost is looked up: it is confirmed once and executed once", async (t) => {
    const proxy = await startProxy(await server.database());
    t.after(() => proxy.close());
    const replica = await Replica.open({ url: proxy.url });
    t.after(() => replica.store.close());
    const { blocklist } = await replica.organisation();
    for (const [i, fate] of (["lose the answer", "lose the commit", "lose the answer"] as const).entries()) {
      proxy.fate = fate;
      // In the mode "fail", a second attempt would be rejected.
      const { action } = await replica.addRule(blocklist, `192.0.2.${i}`);
      assert.equal(action, "created");
    }
    assert.equal(proxy.struck, 3);
    assert.equal(replica.memory.sequence, 6);
    assert.equal(replica.memory.rulesOf(blocklist.id).size, 3);
    await replica.store.check();
  });

  test("a commit that cannot be looked up is reported as unknown, never as done; a write that was not sent, as unavailable", async (t) => {
    const proxy = await startProxy(await server.database());
    t.after(() => proxy.close());
    const replica = await Replica.open({ url: proxy.url }, { patience: 500 });
    t.after(() => replica.store.close());
    const { blocklist } = await replica.organisation();
    const add = (text: string) => replica.addRule(blocklist, text);
    proxy.fate = "lose the answer";
    const lost = add("192.0.2.1");
    await until("the proxy has struck", () => proxy.struck > 0, { every: 1 });
    proxy.shut();
    await assert.rejects(lost, { name: "StoreError", code: "outcome-unknown" });
    await assert.rejects(add("192.0.2.2"), { name: "StoreError", code: "unavailable" });
    await assert.rejects(replica.store.changesAfter(0), { name: "StoreError", code: "unavailable" });
    proxy.open();
    assert.equal((await add("192.0.2.3")).action, "created");
    assert.deepEqual([...replica.memory.rulesOf(blocklist.id).keys()].sort(), ["192.0.2.1", "192.0.2.3"]);
  });

  test("a server that is cut off during a write blocks others for less than their timeout, and can write when it is back", async (t) => {
    const url = await server.database();
    const proxy = await startProxy(url);
    t.after(() => proxy.close());
    const [cut, other] = [await Replica.open({ url: proxy.url }), await Replica.open({ url })];
    t.after(() => Promise.all([cut.store.close(), other.store.close()]));
    const { organisation, blocklist } = await other.organisation();
    const into = { organisationId: organisation.id, rulesetId: blocklist.id };
    const add = ({ store }: Replica, text: string) =>
      store.write({ kind: "add-rule", ...into, request: adding(text, { mode: "fail" }), ...by(2) });
    proxy.fate = "pull the cable";
    const written = add(cut, "192.0.2.1");
    await until("the proxy has struck", () => proxy.struck > 0, { every: 1 });
    // Negative control: other writes do have to wait; a write that waits for less time is rejected.
    const hasty = await Replica.open({ url: `${url}?lock_timeout=500` }, { patience: 0 });
    await assert.rejects(add(hasty, "192.0.2.3"), { name: "StoreError", code: "unavailable", message: /lock timeout/ });
    await hasty.store.close();
    assert.equal((await add(other, "192.0.2.2")).action, "created");
    proxy.shut();
    proxy.open();
    assert.equal((await written).action, "created");
    assert.deepEqual([...cut.memory.rulesOf(blocklist.id).keys()].sort(), ["192.0.2.1", "192.0.2.2"]);
  });

  test("a connection that is lost while it is set up is replaced: the one that writes, and those that read", async (t) => {
    const proxy = await startProxy(await server.database());
    t.after(() => proxy.close());
    const replica = await Replica.open({ url: proxy.url });
    t.after(() => replica.store.close());
    const { blocklist } = await replica.organisation();
    for (const [round, text] of ["192.0.2.1", "192.0.2.2", "192.0.2.3"].entries()) {
      proxy.shut();
      proxy.open();
      proxy.fate = "cut while set up";
      const { action } = await replica.addRule(blocklist, text);
      assert.equal(action, "created");
      assert.equal((await replica.store.check()).rules, round + 1);
      assert.equal(proxy.struck, round + 1);
    }
  });

  test("connections that no longer respond are replaced after the timeout of a query, though they stay open", async (t) => {
    const proxy = await startProxy(await server.database());
    t.after(() => proxy.close());
    const replica = await Replica.open({ url: `${proxy.url}?query_timeout=3000` });
    t.after(() => replica.store.close());
    const { blocklist } = await replica.organisation();
    await replica.store.check();
    proxy.silence();
    await assert.rejects(replica.store.probe(), { name: "StoreError", code: "unavailable", message: /timeout/ });
    await replica.store.probe();
    await until("a connection that reads responds", () =>
      replica.store.check().then(
        () => true,
        () => false,
      ),
    );
    await replica.addRule(blocklist, "192.0.2.1");
    assert.equal((await replica.store.check()).rules, 1);
  });

  test("while the tables are away, as during a restore, reads and writes are rejected as unavailable, and continue after", async (t) => {
    const url = await server.database();
    const replica = await Replica.open({ url }, { patience: 0 });
    t.after(() => replica.store.close());
    const { organisation, blocklist } = await replica.organisation();
    const admin = new Client({ connectionString: url });
    await admin.connect();
    t.after(() => admin.end());
    const away = {
      name: "StoreError",
      code: "unavailable",
      message:
        /^the database does not have the service's tables: .* \(SQLSTATE (?:42P01|3F000)\); if it is being restored/,
    };
    const add = () => replica.addRule(blocklist, "192.0.2.1");
    const read = () => replica.store.read("audit", organisation.id, { limit: 1 });
    // Without the whole schema, as after "drop schema", and without one of its tables.
    for (const [hide, show] of [
      ["alter schema ipsieve rename to away", "alter schema away rename to ipsieve"],
      ["alter table ipsieve.store rename to away", "alter table ipsieve.away rename to store"],
      ["alter table ipsieve.changes rename to away", "alter table ipsieve.away rename to changes"],
    ] as const) {
      await admin.query(hide);
      await assert.rejects(add(), away, hide);
      if (!hide.includes(".store")) await assert.rejects(read(), away, hide);
      await admin.query(show);
    }
    assert.equal((await add()).action, "created");
    await read();
  });

  test("a server that stalls during a write loses its transaction, and writes again", async (t) => {
    const proxy = await startProxy(await server.database());
    t.after(() => proxy.close());
    const replica = await Replica.open({ url: `${proxy.url}?idle_in_transaction_session_timeout=1000` });
    t.after(() => replica.store.close());
    const { blocklist } = await replica.organisation();
    proxy.fate = "delay the commit";
    const { action } = await replica.addRule(blocklist, "192.0.2.1");
    assert.deepEqual([action, proxy.struck], ["created", 1]);
  });

  test(
    "a full disk: writes are rejected at once with the real reason, and continue when there is space",
    { skip: whyNoSmallDisk },
    async () => {
      using disk = mountSmallDisk(32 << 20);
      const url = await server.database();
      execFileSync("chown", ["postgres", disk.path]);
      const admin = new Client({ connectionString: url.replace(/[^/]*$/, "postgres") });
      await admin.connect();
      await admin.query(`create tablespace small location '${disk.path}'`);
      await admin.query(`alter database ${new URL(url).pathname.slice(1)} set tablespace small`);
      const replica = await Replica.open({ url });
      const { blocklist } = await replica.organisation();
      const add = (prefix: string) => replica.addRule(blocklist, prefix, "x".repeat(200));
      disk.fill();
      const taken: string[] = [];
      const refused = {
        name: "StoreError",
        code: "unavailable",
        message:
          /^the database's disk is full: .*No space left on device \(SQLSTATE 53100\); free some space on its server$/,
      };
      await assert.rejects(async () => {
        for (let i = 0; ; i++) {
          const prefix = `10.0.${i >> 8}.${i & 255}`;
          await add(prefix);
          taken.push(prefix);
        }
      }, refused);
      await replica.store.changesAfter(0); // reads continue
      disk.free();
      await replica.store.probe();
      await add("192.0.2.1");
      assert.deepEqual([...replica.memory.rulesOf(blocklist.id).keys()].sort(), [...taken, "192.0.2.1"].sort());
      await replica.store.check();
      await replica.store.close();
      await admin.query(`drop database ${new URL(url).pathname.slice(1)}`);
      await admin.query("drop tablespace small");
      await admin.end();
    },
  );

  test(
    "while PostgreSQL restarts, writes wait for it; none is lost or executed twice, and replicas continue",
    { skip: takingTurns(3, 2) },
    async (t) => {
      const url = await server.database();
      const replicas = await Promise.all([50, 50].map((pollEvery) => Replica.open({ url }, { pollEvery })));
      t.after(() => Promise.all(replicas.map(({ store }) => store.close())));
      const { organisation, blocklist } = await replicas[0]!.organisation();
      const end = Date.now() + 3000;
      let writes = 0;
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; Date.now() < end; i++) {
          const request = adding(`10.${writer}.${i >> 8}.${i & 255}`, { mode: "fail" });
          const { action } = await replicas[writer % 2]!.store.write({
            kind: "add-rule",
            organisationId: organisation.id,
            rulesetId: blocklist.id,
            request,
            ...by(2),
          });
          assert.equal(action, "created");
          writes++;
        }
      });
      await delay(500);
      await server.restart();
      await delay(500);
      await server.restart();
      await Promise.all(writers);
      t.diagnostic(`${writes} writes`);
      await until("all replicas have every write", () => replicas.every(({ memory }) => memory.sequence >= writes + 3));
      for (const { memory, store } of replicas) {
        assert.equal(memory.rulesOf(blocklist.id).size, writes);
        await store.check();
      }
    },
  );
});

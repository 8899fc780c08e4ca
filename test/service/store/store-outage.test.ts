import assert from "node:assert/strict";
import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { Client } from "pg";
import { Metrics } from "../../../src/service/usage/metrics.ts";
import { type OutageTimes, StoreOutage } from "../../../src/service/store/store-outage.ts";
import { StoreError } from "../../../src/store/store-error.ts";
import { limitFileSize, whyNoFileSizeLimit } from "../../store/harness/file-size-limit.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../store/harness/postgres.ts";
import { mountBreakableDisk, whyNoBreakableDisk } from "../../store/harness/read-only-disk.ts";
import { mountSmallDisk, whyNoSmallDisk } from "../../store/harness/small-disk.ts";
import { addUser, type TestUser, visit } from "../../api/dashboard/browser.ts";
import {
  addKey,
  addOrganisation,
  type Answer,
  ask,
  startServer,
  type TestServer,
  useStores,
} from "../../api/start-server.ts";
import { until } from "../../until.ts";
import { onlyLong } from "../../rounds.ts";

const LISTS = "/v1/edl/ip-rulesets/";

/** A server with some data, and how to query it. */
interface Subject {
  readonly t: TestServer;
  readonly key: string;
  readonly admin: TestUser;
  readonly rules: string;
  /** Adds a rule that no call before has added. */
  add(): Promise<Answer>;
}

async function startSubject(): Promise<Subject> {
  const t = await startServer({ perMinute: 1e9, failuresPerMinute: 1e9, signInsPerMinute: 1e9, logLevel: "info" });
  const organisationId = await addOrganisation(t, "outage");
  const [{ text: key }, admin] = [await addKey(t, organisationId), await addUser(t, organisationId, "admin", "ann")];
  const {
    body: { id },
  } = await ask(t, "POST", LISTS, { key, body: { name: "list", purpose: "blocklist" } });
  const rules = `${LISTS}${id}/rules`;
  let added = 0;
  return {
    t,
    key,
    admin,
    rules,
    add: () =>
      ask(t, "POST", rules, { key, body: { ip: `198.18.${++added >> 8}.${added & 255}`, name: "x".repeat(200) } }),
  };
}

/** The log lines about an outage. */
function outageLines({ logged }: TestServer): { msg: string; reason?: string; refused?: number; seconds?: number }[] {
  return logged()
    .split("\n")
    .filter((line) => line.includes('"msg":"the database '))
    .map((line) => JSON.parse(line));
}

async function metric({ server }: TestServer, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(await server.services.metrics.registry.metrics())![1]);
}

/** Writes until a write is rejected. */
async function refused({ add }: Subject): Promise<Answer> {
  for (;;) {
    const answer = await add();
    if (answer.status !== 201) return answer;
  }
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.deepEqual([status, body.title, headers.get("retry-after")], [503, "Service Unavailable", "5"]);
  assert.equal(body.detail, "the service's database is not available at the moment; try again in 5 s");
}

/** Requests what needs the database, in both scopes, signed in and not. */
async function askAll({ t, key, admin: { token }, rules }: Subject): Promise<Answer[]> {
  const password = "correct horse battery";
  const list = rules.slice(0, -"/rules".length);
  const asKey = (
    [
      ["POST", LISTS, { name: "n", purpose: "blocklist" }],
      ["PATCH", list, { name: "m" }],
      ["DELETE", list],
      ["POST", rules, { ip: "192.0.2.1" }],
      ["PUT", rules, { rules: [{ ip: "192.0.2.7" }] }],
      ["POST", `${rules}/batch`, { items: [{ action: "add", ip: "192.0.2.9" }] }],
      ["POST", `${rules}/import`, { rules: [{ ip: "192.0.2.8" }] }],
    ] as const
  ).map(
    ([method, path, body]) =>
      () =>
        ask(t, method, path, { key, body }),
  );
  const asUser = (
    [
      ["POST", "/users", { name: "bob", role: "viewer" }],
      ["GET", "/audit"],
      ["GET", "/keys"],
      ["POST", "/keys", { label: "x", access: "read" }],
      ["POST", "/undo"],
      ["PUT", "/session/password", { password, new_password: `${password} 2` }],
      ["DELETE", "/session"],
    ] as const
  ).map(
    ([method, path, body]) =>
      () =>
        visit(t, method, path, { token, body }),
  );
  const asAnybody = (
    [
      ["POST", "/session", { name: "ann", password }],
      ["POST", "/join", { token: "x", password }],
      ["POST", "/setup", { token: "x", organisation: "x", name: "x", password }],
      ["GET", "/setup"],
    ] as const
  ).map(
    ([method, path, body]) =>
      () =>
        visit(t, method, path, { body }),
  );
  const health = ["/livez", "/readyz"].map((path) => () => ask(t, "GET", path));
  const answers: Answer[] = [];
  for (const send of [...asKey, ...asUser, ...asAnybody, ...health]) answers.push(await send());
  return answers;
}

/** Asserts that nothing a client receives reveals internals; only the log has them. */
function assertNothingTold(answers: readonly Answer[], secrets: RegExp, { t }: Subject): void {
  for (const { status, text, headers } of answers) {
    assert.doesNotMatch(`${text}\n${[...headers].join("\n")}`, secrets);
    assert.ok(status < 500 || status === 503, text);
  }
  assert.ok(answers.some(({ status }) => status === 503));
  assert.match(outageLines(t)[0]!.reason!, secrets, "negative control: what is looked for is in the log");
}

describe("an outage", () => {
  const TIMES: OutageTimes = { probeEvery: 5, calm: 60, repeatEvery: 20 };
  const error = (): never => {
    throw new StoreError("unavailable", "the disk of db.internal is full");
  };

  test("has one line at its beginning, one from time to time, and one at its end, whatever the number of errors", async () => {
    const lines: { msg: string; refused?: number }[] = [];
    const write = (about: object, msg: string): void => void lines.push({ ...about, msg });
    const metrics = new Metrics();
    let fails = true;
    const log = { error: write, info: write } as unknown as ConstructorParameters<typeof StoreOutage>[0]["log"];
    const outage = new StoreOutage({ log, metrics, times: TIMES, probe: async () => (fails ? error() : undefined) });
    for (let i = 0; i < 500; i++)
      await assert.rejects(
        outage.guard("write", async () => error()),
        { code: "unavailable" },
      );
    for (let i = 0; i < 500; i++) outage.failed(new StoreError("unavailable", "a task in the background"));
    let calls = 0;
    await assert.rejects(
      outage.guard("write", async () => ++calls),
      { code: "unavailable" },
    );
    assert.equal(
      await outage.guard("read", async () => ++calls),
      1,
      "only writes are refused without being tried: no read has failed",
    );
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ["the database is failing; requests that need it get 503 until it works again"],
    );
    await until("it has been logged three times", () => lines.length >= 3);
    assert.deepEqual([...new Set(lines.slice(1).map(({ msg }) => msg))], ["the database still fails"]);
    fails = false;
    await until("the database works again", () => lines.at(-1)!.msg === "the database works again");
    assert.equal(lines.at(-1)!.refused, 501);
    assert.equal(await outage.guard("write", async () => ++calls), 2);
    outage.close();
  });

  test("does not begin if a command is rejected, or the program has a bug", async () => {
    const lines: unknown[] = [];
    const log = {
      error: (line: unknown) => lines.push(line),
      info: (line: unknown) => lines.push(line),
    } as unknown as ConstructorParameters<typeof StoreOutage>[0]["log"];
    const outage = new StoreOutage({ log, metrics: new Metrics(), times: TIMES, probe: async () => undefined });
    for (const cause of [new StoreError("conflict", "there is one"), new TypeError("a defect")]) {
      await assert.rejects(
        outage.guard("write", () => Promise.reject(cause)),
        cause,
      );
    }
    assert.deepEqual(lines, []);
    outage.close();
  });
});

describe("a server on SQLite", () => {
  test("whose file is moved away: 503 for all writes, no internals for clients, one line at the beginning and one at the end", async () => {
    const subject = await startSubject();
    const { t } = subject;
    const file = join(t.folder, "store.db");
    assert.equal(await metric(t, "ipsieve_database_up"), 1);
    renameSync(file, `${file}.elsewhere`);
    assertUnavailable(await refused(subject));
    assertNothingTold(await askAll(subject), /store\.db|ipsieve-api-|sqlite/i, subject);
    assert.equal((await ask(t, "GET", subject.rules, { key: subject.key })).status, 200, "reads go on");
    const missed = await Promise.all(Array.from({ length: 100 }, () => subject.add()));
    for (const answer of missed) assertUnavailable(answer);
    assert.deepEqual(
      [await metric(t, "ipsieve_database_up"), await metric(t, "ipsieve_database_outages_total")],
      [0, 1],
    );
    const [begin, ...others] = outageLines(t);
    assert.match(begin!.reason!, /store\.db: the database file has been moved or deleted; put the original file back/);
    assert.deepEqual(others, []);
    renameSync(`${file}.elsewhere`, file);
    await until("writes succeed again", async () => (await subject.add()).status === 201, { every: 50 });
    assert.equal(await metric(t, "ipsieve_database_up"), 1);
    await until("the end of the outage is logged", () => outageLines(t).length >= 2);
    const [, end] = outageLines(t);
    assert.equal(end!.msg, "the database works again");
    assert.ok(end!.refused! > 100 && end!.seconds! >= 0, JSON.stringify(end));
    await t.close();
  });

  test(
    "with lists that become due while its file is away: one line, and they are published when it is back",
    { skip: onlyLong() },
    async () => {
      const subject = await startSubject();
      const { t, key } = subject;
      const ruleset = subject.rules.split("/").at(-2)!;
      await ask(t, "POST", subject.rules, { key, body: { ip: "20.0.0.1", expires_in_days: 1 } });
      const definition = { include: [{ ruleset }], update_frequency: "5m" };
      const { body } = await ask(t, "POST", "/v1/edl/deployments/", { key, body: { name: "edge", ...definition } });
      const { store } = t.server.services;
      const { lists } = t.server.services.publishing;
      const listed = () => lists.served(body.id)?.published.entries[4];
      await until("the list is published", () => listed() === 1);
      const file = join(t.folder, "store.db");
      renameSync(file, `${file}.elsewhere`);
      let tries = 0;
      const write = store.write.bind(store);
      store.write = (command) => {
        if (command.kind === "publish-list") tries++;
        return write(command);
      };
      t.clock.now += 2 * 86_400_000;
      await until("publishing has failed twice", () => tries >= 2);
      renameSync(`${file}.elsewhere`, file);
      await until("the list is published again", () => listed() === 0);
      const errors = t.logged().match(/^.*"level":50.*$/gm)!;
      assert.equal(errors.length, 1, errors.join("\n"));
      assert.match(errors[0]!, /the database is failing/);
      await t.close();
    },
  );

  test("whose thread ends: 503, one outage with its end, and writes continue", { skip: onlyLong() }, async () => {
    const threads: Worker[] = [];
    const follow = (thread: Worker): void => void threads.push(thread);
    process.on("worker", follow);
    const subject = await startSubject();
    process.off("worker", follow);
    const { t } = subject;
    assert.equal((await subject.add()).status, 201);
    await threads[0]!.terminate();
    assertUnavailable(await subject.add());
    await until("the end of the outage is logged", () => outageLines(t).length >= 2);
    assert.deepEqual(
      outageLines(t).map(({ msg }) => msg),
      ["the database is failing; requests that need it get 503 until it works again", "the database works again"],
    );
    assert.match(
      outageLines(t)[0]!.reason!,
      // The write finds the thread ended, or is the one that it ends with.
      /store\.db: (?:the file is being opened again: )?the thread that writes it has ended(?:; the file is opened again)?$/,
    );
    assert.deepEqual(
      [await metric(t, "ipsieve_database_up"), await metric(t, "ipsieve_database_outages_total")],
      [1, 1],
    );
    assert.equal((await subject.add()).status, 201);
    await t.close();
  });

  test("on a full disk: 503, one line, and writes continue when there is space", { skip: whyNoSmallDisk }, async () => {
    using disk = mountSmallDisk(8 << 20);
    useStores(async () => ({ file: join(disk.path, "store.db") }));
    const subject = await startSubject();
    disk.fill();
    const answer = await refused(subject);
    assertUnavailable(answer);
    for (let i = 0; i < 200; i++) assertUnavailable(await subject.add());
    assert.deepEqual(
      outageLines(subject.t).map(({ reason }) => reason),
      [`${disk.path}/store.db: database or disk is full (SQLite error 13); free some space`],
    );
    assertNothingTold(await askAll(subject), /store\.db|ipsieve-disk-|sqlite/i, subject);
    disk.free();
    await until("writes succeed again", async () => (await subject.add()).status === 201, { every: 50 });
    await subject.t.close();
  });

  test("after an I/O error: 503, one line, and writes continue", { skip: whyNoFileSizeLimit }, async (c) => {
    let folder = "";
    useStores(async (own) => ({ file: join((folder = own), "store.db") }));
    const subject = await startSubject();
    c.after(() => limitFileSize(null));
    limitFileSize(statSync(join(folder, "store.db-wal")).size);
    assert.equal((await refused(subject)).status, 503);
    for (let i = 0; i < 50; i++) assertUnavailable(await subject.add());
    assert.match(
      outageLines(subject.t)
        .map(({ reason }) => reason)
        .join("\n"),
      /^\S+store\.db: disk I\/O error \(SQLite error \d+\); its disk is full, read-only or failing; check its free space and the system's log$/,
    );
    limitFileSize(null);
    await until("writes succeed again", async () => (await subject.add()).status === 201, { every: 50 });
    await subject.t.close();
  });

  test(
    "whose disk the kernel makes read-only: reads continue, writes get 503, and after a repair no acknowledged write is missing",
    { skip: whyNoBreakableDisk },
    async () => {
      using disk = mountBreakableDisk(16 << 20);
      useStores(async () => ({ file: join(disk.path, "store.db") }));
      const subject = await startSubject();
      const { t, key, rules } = subject;
      for (let i = 0; i < 20; i++) assert.equal((await subject.add()).status, 201);
      disk.makeReadOnly();
      assert.equal((await refused(subject)).status, 503);
      for (let i = 0; i < 50; i++) assertUnavailable(await subject.add());
      const kept = await ask(t, "GET", rules, { key });
      assert.equal(kept.status, 200);
      assert.equal(outageLines(t).length, 1);
      await t.server.close();
      disk.mountAgain();
      await t.restart();
      assert.deepEqual((await ask(t, "GET", rules, { key })).body, kept.body);
      assert.equal((await subject.add()).status, 201);
      await t.close();
    },
  );
});

describe("a server on PostgreSQL", { skip: (await whyNoPostgres()) || onlyLong() }, () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
    useStores(async () => ({ url: await postgres.database() }));
  });
  after(() => postgres[Symbol.asyncDispose]());

  test("that is stopped: 503, no internals for clients, one line; and everything continues when it is started", async () => {
    const subject = await startSubject();
    const { t } = subject;
    await postgres.stop();
    assertUnavailable(await visit(t, "POST", "/session", { body: { name: "ann", password: "correct horse battery" } }));
    assertUnavailable(await subject.add()); // this one is retried for 15 s, the others are not
    assertNothingTold(await askAll(subject), /127\.0\.0\.1:|ECONNREFUSED|DATABASE_URL|postgres|sql/i, subject);
    assert.equal((await ask(t, "GET", subject.rules, { key: subject.key })).status, 200, "reads from memory go on");
    assert.deepEqual(
      outageLines(t).map(({ msg }) => msg),
      ["the database is failing; requests that need it get 503 until it works again"],
    );
    await postgres.start();
    await until("writes succeed again", async () => (await subject.add()).status === 201, { every: 50 });
    await t.close();
  });

  test("whose tables are away during a restore: 503, no internals for clients, one line without a stack; it continues after", async (c) => {
    const url = await postgres.database();
    useStores(async () => ({ url }));
    const subject = await startSubject();
    const { t } = subject;
    c.after(() => t.close());
    const admin = new Client({ connectionString: url });
    await admin.connect();
    c.after(() => admin.end());
    await admin.query("alter schema ipsieve rename to away");
    assertUnavailable(await subject.add());
    assertUnavailable(await visit(t, "GET", "/audit", { token: subject.admin.token }));
    assertNothingTold(await askAll(subject), /relation|SQLSTATE|postgres|sql/i, subject);
    assert.equal((await ask(t, "GET", subject.rules, { key: subject.key })).status, 200, "reads from memory go on");
    assert.doesNotMatch(t.logged(), /"stack"/);
    await admin.query("alter schema away rename to ipsieve");
    await until("writes succeed again", async () => (await subject.add()).status === 201, { every: 50 });
  });
});

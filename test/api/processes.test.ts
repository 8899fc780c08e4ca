import assert from "node:assert/strict";
import { createServer } from "node:http";
import { constants, copyFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { addOrganisation, addUser, type FilledStore } from "../../bench/api/fill-store.ts";
import { Random } from "../../bench/data/random.ts";
import { PLAIN_NAME } from "../../src/api/access/session-cookie.ts";
import { SecretKey } from "../../src/service/access/secret-key.ts";
import { makeSecret } from "../../src/service/webhooks/webhook-secret.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { onlyLong } from "../rounds.ts";
import { until } from "../until.ts";
import { type Cleaning, ClusteredService, type Door, type DoorAnswer } from "./harness/clustered-service.ts";
import { SAMPLE_THREATS } from "./harness/service-process.ts";
import { WebhookReceiver } from "./harness/webhook-receiver.ts";

const LIMITS = ["--allow-special-purpose", "true", "--outbound-allow", "127.0.0.0/8"];

/** An empty database, and a folder for everything else. */
type MakeStore = (folder: string) => Promise<StoreLocation>;

describe("processes of a server on PostgreSQL", { skip: onlyLong() || (await whyNoPostgres()) }, () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());
  addTests(async () => ({ url: await postgres.database() }));
});

describe("processes of a server on SQLite", () => {
  addTests(async (folder) => ({ file: join(folder, "store.db") }));

  test("only the process that starts the others has the file open for writing", async (t) => {
    const file = join(temporaryFolder(t), "store.db");
    const { service, pids } = await ClusteredService.start(t, { file });
    const isOpenIn = (pid: number) =>
      descriptorsOf(pid, file).map((flags) => flags & (constants.O_RDWR | constants.O_WRONLY));
    assert.deepEqual([...new Set(isOpenIn(service.pid))], [constants.O_RDWR]);
    for (const pid of pids) assert.deepEqual([...new Set(isOpenIn(pid))], [constants.O_RDONLY]);
  });
});

function addTests(makeStore: MakeStore): void {
  /** A server of two processes with an organisation, and a session of its admin. */
  async function startFilled(t: Cleaning, args: readonly string[] = []) {
    const folder = temporaryFolder(t);
    const location = await makeStore(folder);
    const filled = await withStore(location, async (store) => {
      const added = await addOrganisation(store, "Shared", 0, new Random(1));
      return { ...added, ...(await addUser(store, added.organisationId, "ann")) };
    });
    const service = await ClusteredService.start(t, location, [`--secret-key-file=${folder}/key`, ...LIMITS, ...args]);
    const [first, second] = (await service.doors(t)) as [Door, Door];
    const session = (body?: object) => asUser(service, filled.session, body);
    return { folder, location, service, first, second, filled, session };
  }

  /** A server that several tests use, which does not end before them. */
  let shared: Awaited<ReturnType<typeof startFilled>>;
  const cleanups: (() => unknown)[] = [];
  before(async () => {
    shared = await startFilled({ after: (clean) => void cleanups.push(clean) });
  });
  after(async () => {
    for (const clean of cleanups.toReversed()) await clean();
  });

  test("the setup link works at the other process, once; a session is known to both", async (t) => {
    const folder = temporaryFolder(t);
    const service = await ClusteredService.start(t, await makeStore(folder), [`--secret-key-file=${folder}/key`]);
    const [first, second] = (await service.doors(t)) as [Door, Door];
    const token = /token=([\w-]{43})/.exec(service.service.printed)![1]!;
    const setUp = (door: Door, text: string) =>
      door.ask("POST", "/dashboard/api/setup", {
        headers: { Origin: originOf(service), "Content-Type": "application/json" },
        body: JSON.stringify({ token: text, organisation: "Example", name: "ann", password: "long walks on sand 7" }),
      });
    assert.equal(
      (
        await setUp(
          second,
          token.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
        )
      ).status,
      401,
    );
    const created = await setUp(second, token);
    assert.equal(created.status, 201, created.text);
    const cookie = [created.headers["set-cookie"]].flat().find((each) => each!.startsWith(PLAIN_NAME))!;
    const headers = { Cookie: cookie.split(";")[0]! };
    await until("the first process knows the session", async () => {
      const { status } = await first.ask("GET", "/dashboard/api/session", { headers });
      return status === 200;
    });
    assert.equal((await setUp(first, token)).status, 409);
    assert.match(service.service.printed, /^ipsieve listens on [^\n]+\n\nNo users yet/);
    assert.equal(service.service.printed.match(/listens on/g)!.length, 1);
  });

  test("what one process has written is in the next response of the other that asks for it", async () => {
    const { first, second, filled } = shared;
    for (let i = 0; i < 20; i++) {
      const [writer, reader] = i % 2 === 0 ? [first, second] : [second, first];
      const ip = `198.18.0.${i}`;
      const written = await writer.ask("POST", rulesOf(filled), asKey(filled, { ip }));
      assert.equal(written.status, 201, written.text);
      const headers = { ...asKey(filled).headers, "X-After-Sequence": written.headers["x-sequence"] as string };
      assert.equal((await reader.ask("GET", `${rulesOf(filled)}/rule?ip=${ip}`, { headers })).status, 200);
    }
  });

  test("limits of a key and of sign-ins hold for both processes together", async (t) => {
    const { first, second, filled, location, service } = await startFilled(t, ["--sign-ins-per-minute=4"]);
    const { organisationId } = filled;
    const plan = { area: "edl", active: true, until: null, perMinute: 40, perMonth: null } as const;
    const by = { actor: "command:test", at: Date.now(), organisationId };
    await withStore(location, (store) => store.write({ kind: "set-plan", ...by, ...plan }));
    const read = (door: Door) => door.ask("GET", "/v1/edl/ip-rulesets/", asKey(filled));
    const left = async (door: Door) => Number((await read(door)).headers["ratelimit-remaining"]);
    for (const door of [first, second])
      await until("the plan is known", async () => (await read(door)).headers["ratelimit-limit"] === "40");
    for (let i = 0; i < 40; i++) await read(first);
    // Unless the minute ends meanwhile, which is seen by what is left.
    await until("the other process is told what has been used", async () => {
      for (let i = 0; (await left(first)) > 0; i++) assert.ok(i < 80);
      return (await read(second)).status === 429;
    });
    const signIn = (door: Door) =>
      door.ask("POST", "/dashboard/api/session", {
        headers: { Origin: originOf(service), "Content-Type": "application/json" },
        body: JSON.stringify({ name: "not ann", password: "it may be a password" }),
      });
    await until("the other process is told of the attempts", async () => {
      while ((await signIn(first)).status !== 429);
      return (await signIn(second)).status === 429;
    });
  });

  test("what was undone at one process is undone at the other", async () => {
    const { first, second, session } = shared;
    const create = { name: "new", purpose: "blocklist", description: "" };
    const made = await first.ask("POST", "/dashboard/api/edl/ip-rulesets/", session(create));
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    for (const name of ["renamed", "renamed again"]) {
      const changed = await first.ask("PATCH", `/dashboard/api/edl/ip-rulesets/${id}`, session({ name }));
      assert.equal(changed.status, 200, changed.text);
    }
    const after = { "X-After-Sequence": String(await lastSequence(first, session)) };
    const undone = await second.ask("POST", "/dashboard/api/undo", withHeaders(session(), after));
    assert.equal(undone.status, 200, undone.text);
    const sequence = await lastSequence(second, session);
    const last = await first.ask(
      "GET",
      "/dashboard/api/undo",
      withHeaders(session(), { "X-After-Sequence": sequence }),
    );
    assert.equal(last.body.change, null, "neither the undo itself nor what came before it is offered");
    const again = await first.ask("POST", "/dashboard/api/undo", session());
    assert.equal(again.status, 409, again.text);
    const { body } = await second.ask("GET", `/dashboard/api/edl/ip-rulesets/${id}`, session());
    assert.equal(body.name, "renamed");
  });

  test("an uploaded log is shown, replayed, downloaded and deleted by the process that does not have it", async () => {
    const { first, second, filled } = shared;
    const key = asKey(filled);
    const ids = [1, 2].map((n) => `7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1${n}`) as [string, string];
    const upload = (door: Door, id: string, body: string | AsyncIterable<string>): Promise<DoorAnswer> =>
      door.ask("POST", `/v1/identifications?id=${id}&format=tsv`, {
        headers: { ...key.headers, "Content-Type": "application/octet-stream" },
        body,
      });
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const slow = upload(
      first,
      ids[0],
      (async function* () {
        yield "1.1.1.1 a\n".repeat(10);
        await finished;
        yield "203.0.113.7 b\n";
      })(),
    );
    const at = (id: string) => second.ask("GET", `/v1/identifications/${id}`, key);
    await until("the other process shows how far it is", async () => (await at(ids[0])).body?.bytes === 100);
    assert.equal((await at(ids[0])).body.state, "running");
    assert.equal((await upload(second, ids[0], "1.1.1.1\n")).status, 409);
    finish();
    const done = await slow;
    assert.equal(done.status, 200, done.text);
    assert.deepEqual((await at(ids[0])).body, done.body);
    assert.equal((await upload(second, ids[1], "192.0.2.1\n")).status, 200);
    for (const door of [first, second]) {
      const { body } = await door.ask("GET", "/v1/identifications", key);
      assert.deepEqual(
        body.items.map(({ id }: { id: string }) => id),
        ids.toReversed(),
      );
    }
    const replay = { identification: ids[0], rules: { prefixes: ["203.0.113.0/24"] } };
    const replayed = await second.ask("POST", "/v1/replays", asKey(filled, replay));
    assert.equal(replayed.status, 200, replayed.text);
    assert.deepEqual((await first.ask("GET", `/v1/replays/${replayed.body.id}`, key)).body, replayed.body);
    assert.equal((await second.ask("DELETE", `/v1/identifications/${ids[0]}`, key)).status, 204);
    for (const door of [first, second])
      assert.equal((await door.ask("GET", `/v1/identifications/${ids[0]}`, key)).status, 404);
  });

  test("the result of a log is downloaded from the other process", async () => {
    const { service, first, filled } = shared;
    const id = "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a";
    const headers = { "X-API-Key": filled.key, "Content-Type": "application/octet-stream" };
    await first.ask("POST", `/v1/identifications?id=${id}`, { headers, body: "1.1.1.1 a\n" });
    const results = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const where = `http://127.0.0.1:${service.service.port}/v1/identifications/${id}/result`;
        const response = await fetch(where, { headers: { "X-API-Key": filled.key, Connection: "close" } });
        return gunzipSync(Buffer.from(await response.arrayBuffer())).toString();
      }),
    );
    assert.match(results[0]!, /1\.1\.1\.1/);
    assert.equal(new Set(results).size, 1);
  });

  test("metrics of any process are those of all; rules and the database are counted once", async () => {
    const { first, second, filled } = shared;
    await first.ask("POST", rulesOf(filled), asKey(filled, { ip: "198.18.0.1" }));
    for (let i = 0; i < 7; i++) await first.ask("GET", "/v1/cbs/lookup?ip=1.1.1.1", asKey(filled));
    for (let i = 0; i < 5; i++) await second.ask("GET", "/v1/cbs/lookup?ip=1.1.1.1", asKey(filled));
    const { count } = (await first.ask("GET", `${rulesOf(filled)}?page_size=1`, asKey(filled))).body;
    const expected = [
      "ipsieve_processes 2",
      `ipsieve_rules{state="active"} ${count}`,
      "ipsieve_database_up 1",
      'ipsieve_request_seconds_count{operation="lookupCbs",status="200"} 12',
      'ipsieve_request_seconds_bucket{le="+Inf",operation="lookupCbs",status="200"} 12',
    ];
    for (const door of [first, second])
      await until("all values are those of both", async () => {
        const { text } = await door.ask("GET", "/metrics");
        return expected.every((line) => text.split("\n").includes(line));
      });
  });

  test(
    "a process that is stopped is left out of the metrics, and of what others know, until it goes on",
    { skip: onlyLong() },
    async (t) => {
      const { service, first } = await startFilled(t);
      const count = async () => /^ipsieve_processes (\d+)$/m.exec((await first.ask("GET", "/metrics")).text)?.[1];
      assert.equal(await count(), "2");
      service.signal(2, "SIGSTOP");
      // Metrics of one process are not added up.
      assert.equal(await count(), "1");
      service.signal(2, "SIGCONT");
      await until("it answers again", async () => (await count()) === "2");
    },
  );

  test("a list of 100,000 rules that one process takes is what both have, while rules are added at the other", async () => {
    const { first, second, filled } = shared;
    const list = `/v1/edl/ip-rulesets/${filled.rulesetId}/rules`;
    const lines = Array.from({ length: 100_000 }, (_, at) => `100.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
    const headers = { "X-API-Key": filled.key, "Content-Type": "text/plain" };
    const over = new AbortController();
    const sending = first.ask("PUT", list, { headers, body: lines.join("\n") }).finally(() => over.abort());
    let added = 0;
    do {
      const rule = { ip: `198.19.0.${added++}` };
      assert.equal((await second.ask("POST", rulesOf(filled), asKey(filled, rule))).status, 201);
    } while (!over.signal.aborted && added < 250);
    const sent = await sending;
    assert.equal(sent.status, 200, sent.text);
    const after = { "X-API-Key": filled.key, "X-After-Sequence": sent.headers["x-sequence"] as string };
    for (const door of [first, second]) {
      const { text } = await door.ask("GET", `${list}:export?format=text`, { headers: after });
      assert.equal(text.trimEnd().split("\n").join(), lines.join());
    }
  });

  test("a feed that one process imports is what the other answers with, and shows", { skip: onlyLong() }, async (t) => {
    const home = temporaryFolder(t);
    const { IPSIEVE_HOME: before } = process.env;
    process.env["IPSIEVE_HOME"] = home;
    t.after(() => {
      if (before === undefined) delete process.env["IPSIEVE_HOME"];
      else process.env["IPSIEVE_HOME"] = before;
    });
    copyFileSync(SAMPLE_THREATS, join(home, "cti.ipsieve"));
    const { first, second, session, filled } = await startFilled(t, ["--cti", join(home, "cti.ipsieve")]);
    const read = (door: Door) => door.ask("GET", "/v1/cti/lookup/9.9.9.77", asKey(filled));
    const earlier = (await read(second)).text;
    const headers = { ...session().headers, "Content-Type": "application/octet-stream" };
    const path = "/dashboard/api/threats/import";
    const body = "9.9.9.77\n";
    const imported = await first.ask("POST", `${path}?name=new&max_shrink=100`, { headers, body });
    assert.equal(imported.status, 200, imported.text);
    const now = (await read(second)).text;
    assert.notEqual(now, earlier);
    assert.equal(now, (await read(first)).text);
    const shown = await second.ask("GET", path, session());
    assert.deepEqual(shown.body, imported.body);
  });

  test("an event is delivered once, a list fetched once, and an expiry is one change", async (t) => {
    const { first, filled, location, folder } = shared;
    const receiver = await WebhookReceiver.start();
    t.after(() => receiver.close());
    let fetches = 0;
    const publisher = createServer((_request, response) => void response.end(`192.0.2.${++fetches}\n`));
    await new Promise<void>((resolve) => void publisher.listen(0, "127.0.0.1", resolve));
    t.after(() => publisher.close());
    const { organisationId } = filled;
    const { sealed } = makeSecret(new SecretKey(join(folder, "key")), organisationId);
    const definition = {
      url: receiver.url,
      description: "",
      kinds: ["rule.created" as const, "rule.expired" as const],
      active: true,
    };
    const by = { actor: "command:test", at: Date.now(), organisationId };
    await withStore(location, (store) => store.write({ kind: "create-webhook", ...by, definition, secret: sealed }));
    const url = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/list`;
    const list = await first.ask("POST", "/v1/edl/lists/", asKey(filled, { name: "drop", url, schedule: "5m" }));
    assert.equal(list.status, 201, list.text);
    const { sequence } = (await first.ask("GET", "/v1/changes?limit=1", asKey(filled))).body;
    const expires = new Date(Date.now() + 1500).toISOString();
    const rule = { ip: "198.18.1.1", expires_at: expires };
    assert.equal((await first.ask("POST", rulesOf(filled), asKey(filled, rule))).status, 201);
    const changes = async () => (await first.ask("GET", `/v1/changes?after=${sequence}`, asKey(filled))).body.changes;
    await until("the expiry is a change", async () =>
      (await changes()).some(({ type }: { type: string }) => type === "rule.expired"),
    );
    await until("messages and the list have arrived", () => receiver.received.length >= 2 && fetches > 0);
    // Both processes look several times meanwhile.
    await sleep(3000);
    const types = (await changes()).map(({ type }: { type: string }) => type);
    assert.equal(types.filter((type: string) => type === "rule.expired").length, 1);
    assert.equal(fetches, 1);
    const messages = receiver.received.map(({ headers }) => headers["webhook-id"]);
    assert.equal(new Set(messages).size, messages.length, "no message has come twice");
  });

  test(
    "SIGKILL of one process under load: only its own connections fail, it is started again, and no acknowledged write is lost",
    { skip: onlyLong() },
    async (t) => {
      const { service, filled } = await startFilled(t);
      const before = new Set(service.pids);
      assert.equal(before.size, 2);
      const doors = await service.doors(t);
      const clients = [...doors, ...(await service.doors(t)), ...(await service.doors(t))];
      const acknowledged = new Set<string>();
      const failed = new Map<number, number>();
      const over = new AbortController();
      let count = 0;
      const load = clients.map(async (door) => {
        while (!over.signal.aborted) {
          const ip = `198.18.${++count >> 8}.${count & 255}`;
          const reads = await door.ask("GET", "/v1/cbs/lookup?ip=1.1.1.1", asKey(filled)).catch(() => undefined);
          const wrote = await door.ask("POST", rulesOf(filled), asKey(filled, { ip })).catch(() => undefined);
          if (reads === undefined || wrote === undefined) {
            failed.set(door.number, (failed.get(door.number) ?? 0) + 1);
            door.close();
            return;
          }
          assert.deepEqual([reads.status, wrote.status], [200, 201], wrote.text);
          acknowledged.add(ip);
        }
      });
      await until("writes are acknowledged", () => acknowledged.size > 50);
      service.signal(2, "SIGKILL");
      const sofar = acknowledged.size;
      await until("the process is started again", () => logs(service, /serves requests again/).length === 1);
      await until("writes go on", () => acknowledged.size > sofar + 50);
      over.abort();
      await Promise.all(load);
      assert.deepEqual([...failed.keys()], [2]);
      assert.equal(failed.get(2), 3);
      assert.equal(service.pids.filter((pid) => before.has(pid)).length, 1);
      for (const door of await service.doors(t)) {
        const path = `${rulesOf(filled)}:export?format=text`;
        let told = new Set<string>();
        await until("the process has all writes", async () => {
          told = new Set((await door.ask("GET", path, asKey(filled))).text.split("\n"));
          return told.size >= acknowledged.size;
        });
        assert.deepEqual(
          [...acknowledged].filter((ip) => !told.has(ip)),
          [],
        );
      }
      assert.equal(await service.service.end("SIGTERM"), 0);
    },
  );

  test(
    "SIGTERM ends all processes when their requests have ended; a second one at once; SIGKILL takes all along",
    { skip: onlyLong() },
    async (t) => {
      const { service, first, second, filled, location, folder } = await startFilled(t, ["--shutdown-timeout=60"]);
      const pids = service.pids;
      const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
      const upload = (door: Door, until: Promise<void>) =>
        door.ask("POST", "/v1/identifications", {
          headers: { "X-API-Key": filled.key, "Content-Type": "application/octet-stream" },
          body: (async function* () {
            yield "1.1.1.1 a\n";
            await until;
          })(),
        });
      const uploads = [upload(first, finished), upload(second, finished)];
      await untilUploading(service, filled, 2);
      const ended = service.service.end("SIGTERM");
      await until("both have been told", () => logs(service, /^shutting down/).length === 2);
      finish();
      for (const { status } of await Promise.all(uploads)) assert.equal(status, 200);
      assert.equal(await ended, 0);
      assert.deepEqual(pids.filter(isThere), []);

      const args = [`--secret-key-file=${folder}/key`, "--shutdown-timeout=60"];
      const again = await ClusteredService.start(t, location, args);
      const [one] = (await again.doors(t)) as [Door];
      const cut = upload(one, new Promise(() => {})).then(
        () => "answered",
        () => "cut off",
      );
      await untilUploading(again, filled, 1);
      const endedAtOnce = again.service.end("SIGTERM");
      await until("both have been told", () => logs(again, /^shutting down/).length === 2);
      await sleep(300);
      void again.service.end("SIGTERM");
      assert.equal(await endedAtOnce, 143);
      assert.equal(await cut, "cut off");

      const third = await ClusteredService.start(t, location, args);
      const left = third.pids;
      assert.equal(left.length, 2);
      await third.service.end("SIGKILL");
      await until("the processes have ended, too", () => !left.some(isThere));
    },
  );

  test(
    "SIGTERM does not wait for a process that is starting again",
    { skip: onlyLong(), timeout: 60_000 },
    async (t) => {
      const { service } = await startFilled(t, ["--shutdown-timeout=600"]);
      const before = service.pids;
      service.signal(2, "SIGKILL");
      await until("another process is starting", () => service.pids.some((pid) => !before.includes(pid)));
      assert.equal(await service.service.end("SIGTERM"), 0);
    },
  );

  test("a port in use ends the start of all processes, with one error", { skip: onlyLong() }, async (t) => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
    t.after(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const starting = ClusteredService.start(t, await makeStore(temporaryFolder(t)), ["--port", String(port)]);
    await assert.rejects(starting, (error: Error) => {
      assert.match(error.message, /^the service ended with 75 before it listened: /);
      assert.equal(error.message.match(/ipsieve: [^\n]*in use/g)?.length, 1, error.message);
      return true;
    });
  });
}

function temporaryFolder(t: Cleaning): string {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-processes-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function withStore<Result>(location: StoreLocation, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(location);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Waits until the processes are reading this many logs. */
async function untilUploading({ service }: ClusteredService, { key }: FilledStore, count: number): Promise<void> {
  await until("the uploads have begun", async () => {
    const response = await fetch(`http://127.0.0.1:${service.port}/v1/identifications`, {
      headers: { "X-API-Key": key },
    });
    const { items } = (await response.json()) as { items: { state: string }[] };
    return items.filter(({ state }) => state === "running").length === count;
  });
}

const rulesOf = ({ emptyId }: FilledStore): string => `/v1/edl/ip-rulesets/${emptyId}/rules`;
const originOf = ({ service }: ClusteredService): string => `http://127.0.0.1:${service.port}`;
const logs = ({ service }: ClusteredService, message: RegExp) =>
  service.logged.filter(({ msg }) => message.test(String(msg)));

interface Asking {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

function asKey({ key }: FilledStore, body?: object): Asking {
  return withBody({ "X-API-Key": key }, body);
}

function asUser(service: ClusteredService, session: string, body?: object): Asking {
  return withBody({ Cookie: `${PLAIN_NAME}=${session}`, Origin: originOf(service) }, body);
}

function withBody(headers: Readonly<Record<string, string>>, body?: object): Asking {
  if (body === undefined) return { headers };
  return { headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

function withHeaders(asking: Asking, headers: Readonly<Record<string, string>>): Asking {
  return { ...asking, headers: { ...asking.headers, ...headers } };
}

async function lastSequence(door: Door, session: () => Asking): Promise<string> {
  return (await door.ask("GET", "/dashboard/api/session", session())).headers["x-sequence"] as string;
}

/** The flags with which a process has a file open (Linux). */
function descriptorsOf(pid: number, file: string): number[] {
  return readdirSync(`/proc/${pid}/fd`)
    .filter((fd) => isLinkTo(`/proc/${pid}/fd/${fd}`, file))
    .map((fd) => parseInt(/^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"))![1]!, 8));
}

function isLinkTo(path: string, file: string): boolean {
  try {
    return readlinkSync(path) === file;
  } catch {
    return false;
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

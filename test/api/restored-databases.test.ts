/** S3: nothing of the states that a database lost when it was restored from a backup is served, matched or overwritten. */
import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { parsePrefix } from "../../src/address/prefix.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import { SecretKey } from "../../src/service/access/secret-key.ts";
import { makeSecret } from "../../src/service/webhooks/webhook-secret.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import { restoreFile } from "../../src/store/sqlite/restore.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { until } from "../until.ts";
import { WebhookReceiver } from "./harness/webhook-receiver.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer, useStores } from "./start-server.ts";

const ROUNDS = rounds({ short: 3, long: 100 });
const SEED = 20_261_127;
const TAXII = "application/taxii+json;version=2.1";
const TAG = /^(?:W\/)?"(\d+)\.[0-9a-f]+-/;

/** A server on a database that can be set back. */
interface Restorable {
  readonly t: TestServer;
  location(): StoreLocation;
  backup(): Promise<void>;
  /** Sets the database back; `write` changes it before the server sees it again. Resolves once the server has noticed. */
  restore(round: number, write: () => Promise<void>): Promise<void>;
}

/** What was read at an address of the service, by its name. */
type Read = Readonly<Record<string, Answer>>;

/** Ids and credentials, and the path of the feed. */
type Places = Readonly<Record<"organisation" | "key" | "ruleset" | "feed" | "taxii" | "bouncer", string>>;

class World {
  readonly #made: Restorable;
  readonly #at: Places;
  readonly #receiver: WebhookReceiver;
  #state = SEED;
  #added = 0;
  /** The addresses that the ruleset has, as written. */
  truth: ReadonlySet<string> = new Set();
  /** The addresses that a bouncer blocks. */
  readonly #blocked = new Set<string>();
  /** Lost versions that a later state got, with other rules. */
  coincided = 0;
  checked = 0;

  static async make(made: Restorable): Promise<World> {
    const { t } = made;
    const organisation = await addOrganisation(t, "restored");
    const { text: key } = await addKey(t, organisation);
    const own = { key, body: { name: "list", purpose: "blocklist", guard: "off" } };
    const { id: ruleset } = (await ask(t, "POST", "/v1/edl/ip-rulesets/", own)).body;
    const deployment = {
      name: "edge",
      include: [{ ruleset }],
      guard: "off",
      options: { allow_empty: true, max_shrink: 100 },
    };
    const { id } = (await ask(t, "POST", "/v1/edl/deployments/", { key, body: deployment })).body;
    const { text, digest, start } = makeCredentialText("taxii");
    await t.server.store.write({
      kind: "create-credential",
      credential: "taxii",
      actor: "command:test",
      at: t.clock.now,
      organisationId: organisation,
      label: "test",
      digest,
      start,
      collections: [ruleset],
    });
    const bouncer = makeCredentialText("bouncer");
    await t.server.store.write({
      kind: "create-credential",
      actor: "command:test",
      at: t.clock.now,
      organisationId: organisation,
      deploymentId: id,
      credential: "bouncer",
      label: "test",
      digest: bouncer.digest,
      start: bouncer.start,
      hostsOnly: false,
    });
    const token = t.server.services.publishing.feedTokens.tokenOf(t.server.services.memory.deploymentById(id)!);
    const taxii = `Basic ${btoa(`${start}:${text}`)}`;
    const receiver = await WebhookReceiver.start();
    const { sealed } = makeSecret(new SecretKey(join(t.folder, "store.db.key")), organisation);
    await t.server.store.write({
      kind: "create-webhook",
      actor: "command:test",
      at: t.clock.now,
      organisationId: organisation,
      definition: { url: receiver.url, description: "", kinds: ["rule.created"], active: true },
      secret: sealed,
    });
    const feed = `/feeds/${token}/combined.txt`;
    return new World(made, receiver, { organisation, key, ruleset, feed, taxii, bouncer: bouncer.text });
  }

  private constructor(made: Restorable, receiver: WebhookReceiver, at: Places) {
    this.#made = made;
    this.#receiver = receiver;
    this.#at = at;
  }

  random(below: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) >>> 0;
    return (this.#state >>> 8) % below;
  }

  async addOne(): Promise<void> {
    const ip = this.#next();
    const { key, ruleset } = this.#at;
    const { status, text } = await ask(this.#made.t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, {
      key,
      body: { ip },
    });
    assert.equal(status, 201, text);
    this.truth = new Set([...this.truth, ip]);
  }

  /** Behind the server's back: until the ruleset has `version`, or one that is `short` less. */
  async writeTo(version: number, short: number): Promise<void> {
    const store = await openStore(this.#made.location());
    const { organisation, ruleset } = this.#at;
    try {
      for (;;) {
        const about = (await store.load(null)).rulesets.find(({ id }) => id === ruleset)!;
        if (about.version + short >= version) return;
        const ip = this.#next();
        await store.write({
          kind: "add-rule",
          actor: "command:test",
          at: this.#made.t.clock.now,
          organisationId: organisation,
          rulesetId: ruleset,
          request: { prefix: parsePrefix(ip), name: null, expiresAt: null, mode: "fail" },
        });
        this.truth = new Set([...this.truth, ip]);
      }
    } finally {
      await store.close();
    }
  }

  #next(): string {
    this.#added++;
    return `20.${(this.#added >> 16) & 255}.${(this.#added >> 8) & 255}.${this.#added & 255}`;
  }

  async read(headers: (name: string) => Record<string, string> = () => ({})): Promise<Read> {
    const { key, ruleset, feed, taxii } = this.#at;
    const rulesets = `/v1/edl/ip-rulesets/${ruleset}`;
    const paths = {
      ruleset: rulesets,
      list: "/v1/edl/ip-rulesets/",
      rules: `${rulesets}/rules`,
      text: `${rulesets}/rules:export?format=text`,
      ipset: `${rulesets}/rules:export?format=ipset`,
      snapshot: `${rulesets}/snapshot`,
      feed,
    };
    const found: Record<string, Answer> = {};
    for (const [name, path] of Object.entries(paths))
      found[name] = await ask(this.#made.t, "GET", path, { key, headers: headers(name) });
    const objects = `/taxii2/api/collections/${ruleset}/objects/?limit=2000`;
    found["taxii"] = await ask(this.#made.t, "GET", objects, { headers: { authorization: taxii, accept: TAXII } });
    return found;
  }

  /** Until feed and collection, which follow the rules, have them. */
  async readAll(): Promise<Read> {
    let found = await this.read();
    await until("all readers have the rules", async () => {
      found = await this.read();
      return ["feed", "taxii"].every((name) => this.#isRight(found[name]!));
    });
    for (const name of ["text", "ipset"])
      assert.ok(this.#isRight(found[name]!), `${name}: ${found[name]!.text.slice(0, 500)}`);
    return found;
  }

  #isRight({ text, status }: Answer): boolean {
    // A deleted rule stays in a collection, as revoked.
    const said = text.startsWith("{")
      ? (JSON.parse(text).objects as { revoked?: boolean; pattern: string }[])
          .flatMap(({ revoked = false, pattern }) => (revoked ? [] : pattern))
          .join("\n")
      : text;
    const listed = new Set(said.match(/\b20\.\d+\.\d+\.\d+(?:\/\d+)?\b/g)?.flatMap(addressesIn));
    return status === 200 && listed.size === this.truth.size && [...listed].every((each) => this.truth.has(each));
  }

  /** A bouncer asks for what is new; returns what it blocks without cause, in the end. */
  async bounce(isStartup = false): Promise<string[]> {
    if (isStartup) this.#blocked.clear();
    const path = `/v1/decisions/stream?startup=${isStartup}`;
    const { status, body, text } = await ask(this.#made.t, "GET", path, { key: this.#at.bouncer });
    assert.equal(status, 200, text);
    const addresses = (decisions: { value: string }[] | null) =>
      (decisions ?? []).flatMap(({ value }) => addressesIn(value.includes("/") ? value : `${value}/32`));
    for (const each of addresses(body.deleted)) this.#blocked.delete(each);
    for (const each of addresses(body.new)) this.#blocked.add(each);
    for (const each of this.truth) assert.ok(this.#blocked.has(each), `${each} is not blocked`);
    return [...this.#blocked].filter((each) => !this.truth.has(each));
  }

  /** Until nothing that the bouncer was sent is in doubt, which the last of the requests waits for. */
  async settleBouncer(): Promise<void> {
    await this.bounce();
    this.#made.t.clock.now += 61_000;
    for (let times = 0; times < 2; times++) await this.bounce();
  }

  /** Deletes the oldest rule, which a restore brings back. */
  async removeOne(): Promise<void> {
    const [ip, ...others] = this.truth;
    const { key, ruleset } = this.#at;
    const path = `/v1/edl/ip-rulesets/${ruleset}/rules/rule?ip=${ip}`;
    const { status, text } = await ask(this.#made.t, "DELETE", path, { key });
    assert.equal(status, 204, text);
    this.truth = new Set(others);
  }

  versionIn(read: Read): number {
    return Number(TAG.exec(read["rules"]!.headers.get("etag")!)![1]);
  }

  /** No tag of a lost state stands for what there is now, or lets a write through. */
  async checkTags(lost: Read, now: Read): Promise<void> {
    const again = await this.read((name) => {
      const tag = lost[name]?.headers.get("etag");
      return typeof tag === "string" ? { "if-none-match": tag } : ({} as Record<string, string>);
    });
    for (const [name, { status }] of Object.entries(again)) {
      const isSame = lost[name]!.text === now[name]!.text;
      if (status === 304) assert.ok(isSame, `${name}: 304 for the tag of a lost state`);
      else assert.equal(status, 200, name);
      this.checked++;
    }
    if (this.versionIn(lost) === this.versionIn(now)) this.coincided++;
    const { key, ruleset } = this.#at;
    const path = `/v1/edl/ip-rulesets/${ruleset}`;
    const writes = [
      ["PATCH", path, { description: "overwritten" }, "ruleset"],
      ["PUT", `${path}/rules?allow_empty=true`, { rules: [] }, "rules"],
      ["POST", `${path}/rules:import`, { rules: [{ ip: "20.255.255.255" }] }, "text"],
      ["POST", "/v1/edl/ip-rulesets/", { name: "other", purpose: "blocklist" }, "list"],
      ["DELETE", path, undefined, "rules"],
    ] as const;
    for (const [method, url, body, name] of writes) {
      const headers = { "if-match": lost[name]!.headers.get("etag")! };
      const { status, text } = await ask(this.#made.t, method, url, { key, headers, body });
      assert.equal(status, 412, `${method} ${url} with the tag of a lost state: ${text}`);
      this.checked++;
    }
  }

  /** A client that waits for what it wrote is answered, and no number of what was lost names anything. */
  async checkNumbers(lost: Read): Promise<void> {
    const { key, ruleset } = this.#at;
    const last = lost["ruleset"]!.headers.get("x-sequence")!;
    const path = `/v1/edl/ip-rulesets/${ruleset}`;
    const waited = await ask(this.#made.t, "GET", path, { key, headers: { "x-after-sequence": last } });
    assert.equal(waited.status, 200, waited.text);
    await this.addOne();
    for (const [method, url] of [
      ["POST", `/v1/audit/${last}:undo`],
      ["GET", `${path}/rules:export?format=text&version=${last}`],
    ] as const) {
      const { status, text } = await ask(this.#made.t, method, url, { key });
      assert.ok(status === 404 || status === 409 || status === 410, `${url}: ${status} ${text.slice(0, 300)}`);
    }
  }

  /** Every rule that was created later has arrived, and each message under an id of its own. */
  async checkMessages(): Promise<void> {
    const before = this.#receiver.received.length;
    await this.addOne();
    const ip = [...this.truth].at(-1)!;
    await until("the endpoint gets the event", () =>
      this.#receiver.received.slice(before).some(({ body }) => body.includes(`"${ip}"`)),
    );
    const bodies = new Map<string, string>();
    for (const { headers, body } of this.#receiver.received) {
      const id = String(headers["webhook-id"]);
      assert.equal(bodies.get(id) ?? body, body, `two messages have the id ${id}`);
      bodies.set(id, body);
    }
  }

  /** The same feed, set back, has other events under the same numbers. */
  forgetMessages(): void {
    this.#receiver.received.length = 0;
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  changes(query = ""): Promise<Answer> {
    return ask(this.#made.t, "GET", `/v1/changes?limit=1${query}`, { key: this.#at.key });
  }

  /** The changes after the one that `id` names, as they are made. */
  stream(id: string): Promise<Response> {
    const headers = { "x-api-key": this.#at.key, accept: "text/event-stream", "last-event-id": id };
    return fetch(`${this.#made.t.server.url}/v1/changes`, { headers });
  }

  async earlier(version: number): Promise<Answer> {
    const path = `/v1/edl/ip-rulesets/${this.#at.ruleset}/rules:export?format=text&version=${version}`;
    return ask(this.#made.t, "GET", path, { key: this.#at.key });
  }
}

function addressesIn(prefix: string): string[] {
  const { w0, length } = parsePrefix(prefix);
  return Array.from({ length: 2 ** (32 - length) }, (_, at) =>
    [24, 16, 8, 0].map((bits) => ((w0 + at) >>> bits) & 255).join("."),
  );
}

async function runRounds(
  made: Restorable,
  isFeedRenewed: (round: number) => boolean,
  isRunning: boolean,
): Promise<World> {
  const world = await World.make(made);
  try {
    for (let round = 0; round < ROUNDS; round++) await runRound(world, made, round, isFeedRenewed(round), isRunning);
  } finally {
    await world.close();
  }
  return world;
}

async function runRound(
  world: World,
  made: Restorable,
  round: number,
  isFeedRenewed: boolean,
  isRunning: boolean,
): Promise<void> {
  for (let i = world.random(3); i >= 0; i--) await world.addOne();
  const kept = world.truth;
  await world.readAll();
  await world.settleBouncer();
  await made.backup();
  await world.removeOne();
  for (let i = world.random(3); i >= 0; i--) await world.addOne();
  const lost = await world.readAll();
  await world.bounce();
  const version = world.versionIn(lost);
  // A version that is not the last one is made from the changes after it.
  await world.addOne();
  const lostText = await world.earlier(version);
  assert.equal(lostText.text, lost["text"]!.text);
  const { feed, next_after: after } = (await world.changes()).body;
  const stream = await world.stream(`${after}.${feed}`);
  const ended = assert.doesNotReject(stream.text());
  world.truth = kept;
  await made.restore(round, () => world.writeTo(version, world.random(4) === 0 ? 1 : 0));
  const now = await world.readAll();
  await world.checkTags(lost, now);
  // Nothing shows that a file was copied by hand: then bouncers have to be restarted.
  const more = await world.bounce(!isFeedRenewed);
  // A server that was stopped does not know what bouncers were sent.
  if (isRunning) assert.deepEqual(more, [], "blocked although their rules are lost");
  const { status } = await world.changes(`&feed=${feed}&after=${after}`);
  if (isFeedRenewed) assert.equal(status, 410);
  if (isFeedRenewed) {
    await world.checkNumbers(lost);
    await world.checkMessages();
  } else world.forgetMessages();
  if (isFeedRenewed) assert.equal((await world.stream(`${after}.${feed}`)).status, 410);
  await ended;
  if (world.versionIn(now) !== version) return;
  await world.addOne();
  assert.equal((await world.earlier(version)).text, now["text"]!.text, "an earlier version");
}

describe("databases that are restored from a backup", () => {
  test("SQLite, while the server is stopped", { timeout: 3_600_000 }, async (c) => {
    const t = await startServer({
      perMinute: 1e9,
      failuresPerMinute: 1e9,
      logLevel: "silent",
      outboundAllow: "127.0.0.0/8",
    });
    const [file, backup] = [join(t.folder, "store.db"), join(t.folder, "backup.db")];
    // A file that is copied by hand has the feed that it had.
    const isCommand = (round: number): boolean => round % 2 === 0;
    try {
      const world = await runRounds(
        {
          t,
          location: () => ({ file }),
          backup: async () => {
            rmSync(backup, { force: true });
            await t.server.store.backup(backup);
          },
          restore: async (round, write) => {
            await t.server.close();
            if (isCommand(round)) await restoreFile(backup, file, true);
            else {
              for (const ending of ["", "-wal", "-shm"]) rmSync(file + ending, { force: true });
              copyFileSync(backup, file);
            }
            await write();
            await t.restart();
          },
        },
        isCommand,
        false,
      );
      c.diagnostic(
        `${ROUNDS} restores, ${world.coincided} versions that were lost and came again, ${world.checked} tags`,
      );
      assert.ok(world.coincided > 0, "the harness finds tags without stamps");
    } finally {
      await t.close();
    }
  });

  describe("PostgreSQL, under a running server", async () => {
    const skip = onlyLong() || (await whyNoPostgres());
    let postgres: PostgresServer;
    before(async () => {
      if (skip === false) postgres = await startPostgres();
    });
    after(() => postgres?.[Symbol.asyncDispose]());

    test("nothing of what was lost is served or matched", { skip, timeout: 3_600_000 }, async (c) => {
      const url = await postgres.database();
      useStores(async () => ({ url }));
      const t = await startServer({
        perMinute: 1e9,
        failuresPerMinute: 1e9,
        logLevel: "info",
        outboundAllow: "127.0.0.0/8",
      });
      const database = new URL(url).pathname.slice(1);
      const noticed: number[] = [];
      const loads = (): number => t.logged().split("the state has been loaded again").length;
      try {
        const world = await runRounds(
          {
            t,
            location: () => ({ url: url.replace(database, `${database}_new`) }),
            backup: () =>
              administer(url, [
                `drop database if exists "${database}_copy"`,
                `create database "${database}_copy" template "${database}"`,
              ]),
            restore: async (_, write) => {
              const before = loads();
              await administer(url, [`create database "${database}_new" template "${database}_copy"`]);
              await write();
              await administer(url, [
                `drop database "${database}"`,
                `alter database "${database}_new" rename to "${database}"`,
              ]);
              const since = performance.now();
              await until("the server has noticed", () => loads() > before);
              noticed.push(performance.now() - since);
            },
          },
          () => true,
          true,
        );
        c.diagnostic(
          `${ROUNDS} restores, ${world.coincided} versions that were lost and came again, ${world.checked} tags`,
        );
        noticed.sort((a, b) => a - b);
        c.diagnostic(
          `noticed after ${noticed[noticed.length >> 1]!.toFixed()} ms (median), ${noticed.at(-1)!.toFixed()} ms at most`,
        );
        assert.equal(world.coincided, 0, "no number comes again");
      } finally {
        await t.close();
      }
    });
  });
});

/** While no one else is connected to the database. */
async function administer(url: string, statements: readonly string[]): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  const client = new Client({ connectionString: url.replace(/[^/]+$/, "postgres") });
  await client.connect();
  await client.query(`alter database "${database}" allow_connections false`);
  for (const statement of statements) {
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname like '${database}%'`);
    await client.query(statement);
  }
  await client.query(`alter database "${database}" allow_connections true`).catch(() => {});
  await client.end();
}

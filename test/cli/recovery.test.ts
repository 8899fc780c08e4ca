/**
 * Backup, restore and upgrade on both databases: the commands of docs/operating.md, with servers in processes of their
 * own.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { fillStore, type FilledStore } from "../../bench/api/fill-store.ts";
import { Random } from "../../bench/data/random.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { Client } from "../../src/client/client.ts";
import type { RuleDocument } from "../../src/formats/rule-document.ts";
import { SCHEMA_VERSION } from "../../src/store/migrations/migrate.ts";
import type { StoreLocation } from "../../src/store/open-store.ts";
import { ServiceProcess } from "../api/harness/service-process.ts";
import { COMMAND_FILE } from "../command-file.ts";
import { freePort } from "../free-port.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { DebianPostgres, whyNoDebianPostgres } from "../store/harness/debian-postgres.ts";
import {
  fillFirstRelease,
  FIRST_RULES,
  FIRST_RULESET,
  FIRST_TABLES,
  type FirstKeys,
} from "../store/harness/first-release.ts";
import { openEngine } from "../store/harness/open-engine.ts";
import { until } from "../until.ts";
import { temporaryFolder, outcomeOf, type Outcome } from "./run-command.ts";

const WRITERS = 3;
/** The number of rules that each writer has added before the backup begins. */
const BEFORE = rounds({ short: 15, long: 60 });
const LIST = "192.0.2.0/24\n";
const DOCUMENT = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");

/** The commands that follow a bold title in the document. */
function stepsOf(title: string): string {
  const steps = new RegExp(`^\\*\\*${title}\\*\\*.*\\n\\n((?: {4}.*\\n)+)`, "m").exec(DOCUMENT)?.[1];
  assert.ok(steps !== undefined, `docs/operating.md has no steps for ${title}`);
  return steps.replaceAll(/^ {4}/gm, "");
}

/** A machine with a home folder, an empty database and the commands of the document. */
class Machine {
  readonly location: StoreLocation;
  readonly #folder: string;
  readonly #home: string;
  readonly #programs: string;

  constructor(name: string, databaseUrl: string | undefined, programs: string) {
    this.#folder = folder.path;
    this.#home = join(folder.path, name);
    mkdirSync(this.#home);
    this.#programs = programs;
    this.location = databaseUrl === undefined ? { file: join(this.#home, "ipsieve.db") } : { url: databaseUrl };
  }

  /** Executes the steps in the backup folder, which all machines share. */
  async execute(title: string): Promise<Outcome> {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const env = {
      ...inherited,
      PATH: `${join(this.#folder, "bin")}:${this.#programs}:${process.env["PATH"]}`,
      IPSIEVE_HOME: this.#home,
      ...("url" in this.location ? { DATABASE_URL: this.location.url } : {}),
    };
    const child = spawn("bash", ["-euo", "pipefail", "-c", stepsOf(title)], { cwd: this.#folder, env });
    const outcome = await outcomeOf(child);
    assert.equal(outcome.code, 0, `${title}: ${outcome.stderr}`);
    return outcome;
  }

  async serve(port: number): Promise<ServiceProcess> {
    const key = "url" in this.location ? join(this.#folder, "servers.key") : join(this.#home, "ipsieve.db.key");
    const server = await ServiceProcess.start(this.location, [
      "--port",
      String(port),
      "--secret-key-file",
      key,
      "--allow-special-purpose",
      "true",
    ]);
    servers.push(server);
    return server;
  }
}

/** Programs that each add rules one after the other, in order. */
class Writers {
  readonly acknowledged: string[][] = Array.from({ length: WRITERS }, () => []);
  readonly sent: string[][] = Array.from({ length: WRITERS }, () => []);
  readonly #end = new AbortController();
  readonly #ended: Promise<void[]>;

  constructor(rules: string, key: string) {
    this.#ended = Promise.all(this.sent.map((_, writer) => this.#write(writer, rules, key)));
  }

  async #write(writer: number, rules: string, key: string): Promise<void> {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    for (let n = 0; !this.#end.signal.aborted; n++) {
      const ip = `198.${20 + writer}.${n >> 8}.${n & 255}`;
      this.sent[writer]!.push(ip);
      const { status } = await fetch(rules, { method: "POST", headers, body: JSON.stringify({ ip }) });
      assert.equal(status, 201);
      this.acknowledged[writer]!.push(ip);
    }
  }

  stop(): Promise<void[]> {
    this.#end.abort();
    return this.#ended;
  }
}

const counts = (lists: readonly (readonly string[])[]): number[] => lists.map(({ length }) => length);

/**
 * What is wrong with restored rules: of each writer, the first ones must be present, at least `least` and at most
 * `most` of them, without a gap.
 */
function faultsOf(held: ReadonlySet<string>, { sent }: Writers, least: readonly number[], most: readonly number[]) {
  return sent.flatMap((ips, writer) => {
    const count = ips.filter((ip) => held.has(ip)).length;
    const gap = ips.slice(0, count).find((ip) => !held.has(ip));
    if (gap !== undefined) return [`${gap} is missing, and a later one is there`];
    if (count < least[writer]!) return [`writer ${writer}: ${least[writer]! - count} acknowledged rules are lost`];
    return count > most[writer]! ? [`writer ${writer}: ${count} rules, and ${most[writer]} had been sent`] : [];
  });
}

const folder = temporaryFolder();
const servers: ServiceProcess[] = [];
const ending = new AbortController();
before(() => {
  mkdirSync(join(folder.path, "bin"));
  const command = join(folder.path, "bin/ipsieve");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND_FILE}' "$@"\n`);
  chmodSync(command, 0o755);
});
after(async () => {
  ending.abort();
  for (const server of servers) await server.end("SIGKILL");
  folder.remove();
});

/** Makes requests to whichever server is on the port at the moment. */
function asking(port: number, key: string) {
  const url = `http://127.0.0.1:${port}`;
  return async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(path.startsWith("http") ? path : url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : undefined };
  };
}

/** An organisation with plans, a key and an empty ruleset. */
const addCustomer = (location: StoreLocation): Promise<FilledStore> => fillStore(location, 0, new Random(1));

/**
 * Creates a list that devices fetch; returns its URL once it is published. Only the path, as each server has its own
 * port.
 */
async function publishFeed(ask: ReturnType<typeof asking>): Promise<string> {
  const definition = { name: "edge", include: [{ prefixes: [LIST.trim()] }] };
  const { id } = (await ask("/v1/edl/deployments/", definition)).body;
  const urls = (await ask(`/v1/edl/deployments/${id}/urls/`)).body.urls.combined as string[];
  const path = new URL(urls[0]!).pathname;
  await until("the list is published", async () => (await ask(path)).text === LIST);
  return path;
}

async function exported(ask: ReturnType<typeof asking>, rulesetId: string): Promise<RuleDocument[]> {
  const path = `/v1/edl/ip-rulesets/${rulesetId}/rules:export?format=json&active_only=false`;
  return JSON.parse((await ask(path)).text) as RuleDocument[];
}

const sum = (a: number, b: number): number => a + b;

let postgres: DebianPostgres | undefined;
const DATABASES = [
  { name: "SQLite", skip: false },
  { name: "PostgreSQL", skip: whyNoDebianPostgres || onlyLong() },
] as const;
after(() => postgres?.[Symbol.dispose]());

function makeMachine(database: string, name: string): Machine {
  if (database === "SQLite") return new Machine(`sqlite-${name}`, undefined, "/usr/bin");
  return new Machine(`postgres-${name}`, postgres!.makeDatabase(name), postgres!.programs);
}

type Rows = Readonly<Record<string, readonly Record<string, unknown>[]>>;

/** The rows of all tables of the first release; if `known` is given, only the columns that it has. */
async function rowsIn(location: StoreLocation, known?: Rows): Promise<Rows> {
  const engine = openEngine(location);
  await using _ = engine;
  const found: Record<string, Record<string, unknown>[]> = {};
  for (const table of FIRST_TABLES) {
    const columns = Object.keys(known?.[table]?.[0] ?? {});
    const chosen = known === undefined ? sql`*` : sql.join(columns.map((name) => sql.ref(name)));
    const from = known !== undefined && table === "api_keys" ? KEYS_NOW : sql.table(table);
    const { rows } = await sql<Record<string, unknown>>`select ${chosen} from ${from}`.execute(engine.db);
    found[table] = rows.map((row) => ({ ...row })).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return found;
}

/** API keys in the columns of the first release. */
const KEYS_NOW = sql`(select credentials.*,
  case when scope like '%"access":"read_write"%' then 'read_write' else 'read' end as access
  from credentials where kind = 'api') as api_keys`;

/** What an upgrade changes in the rows of the first release: the number of migrations, and how actors are named. */
function expectedAfter(rows: Rows): Rows {
  const changes = rows["changes"]!.map((row) => ({
    ...row,
    actor: String(row["actor"]).replace(/^user:/, "command:"),
  }));
  return { ...rows, store: [{ ...rows["store"]![0], schema: SCHEMA_VERSION }], changes };
}

/**
 * The file as the first release left it, or the dump that pg_dump made of it; the backup of this release requires it to
 * be migrated.
 */
async function backUpAsEarlier(machine: Machine): Promise<void> {
  if ("url" in machine.location) {
    rmSync(join(folder.path, "backup.dump"), { force: true });
    await machine.execute("Back up PostgreSQL");
    return;
  }
  const engine = openEngine(machine.location);
  await using _ = engine;
  rmSync(join(folder.path, "backup.db"), { force: true });
  await sql`vacuum into ${join(folder.path, "backup.db")}`.execute(engine.db);
}

/** A server on the upgraded database serves what the first release had, and continues from there. */
async function answersAsBefore(port: number, keys: FirstKeys): Promise<void> {
  const ask = asking(port, keys.valid);
  const rules = `/v1/edl/ip-rulesets/${FIRST_RULESET}/rules`;
  const found = (await exported(ask, FIRST_RULESET)).map((rule) => [rule.ip, rule.name, rule.expires_at]);
  const whole = FIRST_RULES.map(([prefix, name, expiresAt]) => [
    formatPrefix(parsePrefix(prefix)),
    name,
    expiresAt === null ? null : new Date(expiresAt).toISOString(),
  ]);
  assert.deepEqual(found, whole);
  const statuses = async (key: string): Promise<number[]> => [
    (await asking(port, key)(rules)).status,
    (await asking(port, key)(rules, { ip: "203.0.113.9", conflict_resolution: "extend" })).status,
  ];
  assert.deepEqual(await statuses(keys.readOnly), [200, 403]);
  assert.deepEqual(await statuses(keys.revoked), [401, 401]);
  assert.deepEqual(await statuses(keys.expired), [401, 401]);
  assert.deepEqual((await statuses(keys.ofOther))[0], 403);
  assert.equal((await ask(rules, { ip: "203.0.113.1" }, { "Idempotency-Key": "used" })).status, 422);
  assert.equal((await ask(rules, { ip: "203.0.113.1" }, { "Idempotency-Key": "new" })).status, 201);
  assert.equal((await ask(`${rules}/rule?ip=192.0.2.7`)).body.name, FIRST_RULES[1]![1]);
}

for (const { name, skip } of DATABASES) {
  describe(`recovery with ${name}`, { skip }, () => {
    before(async () => {
      if (name === "PostgreSQL") postgres = await DebianPostgres.start();
    });

    test("every write acknowledged before a backup survives a restore elsewhere, and followers detect the restore", async (t) => {
      const machine = makeMachine(name, "lost");
      const { key, rulesetId } = await addCustomer(machine.location);
      const port = await freePort();
      const ask = asking(port, key);
      const rules = `/v1/edl/ip-rulesets/${rulesetId}/rules`;
      const server = await machine.serve(port);
      const feed = await publishFeed(ask);

      const writers = new Writers(`http://127.0.0.1:${port}${rules}`, key);
      const have = (count: number) => counts(writers.acknowledged).every((each) => each >= count);
      await until("rules have been written", () => have(BEFORE));
      const least = counts(writers.acknowledged);
      await machine.execute(`Back up ${name}`);
      const most = counts(writers.sent);
      const later = Math.max(...most) + 5;
      await until("rules have been written after the backup", () => have(later));
      const mirror = await new Client({ baseUrl: `http://127.0.0.1:${port}`, key }).mirror(rulesetId, {
        signal: ending.signal,
      });
      await writers.stop();
      const known = (await ask("/v1/changes?limit=1")).body;
      await until("the mirror has all", () => mirror.rules.count === counts(writers.acknowledged).reduce(sum));
      await server.end("SIGKILL");

      const fresh = makeMachine(name, "fresh");
      const { stdout } = await fresh.execute(`Restore ${name}`);
      assert.match(stdout, /^intact: 1 organisation, 1 key, 2 rulesets, \d+ rules/m);
      const restored = await fresh.serve(port);
      const held = async () => new Set((await exported(ask, rulesetId)).map(({ ip }) => ip));
      const after = await held();
      assert.deepEqual(faultsOf(after, writers, least, most), []);
      t.diagnostic(`${after.size} rules restored, ${least.reduce(sum)} acknowledged before, ${most.reduce(sum)} sent`);
      // The negative control: what was acknowledged later is missing, so a rule that had vanished would be reported.
      assert.equal(faultsOf(after, writers, counts(writers.acknowledged), counts(writers.sent)).length, WRITERS);
      assert.equal(faultsOf(new Set([...after].slice(1)), writers, least, most).length, 1);

      assert.deepEqual([(await ask(feed)).text, (await ask(`${feed}x`)).status], [LIST, 404]);
      const again = `${known.sequence}`;
      // The lost numbers are given to other changes: a number alone would not show a follower that they differ.
      for (let n = 0; Number((await ask("/v1/changes?limit=1")).body.sequence) <= known.sequence; n++)
        assert.equal((await ask(rules, { ip: `203.0.${113 + (n >> 8)}.${n & 255}` })).status, 201);
      assert.equal((await ask(`/v1/changes?after=${again}`)).status, 200);
      const gone = await ask(`/v1/changes?after=${again}&feed=${known.feed}`);
      assert.deepEqual([gone.status, gone.body.feed === known.feed], [410, false]);
      const now = await held();
      const mirrored = () => new Set(Array.from(mirror.rules, ({ prefix }) => formatPrefix(prefix)));
      await until("the mirror has what was restored", () => isDeepStrictEqual(mirrored(), now));
      await restored.end("SIGTERM");
    });

    test("a database of the first release, with data of every kind, is upgraded: everything is kept and works", async () => {
      const machine = makeMachine(name, "first");
      const keys = await fillFirstRelease(machine.location, Date.now());
      const rows = await rowsIn(machine.location);
      for (const [table, found] of Object.entries(rows)) assert.ok(found.length > 0, `${table} has data`);
      const report = await machine.execute("Upgrade");
      assert.match(report.stdout, /^intact: 2 organisations, 5 keys, 2 rulesets, 5 rules; schema (?!1,)/m);
      assert.deepEqual(await rowsIn(machine.location, rows), expectedAfter(rows));
      const port = await freePort();
      const server = await machine.serve(port);
      await answersAsBefore(port, keys);
      await server.end("SIGTERM");
    });

    test("a backup that the first release made is restored by this one", async () => {
      const old = makeMachine(name, "old");
      const keys = await fillFirstRelease(old.location, Date.now());
      await backUpAsEarlier(old);
      const fresh = makeMachine(name, "fresh_old");
      const { stdout } = await fresh.execute(`Restore ${name}`);
      assert.match(stdout, /^intact: 2 organisations, 5 keys, 2 rulesets, 5 rules/m);
      const port = await freePort();
      const server = await fresh.serve(port);
      await answersAsBefore(port, keys);
      await server.end("SIGTERM");
    });
  });
}

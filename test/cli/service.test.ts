import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { digestOfApiKey, isApiKeyText } from "../../src/store/records/api-key.ts";
import { SMALL_CATALOGUE } from "../api/harness/small-catalogue.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { adding, by, Replica } from "../store/harness/stores.ts";
import { outcomeOf, run, start, temporaryFolder } from "./run-command.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { takingTurns, onlyLong } from "../rounds.ts";
import { until } from "../until.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder();
});
after(() => folder.remove());

const environment = () => ({ IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: "", IPSIEVE_BASE_URL: "" });
/** Runs the command without the databases of the environment, with the folder as its home. */
const call = (...args: string[]) => run(args, { cwd: folder.path, env: environment() });
const endsWith = async (exitCode: number, message: RegExp, ...args: string[]) => {
  const { code, stdout, stderr } = await call(...args);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /chmod|defect of ipsieve|\n {4}at /);
  assert.deepEqual([code, stdout], [exitCode, ""]);
};
const failing = (message: RegExp, ...args: string[]) => endsWith(2, message, ...args);
const json = async (...args: string[]) => JSON.parse((await call(...args, "--json")).stdout);

describe("org, plan and key", () => {
  test("from nothing to a key: the database is created in the home folder, the key printed alone, once", async () => {
    await failing(/ipsieve\.db: no such file; create it with "ipsieve admin db migrate"/, "org", "list");
    assert.equal(existsSync(join(folder.path, "ipsieve.db")), false);
    const organisation = await call("org", "create", "Example");
    assert.match(
      organisation.stdout,
      /^[0-9a-f-]{36} {2}Example\n {2}[0-9a-f-]{36} {2}My Allowlist rules\n {2}[0-9a-f-]{36} {2}My Blocklist rules\n$/,
    );
    assert.match(
      organisation.stderr,
      /\n {2}ipsieve admin plan set edl cbs cti --org Example\n {2}ipsieve admin key create LABEL --access read_write --org Example\n$/,
    );
    const guarded = await call("org", "update", "--guard-classes", "scanner,serving");
    assert.equal(guarded.stdout, "Example: guards protect serving, scanner\n");
    assert.deepEqual((await json("org", "list"))[0].guardClasses, ["serving", "scanner"]);
    assert.equal((await call("org", "update", "--guard-classes", "default")).code, 0);
    assert.equal((await json("org", "list"))[0].guardClasses, null);
    await failing(/say what to change/, "org", "update");
    const early = await call("key", "create", "early");
    assert.match(
      early.stderr,
      /Example has no active plan, so every request with the key gets 403\. Next:\n {2}ipsieve admin plan set edl cbs cti --org Example\n$/,
    );
    await call("key", "revoke", early.stdout.trim().slice(0, 8));
    assert.match(
      (await call("plan", "set", "edl", "cti", "--per-minute", "600", "--until", "2999-01-01")).stdout,
      /^Example: edl active until 2999-01-01, 600 requests per minute and default per month for each key\nExample: cti /,
    );
    const created = await call("key", "create", "laptop", "--access", "read_write", "--expires", "2999-12-31");
    assert.match(created.stdout, /^ips_[\w-]{38}\n$/);
    const text = created.stdout.trim();
    assert.ok(isApiKeyText(text));
    assert.doesNotMatch(created.stderr, new RegExp(text.slice(8)));
    assert.match(
      created.stderr,
      /of Example, read_write, expires 2999-12-31; it is not shown again:\nExample has no active plan for cbs, so such requests with the key get 403\. Next:\n {2}ipsieve admin plan set cbs --org Example\n$/,
    );
    assert.equal(readFileSync(join(folder.path, "ipsieve.db")).includes(text.slice(8)), false);
    const [key, ...others] = (await json("key", "list")).filter(({ label }: { label: string }) => label !== "early");
    assert.equal(others.length, 0);
    assert.deepEqual(
      [key.label, key.access, key.start, key.expiresAt, key.revokedAt, key.digest],
      ["laptop", "read_write", text.slice(0, 8), Date.UTC(2999, 11, 31), null, undefined],
    );
  });

  test("lists are tables, or JSON; an empty one has exit code 1", async () => {
    assert.match(
      (await call("org", "list")).stdout,
      /^ {2}id +name +created +rulesets {2}keys\n {2}[0-9a-f-]{36} {2}Example {2}20\d\d-\d\d-\d\d +2 +2\n$/,
    );
    assert.match(
      (await call("plan", "list")).stdout,
      /^ {2}organisation {2}area .*\n {2}Example +edl .*600 +default\n {2}Example +cti /,
    );
    assert.equal((await call("key", "list")).code, 0);
    assert.equal((await call("org", "create", "Empty")).code, 0);
    assert.equal((await call("key", "list", "--org", "Empty")).code, 1);
    assert.deepEqual(await json("plan", "list", "--org", "Empty"), []);
  });

  test("impossible commands are rejected with the remedy", async () => {
    await failing(/there are several organisations; name one with --org/, "key", "create", "x");
    await failing(/did you mean Example\?/, "key", "create", "x", "--org", "Exampel");
    await failing(/an organisation named "Example" already exists/, "org", "create", "Example");
    await failing(/organisation: must not be empty/, "org", "create", " ");
    await failing(
      /organisation: the character U\+202E at position 1 changes the order in which text is shown; remove it/,
      "org",
      "create",
      "a\u202eb",
    );
    await failing(
      /name "EXAMPLE" looks like that of the organisation "Example"; choose another name/,
      "org",
      "create",
      "EXAMPLE",
    );
    await failing(/give a date as YYYY-MM-DD/, "key", "create", "x", "--org", "Example", "--expires", "2999-02-30");
    await failing(/has passed/, "key", "create", "x", "--org", "Example", "--expires", "2020-01-01");
    await failing(/Choose from read, read_write/, "key", "create", "x", "--access", "readwrite");
    await failing(/unknown area "dns"; choose from edl, cbs, cti/, "plan", "set", "dns", "--org", "Example");
    await failing(/give a whole number/, "plan", "set", "edl", "--org", "Example", "--per-month", "0");
    await failing(/name two databases; give one/, "org", "list", "--db", "a", "--database-url", "postgres://x/y");
    await failing(/not the URL of a PostgreSQL database/, "org", "list", "--database-url", "mysql://root:secret@x/y");
    await failing(
      /the database cannot be reached: .*ECONNREFUSED/,
      "org",
      "list",
      "--database-url",
      "postgres://u:secret@127.0.0.1:1/x",
    );
  });

  test("users: added with a link, listed, given another role, invited again, removed", async () => {
    const add = await call(
      "user",
      "add",
      "Ann",
      "--org",
      "Example",
      "--role",
      "admin",
      "--url",
      "https://lists.example.org/",
    );
    assert.match(add.stdout, /^https:\/\/lists\.example\.org\/#\/join\?token=[\w-]{43}\n$/);
    assert.match(
      add.stderr,
      /^Ann \(admin\) can choose a password with this link, once, until 20\d\d-\d\d-\d\d; it is not shown again:\n$/,
    );
    const token = add.stdout.trim().slice(-43);
    assert.ok(!add.stderr.includes(token) && !readFileSync(join(folder.path, "ipsieve.db")).includes(token));
    await failing(/a user named "ANN" already exists/, "user", "add", "ANN", "--org", "Empty");
    await failing(
      /--role "owner": choose from viewer, editor, admin/,
      "user",
      "add",
      "Bob",
      "--org",
      "Example",
      "--role",
      "owner",
    );
    for (const name of ["", " x", "a\nb", "x".repeat(101)])
      await failing(/^ipsieve: name: .*(characters|spaces|control)/, "user", "add", name, "--org", "Example");
    await failing(/write it with its scheme/, "user", "add", "Bob", "--org", "Example", "--url", "javascript:alert(1)");
    assert.match((await call("user", "add", "Bob", "--org", "Example")).stdout, /^http:\/\/127\.0\.0\.1:8080\/#\/join/);
    const linked = (base: string, ...args: string[]) =>
      run(["user", "invite", "Bob", ...args], { cwd: folder.path, env: { ...environment(), IPSIEVE_BASE_URL: base } });
    assert.match((await linked("https://lists.example.org/")).stdout, /^https:\/\/lists\.example\.org\/#\/join/);
    assert.match((await linked("", "--url", "https://other.example")).stdout, /^https:\/\/other\.example\/#/);
    assert.match((await linked("lists")).stderr, /IPSIEVE_BASE_URL "lists": write it with its scheme/);
    assert.match((await call("user", "role", "bob", "editor")).stdout, /^Bob: editor\n$/);
    await failing(/unknown role "root"/, "user", "role", "bob", "root");
    await failing(/there is no user "Bobb"; did you mean Bob\?/, "user", "role", "Bobb", "editor");
    assert.match((await call("user", "invite", "BOB")).stdout, /token=[\w-]{43}\n$/);
    assert.deepEqual(
      (await json("user", "list")).map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ["Ann", "admin"],
        ["Bob", "editor"],
      ],
    );
    assert.match(
      (await call("user", "list")).stdout,
      /^ {2}name +organisation +role +created +last sign-in +invited until\n {2}Ann +Example +admin +20/,
    );
    assert.equal((await call("user", "list", "--org", "Empty")).code, 1);
    await failing(/last admin who can sign in/, "user", "remove", "Ann");
    assert.equal((await call("user", "remove", "bob")).stdout, "removed Bob\n");
    await failing(/there is no user "Bob"/, "user", "remove", "Bob");
  });

  test("a key can be limited to rulesets by their names, and to networks", async () => {
    const limited = [
      "key",
      "create",
      "soc",
      "--org",
      "Example",
      "--scope",
      "rulesets/My Blocklist rules",
      "--scope",
      "cbs",
    ];
    const { stderr } = await call(...limited, "--from", "192.0.2.0/24");
    assert.match(
      stderr,
      /never expires, for rulesets\/[0-9a-f-]{36}, cbs, from 192\.0\.2\.0\/24; it is not shown again/,
    );
    const made = (await json("key", "list")).find(({ label }: { label: string }) => label === "soc");
    assert.match(made.scopes[0], /^rulesets\/[0-9a-f-]{36}$/);
    assert.deepEqual([made.scopes[1], made.networks], ["cbs", ["192.0.2.0/24"]]);
    const wrong = ["key", "create", "x", "--org", "Example"];
    await failing(/there is no list "nothing"; "ipsieve list list" lists them/, ...wrong, "--scope", "lists/nothing");
    await failing(/--scope: "ruleset" is no scope; did you mean rulesets\?/, ...wrong, "--scope", "ruleset");
    await failing(/--from: .*host bits are set/, ...wrong, "--from", "192.0.2.1/24");
  });

  test("a key is revoked by its id or its first characters; a whole key is not repeated", async () => {
    const text = (await call("key", "create", "second", "--org", "Example")).stdout.trim();
    const { stderr } = await call("key", "revoke", text);
    assert.match(stderr, new RegExp(`there is no key "${text.slice(0, 8)}\\.\\.\\."`));
    assert.doesNotMatch(stderr, new RegExp(text.slice(8)));
    assert.match((await call("key", "revoke", text.slice(0, 8))).stdout, /^revoked [0-9a-f-]{36} \(second\)\n$/);
    const revoked = (await json("key", "list")).find(({ label }: { label: string }) => label === "second");
    assert.ok(revoked.revokedAt > 0);
    assert.equal((await call("key", "revoke", revoked.id)).code, 0);
    assert.match((await call("key", "list")).stdout, /second +read +all +all +revoked 20/);
  });

  test("whoever revokes a key that has read URLs of a deployment is told how to replace these", async () => {
    const text = (await call("key", "create", "reader", "--org", "Example")).stdout.trim();
    const key = (await json("key", "list")).find(({ label }: { label: string }) => label === "reader");
    const server = await Replica.open({ file: join(folder.path, "ipsieve.db") });
    const { organisationId } = key;
    const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
    const creating = { kind: "create-deployment", organisationId, name: "Edge", definition, ...by(1) } as const;
    const { id: deploymentId } = (await server.store.write(creating)).deployment;
    await server.store.record("urlReaders", { keyId: key.id, deploymentId, rotation: 1, at: 1 });
    await server.store.close();
    const { code, stdout, stderr } = await call("key", "revoke", text.slice(0, 8));
    assert.deepEqual([code, stdout], [0, `revoked ${key.id} (reader)\n`]);
    const command = `ipsieve deployment rotate ${deploymentId} --org Example`;
    assert.match(stderr, new RegExp(`the key has read URLs .*:\n  ${command}  # "Edge"\n$`));
    assert.equal((await call(...command.split(" ").slice(1))).code, 0);
    const again = await call("key", "revoke", key.id);
    assert.match(again.stderr, /the key has read URLs/, "they work for a day");
    assert.equal((await call(...command.split(" ").slice(1), "--grace-hours", "0")).code, 0);
    assert.equal((await call("key", "revoke", key.id)).stderr, "");
  });

  test("an inactive plan is kept", async () => {
    assert.match((await call("plan", "set", "cti", "--org", "Example", "--off")).stdout, /cti off/);
    assert.equal((await json("plan", "list")).find(({ area }: { area: string }) => area === "cti").active, false);
  });

  test("a running server notices the change within a second", async () => {
    const server = await Replica.open({ file: join(folder.path, "ipsieve.db") }, { pollEvery: 1000 });
    const text = (await call("key", "create", "third", "--org", "Example")).stdout.trim();
    await until("the server knows the key", () =>
      [...server.memory.credentials.values()].some(({ digest }) => digest === digestOfApiKey(text)),
    );
    await server.store.close();
  });
});

describe("db", () => {
  test("a backup taken while a server writes is of one instant, and restores that state", async () => {
    const file = join(folder.path, "busy.db");
    const server = await Replica.open({ file });
    const { organisation, blocklist } = await server.organisation();
    const running = { isDone: false };
    const backup = call("db", "backup", "copy.db", "--db", file).finally(() => (running.isDone = true));
    let written = 0;
    // Rules are added in pairs: half of a pair would be noticed.
    for (; !running.isDone; written++) {
      const items = [0, 1].map((half) => ({ add: adding(`10.${written >> 8}.${written & 255}.${half}`) }));
      await server.store.write({
        kind: "batch-rules",
        organisationId: organisation.id,
        rulesetId: blocklist.id,
        items,
        atomic: true,
        ...by(2),
      });
    }
    assert.deepEqual(await backup, { code: 0, signal: null, stdout: "copy.db written\n", stderr: "" });
    const report = await json("db", "check", "--db", "copy.db");
    assert.equal(report.rules % 2, 0);
    assert.equal(report.rules / 2 + 3, report.sequence);
    await failing(/copy\.db: the file already exists/, "db", "backup", "copy.db", "--db", file);
    await failing(/busy\.db: a database already exists; --force/, "db", "restore", "copy.db", "--db", file);
    await failing(/busy\.db is in use; stop the server first/, "db", "restore", "copy.db", "--db", file, "--force");
    assert.equal((await server.store.check()).rules, 2 * written);
    await server.store.close();
    const { code, stdout } = await call("db", "restore", "copy.db", "--db", file, "--force");
    assert.deepEqual(
      [
        code,
        stdout.includes(
          `restored: 1 organisation, 0 keys, 2 rulesets, ${String(report.rules).replace(/\B(?=(\d{3})+$)/g, ",")} rules`,
        ),
      ],
      [0, true],
      stdout,
    );
    const restored = await json("db", "check", "--db", file);
    assert.deepEqual({ ...restored, sequence: report.sequence }, report);
    assert.ok(restored.sequence > 2 * written + 3, "no number that was lost comes again");
    assert.equal(existsSync(`${file}-wal`) || existsSync(`${file}.part`), false);
  });

  test("a file that is not a backup is rejected, and the database stays unchanged", async () => {
    const file = join(folder.path, "kept.db");
    assert.match((await call("db", "migrate", "--db", file)).stdout, /kept\.db is up to date, at change 0\n$/);
    const before = readFileSync(file);
    const corrupt = Buffer.from(readFileSync(join(folder.path, "copy.db")));
    corrupt.fill(0xaa, 3 * 4096, 6 * 4096);
    for (const [name, content, message] of [
      ["text.db", Buffer.alloc(10_000, "text"), /text\.db: not an ipsieve database/],
      ["empty.db", Buffer.alloc(0), /empty\.db: this is an empty database/],
      ["corrupt.db", corrupt, /corrupt\.db: /],
      ["cut.db", corrupt.subarray(0, 2 * 4096), /cut\.db: /],
    ] as const) {
      writeFileSync(join(folder.path, name), content);
      await failing(message, "db", "restore", name, "--db", file, "--force");
    }
    await failing(/absent\.db: no such file/, "db", "restore", "absent.db", "--db", file, "--force");
    assert.deepEqual(readFileSync(file), before);
    await failing(/corrupt\.db: .*(?:malformed|corrupt|restore a backup)/, "db", "check", "--db", "corrupt.db");
  });

  test("a corrupt database can be replaced by a backup", async () => {
    const file = join(folder.path, "broken.db");
    writeFileSync(file, "broken");
    assert.equal((await call("db", "restore", "copy.db", "--db", file, "--force")).code, 0);
    assert.equal((await call("db", "check", "--db", file)).code, 0);
  });
});

test(
  "a server that cannot start reports the error, its location and the remedy, and ends with 2, or 75 if it may start later",
  { skip: takingTurns(2, 1) },
  async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const port = String((busy.address() as AddressInfo).port);
    const started = (...args: string[]) => [
      "serve",
      "--db",
      join(folder.path, "start.db"),
      "--catalogue",
      SMALL_CATALOGUE,
      ...args,
    ];
    const inUse = new RegExp(`127\\.0\\.0\\.1, port ${port}: the port is in use; .*--port`);
    await endsWith(75, inUse, ...started("--port", port));
    busy.close();
    await endsWith(
      75,
      /203\.0\.113\.1: this machine does not have this address; .*--host/,
      ...started("--port", "0", "--host", "203.0.113.1"),
    );
    await failing(/--trust-proxy "proxy": .*; write addresses or prefixes/, ...started("--trust-proxy", "proxy"));
    await failing(
      /none\.ipsieve: no such file; check the path/,
      "serve",
      "--db",
      join(folder.path, "start.db"),
      "--port",
      "0",
      "--catalogue",
      "none.ipsieve",
    );
    writeFileSync(join(folder.path, "text.txt"), "a text, and no database");
    await failing(/text\.txt: not an ipsieve database/, "serve", "--port", "0", "--db", join(folder.path, "text.txt"));
    const wide = join(folder.path, "wide");
    mkdirSync(wide, { mode: 0o777 });
    const paths: [args: readonly string[], message: RegExp][] = [
      [["--db", wide], /^ipsieve: \S+wide: a folder; name a file in it, such as \S+wide\/ipsieve\.db$/m],
      [started().slice(1).concat("--secret-key-file", wide), /wide: a folder \(EISDIR\); .*--secret-key-file$/m],
      [
        started().slice(1).concat("--feeds-dir", join(folder.path, "text.txt")),
        /--feeds-dir \S+text\.txt: not a folder/,
      ],
    ];
    // Where no folder can be made, and the system says that its parent does not exist.
    if (process.platform === "linux")
      paths.push([
        ["--db", "/proc/x/y"],
        /^ipsieve: \/proc\/x\/y: its folder cannot be made \(ENOENT\); name another file with --db$/m,
      ]);
    for (const [args, message] of paths) await failing(message, "serve", "--port", "0", ...args);
  },
);

test("a server waits for a database that is slow to accept its first connection, says so, and ends with 75 if that breaks", async () => {
  const connections: Socket[] = [];
  const silent = createServer((connection) => void connections.push(connection)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const url = `postgres://ipsieve:secret@127.0.0.1:${(silent.address() as AddressInfo).port}/ipsieve`;
  const child = start(["serve", "--port", "0", "--database-wait", "0", "--database-url", url], {
    env: { IPSIEVE_HOME: folder.path },
  });
  let said = "";
  child.stderr!.on("data", (part) => (said += String(part)));
  const ended = outcomeOf(child);
  await until("the server has said that it waits", () => said.includes("still waiting for the database"));
  silent.close();
  for (const connection of connections) connection.destroy();
  const { code, stdout, stderr } = await ended;
  assert.match(stderr, /the database cannot be reached: (?!timeout).*; check DATABASE_URL/);
  assert.doesNotMatch(stderr, /secret|\n {4}at /);
  assert.deepEqual([code, stdout], [75, ""]);
});

describe("the same commands on PostgreSQL", { skip: (await whyNoPostgres()) || onlyLong() }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test("by --database-url or DATABASE_URL; backups are left to PostgreSQL's own tools", async () => {
    const url = await server.database();
    const env = { IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: url };
    await failing(/run "ipsieve admin db migrate"/, "org", "list", "--database-url", url);
    assert.equal(
      (await run(["db", "migrate"], { env })).stdout,
      `${url.replace(":secret", "")} is up to date, at change 0\n`,
    );
    assert.equal((await run(["org", "create", "Example"], { env })).code, 0);
    assert.equal((await run(["plan", "set", "edl"], { env })).code, 0);
    assert.match((await run(["key", "create", "laptop"], { env })).stdout, /^ips_/);
    assert.match(
      (await call("db", "check", "--database-url", url)).stdout,
      /^intact: 1 organisation, 1 key, 2 rulesets, 0 rules/,
    );
    await failing(/pg_dump/, "db", "backup", "x.db", "--database-url", url);
    await failing(/pg_restore/, "db", "restore", "x.db", "--database-url", url);
  });
});

/** Commands that work on a running server, or on its database beside it: the audit log, edge components, names. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ServiceProcess } from "../../api/harness/service-process.ts";
import { until } from "../../until.ts";
import { type Outcome, run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
let service: ServiceProcess;
let key = "";

const url = (): string => (service === undefined ? "" : `http://127.0.0.1:${service.port}`);
const call = (...args: string[]): Promise<Outcome> => callWith(key, ...args);
const callWith = (own: string, ...args: string[]): Promise<Outcome> =>
  run(args, {
    cwd: folder.path,
    env: {
      IPSIEVE_HOME: folder.path,
      IPSIEVE_DB: "",
      IPSIEVE_BASE_URL: "",
      DATABASE_URL: "",
      IPSIEVE_SERVER: url(),
      IPSIEVE_API_KEY: own,
    },
  });
const done = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await call(...args);
  assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
  return stdout;
};
const fails = async (message: RegExp, ...args: string[]): Promise<void> => {
  const { code, stdout, stderr } = await call(...args);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
  assert.deepEqual([code, stdout], [2, ""], args.join(" "));
};

before(async () => {
  folder = temporaryFolder();
  await done("org", "create", "Example");
  await done("plan", "set", "edl", "cbs", "cti");
  key = (await done("key", "create", "test", "--access", "read_write")).trim();
  service = await ServiceProcess.start(join(folder.path, "ipsieve.db"));
});
after(async () => {
  await service?.end("SIGTERM");
  folder?.remove();
});

const changes = async (...args: string[]): Promise<any[]> =>
  (await done("audit", "list", "--json", ...args))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("changes are listed newest first, and undone by their number", async () => {
  await done("ruleset", "create", "Audited");
  for (let host = 0; host < 3; host++) await done("ruleset", "add", "Audited", `20.0.0.${host}`);
  const [last, ...earlier] = await changes("--ruleset", "Audited");
  assert.deepEqual([last.kind, last.summary, earlier.length], ["batch-rules", "added 20.0.0.2", 3]);
  assert.deepEqual(await changes("--ruleset", "Audited", "--limit", "2"), [last, earlier[0]]);
  assert.deepEqual(await changes("--kind", "create-ruleset", "--from", last.at.slice(0, 11) + "00:00:00Z"), [
    earlier[2],
    ...(await changes("--kind", "create-ruleset")).slice(1),
  ]);
  const [header, first] = (await done("audit", "list", "--limit", "1")).split("\n");
  assert.match(header!, /^ +number {2}time +by +change$/);
  assert.match(first!, new RegExp(`^ *${last.sequence} +${last.at} +test +added 20\\.0\\.0\\.2$`));
  assert.equal(
    await done("audit", "undo", String(last.sequence), "--yes"),
    `change ${last.sequence} undone: added 20.0.0.2\n`,
  );
  assert.equal(await done("ruleset", "export", "Audited", "--format", "text"), "20.0.0.0\n20.0.0.1\n");
  await fails(/Conflict: what it changed has been changed again/, "audit", "undo", String(last.sequence), "--yes");
  await fails(/there is no terminal to confirm at.*--yes/, "audit", "undo", String(last.sequence));
  await fails(/there is no change 999999999; "ipsieve audit list" lists them/, "audit", "undo", "999999999");
  await fails(/"-1": give the number of a change/, "audit", "undo", "--", "-1");
  await fails(/--from: "today": write an ISO 8601 timestamp/, "audit", "list", "--from", "today");
  const none = await call("audit", "list", "--until", "2020-01-01T00:00:00Z");
  assert.deepEqual([none.code, none.stdout, none.stderr], [1, "", ""]);
});

test("pages of the audit log are joined: all changes of a long log are listed once", async () => {
  await done("ruleset", "create", "Long");
  const { id } = (await changes("--kind", "create-ruleset", "--limit", "1"))[0].new;
  for (let host = 0; host < 120; host++) {
    const response = await fetch(`${url()}/v1/edl/ip-rulesets/${id}/rules`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ ip: `30.0.0.${host}` }),
    });
    assert.equal(response.status, 201);
  }
  const all = await changes("--ruleset", "Long", "--limit", "1000");
  assert.deepEqual(
    all.map(({ summary }) => summary),
    [...Array.from({ length: 120 }, (_, host) => `added 30.0.0.${119 - host}`), 'created the ruleset "Long"'],
  );
});

test("the token of an edge component opens the server until it is revoked", async () => {
  await done("deployment", "create", "Edge", "--include", "20.0.0.0/24");
  const type = "ellio_traefik_middleware_plugin";
  const { stdout, stderr } = await call("edge", "create", "Edge", type, "web", "--url", url());
  assert.match(stderr, /^edge component [0-9a-f-]{36} of Edge; its token is not shown again:\n$/);
  const [, id] = /component (\S+)/.exec(stderr)!;
  const bootstrap = async (): Promise<number> => {
    const body = { bootstrap_token: stdout.trim(), component_type: type, component_version: "1.0.0", machine_id: "m" };
    const response = await fetch(`${url()}/api/v1/edl/bootstrap`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, scopes: ["edl_logs"] }),
    });
    return response.status;
  };
  for (let tries = 0, status = 0; status !== 200; tries++) {
    assert.ok(tries < 1000, `status ${status}`);
    status = await bootstrap();
  }
  assert.match(await done("edge", "list"), new RegExp(`\\n  ${id}  ${type}  Example +web +[0-9a-f-]{36}  valid\\n$`));
  const [listed] = JSON.parse(await done("edge", "list", "--json"));
  assert.deepEqual([listed.id, listed.type, listed.digest], [id, type, undefined]);
  assert.equal(await done("edge", "revoke", id!), `revoked ${id} (web)\n`);
  assert.match(await done("edge", "list"), /revoked \d{4}-\d\d-\d\d\n$/);
  for (let tries = 0, status = 200; status === 200; tries++) {
    assert.ok(tries < 1000);
    status = await bootstrap();
  }
  await fails(/give the server's public URL with --url/, "edge", "create", "Edge", type, "web");
  await fails(/--url "x": write it with its scheme/, "edge", "create", "Edge", type, "web", "--url", "x");
  await fails(/there is no deployment "Egde"; there are: Edge/, "edge", "create", "Egde", type, "web", "--url", url());
  await fails(/TYPE: must not be empty/, "edge", "create", "Edge", " ", "web", "--url", url());
  await fails(/there is no edge component "x"/, "edge", "revoke", "x");
});

test("a name that is taken is refused for everything that commands find by its name", async () => {
  for (const [kind, ...args] of [
    ["ruleset", "Taken"],
    ["deployment", "Taken", "--include", "20.0.0.0/24"],
    ["list", "Taken", "https://feeds.example.net/list.txt"],
  ] as const) {
    const { code, stdout, stderr } = await call(kind, "create", ...args);
    assert.equal(code, 0, stderr);
    const word = kind === "list" ? "external list" : kind;
    await fails(
      new RegExp(`"Taken" is the name of the ${word} ${stdout.trim()}; choose another one`),
      kind,
      "create",
      ...args,
    );
    const { code: other } = await call(kind, "create", "Free", ...args.slice(1));
    assert.equal(other, 0);
    await fails(new RegExp(`"Taken" is the name of the ${word}`), kind, "update", "Free", "--name", "Taken");
    await done(kind, "update", "Free", "--name", "Free");
  }
});

test("a node that the catalogue does not have is not said to have been there, and the nearest one is named", async () => {
  const cases: readonly (readonly [id: string, cure: RegExp])[] = [
    ["/cdn/cloudflar", /did you mean \/cdn\/cloudflare\?/],
    ["/cdm/cloudflare", /did you mean \/cdn\/cloudflare\?/],
    ["/cdn/cloudflare/", /did you mean \/cdn\/cloudflare\?/],
    ["/nothing/like/it", /change or remove the source/],
    [`/${"q".repeat(290)}`, /change or remove the source/],
  ];
  for (const [id, cure] of cases) {
    const message = new RegExp(
      `the catalogue has no node ${JSON.stringify(id).replaceAll("/", "\\/")}; ${cure.source}`,
    );
    await fails(message, "deployment", "create", "Typo", "--include", `cbs:${id}`);
  }
});

test("status: one screen that says what needs attention, with the cure, and an exit code for monitors", async () => {
  // Without the catalogue's plan, how old its lists are is not its matter.
  await done("org", "create", "Calm");
  await done("plan", "set", "edl", "--org", "Calm");
  const other = (await done("key", "create", "test", "--access", "read_write", "--org", "Calm")).trim();
  const ask = (...args: string[]): Promise<Outcome> => callWith(other, ...args);
  const json = async (): Promise<any> => JSON.parse((await ask("status", "--json")).stdout);
  await until("the server knows the key", async () => (await ask("status")).code !== 2);
  const calm = await ask("status");
  assert.deepEqual([calm.code, calm.stderr], [0, ""]);
  assert.match(calm.stdout, /^ok: nothing needs attention among 2 rulesets, 1 key\n/);
  assert.equal((await json()).state, "ok");
  await ask(
    "deployment",
    "create",
    "Edge",
    "--include",
    "20.9.0.0/24",
    "--include",
    "20.9.2.0/24",
    "--max-entries",
    "1",
  );
  await until("it is refused", async () => (await json()).state === "critical");
  const { code, stdout } = await ask("status");
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^critical: 1 thing needs attention among 1 deployment, .*\n {2}critical {2}Edge was refused: .* more than the 1 allowed; devices have no list \(.*\)\n +See why, and publish it or correct its sources: ipsieve deployment show [\w-]+\n/,
  );
  assert.ok(stdout.split("\n").length < 24, "one screen");
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ServiceProcess } from "../../api/harness/service-process.ts";
import { onlyLong, rounds } from "../../rounds.ts";
import { until } from "../../until.ts";
import { COMMAND_FILE } from "../../command-file.ts";
import { type Outcome, outcomeOf, run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
let service: ServiceProcess;
let key = "";

const call = (...args: string[]): Promise<Outcome> =>
  run(args, {
    cwd: folder.path,
    env: {
      IPSIEVE_HOME: folder.path,
      IPSIEVE_DB: "",
      DATABASE_URL: "",
      IPSIEVE_SERVER: service === undefined ? "" : `http://127.0.0.1:${service.port}`,
      IPSIEVE_API_KEY: key,
    },
  });
const url = (): string => `http://127.0.0.1:${service.port}`;
const deployment = (...args: string[]): Promise<Outcome> => call("deployment", ...args);
const done = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await deployment(...args);
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  return stdout;
};
/** Creates one; resolves to what is said besides its id. */
const created = async (...args: string[]): Promise<{ id: string; said: string }> => {
  const { code, stdout, stderr } = await deployment("create", ...args);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^[0-9a-f-]{36}\n$/);
  return { id: stdout.trim(), said: stderr };
};
/** Sends the request directly: a process per request would take too long. */
const ask = async (method: string, path: string, body?: object): Promise<any> => {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const url = `http://127.0.0.1:${service.port}/v1/edl/deployments/${path}`;
  return (await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json();
};
const make = (name: string, ...prefixes: readonly string[]): Promise<{ id: string }> =>
  ask("POST", "", { name, include: [{ prefixes }] });
const document = async (name: string) => (await ask("GET", "")).items.find((each: any) => each.name === name);
/** Runs a command at a terminal, and answers its question after what happens `before`. */
const atTerminal = (
  command: string,
  answer: string,
  before = async (): Promise<unknown> => undefined,
): Promise<Outcome> => {
  const child = spawn("script", ["-qfec", `'${process.execPath}' '${COMMAND_FILE}' ${command}`, "/dev/null"], {
    cwd: folder.path,
    env: { ...process.env, IPSIEVE_HOME: folder.path, IPSIEVE_SERVER: url(), IPSIEVE_API_KEY: key, NO_COLOR: "1" },
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    if (!text.includes("[y/N]")) return;
    text = "";
    void before().then(() => child.stdin.write(answer));
  });
  return outcomeOf(child);
};
/** Fetches its list, as a device does. */
const fetchedOf = async (id: string): Promise<void> => {
  const { urls } = await ask("GET", `${id}/urls/`);
  assert.equal((await fetch(urls.combined[0])).status, 200);
  await until("the request is recorded", async () => (await ask("GET", `${id}/pulls/`)).days.length > 0);
};
/** Waits until the server has compiled what was written. */
const becomes = (name: string, wanted: string): Promise<void> =>
  until(`${name} is ${wanted}`, async () => (await document(name)).status === wanted);
const fails = async (message: RegExp, ...args: string[]): Promise<void> => {
  const { code, stdout, stderr } = await deployment(...args);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
  assert.deepEqual([code, stdout], [2, ""], args.join(" "));
};

before(async () => {
  folder = temporaryFolder();
  await call("org", "create", "Example");
  await call("plan", "set", "edl", "cbs", "cti", "--per-minute", "100000");
  key = (await call("key", "create", "test", "--access", "read_write")).stdout.trim();
  service = await ServiceProcess.start(join(folder.path, "ipsieve.db"), ["--outbound-allow", "127.0.0.1"]);
  await call("ruleset", "add", "My Blocklist rules", "20.0.0.0/24", "20.0.1.0/24");
});
after(async () => {
  await service?.end("SIGTERM");
  folder?.remove();
});

test("from nothing to a list that a device gets, and who has requested it", async () => {
  const empty = await deployment("list");
  assert.deepEqual([empty.code, empty.stderr], [1, ""]);
  const includes = ["--include", "ruleset:My Blocklist rules", "--include", "30.0.0.0-30.0.0.3"];
  const { id, said } = await created("Edge", ...includes, "--exclude", "20.0.0.7", "--device", "paloalto-50k");
  await becomes("Edge", "ok");
  const listed = (await done("list")).split("\n");
  assert.match(listed[0]!, /^ {2}id +name +format +state +entries {2}last pull$/);
  assert.match(listed[1]!, new RegExp(`^  ${id}  Edge  paloalto  ok +10  never$`));
  const url = (await done("urls", "Edge", "--part", "ipv4")).trim();
  const [first, ...urls] = said.trimEnd().split("\n");
  assert.match(first!, /^Edge: \d+ IPv4 and 0 IPv6 entries$/);
  assert.ok(urls.includes(`  ${url}`), said);
  assert.match(await (await fetch(url)).text(), /^20\.0\.0\.0\/30\n(?:[\d./]+\n)+20\.0\.1\.0\/24\n30\.0\.0\.0\/30\n$/);
  const all = (await done("urls", id)).split("\n");
  assert.deepEqual([all[0], all.filter((line) => line.endsWith(url))], ["  part       url", [`  ipv4       ${url}`]]);
  await until("the request is recorded", async () => (await ask("GET", `${id}/pulls/`)).days.length > 0);
  assert.match(await done("pulls", "Edge"), / {2}200 +\d+ B {2}ipv4\.txt {2}127\.0\.0\.1 {2}node\n$/);
  assert.match(await done("pulls", "Edge", "--days"), /^ {2}day +requests +sent\n {2}\d{4}-\d\d-\d\d +1 /);
});

test("show names the sources in the form of options, and says what a state means", async () => {
  await created("Shown", "--include", "cti:malicious,tag=ssh,days=7", "--exclude", "cbs:/cdn/cloudflare");
  const sources = ["--include", "ruleset:My Blocklist rules", "--include", "10.1.0.0/16", "--min-prefix-v4", "20"];
  await done("update", "Shown", ...sources, "--description", "of both sites", "--frequency", "5m", "--yes");
  await becomes("Shown", "refused");
  const { code, stdout } = await deployment("show", "Shown");
  assert.equal(code, 1);
  assert.match(stdout, /^Shown\n {2}id +[0-9a-f-]{36}\n {2}about +of both sites\n {2}state +refused\n/);
  assert.match(stdout, /too wide: 10\.1\.0\.0\/16 of prefixes; check the source, or allow it with --min-prefix-v4/);
  assert.match(
    stdout,
    /\n {2}include +ruleset:My Blocklist rules\n +10\.1\.0\.0\/16\n {2}exclude +cbs:\/cdn\/cloudflare\n/,
  );
  assert.match(stdout, /\n {2}limits +min-prefix-v4 20\n$/);
  await done(
    "update",
    "Shown",
    "--default-limits",
    "--no-exclude",
    "--include",
    "cti:malicious,tag=ssh,days=7",
    "--yes",
  );
  assert.match((await deployment("show", "Shown")).stdout, /\n {2}include +cti:malicious,tag=ssh,days=7\n$/);
  assert.deepEqual((await document("Shown")).options, {});
  await done("update", "Shown", "--active", "no", "--name", "Hidden", "--yes");
  assert.match(
    (await deployment("show", "Hidden")).stdout,
    /inactive\n +its feeds respond with 403; "ipsieve deployment update/,
  );
});

test("an update adds limits to those set before", async () => {
  await created("Limits", "--include", "20.0.0.0/24", "--max-shrink", "10", "--family", "4");
  await done("update", "Limits", "--max-entries", "5", "--family", "both", "--yes");
  assert.deepEqual((await document("Limits")).options, { families: [4, 6], max_shrink: 10, max_entries: 5 });
});

test("one source is added or removed, and the others stay", async () => {
  const excludes = ["--exclude", "20.0.0.7", "--exclude", "cbs:/cdn/cloudflare"];
  await created("Edited", "--include", "20.0.0.0/24", ...excludes);
  await done("update", "Edited", "--add-exclude", "20.0.0.9", "--add-exclude", "cbs:/cdn/cloudflare", "--yes");
  const cloudflare = { cbs: "/cdn/cloudflare" };
  assert.deepEqual((await document("Edited")).exclude, [cloudflare, { prefixes: ["20.0.0.7", "20.0.0.9"] }]);
  await done(
    "update",
    "Edited",
    "--remove-exclude",
    "20.0.0.7",
    "--add-include",
    "ruleset:My Blocklist rules",
    "--yes",
  );
  const { include, exclude } = await document("Edited");
  assert.deepEqual(exclude, [cloudflare, { prefixes: ["20.0.0.9"] }]);
  assert.equal(include.length, 2);
  const unknown = await deployment("update", "Edited", "--remove-exclude", "20.0.0.8");
  assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  assert.match(unknown.stderr, /--remove-exclude 20\.0\.0\.8: the deployment does not have it/);
  assert.match(
    (await deployment("update", "Edited", "--exclude", "::1", "--add-exclude", "::2")).stderr,
    /replaces all/,
  );
});

test("a vote is written, shown and removed in the form of options, and is a set of the server", async () => {
  const vote = "atleast:3;2*ruleset:My Blocklist rules;20.0.0.0/25,20.0.7.0/24;asn:13335";
  const { stdout, code, stderr } = await call("sets", "aggregate", vote);
  assert.deepEqual([code, stdout], [0, "20.0.0.0/25\n"], stderr);
  await created("Voted", "--include", vote, "--include", "20.0.5.0/24");
  assert.deepEqual((await document("Voted")).include[0].weights, [2, 1, 1]);
  await becomes("Voted", "ok");
  const shown = await done("show", "Voted");
  assert.ok(shown.includes(vote), shown);
  await done("update", "Voted", "--remove-include", vote, "--yes");
  assert.deepEqual((await document("Voted")).include, [{ prefixes: ["20.0.5.0/24"] }]);
  for (const [text, message] of [
    ["atleast:x;20.0.0.1", /write atleast:K;SET;SET/],
    ["atleast:1", /write atleast:K;SET;SET/],
    [
      "atleast:1;nothing",
      /"nothing" cannot vote on a server; write ruleset:NAME, .*"ipsieve ruleset import" puts a file/,
    ],
    ["atleast:3;20.0.0.1;20.0.0.2", /no address can have more than 2 votes/],
  ] as const) {
    const refused = await deployment("create", "Refused", "--include", text);
    assert.match(refused.stderr, message);
    assert.equal(refused.code, 2);
  }
  await done("delete", "Voted", "--yes");
});

test("the difference is shown and asked for, and nobody else's change is overwritten", async () => {
  const { id } = await created("Asked", "--include", "20.0.0.0/24", "--include", "2a00:1::/32");
  await becomes("Asked", "ok");
  const change = ["update", "Asked", "--add-exclude", "20.0.0.128/25", "--add-include", "20.0.2.0/23"];
  const plan = [
    "Asked",
    "  entries: 1 IPv4 and 1 IPv6 before, 2 and 1 after",
    "  newly listed: 512 IPv4 and 0 IPv6 addresses: 20.0.2.0/23",
    "  no longer listed: 128 IPv4 and 0 IPv6 addresses: 20.0.0.128/25",
    "",
  ].join("\n");
  const unasked = await deployment(...change);
  assert.deepEqual([unasked.code, unasked.stdout], [2, plan], unasked.stderr);
  assert.match(unasked.stderr, /there is no terminal to confirm at\. If the plan is right, add --yes/);
  assert.deepEqual((await document("Asked")).exclude, []);
  assert.equal(await done(...change, "--yes"), `${plan}Asked: changed\n`);
  assert.deepEqual((await document("Asked")).exclude, [{ prefixes: ["20.0.0.128/25"] }]);
  await until("devices get it", async () => (await document("Asked")).generation === 2);
  // What changes no address needs no answer.
  assert.equal(await done("update", "Asked", "--frequency", "5m"), "Asked: changed\n");
  assert.match(
    await done("update", "Asked", "--max-entries", "5"),
    /\n {2}the same addresses as now\nAsked: changed\n$/,
  );
  const refused = await deployment("update", "Asked", "--max-entries", "2");
  assert.match(refused.stdout, /\n {2}would be refused: .* has 3 entries/);
  assert.equal(refused.code, 2);

  const answered = async (answer: string, before?: () => Promise<unknown>) =>
    atTerminal("deployment update Asked --no-exclude", answer, before);
  assert.match((await answered("n\n")).stdout, /Change "Asked"\? \[y\/N\]/);
  assert.equal((await document("Asked")).exclude.length, 1);
  const late = await answered("y\n", () => ask("PATCH", id, { exclude: [{ prefixes: ["20.0.0.0/25"] }] }));
  assert.equal(late.code, 2);
  assert.match(late.stdout, /nothing was written: "Asked" has been changed by someone else meanwhile/);
  assert.deepEqual((await document("Asked")).exclude, [{ prefixes: ["20.0.0.0/25"] }]);
  // The list that devices get changes the document, not what users have decided.
  await until("devices get it", async () => (await document("Asked")).generation === 3);
  assert.equal((await answered("y\n", () => fetchedOf(id))).code, 0);
  assert.deepEqual((await document("Asked")).exclude, []);
});

test("an include that contradicts the purpose is named when it is added, and wherever the deployment is shown", async () => {
  assert.equal((await call("ruleset", "create", "Partners", "--purpose", "allowlist")).code, 0);
  assert.equal((await call("ruleset", "add", "Partners", "20.0.9.0/24")).code, 0);
  const wrong = /warning: +the allowlist "Partners" is an include of a blocklist: devices block what it allows/;
  const { said } = await created("Wrong", "--include", "ruleset:Partners", "--guard", "off");
  assert.match(said, wrong);
  assert.match((await deployment("show", "Wrong")).stdout, /\n {2}warning +the allowlist "Partners" is an include/);
  const { said: right } = await created("Right", "--include", "20.0.8.0/22", "--exclude", "ruleset:Partners");
  assert.doesNotMatch(right, /warning/);
  assert.match((await deployment("update", "Right", "--add-include", "ruleset:Partners")).stdout, wrong);
  assert.doesNotMatch(
    (await created("Allowed", "--include", "ruleset:Partners", "--purpose", "allowlist")).said,
    /warn/,
  );
});

test("timeouts are set and shown, previewed, and refused for formats without them", async () => {
  await created("Timed", "--include", "20.0.0.0/24", "--format", "ipset", "--timeouts");
  assert.deepEqual((await document("Timed")).options, { timeouts: true });
  await becomes("Timed", "ok");
  assert.match(await done("show", "Timed"), /limits +timeouts true/);
  assert.match(await done("preview", "Timed"), /^ {2}with a timeout: 0 entries$/m);
  await fails(/--timeouts: entries in the format text cannot have timeouts/, "update", "Timed", "--format", "text");
  await done("update", "Timed", "--format", "text", "--default-limits", "--yes");
  assert.deepEqual((await document("Timed")).options, {});
});

test("a preview of a changed deployment, of a new one, and why it would be refused", async () => {
  const server = ["--server", `http://127.0.0.1:${service.port}`];
  await make("Previewed", "20.0.0.0/24", "2a00:1::/32");
  await becomes("Previewed", "ok");
  const changes = ["--exclude", "20.0.0.0/25", "--format", "sophos"];
  const refused = await deployment("preview", "Previewed", ...changes);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stdout,
    /would be refused: sophos cannot express 2a00:1::\/32 \(it takes IPv4.*--unprocessable omit\n$/,
  );
  const card = await done("preview", "Previewed", ...changes, "--unprocessable", "omit");
  assert.equal(
    card,
    [
      "  family  entries                               addresses  excluded prefixes",
      "  IPv4        128                                     128                  1",
      "  IPv6          0  79,228,162,514,264,337,593,543,950,336                  0",
      "  first entries: 20.0.0.128/25, 2a00:1::/32",
      "  widest prefixes: 20.0.0.128/25, 2a00:1::/32",
      "  next expiry: none",
      "  left out: 1 prefix: 2a00:1::/32: it takes IPv4 addresses only",
      "  entries: 1 IPv4 and 1 IPv6 before, 128 and 0 after",
      "  no longer listed: 128 IPv4 and 79,228,162,514,264,337,593,543,950,336 IPv6 addresses: 20.0.0.0/25, 2a00:1::/32",
      "",
    ].join("\n"),
  );
  const local = await deployment("preview", ...server, "--include", "10.0.0.0/30");
  assert.match(local.stdout, /^ {2}warning: would block 4 addresses for special use \(Private-Use\)$/m);
  const wide = await deployment("preview", ...server, "--include", "20.0.0.0/7");
  assert.equal(wide.code, 1);
  assert.match(wide.stdout, /would be refused: .*too wide: 20\.0\.0\.0\/7 of prefixes; check the source/);
  assert.deepEqual((await document("Previewed")).exclude, []);
});

test("a guard says what it protects, what a list would block, and how to proceed", async () => {
  await created("Guarded", "--include", "20.0.0.0/24", "--guard", "refuse");
  await becomes("Guarded", "ok");
  assert.match(await done("show", "Guarded"), /\n {2}guard +refuse\n/);
  const refused = await deployment("preview", "Guarded", "--include", "10.0.0.0/30");
  assert.equal(refused.code, 1);
  assert.match(
    refused.stdout,
    /would be refused: .* block 4 addresses for special use \(Private-Use\).*--guard carve; if the list is right, "ipsieve deployment publish Guarded" releases it/,
  );
  const carved = ["--include", "10.0.0.0/30", "--include", "20.0.0.0/24", "--guard", "carve"];
  assert.match(await done("preview", "Guarded", ...carved), /warning: leaves out 4 addresses for special use/);
  await fails(/--guard is for deployments of a server/, "preview", "--include", "10.0.0.0/30", "--guard", "off");
});

test(
  "rotation creates new URLs and gives the previous ones a grace time; the password is printed alone",
  { skip: onlyLong() },
  async () => {
    const { id } = await make("Rotated", "20.0.0.0/24");
    await becomes("Rotated", "ok");
    const urlOf = async (): Promise<string> => (await ask("GET", `${id}/urls/`)).urls.combined[0];
    const [first, status] = [await urlOf(), async (url: string) => (await fetch(url)).status];
    const { stdout } = await deployment("rotate", "Rotated");
    assert.match(stdout, /^"Rotated" has new URLs; the old ones work until \d{4}-.*Z\n$/);
    await until("the server knows the new URL", async () => (await urlOf()) !== first);
    const second = await urlOf();
    assert.deepEqual([await status(first), await status(second)], [200, 200]);
    const again = await deployment("rotate", "Rotated", "--grace-hours", "48");
    assert.match(again.stdout, /^"Rotated" has new URLs; the old ones work until \d{4}-\S+Z, \d{4}-\S+Z\n$/);
    await until("the server knows the newest URL", async () => (await urlOf()) !== second);
    assert.deepEqual([await status(first), await status(second)], [200, 200], "the first keeps its own end");
    const shown = (await deployment("show", "Rotated")).stdout;
    assert.match(shown, /old URLs +work until \d{4}-\S+Z\n +work until \d{4}-\S+Z\n/);
    await done("rotate", "Rotated", "--grace-hours", "0");
    await until("the URLs before no longer work", async () => (await status(second)) === 403);
    assert.equal(await status(first), 403);
    assert.equal(await status(await urlOf()), 200);
    const { stdout: password, stderr } = await deployment("rotate", "Rotated", "--password");
    assert.match(password, /^[\w-]{43}\n$/);
    assert.ok(!stderr.includes(password.trim()));
    const headers = { authorization: `Basic ${Buffer.from(`any:${password.trim()}`).toString("base64")}` };
    const url = `http://127.0.0.1:${service.port}/feeds/${id}/combined.txt`;
    await until("the password works", async () => (await fetch(url, { headers })).status === 200);
  },
);

test("nothing is deleted or published without confirmation", async () => {
  const { id } = await make("Doomed", "20.0.0.0/24");
  await fails(/there is no terminal to confirm at.*--yes/, "delete", "Doomed");
  const none = await deployment("publish", "Doomed", "--yes");
  assert.deepEqual([none.code, none.stderr], [1, "Doomed: no list is refused\n"]);
  await ask("PATCH", id, { options: { max_entries: 1 }, include: [{ prefixes: ["20.0.0.0/24", "30.0.0.0/24"] }] });
  await becomes("Doomed", "refused");
  await fails(/the list has 2 entries.*\n.*no terminal to confirm at/, "publish", "Doomed");
  const other = await deployment("publish", "Doomed", "--generation", "7", "--yes");
  assert.match(other.stderr, /the number 1, not 7/);
  assert.match((await deployment("publish", "Doomed", "--yes")).stdout, /^Doomed: list 1 released/);
  assert.equal(await done("delete", "Doomed", "--yes"), "Doomed: deleted\n");
  assert.equal(await document("Doomed"), undefined);
});

test(
  "an external list is fetched, refused, accepted, and a source of a deployment",
  { skip: onlyLong() },
  async (t) => {
    let published = `# ours\n${Array.from({ length: 30 }, (_, i) => `31.${i}.0.0/24\n`).join("")}192.0.2.1:80\n`;
    const publisher = createServer((_, response) => void response.end(published)).listen(0, "127.0.0.1");
    t.after(() => {
      publisher.closeAllConnections();
      publisher.close();
    });
    await once(publisher, "listening");
    const url = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/drop.txt`;
    const list = (...args: string[]): Promise<Outcome> => call("list", ...args);
    const none = await list("list");
    assert.deepEqual([none.code, none.stderr], [1, ""]);
    const { stdout: id } = await list("create", "drop", url, "--schedule", "24h", "--max-change", "10");
    const headers = { "x-api-key": key };
    const path = `http://127.0.0.1:${service.port}/v1/edl/lists/${id.trim()}`;
    const generation = async () => ((await (await fetch(path, { headers })).json()) as any).generation;
    await until("it is fetched on its schedule", async () => (await generation()) === 1);
    const fetched = await list("fetch", "drop");
    assert.equal(fetched.code, 0, fetched.stderr);
    assert.match(fetched.stdout, /\n {2}state +ok\n {2}entries +30 IPv4, 0 IPv6\n/);
    assert.match(fetched.stdout, /\n {2}left out +line 32: 192\.0\.2\.1:80: /);
    published = "31.0.0.0/24\n";
    const refused = await list("fetch", id.trim());
    assert.equal(refused.code, 1);
    assert.match(
      refused.stdout,
      /\n {2}state +refused\n +\S.*\n +if the change is right: ipsieve list fetch --accept\n/,
    );
    await created("OfList", "--include", "list:drop");
    assert.match((await deployment("show", "OfList")).stdout, /\n {2}include +list:drop\n/);
    const accepted = await list("fetch", "drop", "--accept");
    assert.match(accepted.stdout, /last change +\S+: 0 added, 29 removed\n +- 31\.1\.0\.0\/24\n/);
    const written = await list("write", "drop", "My Blocklist rules", "--expires-in-days", "7");
    assert.deepEqual(
      [written.code, written.stdout],
      [0, "My Blocklist rules: 1 rule added, 0 changed, 0 unchanged\n"],
      written.stderr,
    );
    assert.match((await list("write", "drop", "My Blocklist rules")).stderr, /give --expires-in-days N/);
    const again = await list("fetch", "drop", "--accept");
    assert.deepEqual([again.code, again.stdout], [2, ""]);
    assert.match(again.stderr, /the list has no refused content to accept/);
    assert.equal((await list("update", "drop", "--active", "no", "--name", "dropped")).stdout, "dropped: changed\n");
    assert.match(
      (await list("list")).stdout,
      /^ {2}id +name +state +entries {2}changed\n {2}\S+ {2}dropped {2}ok +1 {2}20/,
    );
    assert.equal((await list("delete", "dropped", "--yes")).stdout, "dropped: deleted\n");
  },
);

test("sets of the server are combined with files and prefixes, compared and fitted", { skip: onlyLong() }, async () => {
  const sets = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await call("sets", ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  writeFileSync(join(folder.path, "allow.txt"), "20.0.0.128/25\n");
  assert.equal((await call("ruleset", "create", "Combined rules")).code, 0);
  assert.equal((await call("ruleset", "add", "Combined rules", "20.0.0.0/24", "20.0.1.0/24")).code, 0);
  const rules = "ruleset:Combined rules";
  assert.equal(await sets("subtract", rules, "allow.txt", "20.0.1.0/24"), "20.0.0.0/25\n");
  assert.match(await sets("compare", rules, "allow.txt"), /covers +allow\.txt +IPv4 +128 +25\.00 % +100\.00 %\n/);
  assert.equal(await sets("intersect", "cbs:/cdn/cloudflare", "1.1.1.1", "--server", url()), "1.1.1.1\n");
  assert.equal(await sets("fit", rules, "20.0.3.0/24", "--entries", "1", "--loss", "add"), "20.0.0.0/22\n");
  for (const [args, message] of [
    [["union", "ruleset:Combined rule"], /there is no ruleset "Combined rule"; did you mean "Combined rules"\?/],
    [["union", "ruleset:rules"], /there is no ruleset "rules"; did you mean "[^"]* rules"\?/],
    [["union", "cbs:/cdn/cloudflar", "--server", url()], /^ipsieve: cbs:\/cdn\/cloudflar: the catalogue has no node/],
    [["union", rules, "--now", "2100-01-01"], /--now is for files, and ruleset:Combined rules is the server's/],
    [["union", "allow.txt", "--server", url()], /--server: none of the sets is the server's; write ruleset:NAME/],
    [["fit", "1.1.1.1", "--entries", "1", "--loss", "add", "--never", "list:none"], /there is no .*list "none"/],
  ] as const) {
    const { code, stdout, stderr } = await call("sets", ...args);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
  }
});

test("errors name the option that caused them", async () => {
  const rows = [
    [/give --include SOURCE at least once/, "create", "x"],
    [/--include "list.txt": write ruleset:NAME, list:NAME, cbs:NODE/, "create", "x", "--include", "list.txt"],
    [/--exclude: .*\/nowhere/, "create", "x", "--include", "20.0.0.0/24", "--exclude", "cbs:/nowhere"],
    [/NAME: /, "create", "a\nb", "--include", "20.0.0.0/24"],
    [
      /--format: .*crowdsec/i,
      "create",
      "x",
      "--include",
      "20.0.0.0/24",
      "--format",
      "crowdsec-csv",
      "--purpose",
      "allowlist",
    ],
    [/--now is for lists made from files/, "preview", "Edge", "--now", "2030-01-01"],
    [/say what to change/, "update", "Edge"],
    [/--grace-hours is for URLs/, "rotate", "Edge", "--password", "--grace-hours", "1"],
    [/did you mean "Edge"\?/, "show", "Egde"],
  ] as const;
  for (const [message, ...args] of rows.slice(0, rounds({ short: 3, long: rows.length })))
    await fails(message, ...args);
});

test("a ruleset is deleted once the user agrees, who sees which deployments use it", async () => {
  const ruleset = (...args: string[]): Promise<Outcome> => call("ruleset", ...args);
  for (const name of ["Unused", "Used"]) assert.equal((await ruleset("create", name)).code, 0);
  assert.equal((await ruleset("add", "Used", "45.1.2.3")).code, 0);
  await created("Its list", "--include", "ruleset:Used");
  const question = await ruleset("delete", "Used");
  assert.deepEqual([question.code, question.stdout], [2, ""]);
  assert.match(question.stderr, /--yes/);
  const asked = await atTerminal("ruleset delete Used", "n\n");
  assert.equal(asked.code, 1);
  assert.match(asked.stdout, /Delete "Used" with 1 rule, used by "Its list"\?/);
  assert.match(
    (await atTerminal("ruleset delete Unused", "y\n")).stdout,
    /with 0 rules, no deployment uses it\?[^]*Unused: deleted/,
  );
  assert.equal((await ruleset("delete", "Used", "--yes")).stdout, "Used: deleted\n");
  assert.match((await ruleset("delete", "Used", "--yes")).stderr, /there is no ruleset "Used"/);
  assert.match((await ruleset("delete", "rules.ipsieve")).stderr, /rules\.ipsieve is a file/);
});

test("rulesets are changed by command, and what guards protect is chosen for rulesets, deployments and the organisation", async () => {
  const ruleset = (...args: string[]): Promise<Outcome> => call("ruleset", ...args);
  const failing = async (message: RegExp, ...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await ruleset(...args);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""]);
  };
  const about = async (name: string) =>
    JSON.parse((await ruleset("list", "--json")).stdout).find((each: { name: string }) => each.name === name);
  assert.equal((await ruleset("create", "Guarded", "--guard-classes", "scanner,serving")).code, 0);
  assert.deepEqual((await about("Guarded")).guard_classes, ["serving", "scanner"]);
  assert.equal((await ruleset("update", "Guarded", "--guard-classes", "none")).stdout, "Guarded: changed\n");
  assert.deepEqual((await about("Guarded")).guard_classes, []);
  const options = ["--name", "Renamed", "--description", "x", "--guard", "carve", "--guard-classes", "default"];
  assert.equal((await ruleset("update", "Guarded", ...options)).stdout, "Renamed: changed\n");
  const { description, guard, guard_classes: classes } = await about("Renamed");
  assert.deepEqual([description, guard, classes], ["x", "carve", null]);
  await failing(/never_block|never-block/, "update", "Renamed", "--never-block", "yes");
  await failing(/say what to change/, "update", "Renamed");
  await failing(/there is no ruleset "Guarded"/, "update", "Guarded", "--guard", "off");
  await failing(/rules\.ipsieve is a file/, "update", "rules.ipsieve", "--guard", "off");
  assert.equal((await ruleset("delete", "Renamed", "--yes")).code, 0);

  const preview = (...more: string[]): Promise<Outcome> =>
    call("deployment", "preview", "--include", "1.1.1.1", "--server", url(), ...more);
  assert.match((await preview()).stdout, /would block 1 address of cloudflare/);
  assert.doesNotMatch((await preview("--guard-classes", "rented")).stdout, /would block/);
  await created("Chosen", "--include", "20.0.0.0/24", "--guard-classes", "anonymiser");
  assert.match(
    (await call("deployment", "show", "Chosen")).stdout,
    /guard +warn; services that it protects: anonymiser/,
  );
});

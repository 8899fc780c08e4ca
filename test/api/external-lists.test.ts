import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { until } from "../until.ts";
import { addUser, type TestUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, START, startServer, type TestServer } from "./start-server.ts";
import { onlyLong } from "../rounds.ts";

const PATH = "/v1/edl/lists/";
const MINUTE = 60_000;
type Page = (request: IncomingMessage, response: ServerResponse) => void;

let t: TestServer;
let organisation = "";
let key = "";
let reader = "";
let admin: TestUser;
let publisher: Server;
let origin = "";
/** The publisher's responses by path, and the requests that it received. */
const pages = new Map<string, Page>();
const asked: IncomingMessage[] = [];

before(async () => {
  publisher = createServer((request, response) => {
    asked.push(request);
    const page = pages.get(request.url!);
    if (page === undefined) response.writeHead(404).end();
    else page(request, response);
  });
  await new Promise<void>((resolve) => void publisher.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  t = await startServer({ outboundAllow: "127.0.0.1" });
  organisation = await addOrganisation(t, "lists");
  key = (await addKey(t, organisation)).text;
  reader = (await addKey(t, organisation, "read")).text;
  admin = await addUser(t, organisation, "admin");
});
beforeEach(() => void (asked.length = 0));
after(async () => {
  await t.close();
  publisher.closeAllConnections();
  publisher.close();
});

const serve = (path: string, text: string, headers: Record<string, string> = {}): void =>
  void pages.set(path, (request, response) => {
    const isKnown = headers["etag"] !== undefined && request.headers["if-none-match"] === headers["etag"];
    response.writeHead(isKnown ? 304 : 200, headers).end(isKnown ? undefined : text);
  });
/** A list that is fetched only on request. */
const create = (body: object, as = key): Promise<Answer> =>
  ask(t, "POST", PATH, { key: as, body: { name: "drop", active: false, ...body } });
const created = async (path: string, body: object = {}): Promise<string> => {
  const answer = await create({ url: origin + path, ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
};
const refresh = async (id: string, body: object = {}): Promise<any> => {
  const answer = await ask(t, "POST", `${PATH}${id}:refresh`, { key, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

test("a list is fetched, again only if it has changed, and shows how it changed", async () => {
  serve("/a", "# x\n192.0.2.0/24\n192.0.2.1:80\n2001:db8::/32\n", { etag: '"1"' });
  const made = await create({ url: `${origin}/a#part`, schedule: "5m" });
  const { id, url, state, generation, checked_at, schedule_seconds } = made.body;
  assert.equal(made.headers.get("location"), PATH + id);
  assert.deepEqual([url, state, generation, checked_at, schedule_seconds], [`${origin}/a`, "pending", 0, null, 300]);
  const first = await refresh(id);
  assert.deepEqual(
    [first.state, first.generation, first.ipv4_entries_count, first.ipv6_entries_count, first.last_change],
    ["ok", 1, 1, 1, null],
  );
  assert.deepEqual([first.rejected.count, first.rejected.lines[0].line], [1, 3]);
  assert.equal(first.checked_at, new Date(START).toISOString());
  assert.equal((await refresh(id)).generation, 1);
  assert.deepEqual(
    asked.map(({ headers }) => headers["if-none-match"]),
    [undefined, '"1"'],
  );
  serve("/a", "192.0.2.0/24\n198.51.100.7\n", { etag: '"2"' });
  const { last_change: change } = await refresh(id);
  assert.deepEqual(
    [change.added_count, change.removed_count, change.added, change.removed],
    [1, 1, ["198.51.100.7"], ["2001:db8::/32"]],
  );
  const { body: page } = await ask(t, "GET", `${PATH}?page_size=1`, { key: reader });
  assert.deepEqual([page.count, page.items[0].id, page.items[0].generation], [1, id, 2]);
  assert.equal((await ask(t, "POST", `${PATH}${id}:refresh`, { key: reader, body: {} })).status, 403);
  assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
  assert.equal((await ask(t, "GET", PATH + id, { key })).status, 404);
});

test("a creation that is repeated after the list has been fetched gets the first response", async () => {
  serve("/again", "192.0.2.0/24\n");
  const question = {
    key,
    body: { name: "again", url: `${origin}/again` },
    headers: { "Idempotency-Key": "lists-1" },
  };
  const first = await ask(t, "POST", PATH, question);
  t.clock.now += MINUTE;
  assert.equal((await refresh(first.body.id)).checked_at, new Date(START + MINUTE).toISOString());
  assert.deepEqual((await ask(t, "POST", PATH, question)).body, first.body);
  t.clock.now = START;
});

test("a list that cannot be fetched or accepted keeps the last good content; a change that is too large is accepted by its digest", async () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}\n`).join("");
  serve("/b", hosts(40));
  const id = await created("/b");
  await refresh(id);
  pages.delete("/b");
  const failed = await refresh(id);
  assert.deepEqual(
    [failed.state, failed.problem.code, failed.problem.message, failed.ipv4_entries_count],
    ["failed", "status", "the host responds with status 404", 40],
  );
  serve("/b", "<html>");
  assert.deepEqual((({ state, problem }) => [state, problem.code])(await refresh(id)), ["refused", "html"]);
  serve("/b", hosts(10));
  const { problem } = await refresh(id);
  assert.deepEqual([problem.code, typeof problem.digest], ["changes", "string"]);
  assert.equal((await refresh(id, { accept: "A".repeat(43) })).state, "refused");
  const accepted = await refresh(id, { accept: problem.digest });
  assert.deepEqual([accepted.state, accepted.ipv4_entries_count, accepted.problem], ["ok", 10, null]);
});

test("new content is one change in the feed of the organisation, and so is the start of a problem", async () => {
  const { sequence: before } = (await ask(t, "GET", "/v1/changes?after=0", { key })).body;
  serve("/events", "192.0.2.0/24\n198.51.100.7\n");
  const id = await created("/events", { name: "watched", max_change: 100 });
  await refresh(id);
  await refresh(id);
  serve("/events", "192.0.2.0/24\n2001:db8::/32\n203.0.113.0/24\n");
  await refresh(id);
  pages.delete("/events");
  await refresh(id);
  await refresh(id);
  serve("/events", "<html>");
  await refresh(id);
  await refresh(id);
  serve("/events", "192.0.2.0/24\n2001:db8::/32\n203.0.113.0/24\n");
  await refresh(id);
  pages.delete("/events");
  await refresh(id);
  const { changes } = (await ask(t, "GET", `/v1/changes?after=${before}`, { key })).body;
  const list = { id, name: "watched" };
  const failed = { kind: "failed", code: "status", message: "the host responds with status 404" };
  const content = { ipv4_entries_count: 2, ipv6_entries_count: 1, added_count: 2, removed_count: 1 };
  assert.deepEqual(
    changes.map(({ type, external_list: about }: any) => [
      type.slice("list.".length),
      about.problem?.code === "html" ? { ...about, problem: "html" } : about,
    ]),
    [
      ["refreshed", { ...list, generation: 1, ipv4_entries_count: 2, ipv6_entries_count: 0 }],
      ["refreshed", { ...list, generation: 2, ...content }],
      ["refused", { ...list, generation: 2, problem: failed }],
      ["refused", { ...list, generation: 2, problem: "html" }],
      ["refused", { ...list, generation: 2, problem: failed }],
    ],
  );
});

test("half a body, a redirect into the server's network, a loop: failures that reveal nothing about the network", async () => {
  pages.set("/half", (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("192.0.2.0/24\n");
    setImmediate(() => response.destroy());
  });
  pages.set("/private", (_, response) => response.writeHead(302, { location: "https://10.1.2.3/x" }).end());
  pages.set("/loop", (_, response) => response.writeHead(302, { location: "/loop" }).end());
  const rows = [
    ["/half", "unreachable"],
    ["/private", "unreachable"],
    ["/loop", "redirect"],
  ] as const;
  for (const [path, code] of rows) {
    const { state, problem } = await refresh(await created(path));
    assert.deepEqual([state, problem.code], ["failed", code], path);
    assert.doesNotMatch(problem.message, /10\.1|127\.0/);
  }
  assert.doesNotMatch(t.logged(), /10\.1\.2\.3/);
});

test("URLs that are not fetched, invalid options: each error names its field", async () => {
  const url = `${origin}/a`;
  const rows: readonly (readonly [body: object, field: string])[] = [
    [{ url: "lists.example" }, "url"],
    [{ url: "http://lists.example/a" }, "url"],
    [{ url: "ftp://lists.example/a" }, "url"],
    [{ url: "https://169.254.169.254/latest" }, "url"],
    [{ url: "https://[::ffff:10.1.2.3]/a" }, "url"],
    [{ url: "http://127.0.0.2/a" }, "url"],
    [{ url: "http://[::1]/a" }, "url"],
    [{ url: "https://ann:pw@lists.example/a" }, "url"],
    [{ url: "https://lists.example/\ud800" }, "url"],
    [{ url: `https://lists.example/${"ä".repeat(1900)}` }, "url"],
    [{ url, format: "xml" }, "format"],
    [{ url, schedule: "1m" }, "schedule"],
    [{ url, name: "a\nb" }, "name"],
    [{ url, min_prefix_v4: 33 }, "min_prefix_v4"],
  ];
  for (const [body, field] of rows) {
    const answer = await create(body);
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(Object.keys(answer.body.validation_errors), [field], answer.text);
    assert.ok(!answer.text.includes("pw@"), "a password is not repeated");
  }
  const stranger = (await addKey(t, await addOrganisation(t, "stranger"))).text;
  const id = await created("/a");
  assert.equal((await ask(t, "GET", PATH + id, { key: stranger })).status, 404);
  const include = [{ list: id }];
  const used = await ask(t, "POST", "/v1/edl/deployments/", { key: stranger, body: { name: "x", include } });
  assert.deepEqual(Object.keys(used.body.validation_errors), ["include[0]"]);
});

test("admins enter credentials, which are sent only to their own origin and cannot be read anywhere", async () => {
  pages.set("/secret", (_, response) => response.writeHead(302, { location: "/elsewhere" }).end());
  serve("/elsewhere", "192.0.2.1\n");
  const id = await created("/secret");
  const give = (credentials: object | null, user = admin) =>
    visit(t, "POST", `/edl/lists/${id}:credentials`, { token: user.token, body: { credentials } });
  const basic = { type: "basic", username: "ann", password: "hunter-2" };
  assert.equal((await give(basic, await addUser(t, organisation, "editor"))).status, 403);
  for (const username of ["an:n", "an\u0085n"]) {
    const refused = await give({ ...basic, username });
    assert.deepEqual(Object.keys(refused.body.validation_errors), ["credentials.username"], refused.text);
  }
  const given = await give(basic);
  assert.deepEqual(given.body.auth, { type: "basic", name: "ann", origin }, given.text);
  await refresh(id);
  const sent = `Basic ${Buffer.from("ann:hunter-2").toString("base64")}`;
  assert.deepEqual(
    asked.map(({ url, headers }) => [url, headers.authorization]),
    [
      ["/secret", sent],
      ["/elsewhere", undefined],
    ],
  );
  const audit = await visit(t, "GET", "/audit", { token: admin.token });
  assert.match(audit.text, /changed the credentials of the external list/);
  for (const text of [given.text, audit.text, t.logged(), JSON.stringify(await t.server.store.changesAfter(0))])
    assert.ok(!text.includes("hunter-2") && !text.includes(sent.slice(6)));
  const file = readFileSync(join(t.folder, "store.db"));
  assert.ok(!file.includes("hunter-2") && !file.includes(sent.slice(6)), "encrypted in the database");
  asked.length = 0;
  await ask(t, "PATCH", PATH + id, { key, body: { url: `${origin.replace("127.0.0.1", "localhost")}/elsewhere` } });
  const moved = await refresh(id);
  assert.deepEqual([moved.auth, asked.map(({ headers }) => headers.authorization)], [null, [undefined]]);
  assert.equal((await give({ type: "header", header: "Host", value: "x" })).status, 400);
});

test("an active list is fetched on its schedule, by one request for all servers", async () => {
  let answers = 0;
  pages.set("/scheduled", (_, response) => void response.end(`192.0.2.${++answers}\n`));
  const id = await created("/scheduled", { active: true, schedule: "5m" });
  const generation = async () => (await ask(t, "GET", PATH + id, { key })).body.generation;
  await until("the list is fetched", async () => (await generation()) === 1);
  t.clock.now += 5 * MINUTE;
  await until("it is fetched again", async () => (await generation()) === 2);
  assert.equal(answers, 2);
  await ask(t, "DELETE", PATH + id, { key });
});

test("a deployment publishes the list and follows it, and keeps it when the list is deleted", async () => {
  serve("/source", "192.0.2.0/24\n198.51.100.0/24\n");
  const id = await created("/source");
  const body = { name: "edge", include: [{ list: id.toUpperCase() }], exclude: [{ prefixes: ["192.0.2.0/25"] }] };
  const { body: deployment } = await ask(t, "POST", "/v1/edl/deployments/", { key, body });
  const path = `/v1/edl/deployments/${deployment.id}`;
  const get = async () => (await ask(t, "GET", path, { key })).body;
  await until("the deployment has no source yet", async () => (await get()).reasons[0]?.code === "no-source");
  await refresh(id);
  await until("the list is published", async () => (await get()).status === "ok");
  const feed = (await ask(t, "GET", `${path}/urls/`, { key })).body.urls.combined[0];
  const list = async () => (await fetch(feed)).text();
  assert.equal(await list(), "192.0.2.128/25\n198.51.100.0/24\n");
  serve("/source", "192.0.2.0/24\n203.0.113.0/24\n");
  await refresh(id);
  await until("it follows", async () => (await list()) === "192.0.2.128/25\n203.0.113.0/24\n");
  await ask(t, "DELETE", PATH + id, { key });
  await until("the source is gone", async () => (await get()).status === "refused");
  assert.equal(await list(), "192.0.2.128/25\n203.0.113.0/24\n");
});

test(
  "a source that loses most of its entries leaves the list as it was, until someone releases the smaller one",
  { skip: onlyLong() },
  async () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${2 * at}\n`).join("");
    serve("/shrinks", hosts(30));
    const id = await created("/shrinks", { max_change: 100 });
    await refresh(id);
    const body = { name: "shrinks", include: [{ list: id }] };
    const path = `/v1/edl/deployments/${(await ask(t, "POST", "/v1/edl/deployments/", { key, body })).body.id}`;
    const get = async () => (await ask(t, "GET", path, { key })).body;
    await until("the list is published", async () => (await get()).status === "ok");
    const feed = (await ask(t, "GET", `${path}/urls/`, { key })).body.urls.combined[0];
    const list = async () => (await fetch(feed)).text();
    assert.equal(await list(), hosts(30));
    serve("/shrinks", hosts(5));
    assert.equal((await refresh(id)).ipv4_entries_count, 5, "the list itself may change by any share");
    await until("the deployment refuses it", async () => (await get()).status === "refused");
    const { reasons, refused_generation: number } = await get();
    assert.deepEqual([reasons[0].code, await list()], ["shrinks", hosts(30)]);
    const publish = (generation: number) => ask(t, "POST", `${path}:publish`, { key, body: { generation } });
    assert.equal((await publish(number + 1)).status, 409);
    assert.equal(await list(), hosts(30), "not released");
    assert.equal((await publish(number)).status, 200);
    await until("devices get the smaller list", async () => (await list()) === hosts(5));
    assert.equal((await get()).status, "ok");
  },
);

test("a list that a user adds to a deployment, or removes, may change it by any share", async () => {
  const hosts = (network: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${network}.${at >> 7}.${(2 * at) & 255}\n`).join("");
  serve("/few", hosts("192.0", 30));
  serve("/many", hosts("198.18", 2000));
  const [few, many] = [await created("/few"), await created("/many", { min_prefix_v4: 8 })];
  await refresh(few);
  await refresh(many);
  const body = { name: "added", include: [{ list: few }] };
  const path = `/v1/edl/deployments/${(await ask(t, "POST", "/v1/edl/deployments/", { key, body })).body.id}`;
  const get = async () => (await ask(t, "GET", path, { key })).body;
  const has = (entries: number) =>
    until(`the list has ${entries} entries`, async () => {
      const { status, reasons, ipv4_entries_count } = await get();
      assert.notEqual(status, "refused", JSON.stringify(reasons));
      return ipv4_entries_count === entries;
    });
  await has(30);
  await ask(t, "PATCH", path, { key, body: { include: [{ list: few }, { list: many }] } });
  await has(2030);
  await ask(t, "PATCH", path, { key, body: { include: [{ list: few }] } });
  await has(30);
});

test("written into a ruleset, its entries are rules that expire and have its name; one undo removes them", async () => {
  serve("/write", "192.0.2.0/24\n2001:db8::/32\n");
  const id = await created("/write", { name: "Example drop" });
  const { items } = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=blocklist", { key })).body;
  const body = { ruleset_id: items[0].id, expires_in_days: 7 };
  const write = (of: object = body) => ask(t, "POST", `${PATH}${id}:write`, { key, body: of });
  assert.equal((await write()).status, 409, "never fetched");
  await refresh(id);
  const { warnings, ...counts } = (await write()).body;
  assert.deepEqual(counts, { created: 2, updated: 0, skipped: 0, invalid: 0, can_undo: true });
  const named = ["cloudflare", "aws", "github"];
  assert.deepEqual(warnings.map(({ name }: any) => name).toSorted(), named.toSorted(), "as for imports");
  const { body: rules } = await ask(t, "GET", `/v1/edl/ip-rulesets/${items[0].id}/rules`, { key });
  assert.deepEqual(
    rules.items.map(({ ip, name, expires_at }: any) => [ip, name, expires_at]),
    ["192.0.2.0/24", "2001:db8::/32"].map((ip) => [
      ip,
      "Example drop",
      new Date(t.clock.now + 7 * 86_400_000).toISOString(),
    ]),
  );
  assert.equal((await write({ ...body, ruleset_id: crypto.randomUUID() })).status, 400);
  assert.equal((await write({ ruleset_id: items[0].id })).status, 400, "they must expire");
  const guard = (policy: string) =>
    ask(t, "PATCH", `/v1/edl/ip-rulesets/${items[0].id}`, { key, body: { guard: policy } });
  await guard("refuse");
  assert.equal((await write()).body.type, "/problems/collateral");
  await guard("warn");
});

test("a list of own networks: rulesets and deployments respect its last good content while it is marked", async () => {
  serve("/own", "20.7.0.0/28\n");
  const id = await created("/own", { name: "Branches", never_block: true });
  await refresh(id);
  const { items } = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=blocklist", { key })).body;
  const block = async (ip: string) => {
    const rules = `/v1/edl/ip-rulesets/${items[0].id}/rules`;
    return (await ask(t, "POST", rules, { key, body: { ip } })).body.warnings;
  };
  const [warning] = await block("20.7.0.0/24");
  assert.deepEqual(
    [warning.kind, warning.id, warning.detail],
    ["own-network", id, 'blocks 16 addresses of your own networks ("Branches")'],
  );
  const body = { name: "own", guard: "carve", include: [{ prefixes: ["20.7.0.0/27"] }] };
  const { body: deployment } = await ask(t, "POST", "/v1/edl/deployments/", { key, body });
  const { urls } = (await ask(t, "GET", `/v1/edl/deployments/${deployment.id}/urls/`, { key })).body;
  const serves = (text: string) =>
    until(`it lists ${text}`, async () => (await (await fetch(urls.combined[0])).text()) === text);
  await serves("20.7.0.16/28\n");
  serve("/own", "20.7.0.0/29\n");
  await refresh(id);
  await serves("20.7.0.8/29\n20.7.0.16/28\n");
  assert.equal((await ask(t, "PATCH", PATH + id, { key, body: { never_block: false } })).body.never_block, false);
  await serves("20.7.0.0/27\n");
  assert.equal(await block("20.7.0.1"), undefined);
  assert.equal((await ask(t, "DELETE", `/v1/edl/deployments/${deployment.id}`, { key })).status, 204);
});

test("a list of own networks is taken as a whole: a line that cannot be read keeps the last good content, and is told", async () => {
  serve("/office", "20.8.0.0/28\n20.8.0.16 - 20.8.0.31\n");
  const id = await created("/office", { name: "Offices", never_block: true });
  const good = await refresh(id);
  assert.deepEqual([good.state, good.generation, good.ipv4_entries_count], ["ok", 1, 2]);
  const { sequence: before } = (await ask(t, "GET", "/v1/changes?after=0", { key })).body;
  serve("/office", "20.8.0.0/28\n20.8.0.20/28\n20.8.1.0/24\n");
  const bad = await refresh(id);
  assert.deepEqual([bad.state, bad.generation, bad.problem.code], ["refused", 1, "incomplete"]);
  assert.match(
    bad.problem.message,
    /^it protects addresses, so each of its lines must be read; line 2: column 11: .*\/28\?$/,
  );
  const { changes } = (await ask(t, "GET", `/v1/changes?after=${before}`, { key })).body;
  assert.deepEqual(
    changes.map(({ type, external_list: about }: any) => [type, about.id]),
    [["list.refused", id]],
  );
  serve("/office", "# moved\n");
  assert.equal((await refresh(id)).problem.code, "empty");
});

/** Another value of each member that decides what the text of a list becomes. */
const READ_ANEW = {
  url: "/read?again",
  format: "csv",
  min_prefix_v4: 25,
  min_prefix_v6: 33,
  allow_empty: true,
  never_block: true,
};
const READ_ALIKE = { name: "other", description: "other", schedule: "24h", active: true, max_change: 1 };

test("after a change of how it is read, a list is fetched whole, and after other changes only if it has changed", async () => {
  const document: any = await (await fetch(`${t.server.url}/openapi.json`)).json();
  const members = Object.keys(document.components.schemas["UpdateExternalListRequest"].properties);
  assert.deepEqual(Object.keys({ ...READ_ANEW, ...READ_ALIKE }).toSorted(), members.toSorted());
  for (const path of ["/read", READ_ANEW.url])
    serve(path, "20.7.0.0/24\n2001:db8::/32\n20.9.0.20/28\n", { etag: '"1"' });
  // Its schedule would also fetch it.
  for (const [name, value] of Object.entries({ ...READ_ANEW, ...READ_ALIKE }).filter(([each]) => each !== "active")) {
    const id = await created("/read");
    const changed = { [name]: name === "url" ? origin + value : value };
    await refresh(id);
    assert.equal((await refresh(id)).state, "ok");
    assert.equal((await ask(t, "PATCH", PATH + id, { key, body: changed })).status, 200);
    asked.length = 0;
    await refresh(id);
    const known = Object.hasOwn(READ_ANEW, name) ? undefined : '"1"';
    assert.deepEqual(
      asked.map(({ headers }) => headers["if-none-match"]),
      [known],
      name,
    );
    assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
  }
  const id = await created("/read");
  await refresh(id);
  await ask(t, "PATCH", PATH + id, { key, body: { min_prefix_v4: 28 } });
  assert.deepEqual((({ state, problem }) => [state, problem?.code])(await refresh(id)), ["refused", "too-wide"]);
  await ask(t, "PATCH", PATH + id, { key, body: { min_prefix_v4: 8 } });
  assert.equal((await refresh(id)).state, "ok");
});

test("a list that begins to protect addresses is not ok from then on if a line was left out, until each is read", async () => {
  serve("/later", "20.9.0.0/28\n20.9.0.20/28\n", { etag: '"1"' });
  const id = await created("/later");
  assert.deepEqual([(await refresh(id)).state, (await refresh(id)).state], ["ok", "ok"]);
  const { sequence: before } = (await ask(t, "GET", "/v1/changes?after=0", { key })).body;
  const change = async (never_block: boolean) =>
    (await ask(t, "PATCH", PATH + id, { key, body: { never_block } })).body;
  const marked = await change(true);
  assert.deepEqual([marked.state, marked.problem?.code, marked.generation], ["refused", "incomplete", 1]);
  const fetched = await refresh(id);
  assert.deepEqual(fetched.problem, marked.problem);
  const { changes } = (await ask(t, "GET", `/v1/changes?after=${before}`, { key })).body;
  assert.deepEqual(
    changes.map(({ type, external_list: about }: any) => [type, about?.problem?.code]),
    [["list.refused", "incomplete"]],
  );
  serve("/later", "20.9.0.0/28\n", { etag: '"2"' });
  const { state, generation, rejected } = await refresh(id);
  assert.deepEqual([state, generation, rejected], ["ok", 1, { count: 0, lines: [] }]);
  await change(false);
  assert.equal((await change(true)).state, "ok");
});

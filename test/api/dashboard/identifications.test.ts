import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { rangesOf } from "../../../src/cbs/ranges.ts";
import type { Area, Purpose } from "../../../src/store/state.ts";
import { RuleOracle } from "../../oracle/rule-oracle.ts";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import { until } from "../../until.ts";
import { COMMAND_FILE } from "../../command-file.ts";

let t: TestServer;
let viewer: TestUser;
let stranger: TestUser;
let organisation = "";
before(async () => {
  t = await startServer({}, BUNDLED);
  organisation = await addOrganisation(t, "logs");
  viewer = await addUser(t, organisation, "viewer");
  stranger = await addUser(t, await addOrganisation(t, "strangers"), "admin");
});
after(() => t.close());

const TEXT = "1.1.1.1 a\n203.0.113.7 b\nnobody\n2606:4700::1111 c\n";
const get = (path: string, who = viewer) => visit(t, "GET", path, { token: who.token });
const upload = (query: string, body: unknown, type = "application/octet-stream", who = viewer) =>
  visit(t, "POST", `/identifications?${query}`, { token: who.token, headers: { "Content-Type": type }, body });

/** An upload in progress: its body and its response. */
function slowUpload(
  id: string,
  on = t,
  { token } = viewer,
): { sent: ClientRequest; answered: Promise<{ status: number; text: string }> } {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const headers = {
    Cookie: `${PLAIN_NAME}=${token}`,
    Origin: on.server.url,
    "Content-Type": "application/octet-stream",
  };
  const sent = request(
    `${on.server.url}/dashboard/api/identifications?id=${id}`,
    { method: "POST", headers },
    (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve({ status: response.statusCode!, text }));
    },
  );
  sent.on("error", reject);
  promise.catch(() => {});
  return { sent, answered: promise };
}

async function untilState(id: string, state: string, on = t, { token } = viewer): Promise<any> {
  let body: any;
  await until(`the log is ${state}`, async () => {
    ({ body } = await visit(on, "GET", `/identifications/${id}`, { token }));
    return body.state === state;
  });
  return body;
}

test("a log is identified, shown, downloaded and deleted", async () => {
  for (const [body, type, format] of [
    [TEXT, "text/plain", "tsv"],
    [gzipSync(TEXT), "application/gzip", "append"],
  ] as const) {
    const id = randomUUID();
    const done = await upload(`id=${id.toUpperCase()}&name=access.log.gz&format=${format}`, body, type);
    assert.equal(done.status, 200, done.text);
    const {
      name,
      state,
      bytes,
      size,
      lines,
      matched,
      unmatched,
      no_address,
      types,
      providers,
      unmatched_sample,
      error,
      result_bytes,
      expires_at,
    } = done.body;
    assert.deepEqual(
      [done.body.id, name, state, bytes, size, error],
      [id, "access.log.gz", "done", body.length, body.length, null],
    );
    assert.deepEqual([lines, matched, unmatched, no_address], [4, 2, 1, 1]);
    assert.deepEqual(
      [types, providers],
      [
        [{ type: "cdn", name: "CDN", lines: 2 }],
        [{ type: "cdn", provider: "cloudflare", name: "Cloudflare", lines: 2 }],
      ],
    );
    assert.deepEqual(unmatched_sample, [
      { text: "203.0.113.7 b", has_address: true },
      { text: "nobody", has_address: false },
    ]);
    assert.deepEqual(done.body.top_addresses.unmatched, [
      { ip: "203.0.113.7", lines: 1, cbs_ids: [], labels: [], decision: "none", rules: [], rules_count: 0 },
    ]);
    assert.deepEqual(
      done.body.top_addresses.matched.map(({ ip, lines: count, cbs_ids }: any) => [ip, count, cbs_ids]),
      [
        ["1.1.1.1", 1, ["/cdn/cloudflare"]],
        ["2606:4700::1111", 1, ["/cdn/cloudflare"]],
      ],
    );
    assert.deepEqual(
      [
        done.body.top_addresses.matched_count,
        done.body.top_addresses.unmatched_count,
        done.body.top_addresses.lines_missing,
      ],
      [2, 1, 0],
    );
    assert.equal(expires_at, new Date(t.clock.now + 3_600_000).toISOString());
    assert.deepEqual((await get(`/identifications/${id}`)).body, done.body);
    assert.deepEqual((await get("/identifications")).body, { items: [done.body], count: 1 });

    const download = await fetch(`${t.server.url}/dashboard/api/identifications/${id}/result`, {
      headers: { Cookie: `${PLAIN_NAME}=${viewer.token}` },
    });
    const packed = Buffer.from(await download.arrayBuffer());
    assert.deepEqual(
      [download.status, download.headers.get("content-type"), packed.length],
      [200, "application/gzip", result_bytes],
    );
    assert.equal(
      download.headers.get("content-disposition"),
      `attachment; filename="access.log.identified.${format === "append" ? "log" : format}.gz"`,
    );
    assert.match(
      gunzipSync(packed).toString(),
      format === "tsv"
        ? /^1\.1\.1\.1\t1\.1\.1\.0\/24\t.*\/cdn\/cloudflare.*\n203\.0\.113\.7\t\t\n\t\t\n2606/
        : /^1\.1\.1\.1 a\t.*cloudflare/,
    );

    for (const path of [`/identifications/${id}`, `/identifications/${id}/result`])
      assert.equal((await get(path, stranger)).status, 404);
    assert.deepEqual((await get("/identifications", stranger)).body, { items: [], count: 0 });
    assert.equal((await visit(t, "DELETE", `/identifications/${id}`, { token: stranger.token })).status, 404);
    assert.equal((await visit(t, "DELETE", `/identifications/${id}`, { token: viewer.token })).status, 204);
    assert.equal((await get(`/identifications/${id}`)).status, 404);
  }
});

test("a key uploads, reads and deletes logs of its organisation, with an id of its choice or the server's", async () => {
  const reader = (await addKey(t, organisation, "read")).text;
  const other = (await addKey(t, await addOrganisation(t, "others"))).text;
  const asKey = (method: string, path: string, key = reader) => ask(t, method, `/v1/identifications${path}`, { key });
  const chosen = randomUUID();
  for (const query of [`?id=${chosen}`, ""]) {
    const headers = { "Content-Type": "text/plain" };
    const done = await ask(t, "POST", `/v1/identifications${query}`, { key: reader, body: TEXT, headers });
    const { id, state, lines, matched } = done.body;
    assert.deepEqual([done.status, state, lines, matched], [200, "done", 4, 2]);
    assert.equal(id === chosen, query !== "");
    assert.deepEqual((await asKey("GET", `/${id}`)).body, (await get(`/identifications/${id}`)).body);
    const rows = await fetch(`${t.server.url}/v1/identifications/${id}/result`, { headers: { "X-API-Key": reader } });
    assert.match(gunzipSync(await rows.bytes()).toString(), /^1\.1\.1\.1\t/);
    for (const path of [`/${id}`, `/${id}/result`]) assert.equal((await asKey("GET", path, other)).status, 404, path);
    assert.equal((await asKey("DELETE", `/${id}`, other)).status, 404);
    assert.equal((await asKey("DELETE", `/${id}`)).status, 204);
    assert.equal((await get(`/identifications/${id}`)).status, 404);
  }
  const missing = await ask(t, "POST", "/v1/identifications", { key: reader });
  assert.deepEqual([missing.status, Object.keys(missing.body.validation_errors)], [400, ["body"]]);
  assert.equal((await asKey("GET", "", "ips_not-a-key")).status, 401);
});

test("progress while the upload runs; no result before its end; deleting it ends the upload with a response", async () => {
  const id = randomUUID();
  const { sent, answered } = slowUpload(id);
  sent.write(TEXT.repeat(100));
  let body: any;
  await until("400 lines are identified", async () => {
    ({ body } = await get(`/identifications/${id}`));
    return body.lines === 400;
  });
  assert.deepEqual(
    [body.state, body.matched, body.types[0].lines, body.size, body.ended_at],
    ["running", 200, 200, null, null],
  );
  assert.deepEqual(
    [(await get(`/identifications/${id}/result`)).status, (await upload(`id=${id}`, "x")).status],
    [409, 409],
  );
  assert.equal((await visit(t, "DELETE", `/identifications/${id}`, { token: viewer.token })).status, 204);
  const { status, text } = await answered;
  assert.deepEqual([status, JSON.parse(text).state, JSON.parse(text).error], [200, "failed", "it was cancelled"]);
  sent.destroy();
});

test("a client that disconnects or stalls leaves a failed identification and no file; one that still listens gets a response", async () => {
  const hasty = await startServer({ bodyTimeout: 1 });
  const user = await addUser(hasty, await addOrganisation(hasty, "hasty"), "viewer");
  for (const [end, isAnswered] of [
    [(sent: ClientRequest) => void sent.destroy(), false],
    [() => {}, true],
  ] as const) {
    const id = randomUUID();
    const { sent, answered } = slowUpload(id, hasty, user);
    sent.write(TEXT);
    const { identifications } = hasty.server.services.logs;
    await until("the upload has begun", () => identifications.get(user.organisationId, id) !== undefined);
    end(sent);
    assert.equal((await untilState(id, "failed", hasty, user)).error, "the upload was interrupted");
    const answer = await answered.then(
      ({ status, text }) => [status, JSON.parse(text).state],
      () => null,
    );
    assert.deepEqual(answer, isAnswered ? [200, "failed"] : null);
    const { path } = identifications.get(user.organisationId, id)!;
    assert.equal(existsSync(path) || existsSync(`${path}.partial`), false);
  }
  await hasty.close();
});

test("organisations that send slowly do not block another: their slowest upload gives way, with a response", async () => {
  const dripping = [];
  // Two of each organisation, which are all that a server takes.
  for (const name of ["slow", "slower", "slow too", "slow as well"]) {
    const user = await addUser(t, await addOrganisation(t, name), "viewer");
    for (const first of [TEXT, TEXT.repeat(20_000)]) {
      const id = randomUUID();
      const { sent, answered } = slowUpload(id, t, user);
      const isSlowest = name === "slower" && first === TEXT;
      sent.write(isSlowest ? "1" : first);
      // The initial speed is forgotten after a while: even an upload of single bytes must be recognised as the slowest.
      const timer = setInterval(() => sent.write("\n"), isSlowest ? 1000 : 100);
      // At least: a drop may have come between two checks.
      await until("what was sent has arrived", () => {
        const upload = t.server.services.logs.identifications.get(user.organisationId, id);
        assert.ok(upload === undefined || upload.log.state === "running", `${name}: ${upload?.log.error}`);
        return (upload?.log.summary().bytes ?? 0) >= (isSlowest ? 1 : first.length);
      });
      dripping.push({ id, user, sent, answered, timer });
    }
    // The negative control: its own organisation does not get a third one.
    assert.equal((await upload(`id=${randomUUID()}`, TEXT, "text/plain", user)).status, 429);
  }
  for (const [who, status] of [
    [viewer, 200],
    [stranger, 200],
  ] as const)
    assert.equal((await upload(`id=${randomUUID()}`, TEXT, "text/plain", who)).status, status);
  const slowest = dripping[2]!;
  const { status, text } = await slowest.answered;
  assert.deepEqual([status, JSON.parse(text).state], [200, "failed"]);
  assert.match(
    JSON.parse(text).error,
    /^it was the slowest of all uploads and gave way to one of another organisation; upload it again/,
  );
  const states = dripping.map(
    ({ id, user }) => t.server.services.logs.identifications.get(user.organisationId, id)!.log.state,
  );
  assert.deepEqual(states, ["running", "running", "failed", ...Array<string>(5).fill("running")]);
  for (const { sent, timer, answered } of dripping) {
    clearInterval(timer);
    sent.destroy();
    await answered.catch(() => {});
  }
});

test("a corrupt gzip file leads to the state failed, even if much more of it follows", async () => {
  const good = gzipSync(Array.from({ length: 300_000 }, (_, i) => `1.1.1.1 ${Math.imul(i, 2_654_435_761)}\n`).join(""));
  // A second member, whose first block is of an unknown kind.
  const bad = Buffer.concat([good, good.subarray(0, 10), Buffer.alloc(8 << 20, 0x07)]);
  const id = randomUUID();
  const { status, body } = await upload(`id=${id}`, bad, "application/gzip");
  assert.deepEqual([status, body.state, body.result_bytes], [200, "failed", null]);
  assert.match(
    body.error,
    /gzip data is corrupt .*; it stopped after line \d+, within the first \d+ bytes of the file/,
  );
  assert.equal((await get(`/identifications/${id}/result`)).status, 409);
});

test("bodies that are not logs, bad parameters, strangers and keys are rejected", async () => {
  const image = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const cases: [what: string, query: string, body: unknown, type: string, status: number, field?: string][] = [
    ["an image", `id=${randomUUID()}`, image, "application/octet-stream", 415],
    ["JSON", `id=${randomUUID()}`, "{}", "application/json", 415],
    ["a form", `id=${randomUUID()}`, "a=b", "application/x-www-form-urlencoded", 415],
    ["no UUID", `id=${"x".repeat(36)}`, "x", "text/plain", 400, "id"],
    ["an empty name", `id=${randomUUID()}&name=`, "x", "text/plain", 400, "name"],
    ["a name with a line end", `id=${randomUUID()}&name=a%0Ab`, "x", "text/plain", 400, "name"],
    ["a format that there is not", `id=${randomUUID()}&format=xml`, "x", "text/plain", 400, "format"],
  ];
  for (const [what, query, body, type, status, field] of cases) {
    const answer = await upload(query, body, type);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (field !== undefined) assert.deepEqual(Object.keys(answer.body.validation_errors), [field], what);
  }
  const { text: key } = await addKey(t, viewer.organisationId);
  assert.equal((await visit(t, "POST", `/identifications?id=${randomUUID()}`, { key, body: "x" })).status, 401);
  assert.equal(
    (await visit(t, "POST", `/identifications?id=${randomUUID()}`, { token: viewer.token, origin: null, body: "x" }))
      .status,
    403,
  );
  const without = await addUser(t, await addOrganisation(t, "no plan", ["edl"]), "admin");
  assert.equal((await upload(`id=${randomUUID()}`, "x", "text/plain", without)).status, 403);
  assert.equal((await get("/identifications/x")).status, 404);
});

test("an empty log has no lines", async () => {
  const { status, body } = await upload(`id=${randomUUID()}`, "");
  assert.deepEqual([status, body.state, body.lines, body.error], [200, "done", 0, null]);
});

test("a name becomes a file name without special meaning on any system", async () => {
  for (const [name, file] of [
    ["../../etc/passwd", "etc-passwd.identified.tsv.gz"],
    ['a"; x="b', "a-x-b.identified.tsv.gz"],
    ["журнал", "log.identified.tsv.gz"],
    ["<img src=x>.gz", "img-src-x-.identified.tsv.gz"],
  ]) {
    const id = randomUUID();
    assert.equal((await upload(`id=${id}&name=${encodeURIComponent(name!)}`, TEXT)).body.name, name);
    assert.equal(
      (await get(`/identifications/${id}/result`)).headers.get("content-disposition"),
      `attachment; filename="${file}"`,
    );
  }
});

test("a result whose file was deleted is not found", async () => {
  const id = randomUUID();
  assert.equal((await upload(`id=${id}`, TEXT)).status, 200);
  rmSync(t.server.services.logs.identifications.get(viewer.organisationId, id)!.path);
  const { status, body, headers } = await get(`/identifications/${id}/result`);
  assert.deepEqual(
    [status, headers.get("content-type"), headers.get("content-disposition")],
    [404, "application/problem+json", null],
  );
  assert.match(body.detail, /upload the log again/);
});

test("a closing server lets an upload finish; one that exceeds the time limit fails", async () => {
  for (const [isOver, shutdownTimeout] of [
    [true, 30],
    [false, 1],
  ] as const) {
    const closing = await startServer({ shutdownTimeout });
    const user = await addUser(closing, await addOrganisation(closing, "closing"), "viewer");
    const { sent, answered } = slowUpload(randomUUID(), closing, user);
    sent.write(TEXT);
    const { identifications } = closing.server.services.logs;
    await until("the upload has begun", () => identifications.list(user.organisationId).length > 0);
    const closed = closing.server.close();
    await delay(300);
    if (isOver) sent.end(TEXT);
    const { status, text } = await answered;
    const { state, lines, error } = JSON.parse(text);
    assert.deepEqual(
      [status, state, lines, error],
      isOver ? [200, "done", 8, null] : [200, "failed", lines, "the server is closing"],
    );
    assert.equal(await closed, isOver ? 0 : 1);
    sent.destroy();
    rmSync(closing.folder, { recursive: true });
  }
});

test("the field of the address: a column number, a column name, a member; a missing one is a reason to fail", async () => {
  const counts = async (query: string, body: string) => {
    const answer = await upload(`id=${randomUUID()}&${query}`, body, "text/plain");
    assert.equal(answer.status, 200, answer.text);
    return [answer.body.state, answer.body.matched, answer.body.error];
  };
  const csv = "proxy,client_ip\n203.0.113.1,1.1.1.1\n";
  assert.deepEqual(await counts("", csv), ["done", 0, null]);
  for (const query of ["field=2", "field=client_ip", "field=client_ip&input=csv", "field=2&input=csv"])
    assert.deepEqual(await counts(query, csv), ["done", 1, null], query);
  assert.deepEqual(await counts("field=a.ip&input=jsonl", '{"x":"203.0.113.1","a":{"ip":"1.1.1.1"}}\n'), [
    "done",
    1,
    null,
  ]);
  const [state, , error] = await counts("field=ip", csv);
  assert.deepEqual([state, error], ["failed", 'the header row has no column "ip"; it has "proxy", "client_ip"']);
  for (const query of ["field=", `field=${"x".repeat(256)}`, "field=%00", "input=xml"])
    assert.equal((await upload(`id=${randomUUID()}&${query}`, csv, "text/plain")).status, 400, query);
});

test("a header with a megabyte of columns is read quickly: no one waits for it", async () => {
  const header = `${"a,".repeat(500_000)}\n1.1.1.1\n`;
  const { body } = await upload(`id=${randomUUID()}&field=ip&input=csv`, header, "text/plain");
  assert.match(body.error, /has no column "ip"; it has ("a", ){20}and 499981 more/);
});

test("the counts equal those of the command for the same file; a provider of two types counts twice", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-counts-"));
  try {
    const { tree } = await t.server.services.data.catalogue.view().browsing();
    const path = join(folder, "a.log");
    const ids = ["/cdn/akamai", "/security/akamai", "/cdn/cloudflare", "/cloud/aws"];
    const addresses = ids.flatMap((id, index) =>
      rangesOf(tree, id, { family: 4, limit: 40 + index }).items.map(({ cidr }) => cidr.split("/")[0]!),
    );
    writeFileSync(path, addresses.map((address) => `${address} - -\n`).join(""));
    const { stdout } = await promisify(execFile)(process.execPath, [
      COMMAND_FILE,
      "identify",
      "--summary",
      "--snapshot",
      BUNDLED,
      path,
    ]);
    const { body } = await upload(`id=${randomUUID()}`, readFileSync(path), "text/plain");
    const section = stdout.split("by provider")[1]!.split("by service")[0]!;
    const told = section
      .trim()
      .split("\n")
      .map((line) => /^\s*(.+?)\s{2,}([\d,]+)\s/.exec(line))
      .filter((match) => match !== null)
      .map(([, name, lines]) => [name, Number(lines!.replaceAll(",", ""))]);
    assert.deepEqual(
      told,
      body.providers.slice(0, told.length).map(({ name, lines }: any) => [name, lines]),
    );
    assert.deepEqual(
      body.providers
        .map(({ name }: any) => name)
        .filter((name: string) => name.startsWith("Akamai"))
        .sort(),
      ["Akamai (CDN)", "Akamai (Security)"],
    );
    assert.ok(told.length > 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

let made = 0;

/**
 * A ruleset of the organisation, created after the earlier ones, with these rules: a prefix, a name and an expiry each.
 */
async function addRuleset(
  who: { organisationId: string },
  name: string,
  purpose: Purpose,
  rules: readonly (readonly [ip: string, name?: string | null, expiresAt?: number | null])[] = [],
): Promise<string> {
  const about = { actor: "command:test", at: t.clock.now - 1000 + ++made, organisationId: who.organisationId };
  const { ruleset } = await t.server.store.write({ kind: "create-ruleset", ...about, name, purpose, description: "" });
  for (const [ip, ruleName = null, expiresAt = null] of rules)
    await t.server.store.write({
      kind: "add-rule",
      ...about,
      rulesetId: ruleset.id,
      request: { prefix: parsePrefix(ip), name: ruleName, expiresAt, mode: "extend" },
    });
  return ruleset.id;
}

/** A user of a new organisation with these plans, and without the rulesets that it would start with. */
async function userOf(name: string, areas?: readonly Area[]): Promise<TestUser> {
  const organisationId = await addOrganisation(t, name, areas);
  const about = { actor: "command:test", at: t.clock.now, organisationId };
  for (const { about: ruleset } of t.server.services.memory.rulesets(organisationId))
    await t.server.store.write({ kind: "delete-ruleset", ...about, rulesetId: ruleset.id });
  return addUser(t, organisationId, "viewer");
}

test("rulesets beside the catalogue: lines, addresses, decisions and rules equal a linear count, for both families", async () => {
  const user = await userOf("compared");
  const now = t.clock.now;
  const lists = {
    partners: [
      "allowlist",
      [
        ["203.0.113.0/25", "partner"],
        ["2001:db8:1::/48", "lab", now + 1],
      ],
    ],
    scanners: [
      "blocklist",
      [
        ["203.0.113.0/24", "net"],
        ["203.0.113.200", "host"],
        ["203.0.113.200/29", "gone", now],
      ],
    ],
    six: [
      "blocklist",
      [
        ["2001:db8::/32", "documentation"],
        ["1.1.1.1", "resolver", now + 60_000],
      ],
    ],
    expired: [
      "blocklist",
      [
        ["0.0.0.0/0", "all", now],
        ["::/0", "all", now - 1],
      ],
    ],
    empty: ["allowlist", []],
  } as const satisfies Record<string, readonly [Purpose, readonly (readonly [string, string, number?])[]]>;
  const ids: Record<string, string> = {};
  for (const [name, [purpose, rules]] of Object.entries(lists))
    ids[name] = await addRuleset(user, name, purpose, rules);
  // An IPv4-mapped address is the IPv4 address, in the log too.
  const addresses = [
    ...Array.from({ length: 256 }, (_, i) => `203.0.113.${i}`),
    "1.1.1.1",
    "8.8.8.8",
    "198.51.100.1",
    "2001:db8::1",
    "2001:db8:1::1",
    "2001:db8:2::1",
    "2606:4700::1111",
    "::ffff:203.0.113.7",
  ];
  const lines = addresses.flatMap((address, i) => Array.from({ length: 1 + (i % 7) }, () => `${address} ${i}`));
  const { status, text, body } = await upload(
    `id=${randomUUID()}`,
    `${lines.join("\n")}\nnobody\n`,
    "text/plain",
    user,
  );
  assert.equal(status, 200, text);
  const comparison = body.ruleset_comparison;

  // Line by line, without the code under test.
  const oracles = Object.entries(lists).map(([name, [purpose, rules]]) => {
    const oracle = new RuleOracle();
    for (const [ip, rule, expiresAt = null] of rules)
      oracle.set({ prefix: parsePrefix(ip), name: rule, expiresAt, createdAt: now, updatedAt: now });
    return { name, purpose, oracle };
  });
  const decide = (address: string) =>
    oracles.flatMap(({ name, purpose, oracle }) => {
      const rule = oracle
        .covering(parseAddress(address))
        .find(({ expiresAt }) => expiresAt === null || expiresAt > now);
      return rule === undefined ? [] : [{ name, purpose, rule }];
    });
  const shares = new Map<string, { lines: number; addresses: Set<string> }>();
  for (const line of lines) {
    const address = line.split(" ")[0]!.replace("::ffff:", "");
    const deciding = decide(address);
    const purposes = ["allowlist", "blocklist"].filter((each) => deciding.some(({ purpose }) => purpose === each));
    for (const key of [purposes.join(), ...deciding.map(({ name }) => name)]) {
      const share = shares.get(key) ?? { lines: 0, addresses: new Set() };
      shares.set(key, { lines: share.lines + 1, addresses: share.addresses.add(address) });
    }
  }
  const shareOf = (key: string) => ({
    lines: shares.get(key)?.lines ?? 0,
    addresses: shares.get(key)?.addresses.size ?? 0,
  });
  assert.deepEqual(comparison.covered_by, {
    allowlists_only: shareOf("allowlist"),
    blocklists_only: shareOf("blocklist"),
    both: shareOf("allowlist,blocklist"),
    neither: shareOf(""),
  });
  assert.ok(
    Object.values(comparison.covered_by)
      .slice(1)
      .every(({ lines: some }: any) => some > 0),
  );
  assert.deepEqual(
    comparison.rulesets,
    Object.entries(lists).map(([name, [purpose]]) => ({ id: ids[name], name, purpose, covered: shareOf(name) })),
  );
  assert.deepEqual(
    [comparison.as_of, comparison.addresses, comparison.lines_missing, comparison.rulesets_left_out],
    [new Date(now).toISOString(), addresses.length - 1, 0, 0],
  );
  assert.equal(comparison.top_addresses.length, 50);
  const all = [...comparison.top_addresses, ...body.top_addresses.matched, ...body.top_addresses.unmatched];
  for (const { ip, decision, rules, rules_count } of all) {
    const deciding = decide(ip);
    const first = ["allowlist", "blocklist"].flatMap((each) => deciding.filter(({ purpose }) => purpose === each));
    assert.deepEqual(
      rules,
      first.map(({ name, purpose, rule }) => ({
        ruleset_id: ids[name],
        ruleset: name,
        purpose,
        ip: formatPrefix(rule.prefix),
        name: rule.name,
        expires_at: rule.expiresAt === null ? null : new Date(rule.expiresAt).toISOString(),
      })),
      ip,
    );
    assert.equal(rules_count, deciding.length);
    assert.equal(decision, first[0] === undefined ? "none" : first[0].purpose === "allowlist" ? "allow" : "block", ip);
  }
  const resolver = all.find(({ ip }) => ip === "1.1.1.1");
  assert.deepEqual([resolver.rules[0].name, resolver.cbs_ids], ["resolver", ["/cdn/cloudflare"]]);
  // In the order of lines, then of addresses.
  const covered = [...new Set(lines.map((line) => line.split(" ")[0]!.replace("::ffff:", "")))].filter(
    (address) => decide(address).length > 0,
  );
  const linesOf = (address: string) =>
    lines.filter((line) => line.split(" ")[0]!.replace("::ffff:", "") === address).length;
  assert.deepEqual(
    comparison.top_addresses.map(({ lines: own }: any) => own),
    covered
      .map(linesOf)
      .sort((a, b) => b - a)
      .slice(0, 50),
  );
  for (const { ip, lines: own } of comparison.top_addresses) assert.equal(own, linesOf(ip), ip);

  // Only named rulesets are compared.
  const one = await upload(
    `id=${randomUUID()}&rulesets=${ids["six"]!.toUpperCase()}`,
    lines.join("\n"),
    "text/plain",
    user,
  );
  assert.deepEqual(one.body.ruleset_comparison.rulesets, [
    { id: ids["six"], name: "six", purpose: "blocklist", covered: shareOf("six") },
  ]);
  assert.deepEqual(one.body.ruleset_comparison.covered_by.blocklists_only, shareOf("six"));
});

test("the lines that a ruleset covers equal those that the command finds with its list", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-compared-"));
  try {
    const user = await userOf("as the command");
    const list = ["1.0.0.0/9", "1.1.0.0/16", "9.9.9.9", "2001:db8::/32", "200.0.0.0/5"];
    await addRuleset(
      user,
      "list",
      "blocklist",
      list.map((ip) => [ip] as const),
    );
    const [log, rules, snapshot] = ["a.log", "rules.txt", "rules.ipsieve"].map((name) => join(folder, name));
    const address = (i: number) =>
      i % 5 === 0 ? `2001:db${i % 3 === 0 ? 8 : 9}::${i}` : `${i % 223}.${i % 7}.${i % 256}.9`;
    writeFileSync(log!, Array.from({ length: 5000 }, (_, i) => `- ${address(i)} -\n`).join(""));
    writeFileSync(rules!, list.join("\n"));
    const command = async (...args: string[]) => promisify(execFile)(process.execPath, [COMMAND_FILE, ...args]);
    await command("build", "--strict", rules!, "-o", snapshot!);
    const { stdout } = await command("identify", "--summary", "--format", "json", "--snapshot", snapshot!, log!);
    const { body } = await upload(`id=${randomUUID()}`, readFileSync(log!), "text/plain", user);
    const { covered_by: by } = body.ruleset_comparison;
    const { matched, unmatched } = JSON.parse(stdout);
    assert.ok(matched > 0 && unmatched > 0);
    assert.deepEqual([by.blocklists_only.lines, by.neither.lines], [matched, unmatched]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("choice of rulesets: none, named, of another organisation, without a plan, more than can be compared", async () => {
  const user = await userOf("choosing");
  const before = await upload(`id=${randomUUID()}`, TEXT, "text/plain", user);
  assert.deepEqual([before.status, before.body.ruleset_comparison], [200, null]);
  const own = await addRuleset(user, "own", "blocklist", [["1.1.1.1"]]);
  const foreign = await addRuleset(stranger, "foreign", "blocklist", [["1.1.1.1"]]);
  const none = await upload(`id=${randomUUID()}&rulesets=none`, TEXT, "text/plain", user);
  assert.deepEqual([none.status, none.body.ruleset_comparison], [200, null]);
  assert.deepEqual(
    none.body.top_addresses.matched.map(({ decision, rules, rules_count: count }: any) => [decision, rules, count]),
    [
      [null, [], 0],
      [null, [], 0],
    ],
  );
  const twice = await upload(`id=${randomUUID()}&rulesets=${own},${own}`, TEXT, "text/plain", user);
  assert.equal(twice.body.ruleset_comparison.rulesets.length, 1);
  for (const rulesets of [
    foreign,
    randomUUID(),
    `${own},${foreign}`,
    "x",
    "",
    `${own},`,
    "all,none",
    own.repeat(103),
  ]) {
    const refused = await upload(`id=${randomUUID()}&rulesets=${rulesets}`, TEXT, "text/plain", user);
    assert.deepEqual([refused.status, Object.keys(refused.body.validation_errors)], [400, ["rulesets"]], rulesets);
    assert.ok(!refused.text.includes("foreign"));
  }

  const without = await userOf("no rules", ["cbs"]);
  const hidden = await addRuleset(without, "hidden", "blocklist", [["1.1.1.1"]]);
  assert.equal((await upload(`id=${randomUUID()}`, TEXT, "text/plain", without)).body.ruleset_comparison, null);
  const refused = await upload(`id=${randomUUID()}&rulesets=${hidden}`, TEXT, "text/plain", without);
  assert.deepEqual([refused.status, /ipsieve admin plan set edl/.test(refused.body.detail)], [403, true]);
  assert.equal((await visit(t, "POST", `/identifications?id=${randomUUID()}`, { body: TEXT })).status, 401);

  // When a plan ends, its results are no longer shown.
  const id = randomUUID();
  await upload(`id=${id}`, TEXT, "text/plain", user);
  const shown = async () => {
    const { body } = await get(`/identifications/${id}`, user);
    return [body.ruleset_comparison?.rulesets.length, body.top_addresses.matched[0].decision];
  };
  const plan = (active: boolean) =>
    t.server.store.write({
      kind: "set-plan",
      actor: "command:test",
      at: t.clock.now,
      organisationId: user.organisationId,
      area: "edl",
      active,
      until: null,
      perMinute: null,
      perMonth: null,
    });
  assert.deepEqual(await shown(), [1, "block"]);
  await plan(false);
  assert.deepEqual(await shown(), [undefined, null]);
  await plan(true);
  assert.deepEqual(await shown(), [1, "block"]);

  for (let i = 0; i < 101; i++) await addRuleset(user, `many ${i}`, "allowlist");
  const { body } = await upload(`id=${randomUUID()}`, TEXT, "text/plain", user);
  const { rulesets, rulesets_left_out: leftOut } = body.ruleset_comparison;
  assert.deepEqual([rulesets.length, rulesets[0].name, leftOut], [100, "own", 2]);
});

test("a ruleset that is deleted or changed during the upload; a rule that expires during it counts", async () => {
  const user = await userOf("meanwhile");
  const at = t.clock.now;
  const gone = await addRuleset(user, "gone", "allowlist", [["1.1.1.1"]]);
  const kept = await addRuleset(user, "kept", "blocklist", [["1.1.1.0/24", "soon", at + 1000]]);
  const id = randomUUID();
  const { sent, answered } = slowUpload(id, t, user);
  sent.write(TEXT);
  await until("4 lines are identified", async () => (await get(`/identifications/${id}`, user)).body?.lines === 4);
  const about = { actor: "command:test", at, organisationId: user.organisationId };
  await t.server.store.write({ kind: "delete-ruleset", ...about, rulesetId: gone });
  await t.server.store.write({
    kind: "add-rule",
    ...about,
    rulesetId: kept,
    request: { prefix: parsePrefix("2606:4700::/32"), name: null, expiresAt: null, mode: "extend" },
  });
  t.clock.now += 2000;
  try {
    sent.end();
    const body = JSON.parse((await answered).text);
    const { rulesets, covered_by: by, as_of } = body.ruleset_comparison;
    assert.equal(as_of, new Date(at).toISOString());
    assert.deepEqual(rulesets, [
      { id: gone, name: "gone", purpose: "allowlist", covered: null },
      { id: kept, name: "kept", purpose: "blocklist", covered: { lines: 2, addresses: 2 } },
    ]);
    assert.deepEqual(
      [by.allowlists_only, by.blocklists_only, by.neither],
      [
        { lines: 0, addresses: 0 },
        { lines: 2, addresses: 2 },
        { lines: 1, addresses: 1 },
      ],
    );
    // The next one starts after the expiry.
    const next = await upload(`id=${randomUUID()}`, TEXT, "text/plain", user);
    assert.equal(next.body.ruleset_comparison.covered_by.blocklists_only.lines, 1);
  } finally {
    t.clock.now = at;
  }
});

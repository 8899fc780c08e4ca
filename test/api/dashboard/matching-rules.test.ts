import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addOrganisation, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

let t: TestServer;
let editor: TestUser;
before(async () => {
  t = await startServer({ bulkAddresses: 100 });
  editor = await addUser(t, await addOrganisation(t, "matching"), "editor");
});
after(() => t.close());

const DAY = 86_400_000;
const later = (days: number) => new Date(t.clock.now + days * DAY).toISOString();
const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  visit(t, method, path, { token: editor.token, body, ...(headers === undefined ? {} : { headers }) });

/** A ruleset of 3,000 rules in both families: every third is called "third", every fifth has expired. */
async function filled() {
  const { id } = (await send("POST", "/edl/ip-rulesets/", { name: `r${Math.random()}`, purpose: "blocklist" })).body;
  const rules = Array.from({ length: 3000 }, (_, at) => ({
    ip: at % 2 === 0 ? `10.0.${at >> 8}.${at & 255}` : `2001:db8::${at.toString(16)}`,
    name: at % 3 === 0 ? `third ${at}` : null,
    ...(at % 5 === 0 ? { expires_at: later(-1) } : {}),
  }));
  const { headers } = await send("PUT", `/edl/ip-rulesets/${id}/rules`, { rules });
  return { id, tag: headers.get("etag")!, path: `/edl/ip-rulesets/${id}` };
}

const all = async (path: string) =>
  (await send("GET", `${path}/rules:export?format=ndjson&active_only=false`)).text
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test("deletes all rules that match the filter and no others, even more than one request may list", async () => {
  const { path, tag } = await filled();
  const before = await all(path);
  const counted = (await send("GET", `${path}/rows?name=third&limit=1`)).body.count;
  const { status, body } = await send(
    "POST",
    `${path}/rows:change?name=third`,
    { action: "delete", count: counted },
    { "If-Match": tag },
  );
  assert.deepEqual([status, body], [200, { count: 1000 }]);
  assert.deepEqual(
    await all(path),
    before.filter(({ name }) => name === null),
  );
  const expired = before.filter(({ name, expires_at: at }) => name === null && at !== null && at < later(0)).length;
  assert.deepEqual(
    (await send("POST", `${path}/rows:change?state=expired`, { action: "delete", count: expired })).body,
    { count: expired },
  );
  assert.deepEqual(
    (
      await send("POST", `${path}/rows:change?ip=10.0.0.0/8`, {
        action: "delete",
        count: (await send("GET", `${path}/rows?ip=10.0.0.0/8&limit=1`)).body.count,
      })
    ).status,
    200,
  );
  const left = await all(path);
  assert.ok(left.length > 0 && left.every(({ ip }) => ip.startsWith("2001:")));
  assert.equal((await send("POST", `${path}/rows:change`, { action: "delete", count: left.length })).status, 200);
  assert.deepEqual(await all(path), []);
});

test("a repeated request gets the first response, and one that others came before is executed when it is repeated", async () => {
  const { store } = t.server.services;
  const write = store.write.bind(store);
  for (const [action, expiry] of [
    ["delete", {}],
    ["set_expiry", { expires_at: null }],
  ] as const) {
    const { path } = await filled();
    const change = () =>
      send(
        "POST",
        `${path}/rows:change?state=expired`,
        { action, count: 600, ...expiry },
        { "Idempotency-Key": action },
      );
    store.write = (async (command: Parameters<typeof write>[0]) => {
      store.write = write;
      assert.equal((await send("POST", `${path}/rules`, { ip: "203.0.113.7" })).status, 201);
      return write(command);
    }) as typeof store.write;
    try {
      assert.equal((await change()).status, 412, "the rules have changed");
    } finally {
      store.write = write;
    }
    const first = await change();
    assert.deepEqual([first.status, first.body.count], [200, 600]);
    const again = await change();
    assert.deepEqual([again.status, again.body.count], [200, 600], "no rule matches any more");
    const other = await send("POST", `${path}/rows:change?state=expired`, { action, count: 600, ...expiry });
    assert.equal(other.status, 412, "without the key");
  }
});

test("sets the expiry of matching rules; names and other rules stay; one undo reverts it", async () => {
  const { path } = await filled();
  const before = await all(path);
  for (const [at, told] of [
    [later(9), later(9)],
    [null, null],
  ] as const) {
    assert.equal(
      (await send("POST", `${path}/rows:change?name=third`, { action: "set_expiry", count: 1000, expires_at: at }))
        .status,
      200,
    );
    for (const [index, { ip, name, expires_at }] of (await all(path)).entries()) {
      assert.deepEqual(
        [ip, name, expires_at],
        [before[index].ip, before[index].name, name === null ? before[index].expires_at : told],
      );
    }
  }
  assert.equal((await send("POST", "/undo")).status, 200);
  assert.ok((await all(path)).every(({ name, expires_at: at }) => name === null || at === later(9)));
});

test("if the number differs from the one shown, or rules have changed since: 412, and nothing is written", async () => {
  const { path, tag } = await filled();
  const before = await all(path);
  for (const headers of [{ "If-Match": tag }, undefined]) {
    const { status, body } = await send(
      "POST",
      `${path}/rows:change?name=third`,
      { action: "delete", count: 999 },
      headers,
    );
    assert.deepEqual([status, body.detail], [412, "1000 rules match the filter now, not 999; review them again"]);
  }
  await send("PUT", `${path}/rules/rule?ip=10.0.0.2`, { name: "changed" });
  assert.equal(
    (await send("POST", `${path}/rows:change?name=third`, { action: "delete", count: 1000 }, { "If-Match": tag }))
      .status,
    412,
  );
  assert.equal((await all(path)).length, before.length);
  for (const body of [
    {},
    { action: "delete" },
    { action: "delete", count: 0 },
    { action: "burn", count: 1 },
    { action: "delete", count: 1, expires_at: null },
    { action: "set_expiry", count: 1 },
    { action: "set_expiry", count: 1000, expires_at: "soon" },
  ]) {
    assert.equal((await send("POST", `${path}/rows:change?name=third`, body)).status, 400, JSON.stringify(body));
  }
});

test("an expiry that makes rules block again is guarded as a rule is", async () => {
  const { id } = (await send("POST", "/edl/ip-rulesets/", { name: "guarded", purpose: "blocklist" })).body;
  const path = `/edl/ip-rulesets/${id}`;
  await send("PUT", `${path}/rules`, { rules: [{ ip: "10.0.0.1", expires_at: later(-1) }] });
  const forever = { action: "set_expiry", count: 1, expires_at: null };
  for (const guard of ["refuse", "carve"]) {
    await send("PATCH", path, { guard });
    const { status, body } = await send("POST", `${path}/rows:change`, forever);
    assert.deepEqual([status, body.type], [409, "/problems/collateral"], guard);
    assert.match((await all(path))[0].expires_at, /^\d{4}-/);
  }
  await send("PATCH", path, { guard: "warn" });
  const { body } = await send("POST", `${path}/rows:change`, forever);
  assert.deepEqual([body.count, body.warnings[0].kind], [1, "special-purpose"]);
  assert.equal((await all(path))[0].expires_at, null);
});

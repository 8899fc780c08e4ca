/** Operations that were once only for users, with keys: the audit log, undoing any change, searching all rulesets. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

let t: TestServer;
let key = "";
let reader = "";
let stranger = "";
let [one, other] = ["", ""];
before(async () => {
  t = await startServer();
  const organisation = await addOrganisation(t, "changes");
  key = (await addKey(t, organisation)).text;
  reader = (await addKey(t, organisation, "read")).text;
  stranger = (await addKey(t, await addOrganisation(t, "strangers"))).text;
  [one, other] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items.map(({ id }: { id: string }) => id);
});
after(() => t.close());

const send = (method: string, path: string, body?: unknown, by = key) => {
  t.clock.now += 1000;
  return ask(t, method, path, { key: by, ...(body === undefined ? {} : { body }) });
};
const add = (id: string, body: object) => send("POST", `/v1/edl/ip-rulesets/${id}/rules`, body);
const rules = async (id: string) =>
  (await send("GET", `/v1/edl/ip-rulesets/${id}/rules`)).body.items.map(
    ({ updated_at: _updated, ...rule }: any) => rule,
  );
const last = async () => (await send("GET", "/v1/audit?limit=1")).body.items[0];
const undo = (sequence: number | string, by = key) => send("POST", `/v1/audit/${sequence}:undo`, undefined, by);

test("a key with write access reads the audit log of its organisation; other keys get 403 or their own log", async () => {
  await add(one, { ip: "203.0.113.0/24", name: "office" });
  const entry = await last();
  assert.deepEqual([entry.kind, entry.actor.kind, entry.ruleset_id], ["add-rule", "key", one]);
  assert.equal((await send("GET", "/v1/audit", undefined, reader)).status, 403);
  assert.equal((await undo(entry.sequence, reader)).status, 403);
  const theirs = (await send("GET", "/v1/audit", undefined, stranger)).body.items;
  assert.ok(theirs.every(({ ruleset_id: id }: any) => id !== one));
  assert.equal((await undo(entry.sequence, stranger)).status, 404);
  assert.deepEqual((await rules(one)).length, 1, "nothing was undone");
});

test("any change is undone exactly, including earlier ones, a deletion, and the undo itself", async () => {
  await add(one, { ip: "198.51.100.7", name: "scanner", expires_in_days: 3 });
  const before = await rules(one);
  await send("PUT", `/v1/edl/ip-rulesets/${one}/rules?max_shrink=100`, { rules: [{ ip: "192.0.2.0/24" }] });
  const replaced = await last();
  const after = await rules(one);
  await add(other, { ip: "192.0.2.9" });
  const undone = await undo(replaced.sequence);
  assert.deepEqual([undone.status, undone.body.undone.sequence], [200, replaced.sequence]);
  assert.deepEqual(await rules(one), before);
  assert.equal((await undo((await last()).sequence)).status, 200);
  assert.deepEqual(await rules(one), after, "and done again");
  await send("DELETE", `/v1/edl/ip-rulesets/${one}`);
  assert.equal((await undo((await last()).sequence)).status, 200);
  assert.deepEqual(await rules(one), after);
});

test("changes that were overwritten, are not about rules, or never existed are not undone", async () => {
  await add(one, { ip: "203.0.113.9", name: "a" });
  const { sequence } = await last();
  await send("PUT", `/v1/edl/ip-rulesets/${one}/rules/rule?ip=203.0.113.9`, { name: "b" });
  const state = await rules(one);
  const overtaken = await undo(sequence);
  assert.equal(overtaken.status, 409);
  const created = (await send("GET", "/v1/audit?kind=create-key&limit=1")).body.items[0];
  const refused = await undo(created.sequence);
  assert.deepEqual([refused.status, refused.body.type], [409, "/problems/conflict"]);
  for (const unknown of ["999999999", "0", "-1", "1.5", "x", "1e3", "9".repeat(40)])
    assert.equal((await undo(unknown)).status, 404, unknown);
  assert.deepEqual(await rules(one), state);
});

test("rules are found in all rulesets, by address, name and state", async () => {
  await add(one, { ip: "20.0.0.0/8", name: "Crawler A" });
  await add(other, { ip: "20.1.0.0/16", name: "crawler b" });
  await add(other, { ip: "20.1.2.3", name: "else", expires_in_days: 2 });
  const search = async (body: object, by = key) => {
    const { status, body: found } = await send("POST", "/v1/edl/ip-rulesets:search", body, by);
    assert.equal(status, 200);
    return [found.count, found.items.map(({ ruleset_id: id, ip }: any) => [id === one ? 1 : 2, ip])];
  };
  assert.deepEqual(await search({ ip: "20.1.2.3" }), [
    3,
    [
      [1, "20.0.0.0/8"],
      [2, "20.1.0.0/16"],
      [2, "20.1.2.3"],
    ],
  ]);
  assert.deepEqual(await search({ name: "crawler" }, reader), [
    2,
    [
      [1, "20.0.0.0/8"],
      [2, "20.1.0.0/16"],
    ],
  ]);
  assert.deepEqual(await search({ name: "crawler", limit: 1 }), [2, [[1, "20.0.0.0/8"]]]);
  assert.deepEqual(await search({ state: "expiring", rulesets: [other] }), [1, [[2, "20.1.2.3"]]]);
  assert.deepEqual(await search({ name: "crawler" }, stranger), [0, []]);
  const { status, body } = await send("POST", "/v1/edl/ip-rulesets:search", { rulesets: [one] }, stranger);
  assert.deepEqual([status, Object.keys(body.validation_errors)], [400, ["rulesets[0]"]]);
});

test("a preview of an import is shown line by line to a read-only key, only for rulesets of its organisation", async () => {
  await send("PUT", `/v1/edl/ip-rulesets/${one}/rules?max_shrink=100`, {
    rules: [{ ip: "192.0.2.0/24", name: "old" }],
  });
  const path = "/v1/edl/ip-rulesets:preview";
  const rows = { rules: [{ ip: "192.0.2.0/24", name: "new" }, { ip: "203.0.113.7" }, { ip: "10.0.0.1/8" }] };
  const { status, body, headers } = await send("POST", `${path}?ruleset_id=${one.toUpperCase()}`, rows, reader);
  assert.deepEqual(
    [status, body.counts, body.lines.map(({ verdict }: any) => verdict)],
    [200, { created: 1, updated: 0, skipped: 1, conflict: 0, error: 1 }, ["skipped", "created", "error"]],
  );
  const listed = await ask(t, "GET", `/v1/edl/ip-rulesets/${one}/rules`, { key });
  assert.deepEqual(
    listed.body.items.map(({ name }: any) => name),
    ["old"],
    "nothing is written",
  );
  assert.equal(headers.get("etag"), listed.headers.get("etag"));
  assert.equal((await send("POST", `${path}?ruleset_id=${one}`, rows, stranger)).status, 404);
  assert.equal((await send("POST", `${path}?ruleset_id=x`, rows)).status, 404);
  const missing = await send("POST", path, rows);
  assert.deepEqual([missing.status, Object.keys(missing.body.validation_errors)], [400, ["ruleset_id"]]);
});

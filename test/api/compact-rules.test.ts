/** Compacting a ruleset over the API: planned, applied as one change, and undone. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const RULESETS = "/v1/edl/ip-rulesets";
let t: TestServer;
let organisation: string;
let key: string;
before(async () => {
  t = await startServer({ perMinute: 1e9 });
  organisation = await addOrganisation(t, "compact");
  key = (await addKey(t, organisation)).text;
});
after(() => t.close());

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  ask(t, method, path, { key, body, ...(headers && { headers }) });

const inSeconds = (seconds: number): string => new Date(t.clock.now + seconds * 1000).toISOString();

async function makeRuleset(rules: readonly object[], purpose = "blocklist"): Promise<string> {
  const { body } = await send("POST", `${RULESETS}/`, { name: `compact ${purpose}`, purpose });
  const path = `${RULESETS}/${body.id}`;
  assert.equal((await send("PUT", `${path}/rules`, { rules })).status, 200);
  return path;
}

const exported = async (path: string): Promise<string> =>
  (await send("GET", `${path}/rules:export?format=csv&active_only=false`)).text;
const versions = async (path: string): Promise<{ change: string }[]> =>
  (await send("GET", `${path}/versions`)).body.items;

const rules = (): object[] => [
  { ip: "20.0.0.0/9", name: "net" },
  { ip: "20.128.0.0/9", name: "net" },
  { ip: "20.1.2.3", name: "inside" },
  { ip: "30.0.0.0/8", expires_at: inSeconds(60) },
  { ip: "30.1.0.0/16", name: "longer" },
  { ip: "2001:470::1", name: "alone" },
];

for (const purpose of ["blocklist", "allowlist"])
  test(`a plan to compact a ${purpose}, then the change, and its undo in one step`, async () => {
    const path = await makeRuleset(rules(), purpose);
    const [was, before] = [await exported(path), await versions(path)];
    const { status, body: planned, headers } = await send("POST", `${path}/rules:compact?dry_run=true`);
    assert.deepEqual([status, headers.get("etag")], [200, null]);
    const { plan, ...counts } = planned;
    const found = { added: 1, updated: 0, removed: 3, unchanged: 3, superfluous: 1, superfluous_for_now: 1, united: 1 };
    assert.deepEqual(counts, { ...found, can_undo: true, dry_run: true });
    const texts = (list: { ip: string }[]): string[] => list.map(({ ip }) => ip);
    assert.deepEqual(
      [texts(plan.added), texts(plan.removed), plan.updated, plan.truncated],
      [["20.0.0.0/8"], ["20.0.0.0/9", "20.1.2.3", "20.128.0.0/9"], [], false],
    );
    assert.deepEqual(
      plan.redundant.map((each: any) => [each.rule.ip, each.covered_by.ip, each.until, each.removed]),
      [
        ["20.1.2.3", "20.0.0.0/9", null, true],
        ["30.1.0.0/16", "30.0.0.0/8", inSeconds(60), false],
      ],
    );
    assert.deepEqual([await exported(path), await versions(path)], [was, before], "nothing was written");

    const done = await send("POST", `${path}/rules:compact`);
    assert.deepEqual([done.status, done.body], [200, { ...found, can_undo: true, dry_run: false }]);
    assert.equal(done.headers.get("etag"), (await send("GET", path)).headers.get("etag"));
    const now = await versions(path);
    assert.deepEqual([now.length, now[0]!.change], [before.length + 1, "replace-rules"]);
    assert.match(
      await exported(path),
      /^ip,.*\n20\.0\.0\.0\/8,net,\n30\.0\.0\.0\/8,.*\n30\.1\.0\.0\/16,longer,\n2001:470::1,alone,\n$/,
    );
    const again = await send("POST", `${path}/rules:compact`);
    assert.deepEqual([again.body.unchanged, again.body.added + again.body.removed], [4, 0]);
    assert.equal((await versions(path)).length, now.length, "nothing to change is no change");

    const [last] = (await send("GET", "/v1/audit?limit=1")).body.items;
    assert.equal((await send("POST", `/v1/audit/${last.sequence}:undo`)).status, 200);
    assert.equal(await exported(path), was);
  });

test("names are ignored only on request; more than half of the rules may be removed; an empty ruleset stays empty", async () => {
  const many = Array.from({ length: 64 }, (_, last) => ({ ip: `20.0.0.${last}`, name: `n${last}` }));
  const path = await makeRuleset(many);
  assert.equal((await send("POST", `${path}/rules:compact`)).body.unchanged, 64);
  const { body } = await send("POST", `${path}/rules:compact?ignore_names=true`);
  assert.deepEqual([body.added, body.removed, body.united], [1, 64, 1]);
  assert.match(await exported(path), /\n20\.0\.0\.0\/26,,\n$/);
  const empty = await makeRuleset([]);
  assert.deepEqual((await send("POST", `${empty}/rules:compact`)).body.unchanged, 0);
});

test("a repeated request with an Idempotency-Key is executed once", async () => {
  const path = await makeRuleset([{ ip: "20.0.0.0/9" }, { ip: "20.128.0.0/9" }]);
  const headers = { "Idempotency-Key": "compact-once" };
  const first = await send("POST", `${path}/rules:compact`, undefined, headers);
  await send("POST", `${path}/rules`, { ip: "20.5.0.0/16" });
  const second = await send("POST", `${path}/rules:compact`, undefined, headers);
  assert.deepEqual([first.status, first.body.removed, second.status, second.body.removed], [200, 2, 200, 2]);
  assert.match(await exported(path), /20\.5\.0\.0\/16/);
});

test("a repeated request gets the whole first response, also if it required the rules that it has changed", async () => {
  for (const conditional of [false, true]) {
    const path = await makeRuleset(rules());
    const tag = (await send("GET", `${path}/rules`)).headers.get("etag")!;
    const headers = {
      "Idempotency-Key": `compact whole ${conditional}`.replaceAll(" ", "-"),
      ...(conditional && { "If-Match": tag }),
    };
    const [first, again] = [
      await send("POST", `${path}/rules:compact`, undefined, headers),
      await send("POST", `${path}/rules:compact`, undefined, headers),
    ];
    assert.deepEqual([first.status, first.body.superfluous, first.body.united], [200, 1, 1]);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const other = { ...headers, "Idempotency-Key": "another", "If-Match": tag };
    assert.equal(
      (await send("POST", `${path}/rules:compact`, undefined, other)).status,
      412,
      "the client asked for it",
    );
  }
});

test("writers between each plan and its change: it is planned again, then 503, which no key remembers", async () => {
  const { store } = t.server.services;
  const write = store.write.bind(store);
  for (const [writers, status] of [
    [4, 200],
    [5, 503],
  ] as const) {
    const path = await makeRuleset(rules());
    let left: number = writers;
    store.write = (async (command: Parameters<typeof write>[0]) => {
      if (command.kind === "replace-rules" && left-- > 0)
        assert.equal((await send("POST", `${path}/rules`, { ip: `40.0.${2 * left}.0/24` })).status, 201);
      return write(command);
    }) as typeof store.write;
    const headers = { "Idempotency-Key": `beside-${writers}-writers` };
    const compact = () => send("POST", `${path}/rules:compact`, undefined, headers);
    try {
      const first = await compact();
      assert.equal(first.status, status, first.text);
      assert.equal(first.headers.get("retry-after"), status === 503 ? "1" : null);
      const second = await compact();
      assert.deepEqual([second.status, second.body.removed], [200, 3]);
      assert.deepEqual((await compact()).body, second.body);
    } finally {
      store.write = write;
    }
    const csv = await exported(path);
    for (let at = 0; at < writers; at++) assert.ok(csv.includes(`40.0.${2 * at}.0/24`), csv);
  }
});

test("no rule that others write meanwhile is lost", async () => {
  const path = await makeRuleset(rules());
  const writes = Array.from({ length: 20 }, (_, at) => send("POST", `${path}/rules`, { ip: `40.0.${2 * at}.0/24` }));
  const [compacted] = await Promise.all([send("POST", `${path}/rules:compact`), ...writes]);
  assert.ok([200, 503].includes(compacted.status), String(compacted.status));
  const csv = await exported(path);
  for (let at = 0; at < 20; at++) assert.ok(csv.includes(`40.0.${2 * at}.0/24`));
});

test("read-only keys, unknown rulesets and bad values are rejected", async () => {
  const path = await makeRuleset(rules());
  const reader = (await addKey(t, organisation, "read")).text;
  const statusBy = async (by: string, to: string): Promise<number> => (await ask(t, "POST", to, { key: by })).status;
  assert.equal(await statusBy(reader, `${path}/rules:compact?dry_run=true`), 403);
  assert.equal(await statusBy(key, `${RULESETS}/7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11/rules:compact`), 404);
  assert.equal(await statusBy(key, `${path}/rules:compact?dry_run=maybe`), 400);
});

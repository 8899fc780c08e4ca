import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeApiKey } from "../../../src/store/records/api-key.ts";
import {
  addKey,
  addOrganisation,
  type Answer,
  ask,
  BUNDLED,
  START,
  startServer,
  type TestServer,
} from "../start-server.ts";
import { rounds, sampled } from "../../rounds.ts";

let t: TestServer;
let organisation = "";
let good = "";
before(async () => {
  t = await startServer({ failuresPerMinute: 1_000_000 }, BUNDLED);
  organisation = await addOrganisation(t, "keys");
  good = (await addKey(t, organisation)).text;
});
after(() => t.close());

/** One operation of each area, and a write. */
const OPERATIONS = [
  ["GET", "/v1/edl/ip-rulesets/", undefined],
  ["POST", "/v1/edl/ip-rulesets/", { name: "x", purpose: "allowlist" }],
  ["GET", "/v1/cbs/lookup?ip=1.1.1.1", undefined],
  ["POST", "/v1/cbs/lookup", { ips: [] }],
  ["GET", "/v1/cti/lookup/1.1.1.1", undefined],
  ["POST", "/v1/cti/bulk_lookup", { ips: [] }],
  ["POST", "/bulk_lookup", { ips: [] }],
] as const;

function isProblem(
  { status, body, headers }: Answer,
  wanted: number,
  kind: string,
  title: string,
  detail?: string,
): void {
  assert.deepEqual([status, body.type, body.title, body.status], [wanted, `/problems/${kind}`, title, wanted]);
  assert.equal(headers.get("content-type"), "application/problem+json");
  if (detail !== undefined) assert.equal(body.detail, detail);
  assert.equal(body.request_id, headers.get("x-request-id"));
}

test("no key: 401, No API key found in request", async () => {
  for (const [method, path, body] of OPERATIONS) {
    isProblem(
      await ask(t, method, path, { body }),
      401,
      "authentication-required",
      "Authentication Required",
      "No API key found in request",
    );
    isProblem(
      await ask(t, method, path, { body, key: "" }),
      401,
      "authentication-required",
      "Authentication Required",
      "No API key found in request",
    );
  }
});

test("malformed, unknown and revoked: 401, Unauthorized, with equal bodies except for the request id", async () => {
  const revoked = await addKey(t, organisation);
  await t.server.store.write({
    kind: "revoke-credential",
    credential: "api",
    actor: "user:test",
    at: t.clock.now,
    organisationId: organisation,
    credentialId: revoked.id,
  });
  for (const [method, path, body] of OPERATIONS) {
    const bodies = [];
    for (const key of ["x", "ips_", `${good.slice(0, -1)}!`, makeApiKey().text, revoked.text]) {
      const answer = await ask(t, method, path, { key, body });
      isProblem(answer, 401, "authentication-required", "Authentication Required", "Unauthorized");
      bodies.push(answer.text.replace(answer.body.request_id, ""));
    }
    assert.equal(new Set(bodies).size, 1);
  }
});

test("expired: from midnight of its date, to the millisecond", async () => {
  const midnight = Date.UTC(2026, 10, 22);
  const { text: key } = await addKey(t, organisation, "read_write", midnight);
  t.clock.now = midnight - 1;
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).status, 200);
  t.clock.now = midnight;
  for (const [method, path, body] of OPERATIONS)
    isProblem(
      await ask(t, method, path, { key, body }),
      401,
      "authentication-required",
      "Authentication Required",
      "API key expired",
    );
  t.clock.now = START;
});

test("no plan, an inactive one, and one that has ended: 403", async () => {
  const poor = await addOrganisation(t, "no plans", []);
  const { text: key } = await addKey(t, poor);
  for (const [method, path, body] of OPERATIONS)
    isProblem(await ask(t, method, path, { key, body }), 403, "permission-denied", "Permission Denied");
  const plan = {
    kind: "set-plan",
    actor: "user:test",
    at: t.clock.now,
    organisationId: poor,
    area: "edl",
    perMinute: null,
    perMonth: null,
  } as const;
  await t.server.store.write({ ...plan, active: false, until: null });
  isProblem(await ask(t, "GET", "/v1/edl/ip-rulesets/", { key }), 403, "permission-denied", "Permission Denied");
  await t.server.store.write({ ...plan, active: true, until: t.clock.now + 1 });
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).status, 200);
  t.clock.now += 1;
  isProblem(await ask(t, "GET", "/v1/edl/ip-rulesets/", { key }), 403, "permission-denied", "Permission Denied");
  t.clock.now = START;
});

test("the header X-API-Key takes precedence over the query; the header apikey is valid under /v1/cti only", async () => {
  const path = "/v1/edl/ip-rulesets/";
  assert.equal((await ask(t, "GET", `${path}?apikey=${good}`)).status, 200);
  assert.equal((await ask(t, "GET", `${path}?apikey=${good}`, { key: "bad" })).body.detail, "Unauthorized");
  assert.equal((await ask(t, "GET", `${path}?apikey=bad`, { key: good })).status, 200);
  assert.equal((await ask(t, "GET", path, { headers: { apikey: good } })).status, 401);
  assert.equal(
    (await ask(t, "POST", "/v1/cti/bulk_lookup", { headers: { apikey: "bad" }, body: [] })).body.detail,
    "Unauthorized",
  );
  assert.equal((await ask(t, "POST", "/v1/cti/bulk_lookup", { headers: { apikey: good }, body: [] })).status, 503); // no dataset: past the key
  assert.equal((await ask(t, "GET", `${path}?apikey=${good}&apikey=${good}`)).status, 400);
});

test("the key is checked before the body: without a key, no one learns about errors in the body", async () => {
  assert.equal((await ask(t, "POST", "/v1/cbs/lookup", { body: "{" })).status, 401);
  assert.equal((await ask(t, "POST", "/v1/cbs/lookup", { body: "{", key: good })).status, 400);
});

test("a canary key appears in no log, metric, page or body, wherever it is sent", async () => {
  const { text: canary } = await addKey(t, organisation);
  const unknown = makeApiKey().text;
  const paths = [
    "/v1/edl/ip-rulesets/",
    "/v1/cbs/lookup?ip=1.1.1.1",
    "/v1/cbs/ranges?page_size=1",
    "/v1/cti/lookup/1.1.1.1",
    "/nowhere",
    "/livez",
    "/docs",
    "/openapi.json",
    "/%zz",
  ];
  const answers: string[] = [];
  for (const secret of [canary, unknown]) {
    for (const method of ["GET", "POST", "DELETE", "TRACES"]) {
      for (const path of paths) {
        const join = path.includes("?") ? "&" : "?";
        for (const [where, headers] of [
          [path, { "X-API-Key": secret }],
          [`${path}${join}apikey=${secret}`, {}],
          [`${path}${join}ip=${secret}&page=${secret}`, { apikey: secret }],
          [`/v1/cti/lookup/${secret}`, { "X-Request-Id": secret, "X-API-Key": canary }],
          [`/${secret}`, {}],
        ] as const) {
          const body = method === "POST" ? { ip: secret, ips: [secret], [secret]: 1 } : undefined;
          const answer = await ask(t, method, where, { headers, body });
          answers.push(answer.text, JSON.stringify([...answer.headers]));
        }
      }
    }
  }
  answers.push((await ask(t, "GET", "/metrics")).text, t.logged());
  assert.ok(t.logged().includes('"operation":"listRulesets","status":200'));
  for (const secret of [canary, unknown])
    assert.deepEqual(
      answers.filter((text) => text.includes(secret)),
      [],
    );
});

/** Forms in which a URL may contain a key. */
const WRITINGS: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => key.replace("_", "%5F"),
  (key) => key.replace("i", "%69"),
  (key) => key.replace("_", "%255f"),
  (key) => `a${key}b`,
];

test("a key under a wrong name appears in no link, error, header or log, however it is written", async () => {
  const { text: secret } = await addKey(t, organisation);
  const names = [
    "api_key",
    "apiKey",
    "API-Key",
    "x-api-key",
    "key",
    "token",
    "access_token",
    "auth",
    "page_token",
    "x",
    "__proto__",
    "provider",
    "type",
    "region",
    "id",
    "q",
    "active_only",
    "name",
    "ip",
  ];
  const paths = [
    "/v1/edl/ip-rulesets/?page_size=1",
    "/v1/cbs/providers?page_size=1&page=2",
    "/v1/cbs/ranges?page_size=1&page=9",
    "/v1/cbs/search",
    "/v1/cbs/node",
    "/v1/cti/lookup/x",
    "/nowhere",
    "/docs/",
    "/",
    "/metrics",
  ];
  const answers: string[] = [];
  let [links, index] = [0, 0];
  for (const write of WRITINGS) {
    const written = write(secret);
    for (const path of paths) {
      for (const name of sampled(names, 3, index++)) {
        const { text, headers } = await ask(t, "GET", `${path}${path.includes("?") ? "&" : "?"}${name}=${written}`, {
          key: good,
        });
        answers.push(text, JSON.stringify([...headers]));
        links += Number(/"(next|prev)":"http/.test(text));
      }
    }
    for (const path of [
      `/${written}`,
      `/v1/${written}/x`,
      `/v1/cti/lookup/${written}`,
      `/v1/edl/ip-rulesets/${written}/rules`,
    ]) {
      const { text, headers } = await ask(t, "GET", path, { key: good });
      answers.push(text, JSON.stringify([...headers]));
    }
  }
  const body = { ips: [secret], [secret]: secret, name: secret };
  for (const path of ["/v1/cbs/lookup", "/v1/cti/bulk_lookup", "/v1/edl/ip-rulesets/"])
    answers.push((await ask(t, "POST", path, { key: good, body })).text);
  answers.push(t.logged());
  assert.ok(links > rounds({ short: 3, long: 10 }), `${links} answers with links`);
  const decoded = (text: string): string =>
    text.replaceAll(/%25/g, "%").replaceAll(/%5f/gi, "_").replaceAll("%69", "i");
  assert.deepEqual(
    answers.filter((text) => decoded(decoded(text)).includes(secret)),
    [],
  );
});

test("the links of a page keep the parameters of the operation", async () => {
  const { body } = await ask(t, "GET", "/v1/cbs/providers?type=cdn&page_size=1&page=2", { key: good });
  assert.equal(body.next, `${t.server.url}/v1/cbs/providers?type=cdn&page_size=1&page=3`);
});

test("a response to a request that needs no key tells the window of its address", async (context) => {
  const own = await startServer({ failuresPerMinute: 17 });
  context.after(() => own.close());
  for (const path of ["/livez", "/dashboard/api/session", "/nothing"]) {
    const { headers } = await fetch(own.server.url + path);
    assert.equal(headers.get("ratelimit-limit"), "17", path);
  }
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeToken } from "../../../src/service/access/secret-token.ts";
import { addKey, type Answer, ask, START, startServer, type TestServer } from "../start-server.ts";
import { addUser, tokenOf, visit } from "./browser.ts";

const HOUR = 3_600_000;
const PASSWORD = "correct horse battery staple";
let t: TestServer;
let admin: Answer;
let token = "";
before(async () => {
  t = await startServer({ signInsPerMinute: 1_000_000 });
});
after(() => t.close());

function isProblem({ status, body, headers }: Answer, wanted: number, kind: string): void {
  assert.deepEqual([status, body.type, body.status], [wanted, `/problems/${kind}`, wanted], body.detail);
  assert.equal(headers.get("content-type"), "application/problem+json");
}

const request = { token: "", organisation: "Example", name: "Ann", password: PASSWORD };

test("the first user: with the server's token, once, and only while there is no user", async () => {
  assert.deepEqual((await visit(t, "GET", "/setup")).body, { needed: true });
  const right = t.server.setupToken!;
  for (const wrong of ["", "x", `${right.slice(0, -1)}${right.endsWith("A") ? "B" : "A"}`])
    isProblem(await visit(t, "POST", "/setup", { body: { ...request, token: wrong } }), 401, "authentication-required");
  for (const bad of [
    { organisation: " x" },
    { name: "" },
    { name: "a\nb" },
    { password: "too short" },
    { role: "admin" },
  ]) {
    isProblem(
      await visit(t, "POST", "/setup", { body: { ...request, token: right, ...bad } }),
      400,
      "validation-error",
    );
  }
  const [one, other] = await Promise.all([
    visit(t, "POST", "/setup", { body: { ...request, token: right } }),
    visit(t, "POST", "/setup", { body: { ...request, name: "Eve", token: right } }),
  ]);
  assert.deepEqual([one.status, other.status].sort(), [201, 409]);
  admin = one.status === 201 ? one : other;
  token = tokenOf(admin);
  assert.deepEqual((await visit(t, "GET", "/setup")).body, { needed: false });
  isProblem(await visit(t, "POST", "/setup", { body: { ...request, name: "Late", token: right } }), 409, "conflict");
  await t.restart();
  assert.equal(t.server.setupToken, null);
  isProblem(await visit(t, "POST", "/setup", { body: { ...request, name: "Late", token: right } }), 409, "conflict");
});

test("the session: the user, their permissions, its end; the attributes of the cookie", async () => {
  const { user, organisation, ...session } = (await visit(t, "GET", "/session", { token })).body;
  assert.deepEqual([user.role, organisation.name], ["admin", "Example"]);
  assert.deepEqual(
    session.plans,
    ["edl", "cbs", "cti"].map((area) => ({ area, active: true, until: null })),
  );
  assert.deepEqual([session.created_at, session.expires_at], ["2026-11-21T12:00:00.000Z", "2026-11-22T00:00:00.000Z"]);
  assert.deepEqual(session.settings, {
    bulk_addresses: 10_000,
    rules_per_ruleset: 1_000_000,
    body_bytes: 64 << 10,
    bulk_body_bytes: 64 << 20,
    allow_special_purpose: true,
  });
  assert.match(
    admin.headers.getSetCookie()[0]!,
    /^ipsieve-session=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  assert.equal(admin.headers.get("cache-control"), "no-store");
});

test("signing in: names ignore case; a wrong password and an unknown name get the same response", async () => {
  const name = (await visit(t, "GET", "/session", { token })).body.user.name;
  const again = await visit(t, "POST", "/session", { body: { name: name.toUpperCase(), password: PASSWORD } });
  assert.deepEqual([again.status, again.body.user.name], [200, name]);
  assert.notEqual(tokenOf(again), token);
  const refusals = [];
  for (const body of [
    { name, password: `${PASSWORD}!` },
    { name: "nobody", password: PASSWORD },
    { name, password: "" },
    { name: "", password: "" },
  ]) {
    const answer = await visit(t, "POST", "/session", { body });
    isProblem(answer, 401, "authentication-required");
    assert.equal(answer.headers.get("set-cookie"), null);
    refusals.push(answer.text.replace(answer.body.request_id, ""));
  }
  assert.equal(new Set(refusals).size, 1);
});

test("a session ends: on sign-out, at its time to the millisecond, with a new password, with the user", async () => {
  const name = (await visit(t, "GET", "/session", { token })).body.user.name;
  const signIn = async (password = PASSWORD) =>
    tokenOf(await visit(t, "POST", "/session", { body: { name, password } }));
  const isGood = async (each: string) => (await visit(t, "GET", "/session", { token: each })).status === 200;

  const first = await signIn();
  const out = await visit(t, "DELETE", "/session", { token: first });
  assert.deepEqual(
    [out.status, out.headers.get("set-cookie")],
    [204, "ipsieve-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"],
  );
  assert.deepEqual([await isGood(first), await isGood(token)], [false, true]);

  const second = await signIn();
  t.clock.now = START + 12 * HOUR - 1;
  assert.ok(await isGood(second));
  t.clock.now++;
  assert.ok(!(await isGood(second)));
  // The clock is set back: a session that starts then lasts as long as any other.
  t.clock.now = START - 24 * HOUR;
  const back = await signIn();
  assert.ok(await isGood(back));
  t.clock.now += 12 * HOUR;
  assert.deepEqual([await isGood(back), await isGood(token)], [false, true]);
  t.clock.now = START;

  const [kept, other] = [await signIn(), await signIn()];
  const changed = { password: PASSWORD, new_password: "wrong donkey charger pin" };
  isProblem(
    await visit(t, "PUT", "/session/password", { token: kept, body: { ...changed, password: "guessed it" } }),
    403,
    "permission-denied",
  );
  assert.equal((await visit(t, "PUT", "/session/password", { token: kept, body: changed })).status, 204);
  assert.deepEqual([await isGood(kept), await isGood(other), await isGood(token)], [true, false, false]);
  assert.equal((await visit(t, "POST", "/session", { body: { name, password: PASSWORD } })).status, 401);
  token = await signIn("wrong donkey charger pin");

  const { user, organisation } = (await visit(t, "GET", "/session", { token })).body;
  const colleague = await addUser(t, organisation.id, "viewer", "colleague");
  assert.ok(await isGood(colleague.token));
  await t.server.store.write({
    kind: "delete-user",
    actor: `user:${user.id}`,
    at: t.clock.now,
    organisationId: organisation.id,
    userId: colleague.id,
  });
  assert.ok(!(await isGood(colleague.token)));
});

test("sessions outlive the server; an invalid token is not a session", async () => {
  await t.restart();
  assert.equal((await visit(t, "GET", "/session", { token })).status, 200);
  for (const bad of ["", "x", `${token}x`, `${token.slice(0, -1)}!`, "a".repeat(43)])
    isProblem(await visit(t, "GET", "/session", { token: bad }), 401, "authentication-required");
  isProblem(await visit(t, "GET", "/session"), 401, "authentication-required");
  assert.equal(
    (await ask(t, "GET", "/dashboard/api/session", { headers: { Cookie: `a=b; ipsieve-session=${token} ;c=d` } }))
      .status,
    200,
  );
  assert.equal(
    (
      await ask(t, "GET", "/dashboard/api/session", {
        headers: { Cookie: `xipsieve-session=${token}; __Host-ipsieve=${token}` },
      })
    ).status,
    401,
  );
});

test("an invitation: accepted once, until it expires, and only the latest one of a user", async () => {
  const { user, organisation } = (await visit(t, "GET", "/session", { token })).body;
  const about = { actor: `user:${user.id}`, at: t.clock.now, organisationId: organisation.id };
  const [first, second] = [makeToken(), makeToken()];
  const expiresAt = START + HOUR;
  const { user: invited } = await t.server.store.write({
    kind: "create-user",
    ...about,
    name: "Bob",
    role: "viewer",
    invitation: { digest: first.digest, expiresAt },
  });
  await t.server.store.write({
    kind: "invite-user",
    ...about,
    userId: invited.id,
    invitation: { digest: second.digest, expiresAt },
  });
  const join = (text: string, password = PASSWORD) => visit(t, "POST", "/join", { body: { token: text, password } });
  isProblem(await join(first.text), 401, "authentication-required");
  isProblem(await join(second.text, "short"), 400, "validation-error");
  t.clock.now = expiresAt;
  isProblem(await join(second.text), 401, "authentication-required");
  t.clock.now = expiresAt - 1;
  const joined = await join(second.text);
  assert.deepEqual([joined.status, joined.body.user.name, joined.body.user.role], [201, "Bob", "viewer"]);
  isProblem(await join(second.text), 401, "authentication-required");
  assert.equal((await visit(t, "POST", "/session", { body: { name: "bob", password: PASSWORD } })).status, 200);
  t.clock.now = START;
});

test("easily guessed passwords are rejected at their field wherever one is set; long and random ones are accepted", async () => {
  const { user, organisation } = (await visit(t, "GET", "/session", { token })).body;
  const invitation = makeToken();
  const about = { actor: `user:${user.id}`, at: t.clock.now, organisationId: organisation.id };
  await t.server.store.write({
    kind: "create-user",
    ...about,
    name: "josephine.baker@example.org",
    role: "viewer",
    invitation: { digest: invitation.digest, expiresAt: START + HOUR },
  });
  const weak = [
    "aaaaaaaaaaaa",
    "password1234",
    "P@ssw0rd1234",
    "1234567890",
    "qwertyuiop",
    "abcabcabcabc",
    "2026-11-22",
    "josephine.baker@example.org",
    "JosephineBaker1",
    "josephinebaker!!",
    "baker josephine",
    "Example2026",
    "josephine@ipsieve!",
    "ipsieve1234",
    "ａａａａａａａａａａａａ",
    "a".repeat(500),
    "password".repeat(60),
  ];
  for (const password of weak) {
    const refused = await visit(t, "POST", "/join", { body: { token: invitation.text, password } });
    assert.equal(refused.status, 400, password);
    assert.match(
      refused.body.validation_errors.password[0],
      /^this password is .+; use several unrelated words, or a longer one$/,
      password,
    );
    assert.ok(!refused.text.includes(password));
  }
  const changed = await visit(t, "PUT", "/session/password", {
    token,
    body: { password: "wrong donkey charger pin", new_password: `${user.name}${user.name}${user.name}${user.name}` },
  });
  assert.deepEqual([changed.status, Object.keys(changed.body.validation_errors)], [400, ["new_password"]]);
  // There are no rules about the characters of a good password.
  for (const password of [
    "tower lamp seven quiet",
    "gw4kpx7tqz",
    "Übergrößenträgerzug",
    "correct".repeat(2) + " Zwölf Boxkämpfer jagen",
    "x7".repeat(5) + "kq9 vermilion otter",
  ]) {
    await t.server.store.write({
      kind: "invite-user",
      ...about,
      userId: t.server.services.memory.users(organisation.id).find(({ name }) => name.startsWith("josephine"))!.id,
      invitation: { digest: invitation.digest, expiresAt: START + HOUR },
    });
    assert.equal(
      (await visit(t, "POST", "/join", { body: { token: invitation.text, password } })).status,
      201,
      password,
    );
  }
});

test("attempts to sign in are counted by name and by address, whether or not they succeed", async () => {
  const strict = await startServer({ signInsPerMinute: 3, trustProxy: "127.0.0.1" });
  try {
    const from = (address: string, name: string) =>
      visit(strict, "POST", "/session", { body: { name, password: "guess" }, headers: { "X-Forwarded-For": address } });
    const statuses = async (...tries: [string, string][]) => {
      const all = [];
      for (const [address, name] of tries) all.push((await from(address, name)).status);
      return all;
    };
    assert.deepEqual(
      await statuses(
        ["192.0.2.1", "ann"],
        ["192.0.2.2", "Ann"],
        ["192.0.2.3", "ANN"],
        ["192.0.2.4", "ann"],
        ["192.0.2.4", "bob"],
      ),
      [401, 401, 401, 429, 401],
    );
    assert.deepEqual(
      await statuses(
        ["2001:db8::1", "a"],
        ["2001:db8::2", "b"],
        ["2001:db8::3", "c"],
        ["2001:db8::4", "d"],
        ["2001:db9::1", "e"],
      ),
      [401, 401, 401, 429, 401],
    );
    assert.equal((await from("192.0.2.9", "ann")).headers.get("retry-after"), "60");
    // Rejected attempts lock no one out.
    assert.deepEqual(await statuses(["192.0.2.20", "x"], ["192.0.2.20", "y"], ["192.0.2.20", "z"]), [401, 401, 401]);
    assert.deepEqual(
      await statuses(["192.0.2.20", "carl"], ["192.0.2.20", "carl"], ["192.0.2.20", "carl"], ["192.0.2.21", "carl"]),
      [429, 429, 429, 401],
    );
    strict.clock.now += 60_000;
    assert.deepEqual(await statuses(["192.0.2.1", "ann"]), [401]);
  } finally {
    await strict.close();
  }
});

test("over TLS the cookie is Secure and has the name that no other site can set", async () => {
  const t2 = await startServer({ trustProxy: "127.0.0.1", signInsPerMinute: 1000 });
  try {
    const secure = { "X-Forwarded-Proto": "https" };
    const body = { ...request, token: t2.server.setupToken };
    const made = await visit(t2, "POST", "/setup", { body, headers: { ...secure, "Sec-Fetch-Site": "same-origin" } });
    const [, value] =
      /^__Host-ipsieve=([A-Za-z0-9_-]{43}); Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/.exec(
        made.headers.getSetCookie()[0]!,
      )!;
    assert.match(
      made.headers.getSetCookie()[1]!,
      /^__Host-ipsieve-device=[^;]+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const status = async (name: string, headers: object) =>
      (await ask(t2, "GET", "/dashboard/api/session", { headers: { Cookie: `${name}=${value}`, ...headers } })).status;
    assert.deepEqual(
      [
        await status("__Host-ipsieve", secure),
        await status("ipsieve-session", secure),
        await status("__Host-ipsieve", {}),
      ],
      [200, 401, 401],
    );
  } finally {
    await t2.close();
  }
});

test("requests from other sites, or without an origin, change nothing", async () => {
  const count = async () => (await visit(t, "GET", "/edl/ip-rulesets/", { token })).body.count;
  const atFirst = await count();
  const create = (headers: Record<string, string>, origin: string | null) =>
    visit(t, "POST", "/edl/ip-rulesets/", { token, origin, headers, body: { name: "forged", purpose: "allowlist" } });
  for (const origin of [
    "https://evil.example",
    "null",
    t.server.url.replace("http:", "https:"),
    `${t.server.url}.evil.example`,
    null,
  ])
    isProblem(await create({}, origin), 403, "permission-denied");
  for (const site of ["cross-site", "same-site", "none"])
    isProblem(await create({ "Sec-Fetch-Site": site }, t.server.url), 403, "permission-denied");
  for (const [method, path] of [
    ["POST", "/session"],
    ["POST", "/setup"],
    ["POST", "/join"],
    ["DELETE", "/session"],
    ["PUT", "/session/password"],
  ] as const) {
    isProblem(
      await visit(t, method, path, { token, origin: "https://evil.example", body: {} }),
      403,
      "permission-denied",
    );
  }
  assert.equal(await count(), atFirst);
  // As forms send it.
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
    assert.equal(
      (
        await visit(t, "POST", "/edl/ip-rulesets/", {
          token,
          headers: { "Content-Type": type },
          body: "name=forged&purpose=allowlist",
        })
      ).status,
      415,
    );
  }
  assert.equal((await create({ "Sec-Fetch-Site": "same-origin" }, null)).status, 201);
  assert.equal(await count(), atFirst + 1);
});

test("cookies are valid only in the dashboard's scope, and keys are not valid there", async () => {
  const { organisation } = (await visit(t, "GET", "/session", { token })).body;
  const { text: key } = await addKey(t, organisation.id);
  for (const path of ["/v1/edl/ip-rulesets/", "/v1/cbs/lookup?ip=1.1.1.1", "/v1/cti/lookup/1.1.1.1"]) {
    const headers = { Cookie: `ipsieve-session=${token}; __Host-ipsieve=${token}` };
    assert.equal((await ask(t, "GET", path, { headers })).body.detail, "No API key found in request");
  }
  assert.equal(
    (await ask(t, "POST", "/bulk_lookup", { headers: { Cookie: `ipsieve-session=${token}` }, body: [] })).status,
    401,
  );
  for (const path of ["/session", "/edl/ip-rulesets/", "/cbs/lookup?ip=1.1.1.1", "/cti/lookup/1.1.1.1"]) {
    isProblem(await visit(t, "GET", path, { key }), 401, "authentication-required");
    isProblem(
      await visit(t, "GET", path, { headers: { apikey: key, Authorization: `Bearer ${key}` } }),
      401,
      "authentication-required",
    );
    isProblem(
      await visit(t, "GET", `${path}${path.includes("?") ? "&" : "?"}apikey=${key}`),
      401,
      "authentication-required",
    );
  }
  isProblem(
    await visit(t, "POST", "/edl/ip-rulesets/", { key, body: { name: "x", purpose: "allowlist" } }),
    401,
    "authentication-required",
  );
});

test("neither passwords nor tokens are logged or returned", async () => {
  // A parameter that does not exist is rejected without its value.
  const refused = await visit(t, "GET", `/session?token=${token}`, { token });
  assert.equal(refused.status, 400);
  assert.ok(!refused.text.includes(token));
  const { user } = (await visit(t, "GET", "/session", { token })).body;
  for (const secret of [PASSWORD, "wrong donkey", "$scrypt$", token]) assert.ok(!t.logged().includes(secret));
  assert.ok(t.logged().includes(`"user":"${user.id}"`));
});

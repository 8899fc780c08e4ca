import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeToken } from "../../../src/service/access/secret-token.ts";
import { addOrganisation, START, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

let t: TestServer;
let admin: TestUser;
before(async () => {
  t = await startServer({ signInsPerMinute: 1_000_000 });
  admin = await addUser(t, await addOrganisation(t, "users"), "admin", "Ann");
});
after(() => t.close());

const asked = (method: string, path: string, body?: object) => visit(t, method, path, { token: admin.token, body });

test("a user is invited, joins, gets another role, is invited again, and is deleted", async () => {
  const made = await asked("POST", "/users", { name: "Bob", role: "viewer" });
  const { user, invitation } = made.body;
  assert.deepEqual(
    [made.status, user],
    [
      201,
      {
        id: user.id,
        name: "Bob",
        role: "viewer",
        created_at: "2026-11-21T12:00:00.000Z",
        last_sign_in_at: null,
        invited: true,
      },
    ],
  );
  assert.deepEqual([invitation.token.length, invitation.expires_at], [43, "2026-11-28T12:00:00.000Z"]);
  assert.ok(!(await asked("GET", "/users")).text.includes(invitation.token));
  t.clock.now += 1000;
  const password = "correct horse battery staple";
  assert.equal((await visit(t, "POST", "/join", { body: { token: invitation.token, password } })).status, 201);
  const joined = { ...user, invited: false, last_sign_in_at: "2026-11-21T12:00:01.000Z" };
  assert.deepEqual((await asked("GET", "/users")).body, {
    items: [
      {
        id: admin.id,
        name: "Ann",
        role: "admin",
        created_at: user.created_at,
        last_sign_in_at: user.created_at,
        invited: false,
      },
      joined,
    ],
    count: 2,
  });
  assert.deepEqual((await asked("PATCH", `/users/${user.id}`, { role: "editor" })).body, { ...joined, role: "editor" });
  const again = (await asked("POST", `/users/${user.id}/invitation`)).body;
  assert.deepEqual([again.user.invited, again.invitation.token === invitation.token], [true, false]);
  assert.equal(
    (await visit(t, "POST", "/session", { body: { name: "bob", password } })).status,
    200,
    "the password is good until the invitation is followed",
  );
  assert.equal((await asked("DELETE", `/users/${user.id}`)).status, 204);
  assert.equal((await asked("DELETE", `/users/${user.id}`)).status, 404);
  assert.equal((await visit(t, "POST", "/session", { body: { name: "bob", password } })).status, 401);
  assert.equal((await visit(t, "POST", "/join", { body: { token: again.invitation.token, password } })).status, 401);
  assert.equal((await asked("POST", "/users", { name: "BOB", role: "viewer" })).status, 201, "the name is free again");
  t.clock.now = START;
});

test("a name is unique in the whole service, regardless of case", async () => {
  const elsewhere = await addUser(t, await addOrganisation(t, "elsewhere"), "admin", "Zoë");
  for (const name of ["ann", "ANN", "Ａｎｎ", "zoë", "ZOË"])
    assert.equal((await asked("POST", "/users", { name, role: "viewer" })).status, 409, name);
  assert.equal(
    (await visit(t, "POST", "/users", { token: elsewhere.token, body: { name: "Ann", role: "viewer" } })).status,
    409,
  );
  for (const name of ["", " x", "x ", "a\u0000b", "a\u2028b", "x".repeat(101)])
    assert.equal((await asked("POST", "/users", { name, role: "viewer" })).status, 400, JSON.stringify(name));
  assert.equal((await asked("POST", "/users", { name: "x", role: "owner" })).status, 400);
});

test("names with invisible characters, words of mixed alphabets, and names that look like another's are refused", async () => {
  const statusOf = async (name: string) => (await asked("POST", "/users", { name, role: "viewer" })).status;
  const invisible = [
    "\u202ennA",
    "\u2067x",
    "A\u200bnn",
    "A\u200dnn",
    "A\u00adnn",
    "Ann\u{e0061}",
    "Ann\ufe0f",
    "\u3164nn",
    "A\u00a0nn",
    "A\u3000nn",
    "A\ue000nn",
    "A\u0378nn",
    "\ufeffAnn",
    "A\u034fnn",
    "A\u2800nn",
  ];
  const mixed = ["\u0410dam", "Ad\u0430m", "\u0392ob", "\u0430nn@example.org", "Zο\u00eb"];
  for (const name of [...invisible, ...mixed]) assert.equal(await statusOf(name), 400, JSON.stringify(name));
  assert.equal(await statusOf("coco"), 201);
  // All of one alphabet: Cyrillic, Latin small capitals, full width.
  for (const name of ["сосо", "ᴄᴏᴄᴏ", "ｃｏｃｏ", "СОСО"]) assert.equal(await statusOf(name), 409, name);
  const { body } = await asked("POST", "/users", { name: "сосо", role: "viewer" });
  assert.equal(body.detail, 'the name "сосо" looks like another user\'s; choose another name');
  for (const name of [
    "Иван Петров",
    "山田taro",
    "김철수",
    "José Ñuñez",
    "Søren O’Neil",
    "Ωμέγα",
    "иван@example.org",
    "שרה",
    "विजय",
    "ʻokina",
  ])
    assert.equal(await statusOf(name), 201, name);
});

test("organisations: no invisible characters, no name that looks like another; labels of keys are shown as written", async () => {
  const { store } = t.server;
  await store.write({ kind: "create-organisation", actor: "command:test", at: START, name: "Asope" });
  await assert.rejects(store.write({ kind: "create-organisation", actor: "command:test", at: START, name: "Аѕоре" }), {
    code: "organisation-exists",
  });
  await assert.rejects(store.write({ kind: "create-organisation", actor: "command:test", at: START, name: "ASOPE" }), {
    code: "organisation-exists",
  });
  const body = (label: string) => ({ label, access: "read" });
  assert.deepEqual(
    [
      (await asked("POST", "/keys", body("a\u202eb"))).status,
      (await asked("POST", "/keys", body("naïve ключ"))).status,
    ],
    [400, 201],
  );
});

test("a user who already has such a name can still sign in", async () => {
  const { text, digest } = makeToken();
  const name = "\u202e\u0410nn\u200b";
  await t.server.store.write({
    kind: "create-user",
    actor: "command:test",
    at: t.clock.now,
    organisationId: admin.organisationId,
    name,
    role: "viewer",
    invitation: { digest, expiresAt: t.clock.now + 1 },
  });
  const password = "correct horse battery staple";
  assert.equal((await visit(t, "POST", "/join", { body: { token: text, password } })).status, 201);
  for (const typed of [name, name.toLowerCase()])
    assert.equal((await visit(t, "POST", "/session", { body: { name: typed, password } })).body.user.name, name);
});

test("the last admin who can sign in is neither demoted nor deleted, however many are invited or demoted at once", async () => {
  assert.equal((await asked("POST", "/users", { name: "invited admin", role: "admin" })).status, 201);
  assert.equal((await asked("PATCH", `/users/${admin.id}`, { role: "viewer" })).status, 409);
  assert.equal((await asked("DELETE", `/users/${admin.id}`)).status, 409);
  const second = await addUser(t, admin.organisationId, "admin", "second admin");
  const both = await Promise.all([
    asked("DELETE", `/users/${second.id}`),
    visit(t, "PATCH", `/users/${admin.id}`, { token: second.token, body: { role: "viewer" } }),
  ]);
  // The second admin's session may have ended by the time of the request.
  assert.ok([204, 409].includes(both[0].status) && [200, 401, 409].includes(both[1].status));
  const { organisationId } = admin;
  assert.ok(
    t.server.services.memory
      .users(organisationId)
      .some(({ role, lastSignInAt }) => role === "admin" && lastSignInAt !== null),
  );
});

/** Bodies that arrive long after the head of their request: the permissions at the time of the write count. */
import assert from "node:assert/strict";
import { type ClientRequest, request } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import { addUser } from "../dashboard/browser.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";

let t: TestServer;
let organisationId = "";
let rulesetId = "";
before(async () => {
  t = await startServer();
  organisationId = await addOrganisation(t, "late bodies");
  await addUser(t, organisationId, "admin", "who stays");
  rulesetId = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: (await addKey(t, organisationId)).text })).body
    .items[0].id;
});
after(() => t.close());

const about = { actor: "command:test", at: 0 };

/** Sends the head and half of the body, does what happens meanwhile, sends the rest, and returns the status. */
async function statusAfter(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: object,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const text = JSON.stringify(body);
  let sent: ClientRequest;
  const status = new Promise<number>((resolve, reject) => {
    sent = request(
      t.server.url + path,
      { method, headers: { "Content-Type": "application/json", "Content-Length": String(text.length), ...headers } },
      (response) => {
        response.resume().once("end", () => resolve(response.statusCode!));
      },
    ).once("error", reject);
    sent.write(text.slice(0, 5));
  });
  await sleep(100);
  await meanwhile();
  sent!.end(text.slice(5));
  return status;
}

const nothing = async (): Promise<void> => {};
const cookie = (token: string) => ({ Cookie: `${PLAIN_NAME}=${token}`, Origin: t.server.url });
let serial = 0;
const rule = () => ({ ip: `20.0.0.${++serial}` });

test("a user who is deleted, demoted or signed out while the body arrives", async () => {
  const path = `/dashboard/api/edl/ip-rulesets/${rulesetId}/rules`;
  const user = () => addUser(t, organisationId, "editor", `editor ${++serial}`);
  const [stays, deleted, demoted, out] = [await user(), await user(), await user(), await user()];
  const { store } = t.server;
  assert.equal(await statusAfter("POST", path, cookie(stays.token), rule(), nothing), 201);
  assert.equal(
    await statusAfter("POST", path, cookie(deleted.token), rule(), () =>
      store.write({ kind: "delete-user", ...about, organisationId, userId: deleted.id }),
    ),
    401,
  );
  assert.equal(
    await statusAfter("POST", path, cookie(demoted.token), rule(), () =>
      store.write({ kind: "set-role", ...about, organisationId, userId: demoted.id, role: "viewer" }),
    ),
    403,
  );
  const leave = () => ask(t, "DELETE", "/dashboard/api/session", { headers: cookie(out.token) });
  assert.equal(await statusAfter("POST", path, cookie(out.token), rule(), leave), 401);
  const admin = await addUser(t, organisationId, "admin", `admin ${++serial}`);
  const demote = () => store.write({ kind: "set-role", ...about, organisationId, userId: admin.id, role: "editor" });
  assert.equal(
    await statusAfter(
      "POST",
      "/dashboard/api/keys",
      cookie(admin.token),
      { label: "back door", access: "read_write" },
      demote,
    ),
    403,
  );
});

test("a key that is revoked while the body arrives", async () => {
  const path = `/v1/edl/ip-rulesets/${rulesetId}/rules`;
  const key = await addKey(t, organisationId);
  assert.equal(await statusAfter("POST", path, { "X-API-Key": key.text }, rule(), nothing), 201);
  const revoke = () =>
    t.server.store.write({
      kind: "revoke-credential",
      credential: "api",
      ...about,
      organisationId,
      credentialId: key.id,
    });
  assert.equal(await statusAfter("POST", path, { "X-API-Key": key.text }, rule(), revoke), 401);
});

test("a client that disconnects in the middle of a body is not a server error", async () => {
  const key = await addKey(t, organisationId);
  const sent = request(`${t.server.url}/v1/edl/ip-rulesets/${rulesetId}/rules`, {
    method: "POST",
    headers: { "X-API-Key": key.text, "Content-Type": "application/json", "Content-Length": "50" },
  });
  sent.on("error", () => {});
  sent.write("{");
  await sleep(100);
  sent.destroy();
  await sleep(200);
  assert.doesNotMatch(t.logged(), /unexpected error/);
});

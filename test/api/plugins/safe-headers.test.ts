import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addUser, visit } from "../dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "../start-server.ts";

let t: TestServer;
let key = "";
let token = "";
before(async () => {
  t = await startServer();
  const organisation = await addOrganisation(t, "headers");
  key = (await addKey(t, organisation)).text;
  token = (await addUser(t, organisation, "admin")).token;
});
after(() => t.close());

function check({ headers }: Answer, what: string, caching: string): void {
  const told = ["x-content-type-options", "cross-origin-resource-policy", "cache-control"].map((name) =>
    headers.get(name),
  );
  assert.deepEqual(told, ["nosniff", "same-origin", caching], what);
}

test("no browser guesses the type of a response, shows it within other sites, or caches it; tagged responses are revalidated each time", async () => {
  for (const path of [
    "/v1/cbs/lookup",
    "/v1/cbs/lookup?ip=x",
    "/v1/cti/lookup/1.1.1.1",
    "/nowhere",
    "/%zz",
    "/livez",
    "/readyz",
    "/metrics",
    `/${"a".repeat(9000)}`,
  ]) {
    check(await ask(t, "GET", path, { key }), path, "no-store");
    check(await ask(t, "GET", path), `${path} without a key`, "no-store");
    check(await ask(t, "DELETE", path, { key }), `DELETE ${path}`, "no-store");
  }
  check(await ask(t, "POST", "/v1/cbs/lookup", { key, body: "{" }), "bad JSON", "no-store");
  const { id } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0];
  for (const path of [
    "/v1/edl/ip-rulesets/",
    `/v1/edl/ip-rulesets/${id}`,
    `/v1/edl/ip-rulesets/${id}/rules`,
    `/v1/edl/ip-rulesets/${id}/rules:export`,
    "/v1/cbs/ranges?id=/cdn",
    "/v1/cbs/lookup?ip=1.1.1.1",
    "/v1/cbs/node",
    "/docs",
    "/docs.css",
    "/favicon.ico",
    "/openapi.json",
  ]) {
    const answer = await ask(t, "GET", path, { key });
    check(answer, path, "private, no-cache");
    check(
      await ask(t, "GET", path, { key, headers: { "If-None-Match": answer.headers.get("etag")! } }),
      `304 of ${path}`,
      "private, no-cache",
    );
    if (path.startsWith("/v1/")) check(await ask(t, "GET", path), `${path} without a key`, "no-store");
  }
  for (const path of [
    "/session",
    "/edl/ip-rulesets/",
    `/edl/ip-rulesets/${id}/rules`,
    "/users",
    "/cbs/node",
    "/nowhere",
  ])
    check(await visit(t, "GET", path, { token }), `the dashboard's ${path}`, "no-store");
});

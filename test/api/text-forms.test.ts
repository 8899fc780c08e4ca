/** Lists that cannot mark an expired rule hold active rules only unless asked otherwise: at every path, for keys and in the dashboard. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { RULE_EXPORT_FORMATS } from "../../src/rulesets/formats/export-rules.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

let t: TestServer;
let path = "";
let get: Record<"public" | "dashboard", (end: string, accept?: string) => Promise<Answer>>;
before(async () => {
  t = await startServer();
  const organisation = await addOrganisation(t, "texts");
  const key = (await addKey(t, organisation)).text;
  const { token } = await addUser(t, organisation, "viewer");
  path = `/edl/ip-rulesets/${(await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id}`;
  const rules = [{ ip: "192.0.2.1" }, { ip: "192.0.2.2", expires_at: new Date(t.clock.now).toISOString() }];
  assert.equal((await ask(t, "PUT", `/v1${path}/rules`, { key, body: { rules } })).status, 200);
  get = {
    public: (end, accept = "*/*") => ask(t, "GET", `/v1${path}${end}`, { key, headers: { accept } }),
    dashboard: (end, accept = "*/*") => visit(t, "GET", `${path}${end}`, { token, headers: { accept } }),
  };
});
after(() => t.close());

for (const scope of ["public", "dashboard"] as const) {
  for (const [form, end, accept] of [
    ...["text/plain", "text/csv", "application/x-ndjson"].map((type) => [type, "/rules?", type]),
    ...RULE_EXPORT_FORMATS.map((format) => [format, `/rules:export?format=${format}&`, undefined]),
  ] as const) {
    test(`${scope}, ${end}${form}: active rules only, but for active_only=false`, async () => {
      const listed = await Promise.all(["", "active_only=true", "active_only=false"].map((query) => get[scope](end + query, accept)));
      assert.deepEqual(listed.map(({ status, text }) => [status, /192\.0\.2\.1\b/.test(text), /192\.0\.2\.2\b/.test(text)]), [[200, true, false], [200, true, false], [200, true, true]]);
      const tags = listed.map(({ headers }) => headers.get("etag"));
      assert.equal(tags[0], tags[1]);
      assert.notEqual(tags[0], tags[2]);
    });
  }

  test(`${scope}: JSON lists all rules unless active_only=true is said`, async () => {
    const counts = await Promise.all(["", "?active_only=false", "?active_only=true"].map(async (query) => (await get[scope](`/rules${query}`)).body.count));
    assert.deepEqual(counts, [2, 2, 1]);
  });
}

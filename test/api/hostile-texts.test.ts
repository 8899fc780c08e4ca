/** Every text of every documented body, replaced by one that no database or header can hold: a client's error, never 500. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addUser, visit } from "./dashboard/browser.ts";
import { inlined } from "./inlined-document.ts";
import { sampled } from "../rounds.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const HOSTILE = ["\ud800", "a\0b", "\u2028", "", " ", "__proto__", "::ffff:0:0/96", "ä".repeat(5000)];

/** Bodies of another kind than the documented example. */
const FURTHER: Readonly<Record<string, readonly object[]>> = {
  setListCredentials: [{ credentials: { type: "basic", username: "u", password: "p" } }],
};

let t: TestServer;
before(async () => (t = await startServer({ perMinute: 1_000_000 })));
after(() => t.close());

/** A ruleset, a deployment and a list, so that more than their absence is found. */
async function idsOf(key: string): Promise<Record<string, string>> {
  const { id: ruleset_id } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0];
  const deployment = { name: "texts", include: [{ ruleset: ruleset_id }] };
  const { id: deployment_id } = (await ask(t, "POST", "/v1/edl/deployments/", { key, body: deployment })).body;
  const list = { name: "texts", url: "https://lists.invalid/list", active: false };
  const { id: list_id } = (await ask(t, "POST", "/v1/edl/lists/", { key, body: list })).body;
  return { ip: "192.0.2.1", ruleset_id, deployment_id, list_id };
}

/** Copies of a body with one of its texts replaced. */
function* withHostileText(body: unknown, text: string): Generator<unknown> {
  if (typeof body === "string") yield text;
  else if (Array.isArray(body))
    for (const [at, item] of body.entries()) for (const each of withHostileText(item, text)) yield body.with(at, each);
  else if (typeof body === "object" && body !== null)
    for (const [name, value] of Object.entries(body))
      for (const each of withHostileText(value, text)) yield { ...body, [name]: each };
}

type Send = (method: string, path: string, body: unknown) => Promise<{ status: number; text: string }>;

async function checkDocument(document: any, key: string, send: Send): Promise<number> {
  const ids = await idsOf(key);
  let [checked, operations] = [0, 0];
  for (const [path, methods] of Object.entries<any>(inlined(document).paths))
    for (const [method, { operationId, requestBody }] of Object.entries<any>(methods)) {
      const example = requestBody?.content["application/json"]?.example;
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? crypto.randomUUID());
      const examples = [example, ...(FURTHER[operationId] ?? [])];
      for (const text of sampled(HOSTILE, 3, operations++))
        for (const body of examples.flatMap((each) => [...withHostileText(each, text)])) {
          const answer = await send(method.toUpperCase(), target, body);
          assert.ok(answer.status !== 500, `${method} ${path} ${JSON.stringify(body).slice(0, 200)}: ${answer.text}`);
          checked++;
        }
    }
  return checked;
}

test("in the public interface", async () => {
  const { text: key } = await addKey(t, await addOrganisation(t, "texts"));
  const { body: document } = await ask(t, "GET", "/openapi.json");
  assert.ok((await checkDocument(document, key, (method, path, body) => ask(t, method, path, { key, body }))) > 100);
});

test("in the dashboard's", async () => {
  const organisation = await addOrganisation(t, "dashboard texts");
  const { token } = await addUser(t, organisation, "admin");
  const { text: key } = await addKey(t, organisation);
  const { body: document } = await ask(t, "GET", "/dashboard/api/openapi.json");
  const send: Send = (method, path, body) => visit(t, method, path.replace("/dashboard/api", ""), { token, body });
  assert.ok((await checkDocument(document, key, send)) > 100);
});

test("credentials of an external list name the text that no header can hold", async () => {
  const organisation = await addOrganisation(t, "credentials");
  const { token } = await addUser(t, organisation, "admin");
  const { list_id: id } = await idsOf((await addKey(t, organisation)).text);
  for (const name of ["username", "password"]) {
    const body = { credentials: { type: "basic", username: "u", password: "p", [name]: "\ud800" } };
    const { status, text } = await visit(t, "POST", `/edl/lists/${id}:credentials`, { token, body });
    assert.equal(status, 400, text);
    assert.deepEqual(Object.keys(JSON.parse(text).validation_errors), [`credentials.${name}`]);
  }
});

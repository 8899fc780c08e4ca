/**
 * Every number that a request can contain, in every parameter and member of every operation of both scopes: no 5xx, and
 * what the document allows is not rejected.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { addUser, type TestUser } from "./dashboard/browser.ts";
import { ApiDocument, type Operation, type Schema } from "./fuzz/api-document.ts";
import { JSON_NUMBERS, QUERY_NUMBERS } from "./fuzz/numbers.ts";
import { sampled } from "../rounds.ts";
import { addKey, addOrganisation, startServer, type TestServer } from "./start-server.ts";
import { PLAIN_NAME } from "../../src/api/access/session-cookie.ts";

const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));

/** In the short form, each parameter and body is tried with this share of the numbers. */
const SHARE = 64;

let t: TestServer;
let key = "";
let user: TestUser;
let rulesetId = "";
before(async () => {
  t = await startServer(
    { perMinute: 1e9, signInsPerMinute: 1e9, rulesetsPerOrganisation: 100_000 },
    undefined,
    THREATS,
  );
  const organisationId = await addOrganisation(t, "numbers");
  [key, user] = [(await addKey(t, organisationId)).text, await addUser(t, organisationId, "admin")];
  const about = { actor: "command:test", at: t.clock.now, organisationId };
  const { ruleset } = await t.server.store.write({
    kind: "create-ruleset",
    ...about,
    name: "numbers",
    purpose: "blocklist",
    description: "",
  });
  rulesetId = ruleset.id;
});
after(() => t.close());

interface Asked {
  readonly operation: Operation;
  readonly query?: Readonly<Record<string, string>>;
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

async function send({
  operation,
  query = {},
  path = {},
  body,
}: Asked): Promise<{ status: number; text: string; asked: string }> {
  const isDashboard = operation.path.startsWith("/dashboard/");
  const values: Readonly<Record<string, string>> = {
    ruleset_id: rulesetId,
    ip: "192.0.2.1",
    from: "2999-12-31",
    ...path,
  };
  const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? crypto.randomUUID()),
  );
  const required = operation.parameters
    .filter((each) => each.in === "query" && each.required === true)
    .map(({ name }) => [name, values[name] ?? "192.0.2.1"]);
  const search = new URLSearchParams({ ...Object.fromEntries(required), ...query });
  const proof: Record<string, string> = isDashboard
    ? { Cookie: `${PLAIN_NAME}=${user.token}`, Origin: t.server.url }
    : { "X-API-Key": key };
  const response = await fetch(`${t.server.url}${url}?${search}`, {
    method: operation.method,
    headers: { ...proof, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    text: await response.text(),
    asked: `${operation.method} ${url}?${search} ${body ?? ""}`,
  };
}

/** Operations that end what the others work with. */
const ENDS = new Set(["deleteRuleset", "signOut", "deleteUser", "undoLastChange"]);

async function operationsOf(scope: "public" | "dashboard"): Promise<{ api: ApiDocument; operations: Operation[] }> {
  const api = await ApiDocument.of(t.server.url, scope);
  return { api, operations: api.operations.filter(({ id }) => !ENDS.has(id)) };
}

/** The validator would accept numbers that overflow as integers. */
function isIn(api: ApiDocument, schema: Schema, value: number): boolean {
  return Number.isFinite(value) && api.fits(schema, value);
}

/** An example of the body, with each of its members in turn, at any depth, replaced by a number. */
function* withNumber(
  example: any,
  literal: string,
  schema: Schema,
  api: ApiDocument,
): Generator<{ body: string; schema: Schema | undefined }> {
  const { properties = {}, items, maxProperties } = api.resolve(schema);
  if (Array.isArray(example)) {
    for (const [index, each] of example.slice(0, 1).entries())
      for (const { body, schema: own } of withNumber(each, literal, items ?? {}, api))
        yield { body: replaced(example, index, body), schema: own };
  } else if (typeof example === "object" && example !== null) {
    const names = new Set([...Object.keys(example), ...Object.keys(properties)]);
    for (const name of names)
      for (const { body, schema: own } of withNumber(example[name], literal, properties[name] ?? {}, api))
        yield { body: replaced(maxProperties === 1 ? {} : example, name, body), schema: own };
  } else {
    yield { body: literal, schema: api.resolve(schema) };
  }
}

/** As text: the engine has no number 1.0 or 1e400. */
function replaced(parent: any, at: string | number, text: string): string {
  const copy = Array.isArray(parent) ? [...parent] : { ...parent };
  copy[at] = "@";
  // Both expiries at once are rejected, whatever their values.
  if (at === "expires_in_days") delete copy.expires_at;
  return JSON.stringify(copy).replace('"@"', () => text);
}

for (const scope of ["public", "dashboard"] as const) {
  test(`${scope}: numbers of queries`, async (c) => {
    const { api, operations } = await operationsOf(scope);
    let [requests, parameters] = [0, 0];
    for (const operation of operations) {
      for (const { name, in: place, schema } of operation.parameters) {
        if (place !== "query") continue;
        for (const text of sampled(QUERY_NUMBERS, SHARE, parameters++)) {
          const {
            status,
            text: answer,
            asked,
          } = await send({ operation, query: { [name]: text }, body: operation.bodies.size === 0 ? undefined : "{}" });
          requests++;
          assert.ok(status < 500, `${asked}: ${status} ${answer}`);
          // Whether there was an earlier catalogue is not a matter of numbers.
          if (schema.type === "integer" && operation.method === "GET" && operation.id !== "diffCbs")
            assert.equal(
              status === 400,
              !/^\d+$/.test(text) || !isIn(api, schema, Number(text)),
              `${asked}: ${status} ${answer}`,
            );
        }
      }
    }
    c.diagnostic(`${requests} requests`);
    assert.ok(parameters > 15);
  });

  test(`${scope}: numbers of paths`, async () => {
    const { operations } = await operationsOf(scope);
    let parameters = 0;
    for (const operation of operations) {
      for (const { name, in: place } of operation.parameters) {
        if (place !== "path") continue;
        for (const text of sampled(QUERY_NUMBERS, SHARE, parameters++)) {
          const {
            status,
            text: answer,
            asked,
          } = await send({ operation, path: { [name]: text }, body: operation.bodies.size === 0 ? undefined : "{}" });
          assert.ok(status < 500, `${asked}: ${status} ${answer}`);
        }
      }
    }
  });

  test(`${scope}: numbers of bodies`, async (c) => {
    const { api, operations } = await operationsOf(scope);
    let [requests, bodies] = [0, 0];
    for (const operation of operations) {
      const schema = operation.bodies.get("application/json");
      if (schema === undefined) continue;
      for (const literal of sampled(JSON_NUMBERS, SHARE, bodies++)) {
        for (const { body, schema: own } of withNumber(operation.example, literal, schema, api)) {
          const { status, text: answer, asked } = await send({ operation, body });
          requests++;
          assert.ok(status < 500, `${asked}: ${status} ${answer}`);
          // An AS number that no table of networks has is rejected as well, and what belongs to another operation.
          const isForOthers = ['"asn":', '"at_least":', '"atleast":'].some((member) => body.includes(member));
          if (own?.type === "integer" && !(isForOthers && isIn(api, own, JSON.parse(literal))))
            assert.equal(status === 400, !isIn(api, own, JSON.parse(literal)), `${asked}: ${status} ${answer}`);
        }
      }
    }
    c.diagnostic(`${requests} requests`);
    assert.ok(bodies > 5 && requests > bodies);
  });
}

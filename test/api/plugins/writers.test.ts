/**
 * Serialisers of responses: compiled once, when the first response needs them, without validators; with `nullable`,
 * they write the same as with a validator for null.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import fastify from "fastify";
import { compileWriters, withNullable } from "../../../src/api/plugins/writers.ts";
import { addUser, type TestUser, visit } from "../dashboard/browser.ts";
import { addOrganisation, BUNDLED, startServer, type TestServer } from "../start-server.ts";

let t: TestServer;
let admin: TestUser;
before(async () => {
  t = await startServer({}, BUNDLED);
  admin = await addUser(t, await addOrganisation(t, "writers"), "admin");
});
after(() => t.close());

/** How many functions are compiled from text during the work. */
async function compiledDuring(work: () => Promise<unknown>): Promise<number> {
  const original = globalThis.Function;
  let count = 0;
  globalThis.Function = new Proxy(original, {
    construct(target, args: string[]) {
      count++;
      return Reflect.construct(target, args) as object;
    },
  });
  try {
    await work();
  } finally {
    globalThis.Function = original;
  }
  return count;
}

const get = (path: string): Promise<{ status: number }> => visit(t, "GET", path, { token: admin.token });

test("the first response of an operation compiles its writer, and later ones nothing", async () => {
  const ask = async () => {
    const log = { token: admin.token, headers: { "Content-Type": "text/plain" }, body: "1.1.1.1\n" };
    const ruleset = { token: admin.token, body: { name: randomUUID(), purpose: "blocklist" } };
    const answers = [
      await visit(t, "POST", `/identifications?id=${randomUUID()}`, log),
      await get("/identifications"),
      await get("/lookup?ip=1.1.1.1"),
      await get("/catalogue"),
      await get("/users"),
      await get("/keys"),
      await get("/audit"),
      await get("/session"),
      await visit(t, "POST", "/edl/ip-rulesets/", ruleset),
    ];
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 201]);
  };
  const first = await compiledDuring(ask);
  // Nine serialisers and the validator of one body: no validators of values that may be null.
  assert.ok(first > 0 && first <= 10, `${first} functions were compiled`);
  assert.equal(await compiledDuring(ask), 0);
});

const NULL = { type: "null" };
const SCHEMA = {
  type: "object",
  required: ["a"],
  properties: {
    a: { anyOf: [{ type: "string" }, NULL] },
    b: { anyOf: [{ type: "object", properties: { c: { anyOf: [NULL, { type: "integer" }] } } }, NULL] },
    d: { type: "array", items: { anyOf: [{ type: "array", items: { type: "number" } }, NULL] } },
    e: { anyOf: [{ type: "string" }, { type: "number" }, NULL] },
  },
};
const VALUES = [
  { a: null, b: null, d: [null, [1]], e: null },
  { a: 'x"', b: { c: null, unknown: 1 }, d: [], e: 1.5 },
  { a: "", b: { c: 3 }, e: "two" },
];

test("nullable values are written as with a validator, but without one", async () => {
  const app = fastify();
  for (const [path, schema] of [
    ["/plain", SCHEMA],
    ["/nullable", withNullable(SCHEMA)],
  ] as const)
    app.post(path, { schema: { response: { 200: schema } } }, (request) => Promise.resolve(request.body));
  await app.ready();
  const written = async (url: string, payload: object): Promise<string> =>
    (await app.inject({ method: "POST", url, payload })).body;
  for (const value of VALUES) assert.equal(await written("/nullable", value), await written("/plain", value));
  await app.close();
});

test("the negative control: the framework's own writer compiles during the first response", async () => {
  const app = fastify();
  app.get("/", { schema: { response: { 200: SCHEMA } } }, () => Promise.resolve(VALUES[1]));
  await app.ready();
  assert.ok((await compiledDuring(() => app.inject("/"))) > 0);
  await app.close();
});

test("servers of one process share writers of equal schemas, and none of other schemas", async () => {
  const only = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, SCHEMA.properties[name as "a"]])),
  });
  const start = async (schemas: readonly object[]): Promise<string[]> => {
    const app = fastify();
    compileWriters(app);
    for (const [index, schema] of schemas.entries())
      app.get(`/${index}`, { schema: { response: { 200: schema } } }, () => Promise.resolve(VALUES[1]));
    await app.ready();
    const bodies = await Promise.all(schemas.map(async (_, index) => (await app.inject(`/${index}`)).body));
    await app.close();
    return bodies;
  };
  const [a, ab, d] = ['{"a":"x\\""}', '{"a":"x\\"","b":{"c":null}}', '{"d":[]}'];
  assert.deepEqual(await start([only("a"), only("a", "b"), only("a")]), [a, ab, a]);
  const again = await compiledDuring(async () =>
    assert.deepEqual(await start([only("a", "b"), only("a")]), [ab, a], "equal schemas at other places"),
  );
  const another = await compiledDuring(async () => assert.deepEqual(await start([only("d"), only("a")]), [d, a]));
  assert.ok(again < another, `${again} functions compiled for known schemas, ${another} with one that is new`);
});

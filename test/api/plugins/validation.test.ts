/** What queries and bodies are read as, and what is said of those that do not fit their schema. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fastify, { type FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { ServiceError } from "../../../src/service/service-error.ts";
import { BodyList, validateStrictly } from "../../../src/api/plugins/validation.ts";

const QUERY = {
  properties: {
    sort: { enum: ["name", 7] },
    exact: { type: "boolean" },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    any: { type: "integer" },
    text: { type: "string", minLength: 2, maxLength: 4 },
  },
  required: ["limit"],
  read: ["api_key"],
};
const BODY = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
    count: Type.Optional(Type.Integer({ minimum: 2, maximum: 5 })),
    kind: Type.Optional(Type.Enum(["a", "b"])),
    both: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    few: Type.Optional(Type.Object({}, { minProperties: 1, maxProperties: 2, additionalProperties: true })),
    several: Type.Optional(Type.Object({}, { minProperties: 2, additionalProperties: true })),
    deep: Type.Optional(Type.Object({ "a/b~c": Type.Integer() }, { additionalProperties: false })),
    change: Type.Optional(
      Type.Union([
        Type.Object({ op: Type.Literal("add"), rule: Type.String() }, { additionalProperties: false }),
        Type.Object({ op: Type.Literal("delete"), prefix: Type.String() }, { additionalProperties: false }),
      ]),
    ),
  },
  { additionalProperties: false },
);

/** Every message of every field. */
function toldOf(error: Error): string {
  const { fields } = error as ServiceError;
  const told = Object.entries(fields ?? {}).map(([field, messages]) => `${field}: ${messages.join(" | ")}`);
  return told.length === 0 ? error.message : told.join("; ");
}

let app: FastifyInstance;
before(async () => {
  app = fastify();
  validateStrictly(app);
  app.setErrorHandler((error: Error, _request, reply) => reply.code(400).send({ error: toldOf(error) }));
  const route = (url: string, schema: object) =>
    app.route({ method: "POST", url, schema, handler: async ({ query, body }) => ({ query, body }) });
  route("/query", { querystring: QUERY });
  route("/none", { querystring: { properties: {} } });
  route("/body", { body: BODY });
  route("/needed", { body: Type.Object({ name: Type.String() }) });
  await app.ready();
});
after(() => app.close());

const asked = async (url: string, body?: unknown) => {
  const answer = await app.inject({ method: "POST", url, ...(body !== undefined && { body: body as object }) });
  return answer.json();
};
const query = async (text: string) => {
  const { query: read, error } = await asked(`/query?limit=1&${text}`);
  if (error !== undefined) return error;
  const { limit: _, ...rest } = read;
  return rest;
};

test("parameters are read by their types, and nothing is guessed", async () => {
  for (const [text, read] of [
    ["sort=name", { sort: "name" }],
    ["sort=7", { sort: 7 }],
    ["exact=true", { exact: true }],
    ["exact=0", { exact: false }],
    ["exact=1", { exact: true }],
    ["exact=false", { exact: false }],
    ["any=0", { any: 0 }],
    ["any=9007199254740991", { any: Number.MAX_SAFE_INTEGER }],
    ["text=ab", { text: "ab" }],
    ["text=%F0%9F%98%80%F0%9F%98%80cd", { text: "😀😀cd" }],
    ["api_key=secret", {}],
  ] as const)
    assert.deepEqual(await query(text), read, text);
  assert.deepEqual((await asked("/query?limit=100")).query, { limit: 100 });
  for (const [text, error] of [
    ["sort=8", 'sort: "8" is not one of name, 7'],
    ["exact=yes", 'exact: "yes" is not a boolean; write true, false, 1 or 0'],
    ["exact=constructor", 'exact: "constructor" is not a boolean; write true, false, 1 or 0'],
    ["any=-1", 'any: "-1" is not a whole number from 0 to 9007199254740991'],
    ["any=9007199254740992", 'any: "9007199254740992" is not a whole number from 0 to 9007199254740991'],
    ["any=1.5", 'any: "1.5" is not a whole number from 0 to 9007199254740991'],
    ["text=a", "text: use at least 2 characters"],
    ["text=abcde", "text: use at most 4 characters"],
    ["text=ab&text=cd", "text: given more than once"],
    [`sort=${"x".repeat(61)}`, `sort: "${"x".repeat(60)}…" is not one of name, 7`],
    [`sort=${"x".repeat(60)}`, `sort: "${"x".repeat(60)}" is not one of name, 7`],
    ["Exakt=1", "Exakt: unknown parameter; did you mean exact?"],
    ["zzzzzzzz=1", "zzzzzzzz: unknown parameter; choose one of sort, exact, limit, any, text"],
    [`${"x".repeat(61)}=1`, `${"x".repeat(60)}…: unknown parameter; choose one of sort, exact, limit, any, text`],
    [`${"x".repeat(60)}=1`, `${"x".repeat(60)}: unknown parameter; choose one of sort, exact, limit, any, text`],
    ["=1", "query: unknown parameter; choose one of sort, exact, limit, any, text"],
    ["my_IPS_key=1", "query: unknown parameter; choose one of sort, exact, limit, any, text"],
  ] as const)
    assert.equal(await query(text), error, text);
  for (const text of ["limit=0", "limit=101", "limit=", "limit=x"])
    assert.match((await asked(`/query?${text}`)).error, /^limit: "\w*" is not a whole number from 1 to 100$/);
  assert.equal((await asked("/query")).error, "limit: is required");
  assert.equal((await asked("/none?a=1")).error, "a: unknown parameter; this operation takes none");
});

test("bodies are checked, each error once, by the name of its property", async () => {
  for (const body of [
    {},
    { name: "abc", count: 2, kind: "a", both: null },
    { count: 5, few: { a: 1, b: 2 } },
    { change: { op: "add", rule: "x" } },
  ])
    assert.deepEqual((await asked("/body", body)).body, body);
  assert.deepEqual((await asked("/body")).body, {}, "a missing body has no members");
  assert.match((await asked("/needed")).error, /^body: is missing; send a JSON document/);
  assert.equal((await asked("/needed", {})).error, "name: is required");
  for (const [body, error] of [
    [[], "body: must be an object"],
    [{ name: "" }, "name: use at least 1 character"],
    [{ name: "abcd" }, "name: use at most 3 characters"],
    [{ name: 1 }, "name: must be a string"],
    [{ count: 1 }, "count: must be at least 2"],
    [{ count: 6 }, "count: must be at most 5"],
    [{ count: 2.5 }, "count: must be an integer"],
    [{ kind: "c" }, "kind: must be one of a, b"],
    [{ both: 1 }, "both: must be a string | must be null | has none of the permitted forms"],
    [{ few: {} }, "few: use at least 1 property"],
    [{ few: { a: 1, b: 1, c: 1 } }, "few: use at most 2 properties"],
    [{ several: { a: 1 } }, "several: use at least 2 properties"],
    [{ deep: { "a/b~c": "x" } }, "deep.a/b~c: must be an integer"],
    [{ deep: { "a/b~c": 1, other: 1 } }, "deep.other: unknown property"],
    [{ other: 1 }, "other: unknown property"],
    [{ change: { op: "add" } }, "change.rule: is required"],
    [{ change: { op: "delete", prefix: 1 } }, "change.prefix: must be a string"],
    [{ change: { op: "move" } }, "change.op: must be one of add, delete"],
  ] as const)
    assert.equal((await asked("/body", body)).error, error, JSON.stringify(body));
});

test("the list of a body, item by item: alone or as a property, no longer than the setting", () => {
  const list = Type.Array(Type.Object({ ip: Type.String() }), { maxItems: 3, "x-setting": "max-rules" });
  const objects = Type.Object({ rules: list }, { additionalProperties: false });
  const named = BodyList.of(objects)!;
  assert.deepEqual(
    [named.member, named.isBareAllowed, named.maxItems, named.setting],
    ["rules", false, 3, "max-rules"],
  );
  const either = BodyList.of({
    content: { "application/json": { schema: Type.Union([objects, list]) }, "text/csv": {} },
  })!;
  assert.deepEqual([either.member, either.isBareAllowed, either.maxItems], ["rules", true, 3]);
  assert.equal(BodyList.of(Type.Object({ a: Type.String() })), undefined);
  assert.equal(BodyList.of({ content: { "text/csv": {} } }), undefined);
  assert.equal(BodyList.of(undefined), undefined);
  const unlimited = BodyList.of(Type.Object({ rules: Type.Array(Type.String()) }))!;
  assert.deepEqual([unlimited.maxItems, unlimited.setting], [Infinity, undefined]);
  const good = { ip: "20.0.0.1" };
  const errorOf = (value: unknown, of = either) => {
    const read = of.read(value);
    return "error" in read ? read.error.message : undefined;
  };
  for (const value of [[], [good], { rules: [good, good, good] }]) assert.equal(errorOf(value), undefined);
  assert.equal(errorOf([good, {}]), "[1].ip: is required");
  assert.equal(errorOf({ rules: [good, { ip: 1 }] }), "rules[1].ip: must be a string");
  assert.match(errorOf({ rules: [good, good, good, good] })!, /^rules: .*3.*max-rules/);
  assert.match(errorOf([good, good, good, good])!, /^rules: .*3.*max-rules/);
  assert.equal(errorOf([good], named), "body: must be an object");
  assert.equal(errorOf({ rules: [good], other: 1 }), "other: unknown property");
  assert.equal(errorOf({ rules: 7 }, named), "rules: must be an array");
  assert.deepEqual(
    { ...either.errorsOf([good, 7, {}], 10) },
    {
      "rules[11]": ["must be an object"],
      "rules[12].ip": ["is required"],
    },
  );
  assert.equal(either.errorsOf([good], 0), undefined);
  const many = unlimited.errorsOf(
    Array.from({ length: 500 }, () => 1),
    0,
  )!;
  assert.equal(Object.keys(many).length, 200, "no more are told");
});

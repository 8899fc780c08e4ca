import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SNAPSHOT_TYPE } from "../../../src/api/http/send-snapshot.ts";
import { EXAMPLES } from "../../../src/api/openapi/examples.ts";
import { exampleAnswers } from "../examples/example-answers.ts";
import { ApiDocument } from "../fuzz/api-document.ts";
import { inlined } from "../inlined-document.ts";
import { startServer } from "../start-server.ts";
import { onlyLong } from "../../rounds.ts";

const PATHS = ["/openapi.json", "/dashboard/api/openapi.json"] as const;

/** By path, with a function that checks texts against schemas. */
const documents = {} as Record<(typeof PATHS)[number], { readonly json: any; readonly api: ApiDocument }>;
before(async () => {
  const server = await startServer();
  for (const path of PATHS) {
    const json = inlined(await (await fetch(server.server.url + path)).json());
    documents[path] = { json, api: new ApiDocument(json) };
  }
  await server.close();
});

interface Shown {
  readonly place: string;
  readonly schema: any;
  readonly example: unknown;
}

/** These are not shown as text. */
const COMPRESSED = ["application/gzip", "application/x-gzip", "application/zstd"];

/** Every body and every successful response of the document. */
function shownIn(document: any): Shown[] {
  const contents = Object.values<any>(document.paths)
    .flatMap((methods) => Object.values<any>(methods))
    .flatMap(({ operationId, requestBody, responses }) => [
      [`${operationId} body`, requestBody?.content ?? {}] as const,
      ...Object.entries<any>(responses)
        .filter(([status]) => status < "400")
        .map(([status, { content = {} }]) => [`${operationId} ${status}`, withoutSnapshots(content)] as const),
    ]);
  return contents.flatMap(([place, content]) =>
    Object.entries<any>(content)
      .filter(([type]) => !COMPRESSED.includes(type))
      .map(([type, { schema, example }]) => ({ place: `${place} ${type}`, schema, example })),
  );
}

/** A snapshot is not text. */
function withoutSnapshots(content: Record<string, any>): Record<string, any> {
  return Object.fromEntries(Object.entries(content).filter(([type]) => type !== SNAPSHOT_TYPE));
}

/** Those without an example, or with one that does not match their schema. */
function invalidAmong(api: ApiDocument, shown: readonly Shown[]): string[] {
  return shown
    .filter(({ schema, example }) => example === undefined || !api.fits(schema, example))
    .map(({ place }) => place);
}

for (const path of PATHS)
  test(`${path} has an example of every body and every successful response, and each matches its schema`, (t) => {
    const { json, api } = documents[path];
    t.diagnostic(`${shownIn(json).length} examples`);
    assert.deepEqual(invalidAmong(api, shownIn(json)), []);
  });

for (const path of PATHS)
  test(`${path}: the schema of every response can be compiled`, { skip: onlyLong() }, (t) => {
    const responses = documents[path].api.operations.flatMap((operation) => [...operation.responses.values()]);
    const checks = responses.flatMap(({ bodies }) => [...bodies.values()]).map((compiled) => compiled());
    t.diagnostic(`${checks.length} schemas`);
    assert.ok(checks.length > responses.length / 2);
  });

test("the examples equal the responses of a server; npm run examples writes them anew", async () => {
  assert.deepEqual(EXAMPLES, await exampleAnswers());
});

test("negative control: an example that is missing, lacks a member, or is of another type is detected", () => {
  const { json, api } = documents["/openapi.json"];
  const shown = shownIn(json).find(({ place }) => place === "lookupIp 200 application/json")!;
  for (const change of [
    () => undefined,
    (example: object) => ({ ...example, unknown: 1 }),
    (example: object) => ({ ...example, seen: "yes" }),
  ]) {
    assert.deepEqual(invalidAmong(api, [{ ...shown, example: change(shown.example as object) }]), [
      "lookupIp 200 application/json",
    ]);
  }
});

test("headers that every response has are marked as required; the ETag of a replacement is not, since a dry run has none", () => {
  const headers = (path: string, method: string, status: number): any =>
    documents["/openapi.json"].json.paths[path][method].responses[status].headers;
  const rules = "/v1/edl/ip-rulesets/{ruleset_id}/rules";
  // One description serves all answers, and those to no one have no number of a change.
  for (const [name, { required }] of Object.entries<any>(headers(rules, "get", 200)))
    assert.equal(required, name !== "X-Sequence", name);
  assert.equal(headers(rules, "put", 200)["ETag"].required, false);
  assert.equal(headers(rules, "put", 429)["Retry-After"].required, true);
});

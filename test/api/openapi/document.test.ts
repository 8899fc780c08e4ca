import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PROBLEMS } from "../../../src/api/problem.ts";
import { documentErrors } from "../document-errors.ts";
import { startServer, type TestServer } from "../start-server.ts";

const PATHS = ["/openapi.json", "/openapi-3.0.json", "/dashboard/api/openapi.json", "/dashboard/api/openapi-3.0.json"];

let t: TestServer;
const documents: Record<string, any> = {};
before(async () => {
  t = await startServer({ baseUrl: "https://lists.example.org/", contact: "noc@example.org" });
  for (const path of PATHS) documents[path] = await (await fetch(t.server.url + path)).json();
});
after(() => t.close());

for (const path of PATHS) {
  describe(path, () => {
    test("it contains nothing that generators of clients cannot process", () =>
      assert.deepEqual(documentErrors(documents[path]), []));

    test("it has a contact, the server, and the version of the package", () => {
      const { info, servers } = documents[path];
      const manifest = JSON.parse(
        readFileSync(fileURLToPath(new URL("../../../package.json", import.meta.url)), "utf8"),
      );
      assert.equal(info.version, manifest.version);
      assert.deepEqual([info.contact.email, info.license.name], ["noc@example.org", manifest.license]);
      assert.deepEqual(servers, [{ url: "https://lists.example.org" }]);
    });
  });
}

test("without settings: the server is that of the document, and there still is a contact", async (context) => {
  const plain = await startServer();
  context.after(() => plain.close());
  const { info, servers } = (await (await fetch(`${plain.server.url}/openapi.json`)).json()) as any;
  assert.deepEqual([servers, info.contact], [[{ url: "/" }], { name: "Operator of this service" }]);
});

test("access level and plan of every public operation, machine-readable and in words", () => {
  const { paths } = documents["/openapi.json"];
  const { get, post } = paths["/v1/edl/ip-rulesets/{ruleset_id}/rules"];
  assert.deepEqual([get["x-access-level"], get["x-plan"], post["x-access-level"]], ["read", "edl", "read_write"]);
  assert.match(
    post.description,
    /Requires a key with access level read_write and an active plan for EDL Management\.$/,
  );
  assert.equal(paths["/bulk_lookup"].post["x-plan"], "cti");
  const dashboard = documents["/dashboard/api/openapi.json"].paths;
  assert.deepEqual(
    [dashboard["/dashboard/api/users"].get["x-role"], dashboard["/dashboard/api/setup"].get["x-role"]],
    ["admin", "none"],
  );
});

test("problems have exactly the members of their kind", () => {
  const { schemas } = documents["/openapi.json"].components;
  assert.deepEqual(Object.keys(schemas.ConflictProblem.properties).slice(-2), ["existing", "results"]);
  assert.ok(schemas.ValidationErrorProblem.required.includes("validation_errors"));
  assert.ok(schemas.AuthenticationRequiredProblem.required.includes("request_id"));
  assert.equal(schemas.NotFoundProblem.properties.type.const, "/problems/not-found");
  const known = Object.keys(PROBLEMS).map((kind) => `/problems/${kind}`);
  for (const [name, { properties }] of Object.entries<any>(schemas))
    if (name.endsWith("Problem")) assert.ok(known.includes(properties.type.const), name);
});

test("3.0 has the same operations, and nothing that only 3.1 supports", () => {
  for (const folder of ["", "/dashboard/api"]) {
    const [newer, older] = [documents[`${folder}/openapi.json`], documents[`${folder}/openapi-3.0.json`]];
    assert.equal(older.openapi, "3.0.3");
    assert.deepEqual(Object.keys(older.paths), Object.keys(newer.paths));
    assert.deepEqual(Object.keys(older.components.schemas), Object.keys(newer.components.schemas));
    const text = JSON.stringify(older);
    assert.doesNotMatch(text, /"type":\[|"type":"null"|"const":|"examples":\[|"exclusiveMinimum":\d/);
    const typeOf = (name: string): string => older.components.schemas[name].type;
    // In 3.0, a reference that may be null is declared as an object.
    for (const [, name] of text.matchAll(/"nullable":true,"allOf":\[\{"\$ref":"#\/components\/schemas\/(\w+)"\}\]/g))
      assert.equal(typeOf(name!), "object", name);
    assert.doesNotMatch(text, /"nullable":true,"allOf":\[\{"type":"(?!object)/);
  }
  const { Rule, CheckResult } = documents["/openapi-3.0.json"].components.schemas;
  assert.deepEqual([Rule.properties.name.type, Rule.properties.name.nullable], ["string", true]);
  assert.deepEqual(CheckResult.properties.rule, {
    type: "object",
    nullable: true,
    allOf: [{ $ref: "#/components/schemas/Rule" }],
  });
});

/** A broken part, and the expected error. */
const BROKEN: readonly [what: string, breakIt: (document: any) => void, fault: RegExp][] = [
  [
    "an enum without a type",
    ({ components }) => delete components.schemas.Purpose.type,
    /Purpose: an enum without a type/,
  ],
  [
    "an open union",
    ({ components }) => delete components.schemas.CheckOneRequest.additionalProperties,
    /CheckRequest: a form of a union that is open/,
  ],
  [
    "a form without a required member",
    ({ components }) => delete components.schemas.BatchDelete.required,
    /a form of a union that is open/,
  ],
  ["anyOf", ({ components }) => (components.schemas.CheckRequest.anyOf = []), /CheckRequest: anyOf/],
  [
    "a number",
    ({ components }) => (components.schemas.Ruleset.properties.total_rules.type = "number"),
    /total_rules: a number that is not an integer/,
  ],
  [
    "an object that is written out twice",
    ({ components }) =>
      Object.assign(components.schemas.RuleChange.properties, {
        before: { ...components.schemas.Rule, title: "x" },
        after: { ...components.schemas.Rule, title: "x" },
      }),
    /before: the same as at .*after/,
  ],
  [
    "a parameter that is written out twice",
    ({ paths, components }) => {
      const [first, second] = Object.values<any>(paths)
        .flatMap((methods) => Object.values<any>(methods))
        .filter(({ parameters }) => parameters.length > 0);
      first.parameters[0] = second.parameters[0] = components.parameters.PageParameter;
    },
    /page: the same as at .* page, without a name/,
  ],
  [
    "one name for two components",
    ({ components }) => (components.responses.Rule = {}),
    /two components are called Rule/,
  ],
  ["a tag without a description", (document) => document.tags.pop(), /the tag .* has no description/],
  [
    "no access level",
    ({ paths }) => delete paths["/v1/cbs/lookup"].get["x-access-level"],
    /lookupCbs: no access level/,
  ],
  [
    "no words about it",
    ({ paths }) => (paths["/v1/cbs/lookup"].get.description = ""),
    /lookupCbs: no access level in words/,
  ],
  [
    "an open problem",
    ({ components }) => delete components.schemas.NotFoundProblem.additionalProperties,
    /404: a problem that is open/,
  ],
  [
    "a problem of another status",
    ({ components }) => (components.schemas.NotFoundProblem.properties.status.const = 400),
    /404: a problem that is open, or of another status/,
  ],
];
for (const [what, breakIt, fault] of BROKEN) {
  test(`negative control: ${what} is detected`, () => {
    const document = structuredClone(documents["/openapi.json"]);
    breakIt(document);
    assert.match(documentErrors(document).join("\n"), fault);
  });
}

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parseQuery } from "../../src/cti/search/parse-query.ts";
import { printQuery } from "../../src/cti/search/print-query.ts";
import { OPERATORS, SEARCH_FIELDS } from "../../src/cti/search/search-fields.ts";
import { SAMPLE_DATASET } from "../../src/datasets/sample-dataset.ts";
import { missingModule, PYTHON } from "../tools.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

interface Built {
  readonly fields: readonly {
    readonly name: string;
    readonly type: string;
    readonly aliases: readonly string[];
    readonly enum: readonly string[];
    readonly case_insensitive: boolean;
  }[];
  readonly operators: Readonly<Record<string, readonly string[]>>;
  readonly queries: readonly string[];
}

describe("the vendor's query builders", { skip: missingModule("ellio_elq") }, () => {
  let built: Built;
  let t: TestServer;
  let key = "";
  before(async () => {
    const script = join(import.meta.dirname, "clients/elq-queries.py");
    built = JSON.parse(execFileSync(PYTHON, [script], { encoding: "utf8" })) as Built;
    t = await startServer({}, undefined, SAMPLE_DATASET);
    key = (await addKey(t, await addOrganisation(t, "vendor"))).text;
  });
  after(() => t.close());

  test("know the same fields, types, aliases, values and operators", () => {
    assert.deepEqual(
      SEARCH_FIELDS.map(({ name, type, aliases, values, ignoresCase }) => ({
        name,
        type,
        aliases: [...aliases],
        values: [...(values ?? [])].sort(),
        ignoresCase,
      })),
      built.fields.map(({ name, type, aliases, enum: values, case_insensitive }) => ({
        name,
        type,
        aliases: [...aliases],
        // Those of booleans follow from their type.
        values: type === "bool" ? [] : [...values].sort(),
        ignoresCase: case_insensitive,
      })),
    );
    const own = Object.entries(OPERATORS).map(([type, operators]) => [
      type,
      operators.filter((each) => each !== "within"),
    ]);
    assert.deepEqual(Object.fromEntries(own), built.operators);
  });

  test("build queries that are printed back as they are, and answered", async () => {
    assert.ok(built.queries.length > 350, String(built.queries.length));
    for (const q of built.queries) {
      // What is raw, or a relative time where none belongs, is canonical only after it was read.
      const canonical = printQuery(parseQuery(q));
      if (!/^\(192\.0\.2\.2 OR/.test(q)) assert.equal(canonical, q);
      const { status, text } = await ask(t, "GET", `/v1/cti/search?q=${encodeURIComponent(q)}`, { key });
      assert.equal(status, 200, `${q}: ${text}`);
    }
  });
});

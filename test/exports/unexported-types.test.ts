import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { unexportedTypes } from "./unexported-types.ts";

const dist = join(import.meta.dirname, "../../dist");
const paths = globSync("**/*.d.ts", { cwd: dist, exclude: ["{api,cli,service,store,update}/**"] });
const sources = Object.fromEntries(paths.map((path) => [path, readFileSync(join(dist, path), "utf8")]));

/** Named only for the package's own use: callers cannot make one, and do not need to. */
const INTERNAL = [
  "Catalogue names NodeIds of cbs/_node-ids.d.ts", // by `encodedIds`, for the templates of rows
  "CtiDataset names TextTable of cti/_texts.d.ts", // by `texts`, for searching
  "ExportFormat names FormatOf of formats/formats.d.ts", // computes a union of names
  "FoundRules names FoundPart of rulesets/index/rule-search.d.ts", // by the constructor
  "RuleExportFormat names FormatOf of formats/formats.d.ts",
  "RuleIndex names FamilyRules of rulesets/index/_family-rules.d.ts", // by `of`, for stored rulesets
  "RuleSearch names FamilyRules of rulesets/index/_family-rules.d.ts", // by the constructor
  "SearchIndex names SearchTables of cbs/search.d.ts", // by the constructor, for `inParts`
];

for (const entry of ["index.d.ts", "core.d.ts"]) {
  test(`${entry} exports every type in its signatures, except for internal ones`, () => {
    assert.ok(paths.includes(entry), "is dist/ built?");
    assert.deepEqual(unexportedTypes(sources, entry), INTERNAL);
  });
}

test("negative control: a type is found as a parameter, a result, a member, a base, and in another file", () => {
  const found = unexportedTypes(
    {
      "index.d.ts": `export { f, type A, C } from "./a.ts"; export * from "./all.ts";`,
      "all.d.ts": `export type { Known } from "./b.js";`,
      "a.d.ts": `import type { B as Other, Known } from "./b.js"; import type { P } from "package";
        interface Own {} interface Base {} interface Unused {}
        export declare function f(a: Own, known: Known, p: P): Promise<Other>;
        export interface A extends Base { readonly member: readonly Own[]; }
        export declare class C<T> { #private; method<U>(t: T, u: U): Map<string, Other>; }`,
      "b.d.ts": `export interface B {} export type Known = string;`,
    },
    "index.d.ts",
  );
  assert.deepEqual(found, [
    "A names Base of a.d.ts",
    "A names Own of a.d.ts",
    "C names Other of b.d.ts",
    "f names Other of b.d.ts",
    "f names Own of a.d.ts",
  ]);
});

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { checkDocstrings } from "./check-docstrings.ts";

const root = new URL("../../", import.meta.url);

test("every export of the package is documented where it is declared, with what it throws", () => {
  const paths = globSync("src/**/*.ts", { cwd: root, exclude: ["src/kernel/assembly/**", "src/dashboard/**"] });
  const sources = Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, root), "utf8")]));
  const entries = ["src/index.ts", "src/client/client.ts", "src/express.ts", "src/fastify.ts"];
  assert.deepEqual(checkDocstrings(sources, ...entries), []);
});

const INDEX = 'export { a } from "./a.ts";';
const SEEDED: Readonly<Record<string, readonly [text: string, violations: readonly string[]]>> = {
  "no docstring": ["export const a = 1;", ["a.ts: a has no docstring of a sentence"]],
  "a comment of another kind": [
    "// The first of them.\nexport const a = 1;",
    ["a.ts: a has no docstring of a sentence"],
  ],
  "the docstring of what stands before": [
    "/** The first of them. */\nconst b = 1;\nexport const a = b;",
    ["a.ts: a has no docstring of a sentence"],
  ],
  "no sentence": ["/** the id */\nexport const a = 1;", ["a.ts: a has no docstring of a sentence"]],
  "a function that throws in silence": [
    "/** Gives one of them. */\nexport function a() { if (b) throw new Error(); }",
    ["a.ts: a throws, and its docstring does not say so"],
  ],
  "a function that throws by way of another": [
    "/** Gives one of them. */\nexport function a() { return b(); }\nfunction b() { throw new Error(); }",
    ["a.ts: a throws, and its docstring does not say so"],
  ],
  "a method that throws in silence": [
    "/** Holds one of them. */\nexport class a { /** Gives it. */ b() { throw new Error(); } }",
    ["a.ts: a.b throws, and its docstring does not say so"],
  ],
  "a method that throws by way of a private one": [
    "/** Holds one of them. */\nexport class a { /** Gives it. */ b() { this.#c(); } #c() { throw new Error(); } }",
    ["a.ts: a.b throws, and its docstring does not say so"],
  ],
  "a name that is not there": ["/** Gives one of them. */\nexport const b = 1;", ["a.ts: a is not declared there"]],
  "a name from another file, without docstring": [
    'import { a } from "./b.ts";\nexport { a };',
    ["b.ts: a has no docstring of a sentence"],
  ],
  "all of it (accepted)": [
    "/** Gives one of them. @throws Error always */\nexport function a() { throw new Error(); }",
    [],
  ],
  "an error that is caught (accepted)": [
    "/** Gives one of them. */\nexport function a() { try { throw 1; } catch { return 2; } }",
    [],
  ],
};

test("checked: exports of another entry through a star", () => {
  const sources = { "all.ts": 'export * from "./index.ts";', "index.ts": INDEX, "a.ts": "export const a = 1;" };
  assert.deepEqual(checkDocstrings(sources, "all.ts"), ["a.ts: a has no docstring of a sentence"]);
});

for (const [name, [text, violations]] of Object.entries(SEEDED)) {
  test(`checked: ${name}`, () => {
    const sources = { "index.ts": INDEX, "a.ts": text, "b.ts": "export const a = 1;" };
    assert.deepEqual(checkDocstrings(sources, "index.ts"), violations);
  });
}

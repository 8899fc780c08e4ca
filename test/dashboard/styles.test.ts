import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const FOLDER = join(import.meta.dirname, "../../src/dashboard");

/** The classes that have rules of their own (`.name { ... }`), with the files that contain them. */
function stylesOf(sheets: Readonly<Record<string, string>>): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>();
  for (const [path, text] of Object.entries(sheets)) {
    for (const [, selectors] of text.replaceAll(/\/\*.*?\*\//gs, "").matchAll(/([^{}]+)\{/g)) {
      for (const name of selectors!
        .split(",")
        .map((each) => each.trim())
        .filter((each) => /^\.[\w-]+$/.test(each)))
        files.set(name, (files.get(name) ?? new Set()).add(path));
    }
  }
  return files;
}

const repeatedIn = (sheets: Readonly<Record<string, string>>): string[] =>
  [...stylesOf(sheets)]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(", ")}`);

test("no class is styled by two files: all are in one style sheet, and pages would affect each other", () => {
  const sheets = Object.fromEntries(
    globSync("**/*.css", { cwd: FOLDER }).map((path) => [path, readFileSync(join(FOLDER, path), "utf8")]),
  );
  assert.ok(stylesOf(sheets).size > 100);
  assert.deepEqual(repeatedIn(sheets), []);
});

test("negative control: a class styled by two files is detected", () => {
  assert.deepEqual(
    repeatedIn({
      "a.css": ".one { color: red }\n.two .three { top: 0 }",
      "b.css": "/* .one {} */ p, .one { margin: 0 }\n.three { top: 0 }",
    }),
    [".one: a.css, b.css"],
  );
});

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, test } from "node:test";
import { onlyLong, rounds, sampled } from "./rounds.ts";

const ROOT = join(import.meta.dirname, "..");
const numbers = { short: 3, long: 7 };
const before = process.env["TEST_ROUNDS"];
afterEach(() => {
  if (before === undefined) delete process.env["TEST_ROUNDS"];
  else process.env["TEST_ROUNDS"] = before;
});

test("the short number, unless the long form is requested", () => {
  delete process.env["TEST_ROUNDS"];
  assert.equal(rounds(numbers), 3);
  process.env["TEST_ROUNDS"] = "long";
  assert.equal(rounds(numbers), 7);
});

test("skipped parts of `npm test` say so, and run in the long form", () => {
  delete process.env["TEST_ROUNDS"];
  assert.match(String(onlyLong()), /\.ci\/run/);
  process.env["TEST_ROUNDS"] = "long";
  assert.equal(onlyLong(), false);
});

test("some of the items, different ones in each run, unless the long form is requested", () => {
  const items = ["a", "b", "c", "d", "e"];
  delete process.env["TEST_ROUNDS"];
  assert.deepEqual(sampled(items, 2), ["a", "c", "e"]);
  assert.deepEqual([0, 1, 2].flatMap((from) => sampled(items, 3, from)).sort(), items);
  assert.deepEqual(sampled(items, 3, 4), ["b", "e"]);
  process.env["TEST_ROUNDS"] = "long";
  assert.equal(sampled(items, 2), items);
});

/** The lines of the list that a script runs: paths or glob patterns. */
function listOf(script: string, list: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.match(scripts[script], /^TEST_ROUNDS=long /);
  assert.ok(scripts[script].endsWith(` $(cat ${list})`), `${script} does not run ${list}`);
  return readFileSync(join(ROOT, list), "utf8").trimEnd().split("\n");
}

const WITH_PROGRAMS = listOf("test:programs", "test/programs-tests.txt");
const OTHERS = listOf("test:long", "test/long-tests.txt");

test("the lists of `npm run test:programs` and `npm run test:long` name existing files, in alphabetical order", () => {
  for (const list of [WITH_PROGRAMS, OTHERS]) {
    assert.deepEqual(list, list.toSorted());
    for (const line of list) assert.ok(globSync(line, { cwd: ROOT }).length > 0, `no file: ${line}`);
  }
});

test("every file with a long form is in one of the two lists, none in both", () => {
  const hasLongForm = (path: string): boolean => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const loaded = Array.from(text.matchAll(/\bimport\("(\.[^"]+\.test\.ts)"\)/g), ([, other]) =>
      join(dirname(path), other!),
    );
    return (
      path !== "test/rounds.test.ts" && (/\brounds\(\{|\bonlyLong\(|\bsampled\(/.test(text) || loaded.some(hasLongForm))
    );
  };
  const files = globSync("test/**/*.test.ts", { cwd: ROOT }).filter(hasLongForm);
  const withPrograms = globSync(WITH_PROGRAMS, { cwd: ROOT });
  // The page tests have their long form in the browser's harness.
  assert.ok(withPrograms.filter((path) => /^test\/dashboard\/.*-pages\.test\.ts$/.test(path)).length > 5);
  const others = files.filter((path) => !withPrograms.includes(path));
  assert.deepEqual(globSync(OTHERS, { cwd: ROOT }).toSorted(), others.toSorted());
});

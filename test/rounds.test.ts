import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { rounds } from "./rounds.ts";

const ROOT = join(import.meta.dirname, "..");
const numbers = { short: 3, long: 7 };
const before = process.env["IPSIEVE_TEST_ROUNDS"];
afterEach(() => {
  if (before === undefined) delete process.env["IPSIEVE_TEST_ROUNDS"];
  else process.env["IPSIEVE_TEST_ROUNDS"] = before;
});

test("the short number, unless the long form is asked for", () => {
  delete process.env["IPSIEVE_TEST_ROUNDS"];
  assert.equal(rounds(numbers), 3);
  process.env["IPSIEVE_TEST_ROUNDS"] = "long";
  assert.equal(rounds(numbers), 7);
});

test("`npm run test:long` runs every file that has a long form, and no other", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const hasLongForm = (path: string): boolean =>
    path !== "test/rounds.test.ts" && /\brounds\(\{/.test(readFileSync(join(ROOT, path), "utf8"));
  const files = globSync("test/**/*.test.ts", { cwd: ROOT }).filter(hasLongForm);
  assert.deepEqual(scripts["test:long"].match(/test\/\S+\.test\.ts/g).toSorted(), files.toSorted());
});

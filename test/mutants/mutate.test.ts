import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../cli/run-command.ts";
import { mutantsOf } from "./mutants-of.ts";

const SOURCE = `
export function doubled(count: number): number {
  let sum = count;
  for (let left = count; left > 0; left--) sum++;
  return sum;
}
export const isUsed = (value?: number) => value !== undefined && value > 9;
export function neverCalled() {
  return true;
}
`;
const TEST = `
import assert from "node:assert/strict";
import { test } from "node:test";
import { doubled, isUsed } from "../../src/sound/sound.ts";
test("what is tested", () => {
  assert.deepEqual(Object.keys(process.env).filter((name) => name.startsWith("IPSIEVE_")), ${JSON.stringify(
    Object.keys(process.env).filter((name) => name.startsWith("IPSIEVE_")),
  )});
  assert.equal(doubled(2), 4);
  assert.equal(isUsed(undefined), false);
  assert.equal(isUsed(11), true);
});
`;
/** Runs the place of each fault, and compares nothing. */
const HOLLOW = `
import { test } from "node:test";
import { isUsed } from "../../src/hollow/hollow.ts";
test("what is run", () => void isUsed(11));
`;
const KEY = "isUsed: value > 9: > -> >=";

test("tells the faults that tests notice from those that they do not, and leaves the sources as they were", (t) => {
  const [folder, temporary] = [temporaryFolder({}), temporaryFolder({})];
  t.after(() => [folder, temporary].forEach((each) => each.remove()));
  const files: Record<string, string> = {
    "package.json": `{ "type": "module" }`,
    "src/sound/sound.ts": SOURCE,
    "src/hollow/hollow.ts": SOURCE.split("\n").find((line) => line.includes("isUsed"))!,
    "test/sound/sound.test.ts": TEST,
    "test/sound/failing.test.ts": `${TEST}test("fails", () => { throw new Error("as it should"); });`,
    "test/hollow/hollow.test.ts": HOLLOW,
    "test/mutants/equivalent.json": JSON.stringify({
      "src/sound/sound.ts": { [KEY]: "as an example", "isUsed: gone": "" },
    }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "mutate.ts"), "sound", "hollow", "--all", "--seconds", "1"],
    { cwd: folder.path, env: { ...process.env, TMPDIR: temporary.path }, encoding: "utf8" },
  );
  assert.equal(stderr, "");
  const lines = stdout.split("\n");
  const [sound, hollow] = ["sound", "hollow"].map((room) =>
    lines.filter((line) => line.includes(`src/${room}/`)).map((line) => line.replace(/src\/\w+\/\w+\.ts/, "FILE")),
  ) as [string[], string[]];
  for (const expected of [
    `killed: FILE:4: doubled: sum++ -> sum-- (test/sound/sound.test.ts failed)`,
    `killed: FILE:4: doubled: left-- -> left++ (test/sound/sound.test.ts timed out)`,
    `killed: FILE:4: doubled: left > 0: > -> >= (test/sound/sound.test.ts failed)`,
    `survived: FILE:7: isUsed: value > 9: 9 -> 8 (1 test files)`,
    `equivalent: FILE:7: ${KEY} ()`,
    `not reached: FILE:9: neverCalled: true -> false ()`,
    `no longer a mutant: FILE: isUsed: gone`,
  ])
    assert.ok(sound.includes(expected), `${expected}\n${stdout}`);
  assert.ok(lines.includes("left out, as it fails without a mutant: test/sound/failing.test.ts"), stdout);
  assert.equal(hollow.length, 5);
  assert.ok(
    hollow.every((line) => line.startsWith("survived:")),
    "the negative control: tests that compare nothing",
  );
  assert.match(stdout, /^\| sound \| 11 \| 6 \| 1 \| 4 \| 60 % \| seed 1 \|$/m);
  assert.match(stdout, /^\| hollow \| 5 \| 0 \| 0 \| 5 \| 0 % \| seed 1 \|$/m);
  for (const [path, text] of Object.entries(files)) assert.equal(readFileSync(join(folder.path, path), "utf8"), text);
  assert.deepEqual(readdirSync(temporary.path), []);
});

test("mutants: each is one small change that parses, types and imports stay", () => {
  const source = `
import { a } from "a";
type T = "t";
function f(x: number | undefined, flag = true) {
  if (x === undefined || flag) return x ?? a + 1;
  while (g(x)) await h("word");
  for (const each of list.filter(g)) if (check(each)) throw new RangeError("no " + each);
  return x?.y ? !flag : -x & 7n;
  h(1.5, 1e3, 0x10, 4);
  if (++x % 2 === 0) yield;
  const ITEMS_AT_ONCE = 7;
}
declare module "x" {
  interface Y { readonly z: "w" }
}`;
  assert.deepEqual(
    mutantsOf("f.ts", source).map(({ line, key }) => `${line} ${key}`),
    [
      "4 f: flag = true: true -> false",
      "5 f: x === undefined || flag -> true",
      "5 f: x === undefined || flag -> false",
      "5 f: x === undefined || flag -> (x === undefined && flag)",
      "5 f: x === undefined: === -> !==",
      "5 f: x ?? a + 1 -> (x && a + 1)",
      "5 f: a + 1: + -> -",
      "5 f: a + 1: 1 -> 2",
      "5 f: a + 1: 1 -> 0",
      "6 f: g(x) -> false",
      '6 f: await h("word"); -> ;',
      '6 f: h("word"): "word" -> ""',
      "7 f: list.filter(g) -> []",
      "7 f: list.filter(g) -> list",
      "7 f: check(each) -> true",
      "7 f: check(each) -> false",
      "7 f: check(each) -> !(check(each))",
      '7 f: "no " + each: + -> -',
      "8 f: x?.y ? !flag : -x & 7n: x?.y -> true",
      "8 f: x?.y ? !flag : -x & 7n: x?.y -> false",
      "8 f: x?.y ? !flag : -x & 7n: x?.y -> !(x?.y)",
      "8 f: x?.y: ?. -> .",
      "8 f: x?.y ? !flag : -x & 7n: !flag -> flag",
      "8 f: -x & 7n: & -> |",
      "8 f: -x & 7n: -x -> x",
      "8 f: -x & 7n: 7n -> 8n",
      "8 f: -x & 7n: 7n -> 6n",
      "9 f: h(1.5, 1e3, 0x10, 4); -> ;",
      "9 f: h(1.5, 1e3, 0x10, 4): 1e3 -> 1001",
      "9 f: h(1.5, 1e3, 0x10, 4): 1e3 -> 999",
      "9 f: h(1.5, 1e3, 0x10, 4): 0x10 -> 17",
      "9 f: h(1.5, 1e3, 0x10, 4): 0x10 -> 15",
      "9 f: h(1.5, 1e3, 0x10, 4): 4 -> 6",
    ],
  );
});

/** The built command keeps the compiled code of its first run for the next ones: `build/compiled-script.ts`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

const dist = join(import.meta.dirname, "../../dist");
const SCRIPTS = ["command-line", "start-identify", "start-lookup"];

describe("compiled code", () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-"));
  after(() => rmSync(folder, { recursive: true }));

  const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
    const env = { ...process.env, NODE_COMPILE_CACHE: folder, ...environment };
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, "cli/main.js"), ...args], {
      encoding: "utf8",
      env,
    });
    assert.ok(status === 0 || status === 2, stderr);
    return { status, stdout };
  };
  const kept = (name: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.includes(`${name}.cjs`))
      .map((path) => join(folder, path));
  const lookup = ["lookup", "--json", "8.8.8.8"];

  test("none is kept of a run that ends with an error, and none if Node may keep none", () => {
    assert.equal(run(["lookup", "8.8.8.8.8"]).status, 2);
    run(lookup, { NODE_DISABLE_COMPILE_CACHE: "1" });
    assert.deepEqual(kept("start-lookup"), []);
  });

  test("the first run keeps it for its user, and the next ones use it", () => {
    const first = run(lookup);
    const [file, ...others] = kept("start-lookup");
    assert.ok(file !== undefined && others.length === 0);
    const { mode, mtimeMs, size } = statSync(file);
    assert.equal(mode & 0o777, 0o600);
    assert.ok(size > 50_000, `${size} bytes`);
    assert.deepEqual(run(lookup), first);
    assert.equal(statSync(file).mtimeMs, mtimeMs, "written once");
  });

  test("damaged code is not run but replaced, also an empty file", () => {
    const first = run(lookup);
    const [file = ""] = kept("start-lookup");
    const good = readFileSync(file);
    const oneBit = Buffer.from(good);
    oneBit[good.length - 9]! ^= 1;
    for (const damaged of [oneBit, good.subarray(0, 1000), Buffer.alloc(0)]) {
      writeFileSync(file, damaged);
      assert.deepEqual(run(lookup), first);
      assert.notDeepEqual(readFileSync(file), damaged);
    }
    assert.deepEqual(kept("start-lookup"), [file]);
  });

  test("each script has its own", () => {
    run(["help", "lookup"]);
    run(["identify", "-c", join(dist, "../data/sample.log")]);
    for (const name of SCRIPTS) assert.equal(kept(name).length, 1, name);
  });
});

test("scripts are ASCII, as they are read, and load no package when they start", () => {
  for (const name of SCRIPTS) {
    const source = readFileSync(join(dist, `cli/${name}.cjs`), "latin1");
    assert.doesNotMatch(source, /[^\0-\x7f]/, name);
    assert.doesNotMatch(source, /[^\w.$]require\(/, name);
  }
});

/** The built command keeps the compiled code of its first run for the next ones: `build/compiled-script.ts`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

const dist = join(import.meta.dirname, "../../dist");
const SCRIPTS = ["command-line", "start-identify", "start-lookup"];

/** Why the test of users is skipped; false if it is not. */
const notPosix = process.getuid === undefined ? "Windows keeps temporary folders apart by user" : false;

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
  const kept = (name: string, within = folder): string[] =>
    readdirSync(within, { recursive: true, encoding: "utf8" })
      .filter((path) => path.includes(`${name}.cjs`))
      .map((path) => join(within, path));
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

  test("code of another source of the same length is not run but replaced", () => {
    const script = join(folder, "script.cjs");
    const module = pathToFileURL(join(dist, "../build/compiled-script.ts")).href;
    const program = `import { runScript } from "${module}"; console.log(runScript("${pathToFileURL(script).href}").text);`;
    const options = { encoding: "utf8", env: { ...process.env, NODE_COMPILE_CACHE: folder } } as const;
    for (const text of ["first", "other", "other"]) {
      writeFileSync(script, `(function (module) { module.exports = { text: "${text}" }; })`);
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], options);
      assert.equal(stdout, `${text}\n`, stderr);
      assert.equal(kept("script").length, 2, "the script itself, and its code");
    }
  });

  test("it is kept in a folder of its user's, and not where others can write", { skip: notPosix }, () => {
    const own = join(folder, `ipsieve-compiled-${process.getuid!()}`);
    const temporary = { TMPDIR: folder, NODE_COMPILE_CACHE: undefined };
    run(lookup, { ...temporary, NODE_DISABLE_COMPILE_CACHE: "1" });
    assert.equal(statSync(own, { throwIfNoEntry: false }), undefined);
    const first = run(lookup, temporary);
    assert.equal(statSync(own).mode & 0o777, 0o700);
    assert.equal(kept("start-lookup", own).length, 1);
    rmSync(own, { recursive: true });

    mkdirSync(own);
    chmodSync(own, 0o777);
    assert.deepEqual(run(lookup, temporary), first);
    assert.deepEqual(readdirSync(own), []);
    rmSync(own, { recursive: true });

    const target = join(folder, "target");
    mkdirSync(target);
    symlinkSync(target, own);
    assert.deepEqual(run(lookup, temporary), first);
    assert.deepEqual(readdirSync(target), []);
    rmSync(own);
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

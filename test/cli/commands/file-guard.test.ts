/** What rules in files must not block: the guard that `--guard` sets. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { openRuleset } from "../../../src/datasets/ruleset-files.ts";
import { SMALL_CATALOGUE } from "../../api/harness/small-catalogue.ts";
import { NO_HOME, run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder({
    "feed.txt": "20.0.0.0/30\n1.1.1.1\n30.0.0.1\n",
    "own.txt": "20.0.0.1\n",
    "wide.txt": "64.0.0.0/4\n",
  });
  copyFileSync(SMALL_CATALOGUE, join(folder.path, "catalogue.ipsieve"));
});
after(() => folder.remove());

/** Services are those of a few lines, unless a test requests the bundled catalogue, which a guard reads in 0.5 s. */
let home = "";
beforeEach(() => {
  home = folder.path;
});

const ruleset = (...args: string[]) => run(["ruleset", ...args], { cwd: folder.path, env: { IPSIEVE_HOME: home } });
const rulesIn = async (name: string): Promise<string[]> =>
  Array.from(await openRuleset(join(folder.path, name)), ({ prefix }) => formatPrefix(prefix));

async function created(name: string, ...options: string[]): Promise<string> {
  assert.equal((await ruleset("create", name, ...options)).code, 0);
  return name;
}

test("without --guard nothing is said; warn names what is blocked, and writes", async () => {
  home = NO_HOME;
  const off = await ruleset("import", await created("off.ipsieve"), "feed.txt");
  assert.deepEqual([off.code, off.stderr], [0, ""]);
  const warned = await ruleset(
    "import",
    await created("warn.ipsieve"),
    "feed.txt",
    "--guard",
    "warn",
    "--never",
    "own.txt",
  );
  assert.equal(
    warned.stderr,
    'warn.ipsieve: warning: blocks 1 address of Cloudflare (/cdn/cloudflare)\nwarn.ipsieve: warning: blocks 1 address of your own networks ("own.txt")\n',
  );
  assert.deepEqual(await rulesIn("warn.ipsieve"), ["1.1.1.1", "20.0.0.0/30", "30.0.0.1"]);
  const { stdout } = await ruleset("replace", "warn.ipsieve", "feed.txt", "--guard", "warn", "--json", "--dry-run");
  const [warning] = JSON.parse(stdout).warnings;
  assert.deepEqual([warning.kind, warning.id, warning.prefixes], ["service", "/cdn/cloudflare", ["1.1.1.1"]]);
});

test("refuse writes nothing: neither a list nor a rule; what blocks nothing is written", async () => {
  const name = await created("refuse.ipsieve");
  for (const args of [
    ["import", name, "feed.txt"],
    ["replace", name, "feed.txt"],
    ["apply", name, "feed.txt", "--yes"],
    ["add", name, "30.0.0.2", "1.1.1.1"],
  ]) {
    const { code, stderr } = await ruleset(...args, "--guard", "refuse");
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, /would block 1 address of cloudflare \(\/cdn\/cloudflare\); nothing was written/);
  }
  assert.match((await ruleset("import", name, "wide.txt", "--guard", "refuse")).stderr, /64\.0\.0\.0\/4 is very wide/);
  assert.deepEqual(await rulesIn(name), []);
  assert.equal((await ruleset("add", name, "30.0.0.2", "--guard", "refuse")).code, 0);
  const added = await ruleset("add", name, "1.1.1.1", "--guard", "warn");
  assert.match(added.stderr, /^refuse\.ipsieve: warning: blocks 1 address of cloudflare/);
  assert.deepEqual(await rulesIn(name), ["1.1.1.1", "30.0.0.2"]);
});

test("carve writes a list without exactly what must not be blocked; an allowlist blocks nothing", async () => {
  const carved = await ruleset(
    "import",
    await created("carve.ipsieve"),
    "feed.txt",
    "--guard",
    "carve",
    "--never",
    "own.txt",
  );
  assert.match(carved.stderr, /leaves out 1 address of cloudflare/);
  assert.deepEqual(await rulesIn("carve.ipsieve"), ["20.0.0.0", "20.0.0.2/31", "30.0.0.1"]);
  const allowed = await created("allow.ipsieve", "--purpose", "allowlist");
  assert.equal((await ruleset("import", allowed, "feed.txt", "--guard", "refuse")).stderr, "");
});

test("carve: no part of a cut rule shortens a rule that the file has, whatever --conflict says", async () => {
  for (const mode of ["extend", "override", "skip", "fail"]) {
    const name = await created(`${mode}.ipsieve`);
    assert.equal((await ruleset("add", name, "20.0.0.2/31", "--expires-in-days", "1")).code, 0);
    const options = ["--guard", "carve", "--never", "own.txt", "--conflict", mode];
    assert.equal((await ruleset("import", name, "feed.txt", ...options)).code, 0, mode);
    const { stdout } = await ruleset("export", name, "--format", "csv");
    assert.match(stdout, /^20\.0\.0\.2\/31,[^,]*,\r?$/m, mode);
  }
});

test("--guard-classes chooses which services count", async () => {
  const name = await created("classes.ipsieve");
  const add = (classes: string) => ruleset("add", name, "1.1.1.1", "--guard", "refuse", "--guard-classes", classes);
  assert.equal((await add("default")).code, 2);
  assert.match((await add("rented, serving")).stderr, /would block 1 address of cloudflare/);
  assert.match((await add("servign")).stderr, /--guard-classes "servign": did you mean serving\?/);
  assert.match((await add("serving,")).stderr, /--guard-classes "": write serving/);
  assert.match((await add("all")).stderr, /write serving, rented, anonymiser, scanner, access, none or default/);
  for (const classes of ["rented,scanner", "none"]) assert.equal((await add(classes)).code, 0, classes);
});

test("options that would do nothing are errors", async () => {
  const name = await created("options.ipsieve");
  for (const [args, message] of [
    [["add", name, "1.1.1.1", "--never", "own.txt"], /--never needs --guard/],
    [["add", name, "1.1.1.1", "--guard-classes", "none"], /--guard-classes needs --guard/],
    [["add", name, "1.1.1.1", "--guard", "carve"], /--guard/],
    [
      ["import", "Blocklist", "feed.txt", "--guard", "warn", "--server", "http://127.0.0.1:9"],
      /--guard is for rulesets in files; Blocklist is on a server/,
    ],
    [["add", name, "1.1.1.300", "--guard", "warn"], /1\.1\.1\.300/],
  ] as const) {
    const { code, stderr } = await ruleset(...args);
    assert.match(stderr, message);
    assert.equal(code, 2);
  }
});

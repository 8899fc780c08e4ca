import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMAND_TABLE, splitName } from "../../../src/cli/command-table.ts";
import { fullName, loadCommands } from "../../../src/cli/runner/command.ts";
import { operandCounts, parseArguments } from "../../../src/cli/runner/parse-arguments.ts";
import { run } from "../run-command.ts";

const commands = await loadCommands(COMMAND_TABLE);

/** The ipsieve calls of an example, split at the shell's operators, without their comments. */
function callsIn(example: string): string[][] {
  const parts = example.replace(/\s#.*$/, "").split(/\||&&|<\(|\)|>/);
  return parts
    .map((part) => part.trim().split(/\s+/))
    .filter(([first]) => first === "ipsieve")
    .map((words) => words.slice(1));
}

test("the overview names every command or its group in at most 20 rows, six examples and the exit codes", async () => {
  const { code, stdout, stderr } = await run(["help"]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  for (const { name } of commands) assert.match(stdout, new RegExp(`\\b${name.split(" ")[0]}\\b`));
  const rows = stdout.slice(stdout.indexOf("Commands"), stdout.indexOf("Examples")).match(/^ {2}\w/gm)!;
  assert.ok(rows.length <= 20, `${rows.length}`);
  const examples = stdout
    .slice(stdout.indexOf("Examples"), stdout.indexOf("More:"))
    .split("\n")
    .filter((line) => line.startsWith("  "));
  assert.equal(examples.length, 6);
  assert.match(stdout, /0 something matched, 1 nothing matched, 2 usage or data error, 130 interrupted/);
  for (const call of examples.flatMap(callsIn)) {
    const { name, rest: args } = splitName(call);
    const command = commands.find((candidate) => candidate.name === name);
    assert.ok(command, name);
    parseArguments(command, args);
  }
});

test("help --all has a row for each command", async () => {
  const { code, stdout } = await run(["help", "--all"]);
  assert.equal(code, 0);
  for (const { name } of commands) assert.match(stdout, new RegExp(`^  ${fullName(COMMAND_TABLE, name)} `, "m"));
});

for (const command of commands) {
  test(`help ${command.name} lists every option with its choices, and its examples are right`, async () => {
    const { code, stdout } = await run(["help", ...command.name.split(" ")]);
    assert.equal(code, 0);
    const shown = stdout.split(/\n(?= {2}(?: {3}|-\w,) --)/).slice(1);
    for (const [index, { name, choices = [] }] of command.options.entries()) {
      const words = shown[index]!.split("\n\n")[0]!.split(/[^\w.-]+/);
      const missing = [`--${name}`, ...choices].filter((word) => !words.includes(word));
      assert.deepEqual(missing, [], `of --${name}`);
    }
    assert.ok(
      stdout.split("\n").every((line) => line.length <= 100),
      "a line is longer than 100 columns",
    );
    const calls = command.examples.flatMap((example) => callsIn(example.command));
    assert.ok(calls.length > 0);
    for (const { name, rest } of calls.map(splitName)) {
      parseArguments(
        commands.find((candidate) => candidate.name === name)!,
        rest,
      );
    }
  });
}

test("every way to request help prints the same", async () => {
  const [plain, long, short, none] = await Promise.all([["help"], ["--help"], ["-h"], []].map((args) => run(args)));
  assert.deepEqual([long, short, none], [plain, plain, plain]);
  const [a, b, c] = await Promise.all(
    [
      ["help", "build"],
      ["build", "--help"],
      ["build", "x", "-h"],
    ].map((args) => run(args)),
  );
  assert.deepEqual([b, c], [a, a]);
});

test("every way to request help about a group, and about a command of two words", async () => {
  const [group, long, deep, deepLong] = await Promise.all(
    [
      ["help", "cbs"],
      ["cbs", "--help"],
      ["help", "cbs", "export"],
      ["cbs", "export", "x", "-h"],
    ].map((args) => run(args)),
  );
  assert.deepEqual(long, group);
  assert.deepEqual(deepLong, deep);
  assert.equal(group!.code, 0);
  for (const { name } of commands.filter((command) => command.name.startsWith("cbs ")))
    assert.match(group!.stdout, new RegExp(`^  ${name}( |$)`, "m"));
});

test("the version equals that of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"));
  assert.deepEqual(await run(["--version"]), { code: 0, signal: null, stdout: `ipsieve ${version}\n`, stderr: "" });
});

const refused: [args: string[], stderr: RegExp][] = [
  [["identfy"], /^ipsieve: unknown command "identfy"; did you mean ipsieve identify\?\n$/],
  [["frobnicate"], /^ipsieve: unknown command "frobnicate"; "ipsieve help" lists the commands\n$/],
  [["constructor"], /^ipsieve: unknown command "constructor"/],
  [["help", "constructor"], /^ipsieve: unknown command "constructor"; [^\n]*\n$/],
  [["demo", "x"], /usage: ipsieve demo\n$/],
  [
    ["identify", ""],
    /^ipsieve: an empty file name was given \(an unset variable\?\); usage: ipsieve identify \[FILE\.\.\.\]\n$/,
  ],
  [["--json", "lookup"], /^ipsieve: --json must come after the command, as in ipsieve COMMAND --json;/],
  [["help", "lokup"], /^ipsieve: unknown command "lokup"; did you mean ipsieve lookup\?\n$/],
  [["lookup"], /^ipsieve: lookup needs ADDRESS\|PREFIX\|-\.\.\.; usage: ipsieve lookup ADDRESS\|PREFIX\|-\.\.\.\n$/],
  [["verify", "a", "b"], /^ipsieve: verify does not take "b"; usage: ipsieve verify \[FILE\]\n$/],
  [["admin"], /^ipsieve: admin needs a group: org, [^\n]*; "ipsieve help admin" describes them\n$/],
  [["admin", "kye"], /^ipsieve: unknown command "admin kye"; did you mean ipsieve admin key\?\n$/],
  [["admin", "key", "creat", "x"], /unknown command "key creat"; did you mean ipsieve admin key create\?\n$/],
  [["cbs"], /^ipsieve: cbs needs a subcommand: browse, [^\n]*; "ipsieve help cbs" describes them\n$/],
  [["cbs", "brows"], /^ipsieve: unknown command "cbs brows"; did you mean ipsieve cbs browse\?\n$/],
  [["help", "cbs", "exprot"], /^ipsieve: unknown command "cbs exprot"; did you mean ipsieve cbs export\?\n$/],
  [
    ["lookup", "--snapshot", "a.ipsieve", "--snapshot", "b.ipsieve", "1.1.1.1"],
    /^ipsieve: --snapshot is given twice, as "a\.ipsieve" and "b\.ipsieve"; give it once\n$/,
  ],
  [
    ["identify", "-", "x.log", "-"],
    /^ipsieve: "-" is given twice, and standard input can be read only once; usage: ipsieve identify \[FILE\.\.\.\]\n$/,
  ],
  [
    ["build", "--source", "aws=-", "-", "-o", "x"],
    /^ipsieve: "-" is given twice, and standard input can be read only once\n$/,
  ],
  [["cbs", "ranges"], /^ipsieve: cbs ranges needs ID; usage: ipsieve cbs ranges ID\n$/],
  [["completions", "tcsh"], /^ipsieve: no completions for "tcsh"; choose bash, zsh or fish\n$/],
];
for (const [args, message] of refused) {
  test(`refuses ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await run(args);
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, message);
  });
}

test("colours: not into a pipe, with FORCE_COLOR always, with NO_COLOR never", async () => {
  // oxlint-disable-next-line no-control-regex -- it is what colours begin with
  const escape = /\u001b\[/;
  assert.doesNotMatch((await run(["help"])).stdout, escape);
  assert.match((await run(["help"], { env: { FORCE_COLOR: "1" } })).stdout, escape);
  assert.doesNotMatch((await run(["help"], { env: { NO_COLOR: "1" } })).stdout, escape);
});

/**
 * Options that add a value each time they are given. Every other option rejects a second value, in every command that
 * has it.
 */
const REPEATED = [
  "build --source",
  "cbs export --with",
  "cbs update --accept",
  "cbs update --allow-address",
  "cbs update --only",
  "cbs update --skip",
  "credential create --from",
  "credential create --scope",
  "cti import --tag",
  "deployment create --exclude",
  "deployment create --include",
  "deployment preview --exclude",
  "deployment preview --include",
  "deployment render --exclude",
  "deployment render --include",
  "deployment update --add-exclude",
  "deployment update --add-include",
  "deployment update --exclude",
  "deployment update --include",
  "deployment update --remove-exclude",
  "deployment update --remove-include",
  "explain --allow",
  "explain --rules",
  "identify --snapshot",
  "key create --from",
  "key create --scope",
  "pull --allow-address",
  "pull --trusted-key",
  "ruleset add --never",
  "ruleset apply --never",
  "ruleset import --never",
  "ruleset replace --never",
  "sets fit --never",
  "verify --trusted-key",
  "webhook create --kind",
  "webhook update --kind",
];

test("repeated values of an option are never silently dropped", () => {
  const repeated: string[] = [];
  let refusals = 0;
  for (const command of commands) {
    for (const { name, value, choices, repeats } of command.options) {
      if (value === undefined) continue;
      const values = choices?.length === 1 ? [choices[0]!, choices[0]!] : (choices ?? ["one", "two"]);
      const operands = Array.from({ length: operandCounts(command.operands).min }, () => "x");
      const twice = (): unknown =>
        parseArguments(command, [...operands, `--${name}`, values[0]!, `--${name}=${values[1]}`]);
      if (repeats === true) {
        twice();
        repeated.push(`${command.name} --${name}`);
      } else {
        assert.throws(
          twice,
          new RegExp(`--${name} is given twice, as "${values[0]}" and "${values[1]}"; give it once`),
        );
        refusals++;
      }
    }
  }
  assert.deepEqual(repeated.sort(), REPEATED);
  assert.ok(refusals > 50, String(refusals));
});

/** Every option of every command, with each of its choices and with values that are none: never a defect. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { COMMAND_TABLE } from "../../src/cli/command-table.ts";
import { type Command, loadCommands, type Option } from "../../src/cli/runner/command.ts";
import { operandCounts } from "../../src/cli/runner/parse-arguments.ts";
import { rounds } from "../rounds.ts";
import { run, temporaryFolder } from "./run-command.ts";
import { canRunHere } from "./run-here.ts";

/** They would fetch from publishers, or never end. */
const LEFT_OUT: ReadonlySet<string> = new Set(["cbs update", "pull", "user add"]);

// No argument of a process can hold a NUL.
const HOSTILE = [
  "\ud800", "__proto__", "constructor", "0", "-1", "1e309", "9".repeat(20), "99999999", "0.0.0.0/0", "::/0",
  "::ffff:0:0/96", "::fffe:0:0-::1:0:0:0", "2001:db8::/65", "192.0.2.1-20", "/dev/null", ".", "missing.txt", "list.txt",
  "cbs:", "cti:", "ruleset:", "list:", "https://[", "%00", "\u2028", "../..", "NaN", "2026-02-30", "275760-09-14T00:00:00Z",
]; // prettier-ignore

let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder({
    "list.txt": "45.1.0.0/24\n45.0.0.0/12\n0.0.0.0/1\n2001:db8::/65\n2001:db8::1\n::fffe:0:0-::1:0:0:0\n",
    "small.txt": "198.51.100.0/24\n2001:db8::/32\n",
  });
});
after(() => folder.remove());

function* linesOf(command: Command): Generator<string[]> {
  const { min } = operandCounts(command.operands);
  const name = command.name.split(" ");
  for (const operand of ["small.txt", "list.txt", ...HOSTILE]) {
    const operands = Array.from({ length: Math.max(1, min) }, () => operand);
    yield [...name, ...operands];
  }
  const operands = Array.from({ length: min }, () => "small.txt");
  const needed = needs(command);
  for (const option of command.options)
    for (const value of valuesOf(option)) yield [...name, ...operands, ...needed, `--${option.name}${value}`];
}

function valuesOf({ value, choices }: Option): string[] {
  return value === undefined ? [""] : [...(choices ?? []), ...HOSTILE].map((each) => `=${each}`);
}

/** What a command does not run without. */
function needs({ name }: Command): string[] {
  if (name === "deployment render" || name === "deployment preview") return ["--include", "small.txt"];
  return name === "sets fit" ? ["--entries", "5"] : [];
}

const isDefect = (text: string): boolean => /a defect of ipsieve|^ {4}at /m.test(text);

test("negative control: an error that no one expected is found", async () => {
  const { standardError } = await import("../../src/cli/runner/standard-error.ts");
  const { reportError } = await import("../../src/cli/runner/report-error.ts");
  let written = "";
  const stream = standardError();
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array) => {
    written += String(text);
    return true;
  };
  try {
    reportError(new TypeError("unexpected"));
  } finally {
    stream.write = write;
  }
  assert.ok(isDefect(written), written);
});

test("no argument reaches an error that says it is a defect", async (t) => {
  const commands = (await loadCommands(COMMAND_TABLE)).filter(({ name }) => !LEFT_OUT.has(name));
  const all = commands.flatMap((command) => [...linesOf(command)]).filter((line) => canRunHere(line, {}));
  const env = { IPSIEVE_HOME: `${folder.path}/home` };
  const found: string[] = [];
  const step = all.length / Math.min(all.length, rounds({ short: 80, long: 3000 }));
  const lines = all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  for (const line of lines) {
    const { code, stderr } = await run(line, { cwd: folder.path, env });
    if (![0, 1, 2].includes(code!) || isDefect(stderr))
      found.push(`${JSON.stringify(line)}: ${code} ${stderr.slice(0, 300)}`);
  }
  t.diagnostic(`${lines.length} of ${all.length} command lines`);
  assert.deepEqual(found, []);
});

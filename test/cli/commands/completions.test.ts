import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMAND_TABLE } from "../../../src/cli/command-table.ts";
import { loadCommands } from "../../../src/cli/runner/command.ts";
import { run, temporaryFolder } from "../run-command.ts";

const commands = await loadCommands(COMMAND_TABLE);
const { groups: ADMINISTRATION } = COMMAND_TABLE.administration;
const ownWords = commands.map(({ name }) => name.split(" ")[0]!).filter((word) => !ADMINISTRATION.includes(word));
const firstWords = [...new Set([...ownWords, "admin"])].sort();
const { stdout: bashScript } = await run(["completions", "bash"]);

/** What bash would offer for the last of the words; "-o default" if it leaves that to readline, which offers files. */
function bashOffers(words: readonly string[]): string[] {
  const call = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; compopt() { COMPREPLY+=("$*"); }; _ipsieve; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-euc", `${bashScript}\n${call}`], {
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}

test("bash completes commands, options, values and files", () => {
  assert.deepEqual(bashOffers(["ipsieve", ""]), firstWords);
  assert.deepEqual(bashOffers(["ipsieve", "id"]), ["identify"]);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "--su"]), ["--summary"]);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "--format", ""]), [
    "append",
    "arrow",
    "csv",
    "json",
    "jsonl",
    "tsv",
  ]);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "--threads", ""]), []);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "-o", "fi"]), ["-o default"]);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "fi"]), ["-o default"]);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "--format", "=", "js"]), ["json", "jsonl"]);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "--format", "="]), [
    "append",
    "arrow",
    "csv",
    "json",
    "jsonl",
    "tsv",
  ]);
  assert.deepEqual(bashOffers(["ipsieve", "identify", "--output", "=", "fi"]), ["-o default"]);
  assert.deepEqual(bashOffers(["ipsieve", "completions", "z"]), ["zsh"]);
});

test("bash completes commands of the administration, behind its word", () => {
  assert.deepEqual(bashOffers(["ipsieve", "admin", ""]), ADMINISTRATION.toSorted());
  assert.deepEqual(bashOffers(["ipsieve", "admin", "key", "re"]), ["revoke"]);
  assert.deepEqual(bashOffers(["ipsieve", "admin", "key", "create", "--acc"]), ["--access"]);
  assert.deepEqual(bashOffers(["ipsieve", "key", "re"]), ["revoke"]);
});

test("bash completes commands of two words", () => {
  assert.deepEqual(
    bashOffers(["ipsieve", "cbs", ""]),
    commands
      .filter(({ name }) => name.startsWith("cbs "))
      .map(({ name }) => name.slice(4))
      .sort(),
  );
  assert.deepEqual(bashOffers(["ipsieve", "cbs", "ex"]), ["export"]);
  assert.deepEqual(bashOffers(["ipsieve", "cbs", "export", "--for"]), ["--format"]);
  assert.deepEqual(bashOffers(["ipsieve", "cbs", "export", "--format", "c"]), ["clickhouse", "csv"]);
  assert.deepEqual(bashOffers(["ipsieve", "cbs", "export", "-o", "fi"]), ["-o default"]);
  assert.deepEqual(bashOffers(["ipsieve", "cbs", "diff", "fi"]), ["-o default"]);
  assert.deepEqual(bashOffers(["ipsieve", "cbs", "browse", "x"]), []);
});

for (const { name, options } of commands) {
  test(`bash offers every option of ${name}`, () => {
    const expected = options.flatMap((option) => [
      `--${option.name}`,
      ...(option.short === undefined ? [] : [`-${option.short}`]),
    ]);
    assert.deepEqual(bashOffers(["ipsieve", ...name.split(" "), "-"]), [...expected, "--help"].sort());
  });
}

function missing(shell: string): string | false {
  return spawnSync(shell, ["--version"]).status === 0 ? false : `${shell} is not installed`;
}

test("zsh reads its script, which names every option", { skip: missing("zsh") }, async () => {
  const { stdout: script } = await run(["completions", "zsh"]);
  for (const { name, value } of commands.flatMap(({ options }) => options))
    assert.ok(script.includes(`--${name}${value === undefined ? "" : "="}[`));
  const { status, stderr } = spawnSync("zsh", ["-n"], { input: script, encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
});

test("fish completes commands, options and values", { skip: missing("fish") }, async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  // A program argument is limited to 128 KiB.
  const file = join(folder.path, "completions.fish");
  writeFileSync(file, (await run(["completions", "fish"])).stdout);
  const offers = (line: string): string[] => {
    const { stdout, stderr } = spawnSync("fish", ["-c", `source ${file}\ncomplete -C '${line}'`], { encoding: "utf8" });
    assert.equal(stderr, "");
    return stdout
      .split("\n")
      .map((offer) => offer.split("\t")[0]!)
      .filter((word) => word !== "")
      .sort();
  };
  assert.deepEqual(offers("ipsieve "), firstWords);
  assert.deepEqual(offers("ipsieve cbs ex"), ["export"]);
  assert.deepEqual(offers("ipsieve admin "), ADMINISTRATION.toSorted());
  assert.deepEqual(offers("ipsieve admin key re"), ["revoke"]);
  assert.deepEqual(offers("ipsieve cbs export --format c"), ["clickhouse", "csv"]);
  assert.deepEqual(offers("ipsieve identify --su"), ["--summary"]);
  assert.deepEqual(offers("ipsieve identify --format "), ["append", "arrow", "csv", "json", "jsonl", "tsv"]);
});

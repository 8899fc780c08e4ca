import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { quotedWord, shellWord } from "../../../src/cli/output/shell-word.ts";

test("a shell reads each text back as it is, and runs nothing in it", () => {
  for (const text of [
    "a",
    "My list",
    "$(id)",
    "`id`",
    "it's",
    '"',
    "\\",
    "*",
    "~",
    "a;b",
    "",
    "-x",
    "ruleset:$HOME",
    "é",
  ])
    for (const word of [shellWord(text), quotedWord(text)])
      assert.equal(execFileSync("sh", ["-c", `printf -- %s ${word}`]).toString(), text);
  assert.equal(shellWord("ruleset:edge-1"), "ruleset:edge-1");
  // The negative control: double quotes do not do.
  assert.notEqual(execFileSync("sh", ["-c", 'printf %s "$(echo x)"']).toString(), "$(echo x)");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isFormula } from "../../src/csv/formula.ts";

const SIGNS = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫"];
const UNSEEN = [
  "",
  " ",
  "\t",
  "\r",
  "\n",
  "\u00a0",
  "\ufeff",
  "\u200b",
  "\u200c",
  "\u200d",
  "\u2060",
  "\u00ad",
  "\u202e",
  "\u2066",
  "\u3000",
  "\u2003",
  "\u180e",
  "\u034f",
  "\ufe0f",
  "\u{e0020}",
  "\u0000",
  "\u0085",
  "\u3164",
];

test("a character that begins a formula is found after any invisible characters", () => {
  for (const sign of SIGNS)
    for (const one of UNSEEN)
      for (const two of UNSEEN) assert.ok(isFormula(`${one}${two}${sign}1+1`), JSON.stringify(one + two + sign));
});

test("a leading tab or carriage return counts as a formula whatever follows; other texts do not", () => {
  for (const text of ["\ta", "\r1"]) assert.ok(isFormula(text), JSON.stringify(text));
  for (const text of [
    "",
    "a",
    "a=1",
    "1-2",
    "'=1",
    "office",
    " office",
    "\ufeffoffice",
    "/cloud/aws",
    "é=",
    "\u200b",
    "x\u200b=1",
    "“=1”",
    "名＝前",
  ])
    assert.ok(!isFormula(text), JSON.stringify(text));
});

test("a long text of spaces takes time linear in its length", () => {
  assert.ok(!isFormula(`${" \u200b".repeat(500_000)}a`));
});

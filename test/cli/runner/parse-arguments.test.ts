import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "../../../src/cli/runner/command.ts";
import { nearest } from "../../../src/words/nearest.ts";
import { parseArguments, wholeNumber } from "../../../src/cli/runner/parse-arguments.ts";
import { UsageError } from "../../../src/cli/runner/usage-error.ts";

const command: Command = {
  name: "sift",
  summary: "",
  operands: "[FILE] [FILE]",
  options: [
    { name: "count", short: "c", help: "" },
    { name: "invert-match", short: "v", help: "" },
    { name: "output", short: "o", value: "FILE", help: "" },
    { name: "format", value: "FORMAT", choices: ["tsv", "csv", "jsonl"], help: "" },
    { name: "tag", short: "t", value: "TAG", repeats: true, help: "" },
  ],
  examples: [],
  run: async () => 0,
};

function parsed(...args: string[]): Record<string, unknown> {
  const { operands, has, value } = parseArguments(command, args);
  const options = command.options.filter(({ name }) => has(name)).map(({ name }) => [name, value(name)]);
  return { operands, ...Object.fromEntries(options) };
}

const accepted: [args: string[], expected: Record<string, unknown>][] = [
  [[], { operands: [] }],
  [["a", "b"], { operands: ["a", "b"] }],
  [["-"], { operands: ["-"] }],
  [["-cv", "a"], { operands: ["a"], count: undefined, "invert-match": undefined }],
  [["-ofile"], { operands: [], output: "file" }],
  [["-cofile"], { operands: [], count: undefined, output: "file" }],
  [["a", "-o", "file"], { operands: ["a"], output: "file" }],
  [["--output=a=b"], { operands: [], output: "a=b" }],
  [["-c", "--count"], { operands: [], count: undefined }],
  [["-o", "-c"], { operands: [], output: "-c" }],
  [["--output", "--count", "a"], { operands: ["a"], output: "--count" }],
  [["-o", "--", "a"], { operands: ["a"], output: "--" }],
  [["--", "-c", "--nonsense"], { operands: ["-c", "--nonsense"] }],
  [["--format", "ndjson"], { operands: [], format: "jsonl" }],
];
for (const [args, expected] of accepted) {
  test(`accepts ${args.join(" ") || "nothing"}`, () => assert.deepEqual(parsed(...args), expected));
}

test("operands may be given by their names, in any order, where no option has that name", () => {
  const operandsOf = (...args: string[]) =>
    parseArguments({ ...command, operands: "PLACE TAG LABEL [DAY] FILE..." }, args).operands;
  assert.deepEqual(operandsOf("p", "t", "--label", "l", "--tag=x", "d", "f"), ["p", "t", "l", "d", "f"]);
  assert.deepEqual(operandsOf("--label=l", "--place", "p", "t", "d", "f", "g"), ["p", "t", "l", "d", "f", "g"]);
  assert.deepEqual(operandsOf("p", "t", "l", "--", "--label"), ["p", "t", "l", "--label"]);
  for (const [args, message] of [
    [["--day", "d", "p", "t", "l", "f"], /unknown option --day;/],
    [["--label", "l", "--label", "m", "p", "t", "f"], /--label is given twice/],
    [["--label", "l"], /sift needs PLACE TAG LABEL/],
  ] as const)
    assert.throws(() => operandsOf(...args), message);
  assert.throws(
    () => parseArguments({ ...command, operands: "LABEL" }, ["a", "--label", "b"]),
    /sift does not take "a"/,
  );
});

test("all values of a repeated option, in order", () => {
  const { values } = parseArguments(command, ["--tag", "a", "-tb", "--tag=c", "-cv"]);
  assert.deepEqual(["tag", "format", "count", "constructor"].map(values), [["a", "b", "c"], [], [], []]);
});

const refused: [args: string[], message: RegExp][] = [
  [["--formt", "csv"], /^unknown option --formt; did you mean --format\?$/],
  [["--frobnicate"], /^unknown option --frobnicate; "ipsieve help sift" lists the options$/],
  [["-x"], /^unknown option -x;/],
  [["-cx"], /^unknown option -x;/],
  [["-c5"], /^unknown option -5;/],
  [["-5"], /^unknown option -5;/],
  [["-c-o", "a"], /^unknown option --;/],
  [["a", "-co"], /^-o needs a value: -o FILE$/],
  [["--no-count"], /^unknown option --no-count;/],
  [["--__proto__"], /^unknown option --__proto__;/],
  [["--constructor=1"], /^unknown option --constructor;/],
  [["--count=yes"], /^--count takes no value, but "yes" was given$/],
  [["-o"], /^-o needs a value: -o FILE$/],
  [["--output="], /^--output needs a value: --output FILE$/],
  [["--format", "jsonk"], /^--format "jsonk": did you mean jsonl\? Choose from tsv, csv, jsonl$/],
  [["--format", "xml"], /^--format "xml": choose from tsv, csv, jsonl$/],
  [["--format", "csv", "--format", "tsv"], /^--format is given twice, as "csv" and "tsv"; give it once$/],
  [["--format", "csv", "--format=csv"], /^--format is given twice, as "csv" and "csv"; give it once$/],
  [["-oa", "x", "--output", "b"], /^--output is given twice, as "a" and "b"; give it once$/],
  [["a", ""], /^an empty file name was given/],
  [["a", "b", "c"], /^sift does not take "c"; usage: ipsieve sift \[FILE\] \[FILE\]$/],
];
for (const [args, message] of refused) {
  test(`refuses ${args.join(" ")}`, () =>
    assert.throws(
      () => parsed(...args),
      (error) => error instanceof UsageError && message.test(error.message),
    ));
}

test("whole numbers", () => {
  assert.equal(wholeNumber("threads", "12", 256), 12);
  for (const text of ["", "0", "-1", "1.5", "1e3", "0x10", "257", " 1", "1234567890123"]) {
    assert.throws(
      () => wholeNumber("threads", text, 256),
      /^UsageError: --threads ".*": give a whole number from 1 to 256$/,
    );
  }
});

test("the nearest word", () => {
  const words = ["identify", "lookup", "build", "info", "verify", "help"];
  const cases: [word: string, meant: string | undefined][] = [
    ["identfy", "identify"],
    ["ident", "identify"],
    ["indetify", "identify"],
    ["lokup", "lookup"],
    ["biuld", "build"],
    ["inof", "info"],
    ["verfiy", "verify"],
    ["serve", undefined],
    ["xyz", undefined],
    ["q", undefined],
  ];
  assert.deepEqual(
    cases.map(([word]) => nearest(word, words)),
    cases.map(([, meant]) => meant),
  );
});

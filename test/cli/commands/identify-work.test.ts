import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultWorkerBytes } from "../../../src/batch/identify-options.ts";
import { identifyCommand, workOf } from "../../../src/cli/commands/identify.ts";
import { parseArguments } from "../../../src/cli/runner/parse-arguments.ts";

const MIB = 1 << 20;

/** The size in MiB from which `identify` with these arguments starts workers early, before it has opened anything. */
function startsFrom(...args: string[]): number {
  return defaultWorkerBytes(workOf(parseArguments(identifyCommand, args)), false) / MIB;
}

test("workers are started early from the size at which the run itself would start them", () => {
  const cases: [from: number, args: string[]][] = [
    [512, ["-c"]],
    [256, []],
    [256, ["-c", "--field", "2", "--input", "tsv"]],
    [256, ["-c", "--field", "2", "--input", "csv"]],
    [512, ["-c", "--field", "ip", "--input", "jsonl"]],
    [256, ["-c", "--field", "ip"]],
    [128, ["-c", "--field", "2", "--input", "space"]],
    [128, ["-c", "--field", "2"]],
    [128, ["-c", "--address", "last"]],
    [128, ["-c", "--engine", "typescript"]],
    [128, ["--format", "jsonl", "--text"]],
    [128, ["--format", "append", "--field", "ip"]],
    [512, ["--summary"]],
    [256, ["--summary", "-o", "rows"]],
    [256, ["--top", "3"]],
  ];
  for (const [from, args] of cases) assert.equal(startsFrom(...args), from, args.join(" "));
});

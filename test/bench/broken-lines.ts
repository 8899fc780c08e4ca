import { readFileSync } from "node:fs";
import { freeze } from "../../src/table/freeze.ts";
import { trieOf, valuesOfMatches } from "../../bench/contenders/ipsieve.ts";
import type { LineContender, LineInput } from "../../bench/harness/line-contender.ts";

/**
 * The negative control of the line harness: the sum of all answers is right, but two lines have their answers swapped.
 */
export const contender: LineContender = {
  name: "broken-lines",
  async open(input) {
    const answers = rightAnswers(input);
    const valueSum = answers.reduce((sum, value) => sum + value, 0);
    const other = answers.findIndex((value) => value !== answers[0]);
    [answers[0], answers[other]] = [answers[other]!, answers[0]!];
    return [
      { subject: "right sum, wrong lines", threads: 1, run: async () => ({ valueSum }), answers: async () => answers },
    ];
  },
};

/** The value id of every line. */
export function rightAnswers({ path, table: data }: LineInput): Uint32Array {
  const table = freeze(trieOf(data));
  const values = valuesOfMatches(table);
  return Uint32Array.from(readFileSync(path, "latin1").trimEnd().split("\n"), (text) => values[table.lookup(text)]!);
}

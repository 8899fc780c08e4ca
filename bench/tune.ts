/**
 * Refits the costs by which `freeze` favours speed (`src/table/lookup-costs.ts`): builds tables of several shapes with
 * every root size and both preferences of nodes, measures a batch of lookups in each with the kernel, solves for the
 * costs of the parts that lookups pass, and prints what the model predicts beside what was measured.
 *
 *     npm run bench -- tune                   # prints the costs
 *     npm run bench -- tune --write        # and writes them to src/table/lookup-costs.ts
 *     npm run bench -- tune --rounds 15    # more rounds; 7 by default
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { LookupCosts } from "../src/table/lookup-costs.ts";
import { costShares, expectedNanoseconds } from "../src/table/table-layout.ts";
import { fitCosts, PARTS } from "./tune/fit-costs.ts";
import { type Sample, samples } from "./tune/samples.ts";

const FILE = join(import.meta.dirname, "../src/table/lookup-costs.ts");

const { values } = parseArgs({
  options: { write: { type: "boolean" }, rounds: { type: "string", default: "7" } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds}: give a number from 1 on`);

const measured = [...samples()];
// In turns, so that a busy minute is shared by all.
for (let round = 0; round < rounds; round++) for (const sample of measured) sample.measure();
const costs = fitCosts(measured.map((sample) => ({ shares: costShares(sample.layout), nanoseconds: sample.best })));
report(measured, costs);
if (values.write === true) writeFileSync(FILE, withCosts(readFileSync(FILE, "utf8"), costs));

function report(all: readonly Sample[], fitted: LookupCosts): void {
  console.log("table              root  nodes   index MB  measured ns  predicted");
  const errors: number[] = [];
  for (const { name, layout, best, nodes } of all) {
    const predicted = expectedNanoseconds(layout, fitted);
    errors.push(Math.abs(predicted - best) / best);
    const cells = [name.padEnd(18), String(layout.rootBits).padStart(4), nodes.padEnd(6)];
    const numbers = [(layout.bytes / 1e6).toFixed(2).padStart(8), best.toFixed(2).padStart(12)];
    console.log([...cells, ...numbers, predicted.toFixed(2).padStart(10)].join("  "));
  }
  errors.sort((a, b) => a - b);
  console.log(
    `\nfastest of ${rounds} rounds each; the prediction is off by ${percent(errors[errors.length >> 1]!)} (median), ${percent(errors.at(-1)!)} at most`,
  );
  for (const part of PARTS) console.log(`${part.padEnd(9)} ${fitted[part].toFixed(2)} ns`);
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

/** The source of the file with other numbers. */
function withCosts(source: string, fitted: LookupCosts): string {
  let written = source;
  for (const part of PARTS)
    written = written.replace(
      new RegExp(`^  ${part}: [0-9.]+,$`, "m"),
      `  ${part}: ${Number(fitted[part].toFixed(2))},`,
    );
  return written;
}

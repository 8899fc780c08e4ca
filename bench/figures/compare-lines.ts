import { fork } from "node:child_process";
import { ask } from "../harness/ask.ts";
import { contenderFile } from "../harness/fleet.ts";
import { ensureDataset } from "../data/dataset.ts";
import { ensureFile } from "../data/generated-file.ts";
import { factsOf } from "../data/files.ts";
import { moduleOf } from "./compare-lookups.ts";
import { summarize } from "./part.ts";
import type { AddressFile } from "../data/files.ts";
import type { ChildProcess } from "node:child_process";
import type { Failed } from "../harness/ask.ts";
import type { LineAssignment, LineMeasured, LineReady, RunRequest } from "../harness/line-child.ts";
import type { Measurement, PartResult } from "./part.ts";
import type { Rejection } from "../harness/fleet.ts";

export interface LineComparison {
  readonly file: AddressFile;
  /** Names of files in bench/contenders/, or addresses of modules. */
  readonly contenders: readonly string[];
  readonly rounds: number;
}

/** One way of one contender, and what its runs took in addresses per second. */
interface Runner {
  readonly child: ChildProcess;
  readonly name: string;
  readonly way: number;
  readonly about: LineReady["ways"][number];
  readonly samples: number[];
}

/** Runs every contender over all lines in all its ways; in every round each way has one turn. */
export async function compareLines({ file, contenders, rounds }: LineComparison): Promise<PartResult> {
  await ensureDataset(file.table);
  const facts = factsOf(file);
  const path = await ensureFile(file, facts);
  const refusals: Rejection[] = [];
  const runners: Runner[] = [];
  const children: ChildProcess[] = [];
  using _stop = { [Symbol.dispose]: () => children.forEach((child) => child.connected && child.disconnect()) };
  for (const name of contenders) {
    const child = fork(new URL("../harness/line-child.ts", import.meta.url), { serialization: "advanced" });
    children.push(child);
    const assignment: LineAssignment = { module: moduleOf(name), path, facts, table: file.table };
    const ready = await ask<LineReady>(child, assignment);
    process.stderr.write(`  ${file.name} ${contenderFile(assignment.module)}: ${outcome(ready)}\n`);
    if (ready.type === "failed") refusals.push({ contender: contenderFile(assignment.module), reason: ready.message });
    else if (ready.refused !== null) refusals.push({ contender: ready.name, reason: ready.refused });
    else ready.ways.forEach((about, way) => runners.push({ child, name: ready.name, way, about, samples: [] }));
  }
  for (let round = 0; round < rounds; round++) {
    for (const runner of runners) {
      const refused = await runOnce(runner, facts.lines);
      if (refused !== null) refusals.push({ contender: runner.name, reason: refused });
    }
  }
  const refused = new Set(refusals.map(({ contender }) => contender));
  const measurements = runners
    .filter(({ name }) => !refused.has(name))
    .map(({ about, samples }): Measurement => ({ ...about, unit: "addresses/s", ...summarize(samples, "more") }));
  return {
    measurements,
    refusals,
    notes: [`${file.name}: ${facts.lines} lines of ${facts.bytes} bytes, ${facts.matched} of them matched`],
  };
}

function outcome(ready: LineReady | Failed): string {
  const reason = ready.type === "failed" ? ready.message : ready.refused;
  return reason === null ? "all answers right" : `refused: ${reason}`;
}

async function runOnce({ child, name, way, samples }: Runner, lines: number): Promise<string | null> {
  const request: RunRequest = { way };
  const measured = await ask<LineMeasured>(child, request);
  if (measured.type === "failed") throw new Error(`${name}: ${measured.message}`);
  samples.push((lines * 1000) / measured.milliseconds);
  return measured.refused;
}

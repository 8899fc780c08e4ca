/** The process of one contender that takes whole lines: proves each of its ways, then runs them on request. */
import { answerWith } from "./ask.ts";
import { checksum } from "../data/checksum.ts";
import { readDataset } from "../data/dataset.ts";
import type { DatasetName } from "../data/dataset.ts";
import type { Engine } from "../figures/part.ts";
import type { FileFacts } from "../data/generated-file.ts";
import type { LineContender, LineWay, Tally } from "./line-contender.ts";

/** What the process is started with. */
export interface LineAssignment {
  /** The module that exports `contender`. */
  readonly module: string;
  readonly path: string;
  readonly facts: FileFacts;
  readonly table: DatasetName;
}

/** Parent to child: run the way at this place once. */
export interface RunRequest {
  readonly way: number;
}

/** Child to parent, once: what can be run, and why the contender may not be quoted, if so. */
export interface LineReady {
  readonly type: "ready";
  readonly name: string;
  readonly ways: readonly { subject: string; engine?: Engine; threads: number }[];
  readonly refused: string | null;
}

/** Child to parent, for each request. */
export interface LineMeasured {
  readonly type: "measured";
  readonly milliseconds: number;
  readonly refused: string | null;
}

let facts: FileFacts;
let ways: readonly LineWay[] = [];

process.once("disconnect", () => process.exit()); // and not killed: it has files to remove
answerWith(async (message: LineAssignment | RunRequest) =>
  "module" in message ? prepare(message) : measure(message.way),
);

async function prepare(assignment: LineAssignment): Promise<LineReady> {
  const { contender } = (await import(assignment.module)) as { contender: LineContender };
  facts = assignment.facts;
  ways = await contender.open({
    path: assignment.path,
    lines: facts.lines,
    table: readDataset(assignment.table).table,
  });
  const described = ways.map(({ subject, engine, threads }) => ({ subject, ...(engine && { engine }), threads }));
  return { type: "ready", name: contender.name, ways: described, refused: await prove() };
}

/** Runs every way once, which warms it up as well, and compares all answers. */
async function prove(): Promise<string | null> {
  for (const way of ways) {
    const refused = rejectionOf(way, await way.run());
    if (refused !== null) return refused;
    const sum = way.answers && checksum(await way.answers());
    if (sum !== undefined && sum !== facts.answers)
      return `${way.subject}: the answers have the checksum ${sum}, right is ${facts.answers}`;
  }
  return null;
}

function rejectionOf({ subject }: LineWay, tally: Tally): string | null {
  if (tally.matched === undefined && tally.valueSum === undefined) return `${subject}: says nothing of what it found`;
  for (const what of ["matched", "valueSum"] as const) {
    if (tally[what] !== undefined && tally[what] !== facts[what])
      return `${subject}: ${what} is ${tally[what]}, right is ${facts[what]}`;
  }
  return null;
}

async function measure(index: number): Promise<LineMeasured> {
  const way = ways[index]!;
  const start = performance.now();
  const tally = await way.run();
  return { type: "measured", milliseconds: performance.now() - start, refused: rejectionOf(way, tally) };
}

import { finished } from "../turns/finished.ts";
import { splittingHosts } from "./_host-buckets.ts";
import { buildIndex, buildingBeside, buildingIndex, type Index, MIXED_NODES } from "./_node-builder.ts";
import { ROOT_BITS_4, ROOT_BITS_6 } from "./_root-sizes.ts";
import type { Segments } from "./_segments.ts";
import { layoutFrom, type TableLayout } from "./table-layout.ts";

/** What matters most in a table: the time of a lookup, its bytes, or both, by rules that need no second attempt. */
export type Favour = "speed" | "size" | "balance";

/** Among indexes that are within this much of the best, the one that is better in the other respect is used. */
const NEARLY = 1.02;

interface Candidate {
  readonly index: Index;
  readonly layout: TableLayout;
}

/**
 * The index of one family's segments. To favour speed or size, all root sizes are built, with and without nodes of
 * slots, and compared by the cost model (`table-layout.ts`): up to 14 times the work, each index freed before the next but one is built.
 */
export function chosenIndex(segments: Segments, favour: Favour): Index {
  if (favour === "balance" || segments.count < 2) return finished(buildingIndex(segments));
  const [first, second] = favour === "size" ? [bytesOf, timeOf] : [timeOf, bytesOf];
  let best: Candidate | undefined;
  for (const candidate of candidates(segments))
    if (best === undefined || isBetter(candidate, best, first, second)) best = candidate;
  return best!.index; // there is one for each root size
}

function* candidates(segments: Segments): Generator<Candidate> {
  const { family } = segments;
  const split = finished(splittingHosts(segments));
  if (split !== null) {
    const index = finished(buildingBeside(split, split.rest));
    yield { index, layout: layoutFrom({ family, ...index }, index.use, split.form.hosts + split.rest.count) };
  }
  for (const rootBits of family === 4 ? ROOT_BITS_4 : ROOT_BITS_6)
    for (const rules of [MIXED_NODES, { sortedKeys: true }]) {
      const index = buildIndex(segments, rootBits, rules);
      yield { index, layout: layoutFrom({ family, ...index }, index.use, segments.count) };
    }
}

function bytesOf({ layout }: Candidate): number {
  return layout.bytes;
}

function timeOf({ layout }: Candidate): number {
  return layout.nanoseconds;
}

type Measure = (candidate: Candidate) => number;

function isBetter(one: Candidate, best: Candidate, first: Measure, second: Measure): boolean {
  if (first(one) * NEARLY < first(best)) return true;
  return first(one) < first(best) * NEARLY && second(one) * NEARLY < second(best);
}

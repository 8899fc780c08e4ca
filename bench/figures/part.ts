import type { AnyDataset } from "../data/dataset.ts";
import type { Form } from "../harness/contender.ts";
import type { QueryKind } from "../data/queries.ts";
import type { Rejection } from "../harness/fleet.ts";

/** Our library has two: plain TypeScript, and the WebAssembly kernel. */
export type Engine = "typescript" | "webassembly";

/** One measured figure: what, on which data, and how it came out over all rounds. */
export interface Measurement {
  /** The contender, program or action that was measured. */
  readonly subject: string;
  readonly table?: AnyDataset;
  readonly form?: Form;
  readonly kind?: QueryKind;
  readonly threads?: number;
  readonly engine?: Engine;
  /** Which of the lists of prefixes, where there are two. */
  readonly list?: "whole" | "twentieth";
  readonly unit: "ns/lookup" | "bytes/prefix" | "ms" | "MB" | "operations/s" | "addresses/s";
  /** The best round: the fewest of every unit, but the most per second. */
  readonly best: number;
  readonly median: number;
  readonly samples: number;
}

/** What one part of a run found. */
export interface PartResult {
  readonly measurements: readonly Measurement[];
  readonly refusals: readonly Rejection[];
  /** What a reader must know: sizes of inputs, and what was not measured and why. */
  readonly notes: readonly string[];
}

export type Part = () => Promise<PartResult>;

/** Best and median of the samples. */
export function summarize(
  samples: readonly number[],
  better: "less" | "more" = "less",
): Pick<Measurement, "best" | "median" | "samples"> {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { best: better === "less" ? sorted[0]! : sorted.at(-1)!, median, samples: sorted.length };
}

/** Collects garbage, so that no round pays for that of another. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error("a part runs with node --expose-gc");
  globalThis.gc();
}

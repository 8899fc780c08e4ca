import { summarize } from "../figures/part.ts";

/** One measurement of one side, in a process of its own: milliseconds of processor time. */
export type Runner = () => number;

export interface Comparison {
  /** Of after to before, one for each round: below 1, after is faster. */
  readonly ratios: readonly number[];
  readonly ratio: number;
  /** Medians, in milliseconds of processor time. */
  readonly before: number;
  readonly after: number;
}

/**
 * Measures both sides in each round, in alternating order, and compares them within the round: a temporary slowdown of
 * the machine affects both, and neither always runs on warmer caches.
 */
export function alternate(before: Runner, after: Runner, rounds: number): Comparison {
  const samples = Array.from({ length: rounds }, (_, round) => {
    if (round % 2 === 0) return { before: before(), after: after() };
    const first = after();
    return { before: before(), after: first };
  });
  const ratios = samples.map((sample) => sample.after / sample.before);
  return {
    ratios,
    ratio: summarize(ratios).median,
    before: summarize(samples.map((sample) => sample.before)).median,
    after: summarize(samples.map((sample) => sample.after)).median,
  };
}

export function comparisonLine(name: string, { ratios, ratio, before, after }: Comparison): string {
  const range = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
  return `${name}: ${ratio.toFixed(3)} (median of ${ratios.length} ratios, ${range}); medians ${before.toFixed(1)} ms before, ${after.toFixed(1)} ms after\n`;
}

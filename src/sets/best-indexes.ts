/** How many more than requested are kept until the worst of them are dropped. */
const SPARE = 1024;

/**
 * Of the numbers below `count` for which `isWanted` is true, the `most` that come first in an order, best first.
 * `compare` must decide between any two, as sorting does. O(count) if few of many are requested, because nearly all are
 * compared only with the worst of the best.
 */
export function bestIndexes(
  count: number,
  most: number,
  isWanted: (index: number) => boolean,
  compare: (a: number, b: number) => number,
): number[] {
  let kept: number[] = [];
  let worst = -1;
  for (let index = 0; index < count; index++) {
    if (!isWanted(index) || (worst >= 0 && compare(index, worst) > 0)) continue;
    kept.push(index);
    if (kept.length < 2 * most + SPARE) continue;
    kept = kept.sort(compare).slice(0, most);
    worst = kept.at(-1)!;
  }
  return kept.sort(compare).slice(0, most);
}

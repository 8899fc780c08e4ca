/** How many more than asked for are kept until the worst of them are dropped. */
const SPARE = 1024;

/**
 * The `most` numbers below `count` that come first in an order, best first, of those that `isWanted`. `compare` must
 * decide between any two, as sorting does. O(count) where few of many are wanted, as nearly all are compared with the
 * worst of the best only.
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

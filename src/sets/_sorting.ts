/** Items that are sorted at once, and steps of a merge between two pauses: a few hundred microseconds. */
const RUN = 1 << 10;
const STEPS = 1 << 12;

/** The items in order, equal ones as they were, by a merge sort that can be interrupted. O(n log n) */
export function* sorting<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, Item[], undefined> {
  let sorted: Item[] = [];
  for (let from = 0; from < items.length; from += RUN) {
    for (const item of items.slice(from, from + RUN).sort(compare)) sorted.push(item);
    yield;
  }
  for (let width = RUN; width < sorted.length; width *= 2) {
    const merged: Item[] = [];
    for (let from = 0; from < sorted.length; from += 2 * width) {
      const middle = Math.min(from + width, sorted.length);
      const end = Math.min(from + 2 * width, sorted.length);
      for (let one = from, other = middle; one < middle || other < end;) {
        const isFirst = other === end || (one < middle && compare(sorted[one]!, sorted[other]!) <= 0);
        merged.push(sorted[isFirst ? one++ : other++]!);
        if (merged.length % STEPS === 0) yield;
      }
    }
    sorted = merged;
  }
  return sorted;
}

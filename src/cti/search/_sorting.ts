/** Elements that are merged between two interruptions: less than a millisecond. */
const STEP = 2048;

/**
 * The numbers from 0 to before `count`, as `compare` orders what they stand for; of equal ones the smaller number comes
 * first. A merge sort, as the built-in one cannot be interrupted. O(n log n)
 */
export function* sorting(
  count: number,
  compare: (a: number, b: number) => number,
): Generator<undefined, Uint32Array, undefined> {
  let from = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    from[at] = at;
    if (at % (64 * STEP) === 0) yield;
  }
  let to = new Uint32Array(count);
  let done = 0;
  for (let width = 1; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count);
      const end = Math.min(start + 2 * width, count);
      // Runs that follow each other are copied: most values come in order.
      let [a, b] = [start, middle];
      for (let at = start; at < end; at++) {
        const isFirst = a < middle && (b >= end || compare(from[a]!, from[b]!) <= 0);
        to[at] = from[isFirst ? a++ : b++]!;
        if (++done % STEP === 0) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

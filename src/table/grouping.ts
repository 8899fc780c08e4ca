/** Items by a number: those of key k are `items[starts[k]]` to before `items[starts[k + 1]]`, in the order in which they came. */
export interface Grouped {
  readonly starts: Uint32Array;
  readonly items: Uint32Array;
}

/** Puts every item under its key; can be interrupted. Asked twice, it gives the same pairs in the same order. */
export type PutAll = (put: (key: number, item: number) => void) => Generator<undefined, void, undefined>;

/**
 * Groups items by keys from 0 to before `keyCount`: first each key is counted, then each item has its place (a counting
 * sort). Can be interrupted as `putAll` can. O(keys + items)
 */
export function* grouping(keyCount: number, putAll: PutAll): Generator<undefined, Grouped, undefined> {
  const starts = new Uint32Array(keyCount + 1);
  yield* putAll((key) => void starts[key + 1]!++);
  for (let key = 1; key <= keyCount; key++) starts[key]! += starts[key - 1]!;
  const next = starts.slice();
  const items = new Uint32Array(starts[keyCount]!);
  yield* putAll((key, item) => void (items[next[key]!++] = item));
  return { starts, items };
}

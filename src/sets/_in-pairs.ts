/** All items combined, in pairs, so that each is read about log2(items) times; undefined without any. */
export function* combinedInPairs<Item>(
  items: readonly Item[],
  combine: (one: Item, other: Item) => Generator<undefined, Item, undefined>,
): Generator<undefined, Item | undefined, undefined> {
  let left = items;
  while (left.length > 1) {
    const pairs: Item[] = [];
    for (let at = 0; at < left.length; at += 2)
      pairs.push(at + 1 === left.length ? left[at]! : yield* combine(left[at]!, left[at + 1]!));
    left = pairs;
  }
  return left[0];
}

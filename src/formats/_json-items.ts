/** A JSON array with an item on each line, so that one changed entry changes one line. */
export function* jsonItems(items: Iterable<string>): Generator<string> {
  let before = "[\n";
  for (const item of items) {
    yield `${before}${item}`;
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

/** The lines of a text in Latin-1, each of which ends with a line feed. */
export function* textLines(text: Buffer): Generator<string, undefined> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(10, start);
    yield text.toString("latin1", start, end);
    start = end + 1;
  }
}

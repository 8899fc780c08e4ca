#!/usr/bin/env node
// An executable function for ClickHouse: all services of the first address in a text, as Array(String). ClickHouse
// keeps the process and sends it chunk after chunk: a line with the number of rows, then a TabSeparated line for each
// row. An argument names a snapshot to use instead of the package's catalogue.
import { Matcher, openCatalogue } from "ipsieve";

const [LF, SPACE, BACKSLASH] = [0x0a, 0x20, 0x5c];
const catalogue = await openCatalogue(process.argv[2]);
const matcher = new Matcher(catalogue.table);

const rows = new Map();
const quote = (text) => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;

/** The array of a match, made only once; an empty one for a row without an address or a match. */
function rowOf(match) {
  if (match <= 0) return "[]\n";
  let row = rows.get(match);
  if (row === undefined) {
    const ids = catalogue.nodesOf(match).map(({ id }) => quote(id));
    rows.set(match, (row = `[${ids.join(",")}]\n`));
  }
  return row;
}

/** The position after this many lines; -1 if the bytes do not contain them all yet. */
function endOfLines(bytes, from, lines) {
  let at = from;
  for (let line = 0; line < lines; line++) {
    at = bytes.indexOf(LF, at) + 1;
    if (at === 0) return -1;
  }
  return at;
}

/**
 * TabSeparated writes a tab as \t, whose letter would be taken for a part of the address that follows. No escaped
 * character can be part of an address, so replacing the escapes by spaces changes no answer.
 */
function withoutEscapes(bytes) {
  for (let at = bytes.indexOf(BACKSLASH); at >= 0; at = bytes.indexOf(BACKSLASH, at + 2)) bytes.fill(SPACE, at, at + 2);
  return bytes;
}

let pending = Buffer.alloc(0);
for await (const bytes of process.stdin) {
  pending = Buffer.concat([pending, bytes]);
  for (;;) {
    const start = endOfLines(pending, 0, 1);
    if (start < 0) break;
    const end = endOfLines(pending, start, Number(pending.toString("latin1", 0, start)));
    if (end < 0) break;
    const { matches } = matcher.identifyBuffer(withoutEscapes(pending.subarray(start, end)));
    process.stdout.write(Array.from(matches, rowOf).join(""));
    pending = pending.subarray(end);
  }
}

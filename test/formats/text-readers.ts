import assert from "node:assert/strict";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import type { ExportFormat } from "../../src/cbs/export-catalogue.ts";

/** The fields of a CSV line, quoted or not. */
function csvFields(line: string): string[] {
  const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
  );
  return fields.map((field) => (/^'(?:'|[\s\p{Cf}]*[=+\-@＝＋－＠])/u.test(field) ? field.slice(1) : field));
}

/** What each line says, as a reader of the format understands it: a prefix and its ids. Throws on a malformed line. */
export const readers: Record<
  Exclude<ExportFormat, "mmdb" | "ranges-csv">,
  (lines: string[]) => [prefix: string, ids: string[]][]
> = {
  csv: ([header, ...lines]) => {
    assert.equal(header, "cidr,cbs_id,type,provider,service,region,label");
    const byPrefix = new Map<string, string[]>();
    for (const line of lines) {
      const fields = csvFields(line);
      assert.equal(fields.length, 7, line);
      const ids = byPrefix.get(fields[0]!) ?? [];
      byPrefix.set(fields[0]!, ids);
      ids.push(fields[1]!);
    }
    return [...byPrefix];
  },
  jsonl: (lines) => lines.map((line) => JSON.parse(line)).map(({ cidr, cbs_ids }) => [cidr, cbs_ids]),
  nginx: readNginx,
  haproxy: (lines) =>
    lines.map((line) => {
      const space = line.indexOf(" ");
      const prefix = line.slice(0, space);
      const isStop = line.slice(space + 1) === "-" && ["0.0.0.0/0", "::/96", "2002::/16"].includes(prefix);
      return [prefix, isStop ? [] : line.slice(space + 1).split(",")];
    }),
  clickhouse: (lines) =>
    lines.map((line) => {
      const cells = line.split("\t");
      assert.equal(cells.length, 8, line);
      assert.equal(Number(cells[7]), parsePrefix(cells[0]!).length);
      return [formatPrefix(parsePrefix(cells[0]!)), arrayOf(cells[1]!)];
    }),
};

/** Lines of `geo`; a value that is too long for one line is assembled from parts as `map` says. */
function readNginx(lines: string[]): [prefix: string, ids: string[]][] {
  const end = lines.indexOf("}");
  assert.deepEqual([lines.slice(0, 2), lines.slice(-1)], [["geo $cbs_nodes {", 'default "";'], ["}"]]);
  const map = lines.indexOf("map $cbs_nodes $cbs {");
  const constants = new Map(
    lines
      .slice(end + 1, map)
      .map((line) => [/^geo \$(\w+) /.exec(line)![1]!, unquoted(/default (".*"); }$/.exec(line)![1]!)]),
  );
  const long = new Map(
    lines.slice(map + 2, -1).map((line) => {
      const [, key, variables] = /^"(,\d+)" "((?:\$\{\w+\})+)";$/.exec(line)!;
      return [key!, [...variables!.matchAll(/\w+/g)].map(([name]) => constants.get(name)!).join("")];
    }),
  );
  return lines.slice(2, end).map((line) => {
    const [, prefix, word] = /^([0-9a-f.:/]+) ("(?:[^"\\]|\\["\\])*");$/.exec(line) ?? [];
    assert.ok(prefix !== undefined && word !== undefined, line);
    const value = unquoted(word);
    return [prefix, (long.get(value) ?? value).split(",")];
  });
}

function unquoted(word: string): string {
  return word.slice(1, -1).replace(/\\(.)/g, "$1");
}

/** A ClickHouse array of texts, in which quotes and backslashes are escaped by a backslash. */
function arrayOf(cell: string): string[] {
  assert.match(cell, /^\[(?:'(?:[^'\\]|\\['\\])*'(?:,(?='))?)*\]$/);
  return [...cell.matchAll(/'((?:[^'\\]|\\['\\])*)'/g)].map(([, text]) => text!.replace(/\\(.)/g, "$1"));
}

/** Like `deepEqual`, which takes seconds for hundreds of thousands of lines. */
export function same(read: readonly [string, string[]][], expected: readonly [string, string[]][]): void {
  assert.equal(read.length, expected.length);
  for (const [i, [prefix, ids]] of read.entries()) {
    if (prefix !== expected[i]![0] || ids.join() !== expected[i]![1].join())
      assert.deepEqual([prefix, ids], expected[i]);
  }
}

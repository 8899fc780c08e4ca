import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { CellError, readCells } from "../../src/csv/read-cells.ts";
import { csvRow } from "../../src/csv/write-row.ts";

test("every cell with its position", () => {
  assert.deepEqual(readCells('a,"b ""c"", d",,""'), [
    { text: "a", at: 0, isQuoted: false },
    { text: 'b "c", d', at: 3, isQuoted: true },
    { text: "", at: 15, isQuoted: false },
    { text: "", at: 17, isQuoted: true },
  ]);
  assert.deepEqual(readCells(' a b\t, "c" ,', { trims: true }), [
    { text: "a b", at: 1, isQuoted: false },
    { text: "c", at: 8, isQuoted: true },
    { text: "", at: 12, isQuoted: false },
  ]);
});

test("a quote counts only at the start of a cell", () => {
  const texts = (row: string, trims: boolean) => readCells(row, { trims }).map(({ text }) => text);
  assert.deepEqual(texts('a,5" disk,"b"', false), ["a", '5" disk', "b"]);
  assert.deepEqual(texts(' "a", "b', false), [' "a"', ' "b']);
  assert.deepEqual(texts(' "a",b"', true), ["a", 'b"']);
});

const bad: [row: string, code: string, at: number, cellAt: number][] = [
  ['a,"b"c', "text-after-quote", 5, 2],
  ['a,"b,c', "unclosed-quote", 2, 2],
  ['"a""', "unclosed-quote", 0, 0],
];
for (const [row, code, at, cellAt] of bad)
  test(`${row} is not CSV`, () =>
    assert.throws(
      () => readCells(row),
      (error) => {
        assert.ok(error instanceof CellError);
        assert.deepEqual([error.code, error.at, error.cellAt], [code, at, cellAt]);
        return true;
      },
    ));

/** What csv-parse reads in a row; undefined for one that it rejects. `isRelaxed`: with quotes inside other cells. */
function byPackage(row: string, trim: boolean, isRelaxed: boolean): string[] | undefined {
  try {
    return (parse(`${row}\n`, { record_delimiter: "\n", trim, relax_quotes: isRelaxed }) as string[][])[0];
  } catch {
    return undefined;
  }
}

function ours(row: string, trims: boolean): string[] | undefined {
  try {
    return readCells(row, { trims }).map(({ text }) => text);
  } catch (error) {
    if (error instanceof CellError) return undefined;
    throw error;
  }
}

for (const trims of [false, true]) {
  test(`csv-parse reads the same in any row${trims ? ", trimmed" : ""}`, (context) => {
    let rejected = 0;
    const rows = fc.string({ unit: fc.constantFrom('"', ",", " ", "a", "b", "é", "\t"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(rows, (row) => {
        const cells = ours(row, trims);
        rejected += Number(cells === undefined);
        // When blanks are trimmed, the package accepts some quoted rows that are not CSV.
        if (!trims || cells !== undefined)
          assert.deepEqual(cells, byPackage(row, trims, cells !== undefined), JSON.stringify(row));
      }),
      { seed: 20_261_122, numRuns: 3000 },
    );
    context.diagnostic(`3000 rows, ${rejected} rejected`);
    assert.ok(rejected > 300 && rejected < 2900);
  });
}

test("written rows are read back", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: "grapheme" })), { minLength: 1 }), (fields) => {
      const row = csvRow(fields).slice(0, -1);
      assert.deepEqual(
        readCells(row).map(({ text }) => text),
        (parse(row, { record_delimiter: "\n" }) as string[][])[0] ?? [""],
      );
    }),
    { seed: 20_261_122, numRuns: 1000 },
  );
});

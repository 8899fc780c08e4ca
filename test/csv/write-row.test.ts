import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { isFormula } from "../../src/csv/formula.ts";
import { csvField, csvRow, isGuarded } from "../../src/csv/write-row.ts";

/** The field of a one-field row, read as RFC 4180 defines it. */
function read(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

test("fields by example: quoted if necessary, escaped if a spreadsheet would run them, empty for null", () => {
  assert.equal(
    csvRow(["a", null, "", "a,b", 'a"b', "a\nb", "=1+1", "'=1", "'tis", "''"]),
    `a,,"","a,b","a""b","a\nb",'=1+1,''=1,'tis,'''\n`,
  );
});

test("no field is a formula, and every field can be read back", () => {
  const text = fc.string({
    unit: fc.constantFrom("=", "+", "'", '"', ",", " ", "\n", "\u200b", "＝", "a", "1"),
    maxLength: 6,
  });
  fc.assert(
    fc.property(text, (given) => {
      const shown = read(csvField(given));
      assert.ok(!isFormula(shown), shown);
      assert.equal(isGuarded(shown) ? shown.slice(1) : shown, given);
    }),
    { seed: 20_261_122, numRuns: 5000 },
  );
});

test("no other source file quotes CSV", () => {
  const sources = readdirSync(new URL("../../src/", import.meta.url), { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.tsx?$/.test(path),
  );
  const quoting = sources.filter((path) =>
    /replace(?:All)?\((?:'"'|\/"\/g), ?'""'\)/.test(
      readFileSync(new URL(`../../src/${path}`, import.meta.url), "utf8"),
    ),
  );
  assert.deepEqual(quoting, ["csv/write-row.ts"]);
});

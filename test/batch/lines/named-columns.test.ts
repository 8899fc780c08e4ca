/** Columns that a header names, of lines with quotes: strings as in W3C logs, and characters as in those of IIS. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import type { FieldSpan, FieldSpec } from "../../../src/batch/lines/fields/field-spec.ts";
import { locateField } from "../../../src/batch/lines/fields/locate-field.ts";
import { rounds } from "../../rounds.ts";

const SEED = 20261128;
const LINES = rounds({ short: 100_000, long: 2_000_000 });
const COLUMNS = 6;

function field(spec: FieldSpec, line: string): string | null {
  const bytes = Buffer.from(`${line}\n`, "latin1");
  const span: FieldSpan = { bytes, start: 0, end: 0 };
  return locateField(spec)(bytes, 0, line.length, span) ? bytes.toString("latin1", span.start, span.end) : null;
}

function randomValue(random: Random, letters: string): string {
  return Array.from({ length: 1 + random.below(6) }, () => letters[random.below(letters.length)]!).join("");
}

function randomBlank(random: Random): string {
  return " \t"[random.below(8) >> 2 && random.below(2)]!.repeat(1 + (random.below(6) === 0 ? 1 : 0));
}

/** A line in which values with blanks or a quote in front are quoted, others sometimes; and how each value is written. */
function quotedLine(random: Random): { line: string; values: string[] } {
  const values: string[] = [];
  const cells = Array.from({ length: COLUMNS }, () => {
    const value = randomValue(random, 'a1. "');
    const isQuoted = /[ "]/.test(value) || random.below(4) === 0;
    values.push(isQuoted ? value.replaceAll('"', '""') : value);
    return isQuoted ? `"${values.at(-1)!}"` : value;
  });
  return {
    line: cells
      .map((cell) => cell + randomBlank(random))
      .join("")
      .trimEnd(),
    values,
  };
}

/** A line of which no value is quoted, and quotes are characters. */
function plainLine(random: Random): { line: string; values: string[] } {
  const values = Array.from({ length: COLUMNS }, () => randomValue(random, 'a1."'));
  return {
    line: values
      .map((value) => value + randomBlank(random))
      .join("")
      .trimEnd(),
    values,
  };
}

/** A value without the quotes and blanks around it: fields drop them. */
const bare = (text: string | null): string | null => text?.replace(/^[" ]+|[" ]+$/g, "") ?? null;

test("strings in quotes hold blanks, and other quotes are characters", () => {
  const random = new Random(SEED);
  let byBlanks = 0;
  for (let done = 0; done < LINES; done++) {
    const { line, values } = random.below(2) === 0 ? quotedLine(random) : plainLine(random);
    const column = random.below(COLUMNS);
    const found = field({ syntax: "space", column, columns: COLUMNS }, line);
    assert.equal(bare(found), bare(values[column]!), `column ${column} of ${line}`);
    if (bare(field({ syntax: "space", column, columns: 0 }, line)) !== bare(values[column]!)) byBlanks++;
  }
  assert.ok(byBlanks > LINES / 10, "negative control: blanks alone give other columns");
});

/** Values between single tabs, which may be empty, and of which some are quoted where `isQuoted`. */
function tabbedLine(random: Random, isQuoted: boolean): { line: string; values: string[] } {
  const values = Array.from({ length: COLUMNS }, () => {
    const value = random.below(5) === 0 ? "" : randomValue(random, isQuoted ? 'a1. "\t' : 'a1. "');
    return isQuoted ? value.replaceAll('"', '""') : value;
  });
  const cells = values.map((value) =>
    isQuoted && (/[\t"]/.test(value) || random.below(4) === 0) ? `"${value}"` : value,
  );
  return { line: cells.join("\t"), values };
}

test("between tabs, strings in quotes hold tabs, and other quotes are characters", () => {
  const random = new Random(SEED + 1);
  let byTabs = 0;
  for (let done = 0; done < LINES; done++) {
    const { line, values } = tabbedLine(random, random.below(2) === 0);
    const column = random.below(COLUMNS);
    const found = field({ syntax: "tsv", column, columns: COLUMNS }, line);
    assert.equal(bare(found), bare(values[column]!), `column ${column} of ${JSON.stringify(line)}`);
    if (bare(field({ syntax: "tsv", column }, line)) !== bare(values[column]!)) byTabs++;
  }
  assert.ok(byTabs > LINES / 10, "negative control: tabs alone give other columns");
});

test("between tabs, a line with quotes that has another number of columns either way has no field", () => {
  const spec = (column: number): FieldSpec => ({ syntax: "tsv", column, columns: 3 });
  const cases: [column: number, line: string, field: string | null][] = [
    [1, '"a\tb"\t192.0.2.1\tc', "192.0.2.1"],
    [1, '"a\t198.51.100.1"\t192.0.2.1\tc', "192.0.2.1"],
    [1, '"a ""x"" \t198.51.100.1"\t192.0.2.1\t', "192.0.2.1"],
    [2, "\t\t192.0.2.1", "192.0.2.1"],
    [1, '"a\t192.0.2.1\tc', "192.0.2.1"], // three columns, and a quote that a client sent
    [1, '"a\tb\t192.0.2.1\tc', null],
    [1, '"a\tb"x\t192.0.2.1\tc', null],
    [1, '"a\tb"\t192.0.2.1\tc\td', null],
    [1, "a\t192.0.2.1", "192.0.2.1"],
  ];
  for (const [column, line, expected] of cases) assert.equal(field(spec(column), line), expected, line);
});

test("a line with quotes that has another number of columns either way has no field", () => {
  const spec = (column: number): FieldSpec => ({ syntax: "space", column, columns: 3 });
  const cases: [column: number, line: string, field: string | null][] = [
    [1, '"a b" 192.0.2.1 c', "192.0.2.1"],
    [1, 'a "192.0.2.1" "c d"', "192.0.2.1"],
    [2, 'a "" "192.0.2.1 x"', "192.0.2.1 x"],
    [2, 'a "b ""c"" d" 192.0.2.1', "192.0.2.1"],
    [0, '192.0.2.1 b "c d', "192.0.2.1"], // nothing before it begins with a quote
    [1, '"a 192.0.2.1 c', "192.0.2.1"], // three columns, and a quote that a client sent
    [1, '"a b 192.0.2.1 c', null],
    [2, '"a b" 192.0.2.1', "192.0.2.1"], // by blanks alone, it has three
    [1, '"a b" 192.0.2.1 "c', null],
    [1, '"a b" 192.0.2.1 c d', null],
    [1, '"a b"x 192.0.2.1 c', null],
    [1, "a 192.0.2.1", "192.0.2.1"],
  ];
  for (const [column, line, expected] of cases) assert.equal(field(spec(column), line), expected, line);
});

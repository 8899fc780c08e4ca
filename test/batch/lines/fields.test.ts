import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { BatchError } from "../../../src/batch/batch-error.ts";
import type { FieldSpan, FieldSpec } from "../../../src/batch/lines/fields/field-spec.ts";
import { locateField } from "../../../src/batch/lines/fields/locate-field.ts";
import { detectSyntax, resolveField } from "../../../src/batch/lines/fields/resolve-field.ts";
import { identify } from "../../../src/batch/identify.ts";
import { ENGINE, expectedRows, makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";

const SEED = 20240131;

/** The field's text, as it would be searched for an address; null if the line has none. */
function field(spec: FieldSpec, line: string): string | null {
  const bytes = Buffer.from(`a,b\n${line}\n{"x":"y"}\n`);
  const length = Buffer.byteLength(line);
  const span: FieldSpan = { bytes, start: 0, end: 0 };
  if (!locateField(spec)(bytes, 4, 4 + length, span)) return null;
  assert.ok(span.end >= span.start && span.end < span.bytes.length);
  assert.ok(span.bytes !== bytes || (span.start >= 4 && span.end <= 4 + length), line);
  return span.bytes.toString("utf8", span.start, span.end);
}

const csv = (column: number): FieldSpec => ({ syntax: "csv", column });
const json = (member: string): FieldSpec => ({ syntax: "jsonl", member });

test("columns of csv, tsv and text", () => {
  const cases: [FieldSpec, string, string | null][] = [
    [csv(0), "1.2.3.4,x", "1.2.3.4"],
    [csv(1), "a,b", "b"],
    [csv(2), "a,b", null],
    [csv(1), "a,", ""],
    [csv(0), "", ""],
    [csv(1), "", null],
    [csv(1), '"a,""b""",c', "c"],
    [csv(0), '"a,""b""",c', 'a,""b""'],
    [csv(0), '""', ""],
    [csv(1), '"",x', "x"],
    [csv(1), '"a"b,c', "c"],
    [csv(0), '"open, and no end', "open, and no end"],
    [csv(1), '"open, and no end', null],
    [csv(0), 'a"b,c"d', 'a"b'],
    [csv(1), '\ufeff"a,b",c', "c"],
    [{ syntax: "tsv", column: 1 }, "a\tb c\td", "b c"],
    [{ syntax: "tsv", column: 1 }, "a\t\td", ""],
    [{ syntax: "tsv", column: 3 }, "a\t\td", null],
    [{ syntax: "tsv", column: 0 }, '"a\tb"', '"a'],
    [{ syntax: "space", column: 0, columns: 0 }, "  a \t b", "a"],
    [{ syntax: "space", column: 1, columns: 0 }, "  a \t b", "b"],
    [{ syntax: "space", column: 2, columns: 0 }, "a b  ", null],
  ];
  for (const [spec, line, expected] of cases)
    assert.equal(field(spec, line), expected, `${JSON.stringify(spec)} of ${JSON.stringify(line)}`);
});

test("csv written by the rules of RFC 4180 is read back", (t) => {
  const cell = fc.string({ unit: fc.constantFrom(...'ab," .1é\t'), maxLength: 8 });
  let runs = 0;
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), fc.nat(6), (cells, column) => {
      const line = cells.map((text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",");
      const expected = cells[column];
      const found = field(csv(column), line);
      assert.equal(
        found,
        expected === undefined ? null : /[",]/.test(expected) ? expected.replaceAll('"', '""') : expected,
      );
      runs++;
    }),
    { seed: SEED, numRuns: 5000 },
  );
  t.diagnostic(`${runs} records, seed ${SEED}`);
});

test("members of JSON lines", () => {
  const cases: [string, string, string | null][] = [
    ["ip", '{"ip":"1.2.3.4"}', "1.2.3.4"],
    ["ip", '{ "x" : 1 , "ip" : "1.2.3.4" }', "1.2.3.4"],
    ["ip", '{"x":{"ip":"no"},"ip":"yes"}', "yes"],
    ["a.b", '{"a":{"b":"yes"}}', "yes"],
    ["a.b", '{"a.b":"yes"}', "yes"],
    ["a.b.c", '{"a.b":{"c":"yes"}}', "yes"],
    ["a.b.c", '{"a":{"b.c":"yes"}}', "yes"],
    ["a.b", '{"a":{"c":1},"a.b":"yes"}', "yes"],
    ["a.b", '{"a":[{"b":1}]}', null],
    ["a.b", '{"a":{"b":"first"},"a.b":"second"}', "first"],
    ["ips", '{"ips":["1.2.3.4","x"],"y":1}', '["1.2.3.4","x"]'],
    ["o", '{"o":{"p":"}"}}', '{"p":"}"}'],
    ["n", '{"n":null}', "null"],
    ["n", '{"n":-1.5e3 ,"m":1}', "-1.5e3"],
    ["ip", '{"ip":"\\u0031.2.3.4"}', "1.2.3.4"],
    ["ip", '{"\\u0069p":"x"}', "x"],
    ["ip", '{"x":"\\"ip\\":\\"no\\"","ip":"yes"}', "yes"],
    ["ip", '{"x":"\\\\","ip":"yes"}', "yes"],
    ["ip", "{}", null],
    ["ip", "[]", null],
    ["ip", "", null],
    ["ip", '{"ip"', null],
    ["ip", '{"ip":', null],
    ["ip", '{"ip":"open', null],
    ["ip", '{"ip":"open\\', null],
    ["ip", '{"x":"ip"}', null],
    ["ip", '{"x":1 "ip":"no"}', null],
    ["ip", '{"x":[1,"ip":"no"}', null],
    ["ip", '{"ip":1', null],
    ["ip", '{"ip":"bad \\x"}', null],
    ["ip", '{"\\q":1,"ip":"yes"}', "yes"],
    ["ip", 'app: {"ip":"yes"}', "yes"],
    ["ip", '\ufeff{"ip":"yes"}', "yes"],
    ["é", '{"é":"yes"}', "yes"],
    ["é", '{"\\u00e9":"yes"}', "yes"],
    ["", '{"":"yes"}', "yes"],
  ];
  for (const [member, line, expected] of cases)
    assert.equal(field(json(member), line), expected, `${member} of ${line}`);
});

/** The member according to the documentation, from the parsed object. */
function memberOf(value: object, name: string): unknown {
  for (const [key, member] of Object.entries(value)) {
    if (key === name) return member;
    if (!name.startsWith(`${key}.`) || typeof member !== "object" || member === null || Array.isArray(member)) continue;
    const found = memberOf(member, name.slice(key.length + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

test("members agree with JSON.parse", (t) => {
  const key = fc
    .oneof(
      { weight: 9, arbitrary: fc.constantFrom("a", "b", "a.b", 'é"', "a\\", ".", "") },
      { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
    )
    .filter((text) => !/^\d+$/.test(text) && text !== "__proto__");
  const { object } = fc.letrec<{ object: Record<string, unknown>; value: unknown }>((tie) => ({
    object: fc.dictionary(key, tie("value"), { minKeys: 2, maxKeys: 5, noNullPrototype: true }),
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, "1.2.3.4", '\\"{}[]'),
      tie("object"),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  const name = fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => keys.join("."));
  const escapeAll = (text: string): string =>
    text.replace(
      /(?<!\\)(?:\\\\)*[a-c](?![0-9a-f]{3})/g,
      (found) => `${found.slice(0, -1)}\\u00${found.at(-1)!.charCodeAt(0).toString(16)}`,
    );
  let found = 0;
  fc.assert(
    fc.property(object, name, fc.constantFrom(undefined, 1), fc.boolean(), (value, member, space, escaped) => {
      const text = JSON.stringify(value, null, space).replaceAll("\n", " ");
      const line = escaped && isSame(escapeAll(text), value) ? escapeAll(text) : text;
      const expected = memberOf(value, member);
      const actual = field(json(member), line);
      if (expected === undefined) return assert.equal(actual, null, `${member} of ${line}`);
      found++;
      if (typeof expected === "string") assert.equal(actual, Buffer.from(expected).toString(), `${member} of ${line}`);
      else assert.deepEqual(JSON.parse(actual!), JSON.parse(JSON.stringify(expected)), `${member} of ${line}`);
    }),
    { seed: SEED, numRuns: 20_000 },
  );
  t.diagnostic(`20000 objects, seed ${SEED}: ${found} with the member`);
  assert.ok(found > 2000);
});

function isSame(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

test("corrupt JSON and arbitrary bytes cause no failure", () => {
  const spec = json("a.b");
  const bytes = fc.array(fc.constantFrom(...'{}[]:,"\\ab.1 \u00e9'), { maxLength: 30 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(bytes, (line) => void field(spec, line)),
    { seed: SEED, numRuns: 20_000 },
  );
});

test("the syntax is recognized from the first line, and names come from the header row", () => {
  assert.deepEqual(['{"a":1}', ' {"a"', "a\tb,c", "a,b c", "a b"].map(detectSyntax), [
    "jsonl",
    "jsonl",
    "tsv",
    "csv",
    "space",
  ]);
  assert.deepEqual(resolveField("ip", undefined, 'time,"client ""ip""",ip', "f"), csv(2));
  assert.deepEqual(resolveField('client "ip"', undefined, 'time,"client ""ip""",ip', "f"), csv(1));
  assert.deepEqual(resolveField("ip", undefined, "time\tip", "f"), { syntax: "tsv", column: 1 });
  assert.deepEqual(resolveField("ip", "csv", "ip", "f"), csv(0));
  assert.deepEqual(resolveField(3, undefined, "a b", "f"), { syntax: "space", column: 2, columns: 0 });
  assert.deepEqual(resolveField("a.b", undefined, "{}", "f"), json("a.b"));
  const error = (...parameters: Parameters<typeof resolveField>): BatchError => {
    try {
      resolveField(...parameters);
    } catch (reason) {
      return reason as BatchError;
    }
    return assert.fail("no error");
  };
  assert.match(
    error("ip", undefined, "time,addr", "log.csv").message,
    /^log\.csv:1: the header row has no column "ip"; it has "time", "addr"$/,
  );
  assert.equal(error("ip", undefined, "a b", "f").code, "field-unusable");
  assert.equal(error(1, undefined, "{}", "f").code, "field-unusable");
  for (const column of [0, -1, 1.5, NaN]) assert.equal(error(column, "csv", "a", "f").code, "field-unusable");
});

test("fields end to end, from files and streams, each input with its own header", async () => {
  const folder = temporaryFolder();
  const snapshot = await makeSnapshot(folder);
  const inputs: Record<string, { text: string; header?: string; fieldOf: (line: string) => string }> = {
    "a.csv": {
      header: "\ufeffport,ip\r\n",
      text: '80,1.2.3.4\r\n9.9.9.9,"10.0.0.1"\r\n1.1.1.1\r\n',
      fieldOf: (line) => line.split(",")[1] ?? "",
    },
    "b.tsv": { header: "ip\tport\n", text: "1.2.3.4\t10.0.0.1\n\t10.0.0.1", fieldOf: (line) => line.split("\t")[0]! },
    "c.jsonl": {
      text: '\n{"x":"9.9.9.9","ip":"1.2.3.4"}\n{"ip":"\\u0031.2.3.4:80"}\nno json 1.2.3.4\n{"ip":["fe80::1","x"]}\n',
      fieldOf: (line) => (line.startsWith("{") ? String((JSON.parse(line) as { ip: unknown }).ip) : ""),
    },
    "d.csv": { text: "", fieldOf: () => "" },
  };
  for (const [name, { header = "", text }] of Object.entries(inputs)) writeFileSync(join(folder, name), header + text);
  for (const threads of [1, 2]) {
    for (const limits of [{}, { shardBytes: 9, workerBytes: 1 }]) {
      for (const stream of [false, true]) {
        const sources = Object.keys(inputs).map((name) =>
          stream ? Readable.from([readFileSync(join(folder, name))]) : join(folder, name),
        );
        const output = join(folder, "out");
        await identify({
          inputs: sources,
          snapshot,
          engine: ENGINE,
          format: "tsv",
          renderer: RENDERER,
          field: "ip",
          threads,
          limits,
          output: { path: output },
        });
        const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
        const rows = Object.values(inputs)
          .map(({ text, fieldOf }) => expectedRows(latin1(text), "tsv", "all", fieldOf))
          .join("");
        assert.equal(readFileSync(output, "latin1"), `ip\tcidr\tcbs_ids\n${rows}`);
      }
    }
  }
  const missing = identify({
    inputs: [join(folder, "a.csv")],
    snapshot,
    engine: ENGINE,
    format: "none",
    field: "addr",
  });
  await assert.rejects(missing, { code: "field-missing", message: /a\.csv:1: .*"addr".*"port", "ip"/ });
  const column = await identify({
    inputs: [join(folder, "b.tsv")],
    snapshot,
    engine: ENGINE,
    format: "none",
    field: 2,
    fieldSyntax: "tsv",
  });
  assert.deepEqual([column.lines, column.addresses], [2, 2]);
});

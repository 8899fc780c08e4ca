import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { formatPrefix } from "../../../src/address/prefix.ts";
import {
  type ImportedRules,
  type ImportFormat,
  type ImportOptions,
  RuleImport,
} from "../../../src/rulesets/importers/import-rules.ts";

const YEAR_END = "2026-12-31T00:00:00Z";

function importText(format: ImportFormat, text: string, options: ImportOptions = {}): ImportedRules {
  const reader = new RuleImport(format, options);
  reader.write(text);
  return reader.end();
}

/** The rules as `line ip name expiry`, the errors as `line:column value: problem`. */
function told({ rules, errors }: ImportedRules): string[] {
  return [
    ...rules.map(
      ({ line, prefix, name, expiresAt }) => `${line} ${formatPrefix(prefix)} ${JSON.stringify(name)} ${expiresAt}`,
    ),
    ...errors.map(({ line, column, value, problem }) => `${line}:${column} ${value}: ${problem}`),
  ];
}

describe("what is read", () => {
  const cases: [name: string, format: ImportFormat, text: string, expected: string[]][] = [
    ["nothing", "text", "", []],
    [
      "a prefix a line, in the order of prefixes",
      "text",
      "8.8.8.8\n2a00::/16\n1.1.1.0/24\n",
      ["3 1.1.1.0/24 null null", "1 8.8.8.8 null null", "2 2a00::/16 null null"],
    ],
    [
      "comments, blanks and empty lines",
      "text",
      "# list\n\n 8.8.8.8\t# resolver\n; other\n9.9.9.9;\t\n",
      ["3 8.8.8.8 null null", "5 9.9.9.9 null null"],
    ],
    [
      "all line ends, and none at the end",
      "text",
      "1.1.1.1\r\n1.1.1.2\r1.1.1.3\n\r1.1.1.4",
      ["1 1.1.1.1 null null", "2 1.1.1.2 null null", "3 1.1.1.3 null null", "5 1.1.1.4 null null"],
    ],
    [
      "a range, and several entries on a line",
      "text",
      "8.8.8.8 - 8.8.8.10\n1.1.1.0/24, 9.9.9.9\n",
      ["2 1.1.1.0/24 null null", "1 8.8.8.8/31 null null", "1 8.8.8.10 null null", "2 9.9.9.9 null null"],
    ],
    [
      "a prefix again, with the same name and expiry",
      "csv",
      `ip,name,expires_at\n8.8.8.8,a,${YEAR_END}\n9.9.9.9,,\n::ffff:8.8.8.8,"a",${YEAR_END}\n9.9.9.9,,\n`,
      [`2 8.8.8.8 "a" ${Date.parse(YEAR_END)}`, "3 9.9.9.9 null null"],
    ],
    ["a byte order mark", "text", "\ufeff8.8.8.8\n", ["1 8.8.8.8 null null"]],
    [
      "the columns of CSV, in any order",
      "csv",
      `name,ip,expires_at\n"a, ""b""",8.8.8.8,${YEAR_END}\n,9.9.9.9,\n"",9.9.9.10,\n`,
      [`2 8.8.8.8 "a, \\"b\\"" ${Date.parse(YEAR_END)}`, "3 9.9.9.9 null null", '4 9.9.9.10 "" null'],
    ],
    ["a quote inside a field", "csv", 'ip,name\n8.8.8.8,5" disk\n', ['2 8.8.8.8 "5\\" disk" null']],
    ["CSV of one column, in capitals and quotes", "csv", '"IP"\n8.8.8.8\n', ["2 8.8.8.8 null null"]],
    [
      "a spreadsheet's guards, and what only looks like one",
      "csv",
      "ip,name\n8.8.8.8,'=1+1\n9.9.9.9,''a\n9.9.9.10,'a\n9.9.9.11,'\n",
      [`2 8.8.8.8 "=1+1" null`, `3 9.9.9.9 "'a" null`, `4 9.9.9.10 "'a" null`, `5 9.9.9.11 "'" null`],
    ],
    [
      "NDJSON, as exports write it and as people do",
      "ndjson",
      `{"ip":"8.8.8.8","name":"\\u00e9\\"\\\\"}\n { "ip" : "9.9.9.9", "name": null, "expires_at":"${YEAR_END}" } \n{"ip":"9.9.9.10","name":"a","created_at":"x","updated_at":null}\n`,
      ['1 8.8.8.8 "é\\"\\\\" null', `2 9.9.9.9 null ${Date.parse(YEAR_END)}`, '3 9.9.9.10 "a" null'],
    ],
  ];
  for (const [name, format, text, expected] of cases) {
    test(name, () => {
      const seen = told(importText(format, text));
      assert.equal(seen.length, expected.length, seen.join("\n"));
      for (const [at, line] of expected.entries())
        assert.ok(seen[at]!.startsWith(line), `${seen[at]}\nis not\n${line}`);
    });
  }
});

describe("what is rejected, where, and with which remedy", () => {
  const cases: [name: string, format: ImportFormat, text: string, place: string, problem: RegExp][] = [
    ["host bits", "text", "8.8.8.8\n  9.9.9.9/24", "2:11 9.9.9.9/24", /did you mean 9.9.9.0\/24\?/],
    ["no address", "text", "hello", "1:1 hello", /is not valid in an address/],
    ["a range in a column", "csv", "ip\n8.8.8.8-8.8.8.9", "2:8 8.8.8.8-8.8.8.9", /is not valid in an address/],
    ["CSV", "text", "8.8.8.8,dns", "1:9 dns", /give a table as CSV, with a first line that names the columns/],
    [
      "a special purpose",
      "text",
      "10.0.0.0/8",
      "1:1 10.0.0.0/8",
      /is in the special-purpose block 10.0.0.0\/8 \(Private-Use, RFC 1918\)/,
    ],
    [
      "a prefix twice, with different names",
      "csv",
      "ip,name\n8.8.8.8,a\n1.1.1.1,a\n::ffff:8.8.8.8,b",
      "4:1 8.8.8.8",
      /already on line 2, with another name or expiry/,
    ],
    ["a header without ip", "csv", "name,expires_at\na,b", "1:1 name,expires_at", /ip is missing/],
    [
      "no header",
      "csv",
      "8.8.8.8,a,\n9.9.9.9,b,",
      "1:1 8.8.8.8,a,",
      /the first line must name the columns: .* unknown column "8.8.8.8"/,
    ],
    ["an unknown column", "csv", "ip,comment\n8.8.8.8,a", "1:1 ip,comment", /unknown column "comment"/],
    ["a column twice", "csv", "ip,name,ip\n8.8.8.8,a,9.9.9.9", "1:1 ip,name,ip", /duplicate column ip/],
    ["too few fields", "csv", "ip,name\n8.8.8.8", "2:1 8.8.8.8", /the line has 1 field, but the header has 2 columns/],
    [
      "too many fields",
      "csv",
      "ip,name\n8.8.8.8,a,b",
      "2:1 8.8.8.8,a,b",
      /the line has 3 fields, but the header has 2 columns/,
    ],
    ["an open quote", "csv", 'ip,name\n8.8.8.8,"a', '2:9 "a', /is not closed on the same line/],
    [
      "text behind a quote",
      "csv",
      'ip,name\n8.8.8.8,"a"b',
      '2:12 "a"b',
      /must be followed by a comma or the end of the line/,
    ],
    ["an empty ip", "csv", "ip,name\n,a", "2:1 ", /the address is missing/],
    ["host bits in CSV", "csv", "name,ip\na,9.9.9.9/24", "2:11 9.9.9.9/24", /did you mean 9.9.9.0\/24\?/],
    [
      "a date without a zone",
      "csv",
      "ip,expires_at\n8.8.8.8,2026-06-01",
      "2:19 2026-06-01",
      /the time zone is missing; did you mean "2026-06-01T00:00:00Z"\?/,
    ],
    [
      "a day that is none",
      "ndjson",
      '{"ip":"8.8.8.8","expires_at":"2026-02-30T00:00:00Z"}',
      "1:31 2026-02-30T00:00:00Z",
      /does not exist/,
    ],
    [
      "a long name",
      "csv",
      `ip,name\n8.8.8.8,${"a".repeat(256)}`,
      `2:9 ${"a".repeat(80)}…`,
      /at most 255 characters, and this one has 256/,
    ],
    ["a control character", "ndjson", '{"ip":"8.8.8.8","name":"a\\nb"}', "1:26 a\nb", /the control character U\+000A/],
    ["a tab in CSV", "csv", "ip,name\n8.8.8.8,a\tb", "2:10 a\tb", /the control character U\+0009/],
    ["no JSON", "ndjson", "8.8.8.8", "1:1 8.8.8.8", /an object begins with {/],
    ["JSON cut off", "ndjson", '{"ip":"8.8.8.8"', "1:16 ", /a comma or } follows a value/],
    [
      "a number for a name",
      "ndjson",
      '{"ip":"8.8.8.8","name":5}',
      "1:24 5}",
      /expected a text in double quotes, or null, as the value of "name"/,
    ],
    ["an unknown member", "ndjson", '{"ip":"8.8.8.8","__proto__":"a"}', "1:17 __proto__", /unknown member "__proto__"/],
    [
      "an unknown member, whatever its value is",
      "ndjson",
      '{"ip":"8.8.8.8","expires_in_days":5}',
      "1:17 expires_in_days",
      /unknown member "expires_in_days"; a rule in a list has ip, name, expires_at, created_at, updated_at/,
    ],
    ["a member twice", "ndjson", '{"ip":"8.8.8.8","ip":"9.9.9.9"}', "1:17 ip", /duplicate member "ip"/],
    [
      "a member twice, written in two ways",
      "ndjson",
      '{"ip":"8.8.8.8","\\u0069p":"9.9.9.9"}',
      "1:17 ip",
      /duplicate member "ip"/,
    ],
    [
      "two objects",
      "ndjson",
      '{"ip":"8.8.8.8"} {"ip":"9.9.9.9"}',
      '1:18 {"ip":"9.9.9.9"}',
      /only one object per line is allowed/,
    ],
    ["no ip", "ndjson", '{"name":"a"}', '1:1 {"name":"a"}', /the member ip is missing/],
    ["ip null", "ndjson", '{"ip":null}', '1:1 {"ip":null}', /the member ip is missing/],
    ["a list", "ndjson", '["8.8.8.8"]', '1:1 ["8.8.8.8"]', /an object begins with {/],
  ];
  for (const [name, format, text, place, problem] of cases) {
    test(name, () => {
      const { errors } = importText(format, text);
      assert.equal(errors.length, 1, JSON.stringify(errors));
      assert.equal(`${errors[0]!.line}:${errors[0]!.column} ${errors[0]!.value}`, place);
      assert.match(errors[0]!.problem, problem);
    });
  }

  test("every invalid field of a line is reported", () => {
    const { errors } = importText("csv", `ip,name,expires_at\n8.8.8,${"a".repeat(300)},never\n`);
    assert.deepEqual(
      errors.map(({ line, column }) => [line, column]),
      [
        [2, 6],
        [2, 7],
        [2, 308],
      ],
    );
  });
  test("special-purpose addresses are accepted if allowed", () =>
    assert.deepEqual(told(importText("text", "10.0.0.0/8", { allowSpecialPurpose: true })), [
      "1 10.0.0.0/8 null null",
    ]));
  test("an unknown format", () =>
    assert.throws(
      () => new RuleImport("toString" as ImportFormat),
      /the format must be one of text, csv, ndjson, not "toString"/,
    ));
});

describe("limits", () => {
  test("one error too many ends the reading, and says so", () => {
    const { rules, errors } = importText("text", `8.8.8.8\n${"bad\n".repeat(500)}9.9.9.9\n`, { maxErrors: 3 });
    assert.deepEqual(
      rules.map(({ line }) => line),
      [1],
    );
    assert.deepEqual(
      errors.map(({ line }) => line),
      [2, 3, 4, 5],
    );
    assert.match(errors[3]!.problem, /more than 3 errors; the rest was not read or is not listed/);
  });
  test("so does one repeated prefix too many, which is found at the end", () => {
    const { rules, errors } = importText("csv", `ip,name\n${"8.8.8.8,a\n8.8.8.8,b\n".repeat(250)}`, { maxErrors: 3 });
    assert.equal(rules.length, 1);
    assert.deepEqual(
      errors.map(({ line }) => line),
      [3, 5, 7, 9],
    );
    assert.match(errors[3]!.problem, /more than 3 errors/);
  });
  test("one rule too many ends the reading with an error", () => {
    const { rules, errors } = importText("text", "1.1.1.1\n1.1.1.2\n1.1.1.3\n1.1.1.4\n", { maxRules: 2 });
    assert.equal(rules.length, 2);
    assert.deepEqual(
      errors.map(({ line, value, problem }) => `${line} ${value} ${problem}`),
      ["3 1.1.1.3 more than 2 rules; the remaining lines were not read"],
    );
  });
  for (const [how, size] of [
    ["at once", 1 << 20],
    ["in chunks", 1000],
  ] as const) {
    test(`a line that is too long is one error, given ${how}, and the next line is read`, () => {
      const reader = new RuleImport("text");
      const text = `1.1.1.1\n${"9".repeat(100_000)}\r\n8.8.8.8\n`;
      for (let at = 0; at < text.length; at += size) reader.write(text.slice(at, at + size));
      const { rules, errors } = reader.end();
      assert.deepEqual(
        rules.map(({ line }) => line),
        [1, 3],
      );
      assert.deepEqual([errors.length, errors[0]!.line, errors[0]!.column, errors[0]!.value.length], [1, 2, 8193, 81]);
    });
    test(`a comment of any length is one, given ${how}`, () => {
      const reader = new RuleImport("text");
      const text = `# ${"x".repeat(100_000)}\n8.8.8.8 # ${"// \u2028".repeat(50_000)}\n9.9.9.9`;
      for (let at = 0; at < text.length; at += size) reader.write(text.slice(at, at + size));
      assert.deepEqual(told(reader.end()), ["2 8.8.8.8 null null", "3 9.9.9.9 null null"]);
    });
  }
});

describe("unreadable lines are left out on request", () => {
  const skipping = (format: ImportFormat, text: string, options: ImportOptions = {}): ImportedRules =>
    importText(format, text, { skipInvalid: true, ...options });

  test("and reported by line, with its text and all of its errors", () => {
    const { rules, errors, skipped, isWhole } = skipping(
      "csv",
      `ip,name,expires_at\n8.8.8.8,a,\n8.8.8,${"a".repeat(300)},never\n9.9.9.9,"b\n8.8.8.8,c,\n1.1.1.1,d,\n`,
    );
    assert.deepEqual([rules.map(({ line }) => line), errors, isWhole, skipped.count], [[6, 2], [], true, 3]);
    assert.deepEqual(
      skipped.lines.map(({ line, text }) => [line, text]),
      [
        [3, `8.8.8,${"a".repeat(74)}…`],
        [4, '9.9.9.9,"b'],
        [5, "8.8.8.8"],
      ],
    );
    assert.match(
      skipped.lines[0]!.reason,
      /^column 6: "8.8.8": .*; column 7: "a+…": a name can have at most 255 .*; column 308: "never": /,
    );
    assert.match(skipped.lines[2]!.reason, /already on line 2/);
  });
  test("the first ones, in the order of lines, and the total", () => {
    const rows = Array.from({ length: 1000 }, (_, at) => `9.9.9.9,${at}\n8.8.8.8,${at}\n`).join("");
    const text = `ip,name\n${rows}${"bad,\n".repeat(50)}7.7.7.7,\n7.7.7.7,\n`;
    const { skipped, rules, repeated } = skipping("csv", text, { maxSkipped: 60 });
    assert.deepEqual(
      [skipped.count, skipped.lines.map(({ line }) => line), rules.length, repeated],
      [2048, Array.from({ length: 60 }, (_, at) => at + 4), 3, 1],
    );
  });
  test("except for errors that make all following lines unreadable", () => {
    const full = skipping("text", "1.1.1.1\nbad\n1.1.1.2\n1.1.1.3\n", { maxRules: 2 });
    assert.deepEqual([full.errors.map(({ line }) => line), full.isWhole], [[4], false]);
    assert.match(skipping("csv", "address\n1.1.1.1\n").errors[0]!.problem, /the first line must name the columns/);
    const other = skipping("ndjson", "1.1.1.1\n".repeat(100_001));
    assert.deepEqual([other.errors.map(({ line }) => line), other.isWhole], [[100_001], false]);
  });
});

test("a name and an expiry for a whole list: lines with their own keep them", () => {
  const defaults = { name: "feed", expiresAt: Date.UTC(2027, 0, 1) };
  const day = "2027-01-01T00:00:00.000Z";
  const rulesOf = (format: ImportFormat, text: string): unknown =>
    importText(format, text, { defaults }).rules.map(({ name, expiresAt }) => [
      name,
      expiresAt === null ? null : new Date(expiresAt).toISOString(),
    ]);
  assert.deepEqual(rulesOf("text", "8.8.8.8\n9.9.9.9 # b\n"), [
    ["feed", day],
    ["feed", day],
  ]);
  assert.deepEqual(rulesOf("csv", "ip\n8.8.8.8\n"), [["feed", day]]);
  assert.deepEqual(rulesOf("csv", 'expires_at,ip,name\n,1.1.1.1,\n2026-12-01T00:00:00Z,2.2.2.2,own\n,3.3.3.3,""\n'), [
    ["feed", day],
    ["own", "2026-12-01T00:00:00.000Z"],
    ["", day],
  ]);
  assert.deepEqual(
    rulesOf(
      "ndjson",
      '{"ip":"1.1.1.1"}\n{"ip":"2.2.2.2","name":null,"expires_at":null}\n{"ip":"3.3.3.3","name":"own","expires_at":"2026-12-01T00:00:00Z"}\n',
    ),
    [
      ["feed", day],
      [null, null],
      ["own", "2026-12-01T00:00:00.000Z"],
    ],
  );
});

const pieces = [
  "8.8.8.8",
  "9.9.9.0/24",
  "2a00::/16",
  "bad",
  "ip",
  ",",
  '"',
  "'",
  "=",
  "#",
  " ",
  "\t",
  "\n",
  "\r",
  "\r\n",
  "\ufeff",
  "{",
  "}",
  ":",
  '{"ip":"1.1.1.1","name":"a"}',
  "name",
  "\\",
  "é",
  "😀",
];

test("a text means the same however it is cut into chunks, and every line is a rule, an error, or empty", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ImportFormat>("text", "csv", "ndjson"),
      fc.array(fc.constantFrom(...pieces), { maxLength: 40 }),
      fc.array(fc.nat(80)),
      (format, parts, cuts) => {
        const text = (format === "csv" ? "ip,name\n" : "") + parts.join("");
        const whole = importText(format, text);
        const reader = new RuleImport(format);
        let at = 0;
        for (const cut of cuts.toSorted((a, b) => a - b)) {
          reader.write(text.slice(at, Math.max(at, cut)));
          at = Math.max(at, cut);
        }
        reader.write(text.slice(at));
        assert.deepEqual(reader.end(), whole);

        const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
        const told = new Set([...whole.rules, ...whole.errors].map(({ line }) => line));
        let unsaid = 0;
        for (const [i, line] of lines.entries()) {
          const isSilent = format === "text" ? /^\s*([#;].*)?$/.test(line) : line.trim() === "";
          if ((format === "csv" && i === 0) || told.has(i + 1) !== isSilent) continue;
          assert.ok(!isSilent, JSON.stringify(line));
          unsaid++;
        }
        // Only a line that says the same as another is neither.
        assert.ok(unsaid <= whole.repeated, text);
      },
    ),
    { seed: 20_260_601, numRuns: 3000 },
  );
});

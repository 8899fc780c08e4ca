import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { csvRows } from "../../../src/cbs/importers/_csv.ts";
import { csv } from "../../../src/cbs/importers/csv.ts";
import { assertRefused, type BadList, entriesOf } from "./lists.ts";

describe("rows of CSV", () => {
  const cases: [what: string, text: string, rows: [line: number, ...fields: string[]][]][] = [
    [
      "plain",
      "a,b\nc,d",
      [
        [1, "a", "b"],
        [2, "c", "d"],
      ],
    ],
    [
      "CRLF and CR",
      "a\r\nb\rc\r\n",
      [
        [1, "a"],
        [2, "b"],
        [3, "c"],
      ],
    ],
    ["empty fields, also at the end", "a,,\n", [[1, "a", "", ""]]],
    ["white space around", " a , b\t\n", [[1, "a", "b"]]],
    ["white space inside", "1098 XH", [[1, "1098 XH"]]],
    ["quotes", '"a,b","c ""d""" , "" \n', [[1, "a,b", 'c "d"', ""]]],
    [
      "a line break in quotes",
      '"a\r\nb",c\nd\n',
      [
        [1, "a\nb", "c"],
        [3, "d"],
      ],
    ],
    ["empty lines", "\n  \na\n\n", [[3, "a"]]],
    ["a row that says nothing, quoted or not", '""\n,"",\na,""\n', [[3, "a", ""]]],
    [
      "comments",
      "# all of this, and that\na # b, c\n#\nd",
      [
        [2, "a"],
        [4, "d"],
      ],
    ],
    ["a # in quotes", '"#a"\n', [[1, "#a"]]],
    [
      "a comment behind quotes",
      '"a" # b\nc',
      [
        [1, "a"],
        [2, "c"],
      ],
    ],
    ["nothing", "", []],
  ];
  for (const [what, text, rows] of cases) {
    test(what, () =>
      assert.deepEqual(
        [...csvRows(text)].map(({ line, fields }) => [line, ...fields]),
        rows,
      ),
    );
  }
});

describe("CSV", () => {
  test("with a header, whose columns may be in any order and case", () => {
    const list = csv()(
      'Service,IP Prefix,Region\r\nAPI,192.0.2.0/24,eu-west-1\r\n"Web, all",2001:db8::/32,global\r\n,198.51.100.0/24,',
    );
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 api@eu-west-1", "2001:db8::/32 web-all", "198.51.100.0/24 -"]);
  });

  test("with a header of a type and an address", () => {
    assert.deepEqual(entriesOf(csv()("Type,Address\nIPv4,192.0.2.0/24\nIPv6,2001:db8::1\n")), [
      "192.0.2.0/24 -",
      "2001:db8::1 -",
    ]);
  });

  test("without a header", () => {
    assert.deepEqual(entriesOf(csv()("192.0.2.0/24\n198.51.100.1,what,ever\n")), ["192.0.2.0/24 -", "198.51.100.1 -"]);
  });

  test("the caller's service and region take precedence over the columns", () => {
    assert.deepEqual(
      entriesOf(csv({ service: "mine", region: null })("prefix,service,region\n192.0.2.0/24,api,eu\n")),
      ["192.0.2.0/24 mine"],
    );
  });

  const bad: BadList[] = [
    ["nothing", "", "empty", "line 1"],
    ["a header only", "prefix,region\n", "empty", "line 1"],
    ["a header without a prefix", "name,city\nx,y\n", "bad-csv", "line 1"],
    ["a row that is too short", "service,prefix\napi,192.0.2.0/24\nweb\n", "bad-csv", "line 3"],
    ["a row without a prefix", "prefix,service\n192.0.2.0/24,api\n,web\n", "bad-prefix", "line 3"],
    ["a prefix that is none", "192.0.2.0/24\n192.0.2.0/240\n", "bad-prefix", "line 2"],
    ["a range of all addresses", "prefix,service\n0.0.0.0-255.255.255.255,api\n", "bad-prefix", "line 2"],
    ["a quote that nothing closes", 'prefix\n"192.0.2.0/24\n', "bad-csv", "line 2"],
    [
      "a quote that nothing closes, after comments",
      '# "\n192.0.2.0/24\n\n# c\n  "198.51.100.0/24\n\n',
      "bad-csv",
      "line 5",
    ],
    [
      "text behind a quote after a field of lines",
      'prefix\n192.0.2.0/24,"a\r\nb"\n1.2.3.4,"b" x\n',
      "bad-csv",
      "line 4",
    ],
    ["text behind a quote", '"192.0.2.0/24"x\n', "bad-csv", "line 1"],
    ["a quote inside a field", 'prefix\n192.0.2.0/24"\n', "bad-csv", "line 2"],
    ["a service that no node can be called", "prefix,service\n192.0.2.0/24,???\n", "bad-name", "line 2"],
    ["a web page", "<html>", "web-page", "line 1"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(csv(), list));

  test("a row that is too short: the error says how many fields it has", () => {
    assert.throws(() => csv()("prefix,service,region\n192.0.2.0/24\n"), /the line has 1 field, but the header has 3/);
    assert.throws(() => csv()("prefix,service,region\n192.0.2.0/24,a\n"), /the line has 2 fields, but the header/);
  });

  test("a prefix that is none: the error says where in it", () => {
    assert.throws(() => csv()("prefix\n192.0.2.300\n"), /"192\.0\.2\.300" at position 8: /);
  });

  test("a quote inside a field: the error names the field", () => {
    assert.throws(() => csv()('prefix,service\n192.0.2.0/24,a"b\n'), /inside the field that begins with "a"; enclose/);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeList } from "../../../src/cbs/importers/decode-list.ts";
import { ImportError } from "../../../src/cbs/importers/import-error.ts";
import { plainText } from "../../../src/cbs/importers/plain-text.ts";
import { assertRefused, type BadList, entriesOf, namesOf } from "./lists.ts";

describe("plain text", () => {
  const cases: [what: string, text: string, entries: string[]][] = [
    ["one line without an end", "192.0.2.0/24", ["192.0.2.0/24 -"]],
    ["LF, no newline at the end", "192.0.2.0/24\n2001:db8::/32", ["192.0.2.0/24 -", "2001:db8::/32 -"]],
    ["CRLF", "192.0.2.0/24\r\n198.51.100.0/24\r\n", ["192.0.2.0/24 -", "198.51.100.0/24 -"]],
    ["CR alone", "192.0.2.0/24\r198.51.100.0/24\r", ["192.0.2.0/24 -", "198.51.100.0/24 -"]],
    ["a byte order mark", "\ufeff192.0.2.0/24\n", ["192.0.2.0/24 -"]],
    ["TABs and blanks around", "192.0.2.0/24\t\n  198.51.100.0/24  \n\t\n", ["192.0.2.0/24 -", "198.51.100.0/24 -"]],
    ["bare addresses", "192.0.2.1\n2001:DB8::1\n", ["192.0.2.1 -", "2001:db8::1 -"]],
    [
      "comments",
      "# made by hand\n192.0.2.0/24 # office\n; old style\n198.51.100.0/24\t; lab\n",
      ["192.0.2.0/24 -", "198.51.100.0/24 -"],
    ],
    ["a range", "192.0.2.0-192.0.2.2\n", ["192.0.2.0/31 -", "192.0.2.2 -"]],
    ["two prefixes on a line", "192.0.2.0/24 198.51.100.0/24", ["192.0.2.0/24 -", "198.51.100.0/24 -"]],
  ];
  for (const [what, text, entries] of cases) test(what, () => assert.deepEqual(entriesOf(plainText()(text)), entries));

  test("belongs to the service and the region that the caller names", () => {
    const list = plainText({ service: { id: "uptime", name: "Uptime monitoring" }, region: "EU" })("192.0.2.1");
    assert.deepEqual(entriesOf(list), ["192.0.2.1 uptime@eu"]);
    assert.deepEqual(namesOf(list), { uptime: "Uptime monitoring", eu: "EU" });
  });

  test("clears host bits and reports that; reports repetitions", () => {
    const list = plainText()("192.0.2.9/24\n198.51.100.0/24\n198.51.100.0/24\n");
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 -", "198.51.100.0/24 -", "198.51.100.0/24 -"]);
    assert.deepEqual(
      list.warnings.map(({ code, position }) => [code, position]),
      [
        ["host-bits", "line 1"],
        ["repeat", "line 3"],
      ],
    );
    assert.match(list.warnings[0]!.message, /^line 1: "192\.0\.2\.9\/24" .*192\.0\.2\.0\/24/);
    assert.deepEqual(list.warningCounts, { "host-bits": 1, repeat: 1 });
  });

  test("rejects host bits in a list that is no publisher's", () =>
    assertRefused(plainText({}, "reject"), ["", "192.0.2.9/24\n", "bad-prefix", "line 1, column 11"]));

  test("keeps a hundred warnings of each kind and counts all", () => {
    const list = plainText()("192.0.2.9/24\n".repeat(250));
    assert.deepEqual([list.warnings.length, list.warningCounts], [200, { "host-bits": 250, repeat: 249 }]);
  });

  const bad: BadList[] = [
    ["nothing", "", "empty", "line 1"],
    ["comments only", "# nothing\n", "empty", "line 1"],
    ["a web page", "<html><body>404</body></html>", "web-page", "line 1"],
    ["two files glued together", "192.0.2.0/24\n198.51.100.0/242001:db8::/32\n", "bad-prefix", "line 2, column 20"],
    ["a host name", "192.0.2.0/24\nzoom.us\n", "bad-prefix", "line 2, column 1"],
    ["two addresses on a line", "192.0.2.1 192.0.2.9", "bad-prefix", "line 1, column 11"],
    ["another syntax", "config firewall address\n", "bad-prefix", "line 1, column 1"],
    ["a length beyond the family's", "\n\n192.0.2.0/33", "bad-prefix", "line 3, column 11"],
    ["a range that ends before it begins", "192.0.2.9-192.0.2.1", "bad-prefix", "line 1, column 11"],
    ["a range of all IPv4 addresses", "192.0.2.1\n0.0.0.0-255.255.255.255\n", "bad-prefix", "line 2"],
    ["a range of all IPv6 addresses", "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "bad-prefix", "line 1"],
    ["a negative length", "192.0.2.0/-1", "bad-prefix", "line 1, column 11"],
    ["the remains of another encoding", "1\u00009\u00002\u0000", "bad-prefix", "line 1, column 2"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(plainText(), list));

  test("rejected: a service or region that no node can have", () =>
    assertRefused(plainText({ service: "?" }), ["", "192.0.2.0/24", "bad-name", "line 1"]));
});

describe("bytes", () => {
  const bytes = (...parts: (string | number)[]) =>
    Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...Buffer.from(part)])));

  test("are UTF-8, with or without a byte order mark", () => {
    assert.equal(decodeList(bytes("Yaoundé")), "Yaoundé");
    assert.deepEqual(entriesOf(plainText()(decodeList(bytes(0xef, 0xbb, 0xbf, "192.0.2.1")))), ["192.0.2.1 -"]);
  });

  const bad: [what: string, bytes: Uint8Array, position: string][] = [
    ["Latin-1", bytes("192.0.2.1 # Yaound", 0xe9, "\n"), "byte 19"],
    ["a compressed list", bytes(0x1f, 0x8b, 0x08, 0x00), "byte 1"],
    ["a character cut off", bytes("a", 0xc3), "byte 2"],
    ["UTF-16", bytes(0xff, 0xfe, "1", 0), "byte 0"],
  ];
  for (const [what, list, position] of bad) {
    test(`refused: ${what}`, () => {
      assert.throws(
        () => decodeList(list),
        (error) => error instanceof ImportError && error.code === "not-utf8" && error.position === position,
      );
    });
  }
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recordOf } from "../../../src/cti/fields.ts";
import { FeedImport } from "../../../src/cti/import-feed.ts";
import { assertSkipped, assertRefused, type BadFeed, type BadLine, type Entry, readFeed } from "../feeds.ts";

describe("plain lists", () => {
  const cases: [what: string, text: string, prefixes: string[]][] = [
    [
      "FireHOL: comments in front",
      "#\n# Maintainer : FireHOL\n\n1.10.16.0/20\n1.0.164.165\n",
      ["1.10.16.0/20", "1.0.164.165"],
    ],
    [
      "Spamhaus DROP: `; SBL` behind",
      "; Spamhaus DROP List\n1.10.16.0/20 ; SBL256894\n2001:db8::/32 ; SBL1\n",
      ["1.10.16.0/20", "2001:db8::/32"],
    ],
    ["IPsum: a count behind", "# IP\tnumber\n77.90.185.20\t10\n", ["77.90.185.20"]],
    [
      "CRLF, no end of the last line, a byte order mark",
      "\ufeff192.0.2.1\r\n\r\n192.0.2.2",
      ["192.0.2.1", "192.0.2.2"],
    ],
    [
      "white space around, other spellings",
      "  192.0.2.1 # x\n\t2001:DB8:0:0::1\n::ffff:192.0.2.7\n::ffff:10.0.0.0/104\n",
      ["192.0.2.1", "2001:db8::1", "192.0.2.7", "10.0.0.0/8"],
    ],
    ["a range", "192.0.2.8 - 192.0.2.10\n", ["192.0.2.8/31", "192.0.2.10"]],
    ["not UTF-8 in a comment", "192.0.2.1\n192.0.2.2 # caf\ufffd\n", ["192.0.2.1", "192.0.2.2"]],
    ["CR alone", "192.0.2.1\r192.0.2.2\r", ["192.0.2.1", "192.0.2.2"]],
  ];
  for (const [what, text, prefixes] of cases) {
    test(what, () => {
      for (const pieceLength of [Infinity, 1, 3])
        assert.deepEqual(
          readFeed(text, {}, pieceLength).entries,
          prefixes.map((prefix): Entry => [prefix, {}]),
        );
    });
  }

  test("the caller's values apply to every entry", () => {
    const defaults = recordOf({ tags: ["tor"], classification: "promiscuous", actor: "nobody", spoofable: false });
    assert.deepEqual(readFeed("192.0.2.1\n", { defaults }).entries, [
      ["192.0.2.1", { tags: ["tor"], classification: "promiscuous", actor: "nobody", spoofable: false }],
    ]);
  });

  const bad: BadLine[] = [
    ["no address", "192.0.2.1\n  example.org\n", 2, 3, /"example.org"/],
    ["an octet too large", "192.0.2.256\n", 1, 9, /0 to 255|255/],
    ["a length that is none", "192.0.2.0/33\n", 1, 11, /0 to 32/],
    ["host bits", "10.0.0.1/8 # x\n", 1, 10, /did you mean 10\.0\.0\.0\/8\?/],
    ["text behind the address", "1.1.1.2\t6 7\n", 1, 9, /begin a comment with #/],
    ["everything, IPv4", "192.0.2.1\n0.0.0.0/0\n", 2, 1, /every address/],
    ["everything, IPv6", "::/0\n", 1, 1, /every address/],
    ["a table", "192.0.2.1,malware\n", 1, 11, /give a table as CSV/],
    ["not UTF-8", "192.0.2.1\n192.0.2.2\ufffd\n", 2, 10, /UTF-8/],
    ["a port", "192.0.2.1:80\n", 1, 10, /port/],
  ];
  for (const line of bad) test(`left out: ${line[0]}`, () => assertSkipped(line));

  const refused: BadFeed[] = [
    ["nothing", "", "empty", 1],
    ["comments only", "# a\n; b\n\n", "empty", 1],
    ["a web page", "\n<!DOCTYPE html>\n<p>moved</p>\n", "web-page", 2],
    ["bytes", "\0\0\0\n", "not-text", 1],
    ["no line ends", "1".repeat((1 << 24) + 1), "line-too-long", 1],
  ];
  for (const feed of refused.slice(0, 4)) test(`refused: ${feed[0]}`, () => assertRefused(feed));
  test("rejected: no line ends", () => assert.throws(() => readFeed(refused[4]![1]), { code: "line-too-long" }));

  test("what takes the entries fails: that is no fault of a line, in any format", () => {
    for (const text of ["192.0.2.1\n", "ip\n192.0.2.1\n", '{"ip":"192.0.2.1"}\n']) {
      const feed = new FeedImport({}, () => assert.fail("no space left"));
      assert.throws(() => (feed.push(text), feed.end()), /no space left/, text);
    }
  });

  test("of many skipped lines the first hundred are kept, and all are counted", () => {
    const { skippedLines, skippedCount } = readFeed("x\n".repeat(1000)).report;
    assert.deepEqual([skippedLines.length, skippedCount], [100, 1000]);
  });
});

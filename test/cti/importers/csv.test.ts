import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FeedError } from "../../../src/cti/importers/feed-error.ts";
import { assertSkipped, assertRefused, type BadFeed, type BadLine, type Entry, readFeed } from "../feeds.ts";

describe("CSV", () => {
  const cases: [what: string, text: string, entries: Entry[]][] = [
    [
      "columns in any order, lists, empty cells",
      "tags,ip,spoofable,src.asn.number\na|b,192.0.2.1,false,64500\n,192.0.2.2,,\n",
      [
        ["192.0.2.1", { spoofable: false, tags: ["a", "b"], asnNumber: 64500 }],
        ["192.0.2.2", {}],
      ],
    ],
    [
      "quotes, line breaks inside, CRLF",
      '"ip","http.user_agent","actor"\r\n"192.0.2.1","Mozilla/5.0 (X11; ""x"")|curl, 8","a\r\nb"\r\n192.0.2.2,,c',
      [
        ["192.0.2.1", { userAgents: ['Mozilla/5.0 (X11; "x")', "curl, 8"], actor: "a\nb" }],
        ["192.0.2.2", { actor: "c" }],
      ],
    ],
    [
      "a list as a JSON array",
      'ip,http.path,network.ports\n192.0.2.1,"[""/a|b"",""/c""]",443|22\n',
      [["192.0.2.1", { httpPaths: ["/a|b", "/c"], ports: [22, 443] }]],
    ],
    [
      "one column, CIDR, a name in capitals",
      "CIDR\n10.0.0.1/8\n2001:db8::/32\n",
      [
        ["10.0.0.0/8", {}],
        ["2001:db8::/32", {}],
      ],
    ],
    [
      "a quote inside a cell is a character",
      'ip,actor\n192.0.2.1,5" disk\n192.0.2.2,a\n192.0.2.3,6" disk\n192.0.2.4,"b, c"\n192.0.2.5,x"\n',
      [
        ["192.0.2.1", { actor: '5" disk' }],
        ["192.0.2.2", { actor: "a" }],
        ["192.0.2.3", { actor: '6" disk' }],
        ["192.0.2.4", { actor: "b, c" }],
        ["192.0.2.5", { actor: 'x"' }],
      ],
    ],
    [
      "a range in a column",
      "ip\n192.0.2.8-192.0.2.10\n",
      [
        ["192.0.2.8/31", {}],
        ["192.0.2.10", {}],
      ],
    ],
    ["white space around cells and quotes", 'ip , actor\n 192.0.2.1 ,  "x" \n', [["192.0.2.1", { actor: "x" }]]],
    [
      "abuse.ch: comments, its columns",
      '# Feodo\n"first_seen_utc","dst_ip","dst_port","last_online","malware"\n"2022-06-04 21:24:53","192.0.2.1","8080","2026-01-05","Dridex"\n# END\n',
      [
        [
          "192.0.2.1",
          {
            firstSeen: Date.UTC(2022, 5, 4) / 86_400_000,
            lastSeen: Date.UTC(2026, 0, 5) / 86_400_000,
            tags: ["Dridex"],
          },
        ],
      ],
    ],
    ["lines of white space", " \nip,actor\n\t\n192.0.2.1,a\n  \n", [["192.0.2.1", { actor: "a" }]]],
    [
      "an address that was not seen",
      "ip,seen\n192.0.2.1,false\n192.0.2.2,true\n192.0.2.3,\n",
      [
        ["192.0.2.2", {}],
        ["192.0.2.3", {}],
      ],
    ],
  ];
  for (const [what, text, entries] of cases) {
    test(what, () => {
      for (const pieceLength of [Infinity, 1, 6]) assert.deepEqual(readFeed(text, {}, pieceLength).entries, entries);
    });
  }

  test("the column of addresses has one of these names; one without a name is another", () => {
    for (const name of ["ip", "cidr", "prefix", "network", "address", "ip_address", "IP Address", "dst_ip"])
      assert.deepEqual(readFeed(`,${name},actor\nx,192.0.2.1,a\n`).entries, [["192.0.2.1", { actor: "a" }]]);
  });

  test("what is corrected, or left out as the feed says so, causes a warning", () => {
    assert.deepEqual(readFeed("ip,seen\n10.0.0.1/8,\n192.0.2.1,false\n10.0.0.2/8,true\n").report.warnings, [
      { message: "host bits were set and have been cleared", count: 2, line: 2 },
      { message: "a row says that its address was not seen, and is left out", count: 1, line: 3 },
    ]);
  });

  test("unknown columns cause a warning", () => {
    assert.deepEqual(readFeed("ip,colour\n192.0.2.1,red\n").report.warnings, [
      { message: '"colour" is an unknown column and is ignored', count: 1, line: 1 },
    ]);
  });

  const bad: BadLine[] = [
    ["too few cells", "ip,actor\n192.0.2.1,a\n192.0.2.2\n", 3, 1, /is 1 cell, and 2 columns/],
    ["too many cells", "ip,actor\n192.0.2.1,a,b\n", 2, 1, /are 3 cells, and 2 columns/],
    [
      "text behind a quote",
      'ip,actor\n192.0.2.1,"a"b\n',
      2,
      11,
      /text follows the quote that closes this cell; double/,
    ],
    ["an address that is none", 'actor,ip\n"a\nb","192.0.2.x"\n', 3, 13, /"192\.0\.2\.x"/],
    ["no address", "actor,ip\na,\n", 2, 3, /""/],
    ["everything", "ip\n0.0.0.0/0\n", 2, 1, /every address/],
    ["spoofable that is neither", "spoofable,ip\nno,192.0.2.1\n", 2, 1, /spoofable: "no" is neither true nor false/],
    ["a number that is none", "ip,active_days\n192.0.2.1,many\n", 2, 11, /active_days: .*"many"/],
    ["a port that is none", "ip,network.ports\n192.0.2.1,22|x\n", 2, 11, /whole number/],
    ["a date that is none", "ip,last_seen\n192.0.2.1,17.06.2026\n", 2, 11, /is not a date/],
    ["a classification that is none", "ip,classification\n192.0.2.1,Malicious\n", 2, 11, /malicious/],
    ["a JSON array that is none", "ip,tags\n192.0.2.1,[a]\n", 2, 11, /JSON array/],
    ["seen that is neither", "ip,seen\n192.0.2.1,maybe\n", 2, 11, /seen: "maybe" is neither/],
  ];
  for (const fault of bad) test(`left out: ${fault[0]}`, () => assertSkipped(fault));

  const refused: BadFeed[] = [
    ["a header only", "ip,actor\n", "empty", 1],
    ["two columns of one name", "ip,tags,malware\n192.0.2.1,a,b\n", "bad-header", 1],
    ["a quote that nothing closes", 'ip,actor\n192.0.2.1,"a\n192.0.2.2,b\n', "unclosed-quote", 2],
  ];
  for (const feed of refused) test(`refused: ${feed[0]}`, () => assertRefused(feed));

  test("refused, as CSV: no columns, and columns without addresses", () => {
    const names = "one of them is called ip, cidr, prefix, network, address, ip_address, dst_ip";
    for (const [text, cure] of [
      ["192.0.2.1,a\n", "the first line names the columns; without columns, give --format list"],
      ["name,value\na,b\n", names],
      ["a,192.0.2.1\n", names],
    ] as const) {
      assertRefused(["", text, "bad-header", 1], { format: "csv" });
      assert.throws(
        () => readFeed(text, { format: "csv" }),
        ({ problem }: FeedError) => problem.endsWith(` holds addresses; ${cure}`),
      );
    }
  });

  test("a row has a mebibyte with its line breaks at most, the header too, whatever comes before it", () => {
    /** Of this length, with the line break at its end, in eight lines. */
    const rowOf = (begin: string, length: number) =>
      `${begin}"${"\n".repeat(7)}${"a".repeat(length - begin.length - 10)}"\n`;
    const [header, row] = [rowOf("ip,tags,", 1 << 20), rowOf("192.0.2.1,a,", 1 << 20)];
    assert.equal(readFeed(header + row + row).entries.length, 2);
    assert.throws(() => readFeed(rowOf("ip,", (1 << 20) + 1) + row), { code: "line-too-long", line: 1 });
    assert.throws(() => readFeed(`ip,tags\n${rowOf("192.0.2.1,", (1 << 20) + 1)}`), { code: "line-too-long", line: 2 });
  });

  test("of a row with text behind its closing quote, every line is counted as left out", () => {
    const { entries, report } = readFeed('ip,actor\n192.0.2.1,"5 disk\n192.0.2.2,a\n192.0.2.3,"6 disk\n192.0.2.4,b\n');
    assert.deepEqual(entries, [["192.0.2.4", { actor: "b" }]]);
    assert.equal(report.skippedCount, 3);
    assert.match(report.skippedLines[0]!.message, /^text follows the quote that closes this cell, on line 4; /);
    assert.deepEqual([report.skippedLines[0]!.line, report.skippedLines[0]!.column], [2, 11]);
  });
});

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { run, type RunOptions, temporaryFolder } from "../run-command.ts";
import { sampled } from "../../rounds.ts";

const EVENTS = 'time,src_ip,note\n1,10.1.2.3,"two\nlines, 10.9.9.9"\n2,"10.9.9.9"\n\n3,9.9.9.9,x\n';
const OBJECTS = '{"ip":"10.1.2.3"}\r\n{ "ip" : "9.9.9.9", "n" : 1.50 }\n\n{"ip":"10.2.2.2"\n{}';
const PROXIED = 'time,forwarded\n1,"10.1.2.3, 203.0.113.9, 8.8.8.8"\n2,unknown\n3,"[2001:db8::1]:443, 9.9.9.9:80"\n';

let folder: ReturnType<typeof temporaryFolder>;

before(async () => {
  folder = temporaryFolder({
    "list.csv": "10.0.0.0/8,/cloud/acme\n10.1.0.0/16,/cloud/acme/by-service/mail/eu-1\n2001:db8::/32,documentation\n",
    "events.csv": EVENTS,
    "more.csv.gz": gzipSync("time,src_ip,note\n4,10.0.0.4,\n"),
    "other.csv": "time,address\n5,10.0.0.5\n",
    "open.csv": 'time,src_ip\n1,10.1.2.3\n2,"10.1.2.3\n3,9.9.9.9\n',
    "events.jsonl": OBJECTS,
    "again.csv": "cbs_ids,ip\nx,10.1.2.3\n",
    "twice.csv": "ip,note,ip\n9.9.9.9,,10.1.2.3\n",
    "one.csv": "ip\n10.9.9.9\n",
    "wide.csv": 'a,ip\n"1\n2",10.9.9.9,x,y\n3,10.9.9.9\n4,10.9.9.9,z\n',
    "ragged.tsv": "a\tip\tb\n1\t10.9.9.9\n\t\t\n\n2\t10.9.9.9\tx\n3\t10.9.9.9\tx\ty\n",
    "again.jsonl": '{"ip":"10.1.2.3","cbs_ids":[]}\n',
    "proxied.csv": PROXIED,
    "empty.log": "",
    "mark.csv": "\ufeff",
    "header.csv": "ip,note\n",
    "visits.log": "10.1.2.3 a\n9.9.9.9 b\n10.1.2.3 c\n2001:db8::7 d\nnobody\n9.9.9.8 e\n",
  });
  assert.equal((await run(["build", "list.csv", "-o", "list.ipsieve"], { cwd: folder.path })).code, 0);
});
after(() => folder.remove());

const identify = (args: readonly string[], options: RunOptions = {}) =>
  run(["identify", "--snapshot", "list.ipsieve", ...args], { cwd: folder.path, ...options });
const lines = (...rows: string[]) => rows.map((row) => `${row}\n`).join("");

const outputs: [name: string, args: string[], stdout: string][] = [
  [
    "a column added to CSV, below its header, records of several lines whole",
    ["--format", "append", "events.csv"],
    'time,src_ip,note,cbs_ids\n1,10.1.2.3,"two\nlines, 10.9.9.9","/cloud/acme,/cloud/acme/by-service/mail/eu-1"\n2,"10.9.9.9",,/cloud/acme\n\n3,9.9.9.9,x,\n',
  ],
  [
    "a column with a name of one's own, only matched rows, the header once",
    ["--format", "append", "--append-as", "who, where", "--matched", "--field", "src_ip", "events.csv", "more.csv.gz"],
    'time,src_ip,note,"who, where"\n1,10.1.2.3,"two\nlines, 10.9.9.9","/cloud/acme,/cloud/acme/by-service/mail/eu-1"\n2,"10.9.9.9",,/cloud/acme\n4,10.0.0.4,,/cloud/acme\n',
  ],
  [
    "rows of CSV with a header of their own",
    ["--format", "csv", "--matched", "events.csv"],
    lines(
      "ip,cidr,cbs_ids",
      '10.1.2.3,10.1.0.0/16,"/cloud/acme,/cloud/acme/by-service/mail/eu-1"',
      "10.9.9.9,10.0.0.0/8,/cloud/acme",
    ),
  ],
  ["counts without the header", ["-cv", "events.csv"], "2\n"],
  [
    "a header as a row, if told that it is none",
    ["--header", "no", "--format", "append", "other.csv"],
    lines("time,address,", "5,10.0.0.5,/cloud/acme"),
  ],
  [
    "CSV as text, if told so",
    ["--input", "space", "--format", "append", "other.csv"],
    lines("time,address\t", "5,10.0.0.5\t/cloud/acme"),
  ],
  [
    "the first of several addresses",
    ["--field", "forwarded", "--matched", "proxied.csv"],
    lines(
      "ip\tcidr\tcbs_ids",
      "10.1.2.3\t10.1.0.0/16\t/cloud/acme,/cloud/acme/by-service/mail/eu-1",
      "2001:db8::1\t2001:db8::/32\tdocumentation",
    ),
  ],
  [
    "the last of several addresses",
    ["--field", "forwarded", "--address", "last", "proxied.csv"],
    lines("ip\tcidr\tcbs_ids", "8.8.8.8\t\t", "\t\t", "9.9.9.9\t\t"),
  ],
  [
    "the first address that is public",
    ["--field", "forwarded", "--address", "first-public", "proxied.csv"],
    lines("ip\tcidr\tcbs_ids", "8.8.8.8\t\t", "\t\t", "9.9.9.9\t\t"),
  ],
];
for (const [name, args, stdout] of outputs) {
  test(`prints ${name}`, async () => {
    const outcome = await identify(args);
    assert.deepEqual([outcome.stdout, outcome.stderr], [stdout, ""]);
  });
}

test("the address in the middle of a line can be chosen", async () => {
  const input = "up 10.0.0.1 via 9.9.9.9 to 10.1.2.3\n";
  for (const [which, ip] of [
    ["first", "10.0.0.1"],
    ["last", "10.1.2.3"],
    ["first-public", "9.9.9.9"],
  ] as const) {
    assert.equal((await identify(["--address", which], { input })).stdout.split("\t")[0], ip);
  }
});

test("objects keep their bytes and get a member; a line that is not an object is reported and kept as text", async () => {
  const { code, stdout, stderr } = await identify(["--format", "append", "events.jsonl"]);
  assert.equal(
    stdout,
    lines(
      '{"ip":"10.1.2.3","cbs_ids":["/cloud/acme","/cloud/acme/by-service/mail/eu-1"]}',
      '{ "ip" : "9.9.9.9", "n" : 1.50 ,"cbs_ids":[]}',
      "",
      '{"text":"{\\"ip\\":\\"10.2.2.2\\"","cbs_ids":["/cloud/acme"]}',
      '{"cbs_ids":[]}',
    ),
  );
  assert.equal(stderr, 'ipsieve: events.jsonl:4:17: not a JSON object; its row has the line as the member "text"\n');
  assert.equal(code, 2);
  const many = await identify(["--format", "append", "--input", "jsonl"], { input: "{}\n" + "nothing\n".repeat(30) });
  assert.match(
    many.stderr,
    /^ipsieve: standard input:2:1: .*\n(ipsieve: standard input:.*\n){19}ipsieve: \.\.\. and 10 more lines like these, 30 in all\n$/,
  );
  for (const line of many.stdout.trimEnd().split("\n")) JSON.parse(line);
});

test("an existing member is an error with its line; the remedy is another name", async () => {
  const failed = await identify(["--format", "append", "-o", "rows.jsonl", "events.jsonl", "again.jsonl"]);
  assert.equal(
    failed.stderr,
    'ipsieve: again.jsonl:1: this object already has a member "cbs_ids"; rename it, or choose another name for the new one with --append-as\n',
  );
  assert.deepEqual([failed.code, existsSync(join(folder.path, "rows.jsonl"))], [2, false]);
  assert.equal(
    (await identify(["--format", "append", "--append-as", "mine", "again.jsonl"])).stdout,
    '{"ip":"10.1.2.3","cbs_ids":[],"mine":["/cloud/acme","/cloud/acme/by-service/mail/eu-1"]}\n',
  );
});

test("an existing column is an error; the remedy is another name", async () => {
  assert.equal(
    (await identify(["--format", "append", "again.csv"])).stderr,
    'ipsieve: again.csv:1: the header already has a column "cbs_ids"; rename it, or choose another name for the new one with --append-as\n',
  );
  const several = ["--format", "append", "--snapshot", "cbs_ids=list.ipsieve", "again.csv"];
  assert.match((await identify(several)).stderr, /again\.csv:1: .* "cbs_ids"; .* with --snapshot NAME=FILE$/m);
  const { stdout } = await identify(["--format", "append", "--append-as", "mine", "again.csv"]);
  assert.equal(stdout, lines("cbs_ids,ip,mine", 'x,10.1.2.3,"/cloud/acme,/cloud/acme/by-service/mail/eu-1"'));
});

test("a new column is aligned with its name: short records are padded, long ones reported", async () => {
  const why = "more fields than the header has columns; what was added to its row follows them, without a column name";
  const wide = await identify(["--format", "append", "wide.csv"]);
  assert.deepEqual(
    [wide.code, wide.stdout, wide.stderr],
    [
      2,
      lines('a,ip,cbs_ids\n"1', '2",10.9.9.9,x,y,/cloud/acme', "3,10.9.9.9,/cloud/acme", "4,10.9.9.9,z,/cloud/acme"),
      `ipsieve: wide.csv:2:16: ${why}\nipsieve: wide.csv:5:12: ${why}\n`,
    ],
  );
  const ragged = await identify(["--format", "append", "ragged.tsv"]);
  assert.deepEqual(
    [ragged.code, ragged.stdout, ragged.stderr],
    [
      2,
      lines(
        "a\tip\tb\tcbs_ids",
        "1\t10.9.9.9\t\t/cloud/acme",
        "\t\t\t",
        "",
        "2\t10.9.9.9\tx\t/cloud/acme",
        "3\t10.9.9.9\tx\ty\t/cloud/acme",
      ),
      `ipsieve: ragged.tsv:6:14: ${why}\n`,
    ],
  );
});

test("records with more fields than the header are reported whatever the output is", async () => {
  const why = "more fields than the header has columns";
  const reports = { "wide.csv": ["2:16", "5:12"], "ragged.tsv": ["6:14"] };
  const outputs = [["-c"], ["--summary"], ["--top", "2"], ...["tsv", "csv", "jsonl"].map((name) => ["--format", name])];
  for (const [at, [file, places]] of Object.entries(reports).entries())
    for (const [nth, output] of sampled(outputs, 2, at).entries())
      for (const engine of sampled(["typescript", "webassembly"], 2, at + nth)) {
        const { code, stderr } = await identify([...output, "--field", "ip", "--engine", engine, file]);
        const expected = places.map((place) => `ipsieve: ${file}:${place}: ${why}\n`).join("");
        assert.deepEqual([code, stderr], [2, expected], [...output, engine, file].join(" "));
      }
  const { code, stderr } = await identify(["--header", "no", "--input", "tsv", "--field", "2", "ragged.tsv"]);
  assert.deepEqual([code, stderr], [0, ""], "negative control: without a header, any number is right");
});

test("an empty input is named, beside others too; a header alone is said to have no lines", async () => {
  const cases: [args: string[], code: number, stderr: string][] = [
    [["empty.log"], 1, "ipsieve: empty.log is empty\n"],
    [["-c", "mark.csv"], 1, "ipsieve: mark.csv is empty\n"],
    [
      ["--summary", "empty.log", "visits.log", "mark.csv"],
      0,
      "ipsieve: empty.log is empty\nipsieve: mark.csv is empty\n",
    ],
    [["--format", "append", "header.csv"], 1, "ipsieve: there are no lines behind the header\n"],
    [["visits.log"], 0, ""],
  ];
  for (const [args, code, stderr] of cases) {
    const done = await identify(args);
    assert.deepEqual([done.code, done.stderr], [code, stderr], args.join(" "));
  }
  const piped = await identify([], { input: "" });
  assert.deepEqual([piped.code, piped.stdout, piped.stderr], [1, "", "ipsieve: standard input is empty\n"]);
});

test("a piece of TSV in which all records have the length of the header gets the column alike", async () => {
  const rows = Array.from({ length: 3000 }, (_, i) => `${i}\t10.9.${i >> 8}.${i & 255}\t${i % 7 === 0 ? "" : "x"}`);
  const input = (more: readonly string[]) => ["a\tip\tb", ...rows, ...more, "end\t9.9.9.9\t"].join("\n");
  const expected = (more: readonly string[]) =>
    lines("a\tip\tb\tcbs_ids", ...rows.map((row) => `${row}\t/cloud/acme`), ...more, "end\t9.9.9.9\t\t");
  for (const [more, appended] of [
    [[], []],
    [["short\t10.9.9.9"], ["short\t10.9.9.9\t\t/cloud/acme"]],
    [
      ["", "x"],
      ["", "x\t\t\t"],
    ],
  ] as const) {
    for (const engine of ["webassembly", "typescript"]) {
      const outcome = await identify(["--format", "append", "--engine", engine], { input: input(more) });
      assert.deepEqual([outcome.stdout, outcome.stderr], [expected(appended), ""]);
    }
  }
  const single = await identify(["--format", "append", "--input", "tsv", "--header", "yes"], {
    input: "ip\n\n10.9.9.9\n",
  });
  assert.equal(single.stdout, lines("ip\tcbs_ids", "", "10.9.9.9\t/cloud/acme"));
});

test("a file named .csv is a table, even with a single column", async () => {
  const { stdout } = await identify(["--field", "ip", "--format", "append", "one.csv"]);
  assert.equal(stdout, lines("ip,cbs_ids", "10.9.9.9,/cloud/acme"));
});

test("rows of JSON have the number of the line in its input, and the line on request", async () => {
  const { stdout } = await identify(["--format", "jsonl", "--text", "events.csv", "visits.log"]);
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    rows.map(({ line }) => line),
    [2, 4, 5, 6, 1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual([rows[0].text, rows[4].text], ['1,10.1.2.3,"two\nlines, 10.9.9.9"', "10.1.2.3 a"]);
  assert.ok(!(await identify(["--format", "jsonl", "visits.log"])).stdout.includes('"text"'));
});

test("--summary and --top as JSON and CSV, and beside rows", async () => {
  const json = JSON.parse(
    (await identify(["--summary", "--networks", "none", "--top", "1", "--format", "json", "visits.log"])).stdout,
  );
  assert.deepEqual(json, {
    lines: 6,
    matched: 3,
    unmatched: 2,
    no_address: 1,
    types: [
      { type: "cloud", name: "Cloud", lines: 2 },
      { type: "list", name: "list", lines: 1 },
    ],
    providers: [
      { type: "cloud", provider: "acme", name: "acme", lines: 2 },
      { type: "list", provider: "documentation", name: "documentation", lines: 1 },
    ],
    services: [{ type: "cloud", provider: "acme", service: "mail", name: "acme mail", lines: 2 }],
    top: {
      matched: {
        distinct: 2,
        addresses: [
          {
            ip: "10.1.2.3",
            lines: 2,
            cidr: "10.1.0.0/16",
            cbs_ids: ["/cloud/acme", "/cloud/acme/by-service/mail/eu-1"],
            labels: ["Cloud > acme", "Cloud > acme > By service > mail > eu-1"],
          },
        ],
      },
      unmatched: { distinct: 2, addresses: [{ ip: "9.9.9.8", lines: 1, cidr: null, cbs_ids: [], labels: [] }] },
    },
  });
  assert.equal(
    (await identify(["--summary", "--networks", "none", "--top", "9", "--format", "csv", "visits.log"])).stdout,
    lines(
      "count,key,name,lines",
      "lines,,,6",
      "matched,,,3",
      "unmatched,,,2",
      "no_address,,,1",
      "type,cloud,Cloud,2",
      "type,list,list,1",
      "provider,/cloud/acme,acme,2",
      "provider,/list/documentation,documentation,1",
      "service,/cloud/acme/mail,acme mail,2",
      'matched_address,10.1.2.3,"Cloud > acme, Cloud > acme > By service > mail > eu-1",2',
      "matched_address,2001:db8::7,documentation,1",
      "unmatched_address,9.9.9.8,,1",
      "unmatched_address,9.9.9.9,,1",
    ),
  );
  const text = await identify(["--top", "1", "-o", "rows.csv", "--format", "csv", "visits.log"]);
  assert.match(
    text.stdout,
    /^6 lines\n[^]*\ntop addresses, matched\n  10\.1\.2\.3  Cloud > [^\n]* 2 [^\n]*\n  and 1 more\n\ntop addresses, unmatched\n  9\.9\.9\.8 [^\n]*\n  and 1 more\n$/,
  );
  assert.equal(readFileSync(join(folder.path, "rows.csv"), "utf8").split("\n").length, 7);
});

test("--by counts lines by their times, as bars with gaps, as JSON and as CSV, alone and in a summary", async () => {
  const log = lines(
    '10.1.2.3 - - [27/Nov/2026:04:04:05 +0100] "GET /"',
    "2026-11-27T03:59:59Z 9.9.9.9",
    "2026-11-27 05:00:00 nobody",
    "2026-12-01 05:00:00 10.1.2.3",
    "10.1.2.3 at no time",
  );
  writeFileSync(join(folder.path, "times.log"), log);
  const text = (await identify(["--by", "hour", "times.log"])).stdout;
  assert.match(
    text,
    /^5 lines\n[^]*\n\nby hour \(UTC\)\n {2}2026-11-27 03:00 +2 .*\n {2}2026-11-27 04:00 +0 .*\n {2}2026-11-27 05:00 +1 .*\n {2}95 hours without lines +0 .*\n {2}2026-12-01 05:00 +1 .*\n {2}without a time +1 .*\n$/,
  );
  assert.deepEqual(JSON.parse((await identify(["--by", "day", "--format", "json", "times.log"])).stdout), {
    lines: 5,
    matched: 3,
    unmatched: 1,
    no_address: 1,
    by_time: {
      unit: "day",
      counts: [
        { from: "2026-11-27", lines: 3, matched: 1, unmatched: 1 },
        { from: "2026-12-01", lines: 1, matched: 1, unmatched: 0 },
      ],
      lines_without_time: 1,
    },
  });
  const csv = (await identify(["--by", "minute", "--summary", "--networks", "none", "--format", "csv", "times.log"]))
    .stdout;
  assert.match(csv, /\nminute,2026-11-27T03:04Z,,1\nminute,2026-11-27T03:59Z,,1\n[^]*\nlines_without_time,,,1\n$/);
  assert.match(csv, /\nprovider,\/cloud\/acme,acme,3\n/);
});

const refused: [args: string[], message: RegExp][] = [
  [
    ["--format", "append", "events.csv", "other.csv"],
    /^ipsieve: other\.csv:1: its header differs from that of events\.csv, so they cannot be combined into one table; process them one by one\n$/,
  ],
  [
    ["--format", "append", "open.csv"],
    /^ipsieve: open\.csv:3: a quoted field begins in this record and never ends; correct the quote, or read the lines as text \(--input space\)\n$/,
  ],
  [
    ["--field", "ip", "twice.csv"],
    /^ipsieve: twice\.csv:1: the header row has several columns "ip" \(1, 3\); give the number of one\n$/,
  ],
  [
    ["--format", "json", "visits.log"],
    /^ipsieve: --format json is for --summary, --top and --by; for rows as JSON use --format jsonl\n$/,
  ],
  [
    ["--summary", "--format", "json", "-o", "x", "visits.log"],
    /^ipsieve: with -o, --format is the format of the rows: tsv, jsonl, csv, append; use two runs to write rows and --summary\n$/,
  ],
  [
    ["--top", "5", "--format", "tsv", "visits.log"],
    /^ipsieve: --top prints no rows for --format tsv; add -o FILE for the rows, or choose json or csv\n$/,
  ],
  [["--top", "0", "visits.log"], /^ipsieve: --top "0": give a whole number from 1 to 1000000\n$/],
  [
    ["-c", "--by", "hour", "visits.log"],
    /^ipsieve: --count and --by cannot be combined; the lines of each time are counted with --by alone\n$/,
  ],
  [
    ["--by", "hour", "--format", "tsv", "visits.log"],
    /^ipsieve: --by prints no rows for --format tsv; add -o FILE for the rows, or choose json or csv\n$/,
  ],
  [["--by", "week", "visits.log"], /^ipsieve: --by "week": choose from minute, hour, day\n$/],
  [
    ["-c", "--top", "5", "visits.log"],
    /^ipsieve: --count and --top cannot be combined; write the count with --summary --top N\n$/,
  ],
  [["--text", "visits.log"], /^ipsieve: --text is only for --format jsonl; add that option\n$/],
  [["--append-as", "x", "visits.log"], /^ipsieve: --append-as is only for --format append; add that option\n$/],
  [
    ["--append-as", "text", "--format", "append", "visits.log"],
    /^ipsieve: --append-as "text": that member holds lines that are not JSON objects; give another name\n$/,
  ],
  [
    ["--address", "firts", "visits.log"],
    /^ipsieve: --address "firts": did you mean first\? Choose from first, last, first-public\n$/,
  ],
];
for (const [args, message] of refused) {
  test(`refuses ${args.join(" ")}`, async () => {
    const { code, stderr } = await identify(args);
    assert.match(stderr, message);
    assert.equal(code, 2);
  });
}

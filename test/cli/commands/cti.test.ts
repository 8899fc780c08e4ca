import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { run, temporaryFolder } from "../run-command.ts";

const TOR = "# exits\n192.0.2.1\n192.0.2.7\t10\n10.0.0.0/8\n";
const SENSORS =
  '{"ip":"192.0.2.1","classification":"malicious","spoofable":false,"tags":["ssh"],"last_seen":"2026-06-17","src":{"asn":{"number":64500,"name":"A\\u001b[31m"}}}\n{"ip":"2001:db8::/32","actor":"someone"}\n';
let folder: ReturnType<typeof temporaryFolder>;
const cti = (...args: string[]) => run(["cti", ...args], { cwd: folder.path });

before(async () => {
  folder = temporaryFolder({
    "tor.txt": TOR,
    "tor.txt.gz": gzipSync(TOR),
    "tor.txt.zst": zstdCompressSync(TOR),
    "sensors.ndjson": SENSORS,
    "bad.csv": "ip,spoofable\n192.0.2.9,true\n192.0.2.10,maybe\n192.0.2.999,\n",
    "page.html": "<html>",
    "empty.txt": "\n",
    "half.txt.gz": gzipSync(TOR).subarray(0, 30),
    "latin.txt": Buffer.from("192.0.2.1 # caf\u00e9\n192.0.2.2\u00e9\n", "latin1"),
  });
  const { code, stdout, stderr } = await cti(
    "import",
    "tor.txt",
    "sensors.ndjson",
    "--tag",
    "a",
    "--tag",
    "b",
    "--classification",
    "promiscuous",
    "--spoofable",
    "true",
    "--actor",
    "x",
    "-o",
    "all.ipsieve",
  );
  assert.deepEqual([code, stdout], [0, ""]);
  assert.match(
    stderr,
    /^tor\.txt: 3 entries in 4 lines\nsensors\.ndjson: 2 entries in 2 lines\nall\.ipsieve: 4 prefixes, 3 distinct documents, [\d.]+ kB\n$/,
  );
});
after(() => folder.remove());

const lookup = (...args: string[]) => cti("lookup", "--snapshot", "all.ipsieve", ...args);

describe("cti lookup", () => {
  test("documents of merged feeds, as JSON", async () => {
    const { code, stdout, stderr } = await lookup("--json", "192.0.2.1", "10.9.9.9", "2001:DB8::5", "8.8.8.8");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [
        {
          ip: "192.0.2.1",
          seen: true,
          spoofable: false,
          classification: "malicious",
          actor: "x",
          tags: ["a", "b", "ssh"],
        },
        { ip: "10.9.9.9", seen: true, spoofable: true, classification: "promiscuous", actor: "x", tags: ["a", "b"] },
        {
          ip: "2001:DB8::5",
          seen: true,
          spoofable: true,
          classification: "promiscuous",
          actor: "someone",
          tags: ["a", "b"],
        },
        { ip: "8.8.8.8", seen: false, spoofable: null, classification: "unknown", actor: "", tags: [] },
      ],
    );
    const extended = JSON.parse((await lookup("--json", "--extended", "192.0.2.1")).stdout);
    assert.deepEqual([extended.last_seen, extended.src.asn], ["2026-06-17", { number: 64500, name: "A\u001b[31m" }]);
  });

  test("for people: what is known, without control characters", async () => {
    assert.equal(
      (await lookup("--extended", "192.0.2.1")).stdout,
      `192.0.2.1
  spoofable       false
  classification  malicious
  actor           x
  tags            a, b, ssh
  last_seen       2026-06-17
  src.asn.number  64500
  src.asn.name    A\\u001b[31m
`,
    );
    assert.deepEqual(await lookup("8.8.8.8"), { code: 1, signal: null, stdout: "8.8.8.8\n  not seen\n", stderr: "" });
  });

  test("malformed addresses, and prefixes, are errors", async () => {
    const { code, stdout, stderr } = await lookup("192.0.2.256", "192.0.2.0/24", "192.0.2.7");
    assert.equal(code, 2);
    assert.match(stderr, /"192\.0\.2\.256" at position 8.*\n.*"192\.0\.2\.0\/24"/);
    assert.match(stdout, /^192\.0\.2\.7\n/);
  });

  test("the sample is available without a file", async () => {
    const { code, stdout } = await cti("lookup", "--json", "192.0.2.10");
    assert.deepEqual([code, JSON.parse(stdout).tags.includes("sample")], [0, true]);
  });

  test("imports in the home folder take precedence over the sample, as for the server", async () => {
    const home = join(folder.path, "home");
    mkdirSync(home);
    copyFileSync(join(folder.path, "all.ipsieve"), join(home, "cti.ipsieve"));
    const { code, stdout } = await run(["cti", "lookup", "--json", "192.0.2.10", "192.0.2.7"], {
      cwd: folder.path,
      env: { IPSIEVE_HOME: home },
    });
    const [sample, imported] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual([code, sample.seen, imported.seen, imported.tags], [0, false, true, ["a", "b"]]);
  });

  test("a file of another kind is rejected", async () => {
    const catalogue = join(import.meta.dirname, "../../../data/catalogue.ipsieve");
    assert.match(
      (await cti("lookup", "--snapshot", catalogue, "192.0.2.1")).stderr,
      /its kind is "catalogue", not "cti"; give a file written by "ipsieve cti import"/,
    );
    assert.match(
      (await run(["lookup", "--snapshot", "all.ipsieve", "192.0.2.1"], { cwd: folder.path })).stderr,
      /its kind is "cti", not "catalogue"/,
    );
  });
});

describe("cti import", () => {
  test("compressed feeds and standard input yield the same as the plain one", async () => {
    const answer = async (feed: string, input?: string): Promise<string> => {
      const { code, stderr } = await run(["cti", "import", feed, "-o", "one.ipsieve"], {
        cwd: folder.path,
        ...(input !== undefined && { input }),
      });
      assert.equal(code, 0, stderr);
      return (await cti("lookup", "--json", "--snapshot", "one.ipsieve", "192.0.2.1", "10.1.1.1", "192.0.2.2")).stdout;
    };
    const plain = await answer("tor.txt");
    assert.equal(plain.match(/"seen":true/g)?.length, 2);
    assert.equal(await answer("tor.txt.gz"), plain);
    assert.equal(await answer("tor.txt.zst"), plain);
    assert.equal(await answer("-", TOR), plain);
  });

  test("lines that cannot be read are reported, and nothing is written unless --skip-invalid leaves them out", async () => {
    const { code, stderr } = await cti("import", "--skip-invalid", "bad.csv", "latin.txt", "-o", "bad.ipsieve");
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^bad\.csv:3:12: spoofable: "maybe" .*\nbad\.csv:4:9: "192\.0\.2\.999": .*\nbad\.csv: 1 entry in 4 lines; 2 lines cannot be read\nlatin\.txt:2:10: .*UTF-8.*\nlatin\.txt: 1 entry in 2 lines; 1 line cannot be read\n/,
    );
    const strict = await cti("import", "bad.csv", "-o", "strict.ipsieve");
    assert.equal(strict.code, 2);
    assert.match(
      strict.stderr,
      /strict\.ipsieve is not written: 2 lines cannot be read; correct them, or .* --skip-invalid\n$/,
    );
    assert.equal(existsSync(join(folder.path, "strict.ipsieve")), false);
  });

  test("--json reports what was read, replaced and written, or why nothing was", async () => {
    const imported = async (...args: string[]) => {
      const { code, stdout } = await cti("import", "--json", ...args, "-o", "json.ipsieve");
      return { code, report: JSON.parse(stdout) };
    };
    const first = await imported("--skip-invalid", "bad.csv", "tor.txt");
    assert.equal(first.code, 0);
    assert.deepEqual(
      first.report.feeds.map(({ source, lines, entries, skipped }: any) => [source, lines, entries, skipped]),
      [
        ["bad.csv", 4, 1, 2],
        ["tor.txt", 4, 3, 0],
      ],
    );
    assert.deepEqual(
      first.report.feeds[0].skippedLines.map(({ line, column }: any) => [line, column]),
      [
        [3, 12],
        [4, 9],
      ],
    );
    assert.deepEqual([first.report.replaced, first.report.refusal], [null, null]);
    const before = readFileSync(join(folder.path, "json.ipsieve"));
    const { code, report } = await imported("sensors.ndjson", "--max-shrink", "50");
    assert.equal(code, 2);
    assert.deepEqual(report.replaced, { prefixes: 4, kept: 1, added: 1, removed: 3 });
    assert.deepEqual(report.refusal, {
      reason: "shrinks",
      line: null,
      message: "it would lose 3 of 4 prefixes (75 %), and at most 50 % may be removed",
      removedPercent: 75,
      maxShrink: 50,
    });
    const rejections = [
      [["page.html"], { reason: "feed", line: 1, message: /a web page/ }],
      [["half.txt.gz"], { reason: "feed", line: 3, message: /^the compressed data ends too early/ }],
      [
        ["--max-bytes", "10", "tor.txt.gz"],
        { reason: "too-long", line: null, message: /more than 10 bytes, unpacked/ },
      ],
      [["bad.csv"], { reason: "skipped", line: 3, message: /2 lines cannot be read/ }],
      [["--format", "ndjson", "tor.txt"], { reason: "no-entries", line: null, message: /no feed holds an entry/ }],
    ] as const;
    for (const [args, { reason, line, message }] of rejections) {
      const rejected = await imported(...args);
      assert.deepEqual(
        [rejected.code, rejected.report.refusal.reason, rejected.report.refusal.line],
        [2, reason, line],
      );
      assert.match(rejected.report.refusal.message, message);
    }
    assert.deepEqual(readFileSync(join(folder.path, "json.ipsieve")), before, "the dataset stays");
    const named = await imported("sensors.ndjson", "--max-shrink", "75", "--source", "Sensors of today");
    assert.deepEqual([named.code, named.report.feeds[0].source], [0, "Sensors of today"]);
    assert.deepEqual([named.report.dataset.ipv4, named.report.dataset.ipv6], [1, 1]);
  });

  const refused: [what: string, args: string[], message: RegExp][] = [
    ["no output", ["tor.txt"], /needs -o FILE/],
    ["a web page", ["tor.txt", "page.html", "-o", "x.ipsieve"], /page\.html:1: this is a web page/],
    ["an empty feed", ["empty.txt", "-o", "x.ipsieve"], /empty\.txt:1: the feed contains no entries/],
    ["no such file", ["nothing.txt", "-o", "x.ipsieve"], /nothing\.txt: no such file/],
    ["half a compressed file", ["half.txt.gz", "-o", "x.ipsieve"], /half\.txt\.gz: .*too early/],
    [
      "a feed of the wrong format",
      ["--format", "csv", "tor.txt", "-o", "x.ipsieve"],
      /tor\.txt:2: no column .*--format list/,
    ],
    [
      "nothing that can be read",
      ["--format", "ndjson", "tor.txt", "-o", "x.ipsieve"],
      /x\.ipsieve is not written: no feed holds an entry that can be read/,
    ],
    ["another classification", ["--classification", "evil", "tor.txt", "-o", "x.ipsieve"], /--classification "evil"/],
    [
      "one name for two feeds",
      ["--source", "a", "tor.txt", "sensors.ndjson", "-o", "x.ipsieve"],
      /--source names one feed/,
    ],
    [
      "a share over the whole, before any feed is read",
      ["--max-shrink", "101", "tor.txt", "-o", "x.ipsieve"],
      /^ipsieve: --max-shrink "101"/,
    ],
    ["the output over a feed", ["tor.txt", "-o", "tor.txt"], /is one of the feeds/],
  ];
  for (const [what, args, message] of refused) {
    test(`rejected, and nothing is written: ${what}`, async () => {
      const { code, stdout, stderr } = await cti("import", ...args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
      assert.deepEqual(
        readdirSync(folder.path).filter((name) => name.includes("x.ipsieve") || name.endsWith(".tmp")),
        [],
      );
      assert.equal(readFileSync(join(folder.path, "tor.txt"), "utf8"), TOR);
    });
  }

  test("info shows the name of a feed in one line, whatever it contains", async () => {
    await cti("import", "--source", "one\ntwo\u001b[31m", "tor.txt", "-o", "named.ipsieve");
    const { stdout } = await run(["info", "named.ipsieve"], { cwd: folder.path });
    assert.match(stdout, /^ {2}title {7}one\\u000atwo\\u001b\[31m$/m);
    assert.match(stdout, /^ {2}source {6}one\\u000atwo\\u001b\[31m, /m);
  });

  test("progress as JSON lines counts all bytes and lines", async () => {
    const { stderr } = await cti("import", "--progress", "json", "tor.txt", "sensors.ndjson", "-o", "p.ipsieve");
    const last = JSON.parse(stderr.split("\n").findLast((line) => line.startsWith("{"))!);
    assert.deepEqual(
      [last.bytesRead, last.totalBytes, last.lines],
      [TOR.length + SENSORS.length, TOR.length + SENSORS.length, 6],
    );
  });
});

test("info and verify support the kind", async () => {
  const { stdout } = await run(["info", "all.ipsieve"], { cwd: folder.path });
  assert.match(
    stdout,
    /kind +cti, format 1\n[^]*title +tor\.txt, sensors\.ndjson\n +documents +3 distinct\n +source +tor\.txt, 3 entries\n +source +sensors\.ndjson, 2 entries\n/,
  );
  const about = JSON.parse((await run(["info", "--json", "all.ipsieve"], { cwd: folder.path })).stdout).about;
  assert.deepEqual(about, {
    title: "tor.txt, sensors.ndjson",
    documents: 3,
    sources: [
      { name: "tor.txt", entries: 3 },
      { name: "sensors.ndjson", entries: 2 },
    ],
  });
  assert.match(
    (await run(["verify", "all.ipsieve"], { cwd: folder.path })).stdout,
    /^all\.ipsieve: intact; 3 IPv4 and 1 IPv6 prefixes/,
  );
});

test("lookup - reads standard input, and reports bad lines by number", async () => {
  const { code, stdout, stderr } = await run(["cti", "lookup", "--json", "-"], {
    input: "192.0.2.10\r\n\n10.0.0.0/8\n8.8.8.8",
  });
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ ip, seen }) => [ip, seen]),
    [
      ["192.0.2.10", true],
      ["8.8.8.8", false],
    ],
  );
  assert.match(stderr, /^ipsieve: standard input:3: "10\.0\.0\.0\/8" at position/);
  assert.equal(code, 2);
});

describe("cti search", () => {
  const search = (...args: string[]) => cti("search", "--snapshot", "all.ipsieve", ...args);

  test("addresses with what is known, documents, counts", async () => {
    const { code, stdout, stderr } = await search("tag:ssh OR actor:someone");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("  ")[0]),
      ["192.0.2.1", "2001:db8::/32"],
    );
    const json = await search(
      "--json",
      "port not_exists AND ip:192.0.2.0/24".replace("port not_exists", "NOT port >= 0"),
    );
    assert.deepEqual(
      json.stdout
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { ip: string }).ip),
      ["192.0.2.1", "192.0.2.7"],
    );
    assert.equal((await search("--count", "seen:true", "and", "not", "tag:ssh")).stdout, "3\n");
    const none = await search("-c", "last_seen:1d", "--now", "2026-08-01");
    assert.deepEqual([none.code, none.stdout], [1, "0\n"]);
    assert.equal((await search("-c", "last_seen:1d", "--now", "2026-06-18")).stdout, "1\n");
  });

  test("facets, as text and JSON, with what is not shown", async () => {
    const { stdout } = await search("--facets", "tag,classification", "--limit", "2", "seen:true");
    assert.equal(
      stdout,
      "tag\n  4  a\n  4  b\n  and 1 more; --limit shows them\nclassification\n  3  promiscuous\n  1  malicious\n",
    );
    const json = await search("--json", "--facets", "tag", "tag:ssh");
    assert.deepEqual(JSON.parse(json.stdout), {
      field: "tag",
      distinct: 3,
      values: ["a", "b", "ssh"].map((value) => ({ value, count: 1 })),
    });
  });

  test("bad input", async () => {
    for (const [args, message] of [
      [["tga:x"], /^ipsieve: character 1 of the query: there is no field "tga"; did you mean tag\?\n$/],
      [["tag:a", "tag:b"], /character 7 .*expected AND, OR or the end/],
      [["--facets", "contry", "tag:a"], /did you mean country\?/],
      [["--facets", "ip", "tag:a"], /an ip of its own/],
      [["--limit", "3", "tag:a"], /--limit is for --facets/],
      [["--count", "--facets", "tag", "tag:a"], /cannot be combined/],
    ] as const) {
      const { code, stdout, stderr } = await search(...args);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, message);
    }
    const { stderr } = await search("-c", "dst.geo.city:Prague OR tag:ssh");
    assert.match(stderr, /does not hold dst\.geo\.city/);
  });

  test("a query is a set, beside selections", async () => {
    const union = (operand: string) =>
      run(["sets", "union", "--threats", "all.ipsieve", operand], { cwd: folder.path });
    assert.equal((await union("cti:tag:ssh")).stdout, "192.0.2.1\n");
    assert.equal((await union("cti:tag=ssh")).stdout, "192.0.2.1\n");
    assert.equal((await union("cti:AS64500")).stdout, "192.0.2.1\n");
    assert.equal((await union("cti:malicious,tag=ssh")).stdout, "192.0.2.1\n");
    assert.equal((await union("cti:classification:promiscuous AND ip:10.0.0.0/8")).stdout, "10.0.0.0/8\n");
    assert.match((await union("cti:tag:ssh AND")).stderr, /cti:tag:ssh AND: character 12 of the query/);
    assert.match((await union("cti:maliciuos")).stderr, /did you mean malicious\?/);
  });

  test("the index of a file is checked by verify", async () => {
    const { code, stdout } = await run(["verify", "all.ipsieve"], { cwd: folder.path });
    assert.equal(code, 0, stdout);
  });
});

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { outcomeOf, run, type RunOptions, start, temporaryFolder } from "../run-command.ts";
import { until } from "../../until.ts";
import { COMMAND_FILE } from "../../command-file.ts";
import { missed } from "../../cbs/missed.ts";

const LOG = [
  `10.1.2.3 - - [17/Jun/2026:00:00:35 +0000] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0"`,
  "host=[2001:DB8::0:1] port=1",
  "no address here",
  "9.9.9.9 is nobody's",
  "",
  "::ffff:10.200.0.1 mapped",
].join("\n");
const EVENTS = "time,src_ip,dst_ip\n1,10.1.2.3,9.9.9.9\n2,9.9.9.9,10.9.9.9\n";

let folder: ReturnType<typeof temporaryFolder>;
const path = (name: string) => join(folder.path, name);

before(async () => {
  folder = temporaryFolder({
    "list.csv":
      "10.0.0.0/8,/cloud/acme\n10.1.0.0/16,/cloud/acme/by-service/mail/eu-1,office\n2001:db8::/32,documentation\n",
    "access.log": LOG,
    "more.log": "10.2.2.2\n",
    "access.log.gz": gzipSync(LOG),
    "access.log.zst": zstdCompressSync(LOG),
    "events.csv": EVENTS,
    "events.jsonl": `{"src_ip":"10.1.2.3","dst":{"ip":"9.9.9.9"}}\n{"src_ip":"9.9.9.9","dst":{"ip":"10.0.0.1"}}\n`,
    "truncated.gz": gzipSync(LOG.repeat(100)).subarray(0, 60),
  });
  assert.equal((await run(["build", "list.csv", "-o", "list.ipsieve"], { cwd: folder.path })).code, 0);
});
after(() => folder.remove());

const identify = (args: readonly string[], options: RunOptions = {}) =>
  run(["identify", "--snapshot", "list.ipsieve", ...args], { cwd: folder.path, ...options });

const TSV = [
  "10.1.2.3\t10.1.0.0/16\t/cloud/acme,/cloud/acme/by-service/mail/eu-1,office",
  "2001:db8::1\t2001:db8::/32\tdocumentation",
  "\t\t",
  "9.9.9.9\t\t",
  "\t\t",
  "10.200.0.1\t10.0.0.0/8\t/cloud/acme",
];
const lines = (...rows: string[]) => rows.map((row) => `${row}\n`).join("");

const outputs: [name: string, args: string[], stdout: string, code?: number][] = [
  ["tsv by default, a row for every line", ["access.log"], lines(...TSV)],
  [
    "several files in their order",
    ["more.log", "access.log", "more.log"],
    lines("10.2.2.2\t10.0.0.0/8\t/cloud/acme", ...TSV, "10.2.2.2\t10.0.0.0/8\t/cloud/acme"),
  ],
  ["gzip", ["access.log.gz"], lines(...TSV)],
  ["zstd", ["access.log.zst"], lines(...TSV)],
  ["two threads", ["--threads", "2", "access.log"], lines(...TSV)],
  ["--matched", ["--matched", "access.log"], lines(TSV[0]!, TSV[1]!, TSV[5]!)],
  ["-v", ["-v", "access.log"], lines(TSV[2]!, TSV[3]!, TSV[4]!)],
  ["-c", ["-c", "access.log"], "3\n"],
  ["-c of several files together", ["-c", "access.log", "more.log"], "4\n"],
  ["-cv", ["-cv", "access.log"], "3\n"],
  ["-c of a column", ["-c", "--field", "dst_ip", "--input", "csv", "events.csv"], "1\n"],
  [
    "csv",
    ["--format", "csv", "access.log"],
    lines(
      `10.1.2.3,10.1.0.0/16,"/cloud/acme,/cloud/acme/by-service/mail/eu-1,office"`,
      "2001:db8::1,2001:db8::/32,documentation",
      ",,",
      "9.9.9.9,,",
      ",,",
      "10.200.0.1,10.0.0.0/8,/cloud/acme",
    ),
  ],
  ["append", ["--format", "append", "more.log"], "10.2.2.2\t/cloud/acme\n"],
  [
    "append keeps every line",
    ["--format", "append", "access.log"],
    lines(...LOG.split("\n").map((line, i) => `${line}\t${TSV[i]!.split("\t")[2]}`)),
  ],
  [
    "a column by its name",
    ["--field", "dst_ip", "events.csv"],
    lines("ip\tcidr\tcbs_ids", "9.9.9.9\t\t", "10.9.9.9\t10.0.0.0/8\t/cloud/acme"),
  ],
  [
    "a column by its number",
    ["--field", "3", "--input", "csv", "--matched", "events.csv"],
    lines("ip\tcidr\tcbs_ids", "10.9.9.9\t10.0.0.0/8\t/cloud/acme"),
  ],
  ["a JSON member", ["--field", "dst.ip", "events.jsonl"], lines("9.9.9.9\t\t", "10.0.0.1\t10.0.0.0/8\t/cloud/acme")],
];
for (const [name, args, stdout] of outputs) {
  test(`prints ${name}`, async () =>
    assert.deepEqual(await identify(args), { code: 0, signal: null, stdout, stderr: "" }));
}

test("jsonl rows are the documents that lookup --json prints, with the numbers of their lines", async () => {
  const { stdout } = await identify(["--format", "jsonl", "--networks", "default", "access.log"]);
  const rows = stdout.trimEnd().split("\n");
  assert.equal(rows.length, 6);
  const looked = await run(["lookup", "--json", "--snapshot", "list.ipsieve", "10.1.2.3", "2001:db8::1", "9.9.9.9"], {
    cwd: folder.path,
  });
  const withoutLine = (index: number): string => rows[index]!.replace(`,"line":${index + 1}}`, "}");
  assert.equal([0, 1, 3].map(withoutLine).join("\n"), looked.stdout.trimEnd());
  assert.deepEqual(JSON.parse(withoutLine(2)), { ...missed(null), network: null });
});

test("standard input without files, and for - among them", async () => {
  assert.equal((await identify([], { input: LOG })).stdout, lines(...TSV));
  assert.equal(
    (await identify(["more.log", "-"], { input: "9.9.9.9" })).stdout,
    lines("10.2.2.2\t10.0.0.0/8\t/cloud/acme", "9.9.9.9\t\t"),
  );
  const stderr = "ipsieve: standard input is empty\n";
  assert.deepEqual(await identify([], { input: "" }), { code: 1, signal: null, stdout: "", stderr });
});

test("the summary counts by type, provider and service, and unmatched and invalid lines", async () => {
  const { code, stdout } = await identify(["--summary", "--networks", "none", "access.log", "more.log"]);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `7 lines
  matched        4   57.1 %  ████████████████████████████████████████
  unmatched      1   14.3 %  ██████████
  invalid        2   28.6 %  ████████████████████

by type
  Cloud          3   42.9 %  ████████████████████████████████████████
  list           2   28.6 %  ██████████████████████████▋

by provider
  acme           3   42.9 %  ████████████████████████████████████████
  documentation  1   14.3 %  █████████████▍
  office         1   14.3 %  █████████████▍

by service
  acme mail      1   14.3 %  ████████████████████████████████████████
`,
  );
});

test("-o writes rows to a file, compressed by its name, and the summary still goes to stdout", async () => {
  const plain = await identify(["-o", "rows.tsv", "access.log"]);
  assert.deepEqual(plain, { code: 0, signal: null, stdout: "", stderr: "" });
  assert.equal(readFileSync(path("rows.tsv"), "utf8"), lines(...TSV));
  const { stdout } = await identify(["--summary", "-v", "-o", "rows.tsv.gz", "access.log"]);
  assert.match(stdout, /^6 lines\n/);
  assert.equal(gunzipSync(readFileSync(path("rows.tsv.gz"))).toString(), lines(TSV[2]!, TSV[3]!, TSV[4]!));
  await identify(["-o", "rows.tsv.zst", "access.log"]);
  assert.equal(zstdDecompressSync(readFileSync(path("rows.tsv.zst"))).toString(), lines(...TSV));
});

test("exit codes: 0 if a line is selected, 1 if none is", async () => {
  const codes = await Promise.all(
    [["more.log"], ["-v", "more.log"], ["-c", "more.log"], ["-cv", "more.log"]].map(
      async (args) => (await identify(args)).code,
    ),
  );
  assert.deepEqual(codes, [0, 1, 0, 1]);
  const miss = await identify([], { input: "9.9.9.9\n" });
  assert.deepEqual([miss.code, miss.stdout], [1, "9.9.9.9\t\t\n"]);
});

const refused: [args: string[], message: RegExp][] = [
  [["nowhere.log"], /^ipsieve: nowhere\.log: /],
  [["access.log", "."], /^ipsieve: \.: /],
  [["truncated.gz"], /^ipsieve: truncated\.gz:.*/],
  [["--field", "nobody", "events.csv"], /^ipsieve: events\.csv.*nobody/],
  [["--field", "0", "events.csv"], /^ipsieve: --field "0": give a whole number from 1 to 1000000\n$/],
  [["--threads", "many", "access.log"], /^ipsieve: --threads "many": give a whole number from 1 to 256\n$/],
  [["-o", "nowhere/rows.tsv", "access.log"], /^ipsieve: nowhere\/rows\.tsv.*: /],
  [
    ["-v", "--matched", "access.log"],
    /^ipsieve: --invert-match and --matched cannot be combined; leave one of them out\n$/,
  ],
  [["-c", "--summary", "access.log"], /^ipsieve: --count and --summary cannot be combined/],
  [["-c", "--format", "csv", "access.log"], /^ipsieve: --count and --format cannot be combined/],
  [
    ["-c", "-o", "x", "access.log"],
    /^ipsieve: --count and --output cannot be combined; write the count to a file with > FILE\n$/,
  ],
  [
    ["--summary", "-v", "access.log"],
    /^ipsieve: --summary prints no rows for --invert-match; add -o FILE for the rows\n$/,
  ],
];
for (const [args, message] of refused) {
  test(`refuses ${args.join(" ")}`, async () => {
    const files = readdirSync(folder.path);
    const { code, stderr } = await identify(args);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect/);
    assert.equal(code, 2);
    assert.deepEqual(readdirSync(folder.path), files);
  });
}

test("an error in the second file leaves no output file", async () => {
  const { code } = await identify(["-o", "never.tsv", "access.log", "truncated.gz"]);
  assert.equal(code, 2);
  assert.ok(!readdirSync(folder.path).some((name) => name.startsWith("never")));
});

test("--progress json writes JSON lines to stderr, the last one with all lines", async () => {
  const { stdout, stderr } = await identify(["--progress", "json", "access.log"]);
  assert.equal(stdout, lines(...TSV));
  const last = JSON.parse(stderr.trimEnd().split("\n").at(-1)!);
  assert.deepEqual([last.lines, last.bytesRead, last.totalBytes, last.secondsLeft], [6, LOG.length, LOG.length, 0]);
  assert.ok(last.linesPerSecond > 0);
});

test("--progress bar draws on stderr and clears its line; auto is silent without a terminal", async () => {
  const { stderr } = await identify(["--progress", "bar", "access.log"]);
  assert.match(stderr, /100 % .* lines\/s/);
  assert.ok(stderr.endsWith("\r\u001b[K"));
  assert.equal((await identify(["--progress", "auto", "access.log"])).stderr, "");
});

test("a reader that closes ends the command silently", async () => {
  writeFileSync(path("long.log"), "10.1.2.3 and what follows\n".repeat(400_000));
  const child = start(["identify", "--snapshot", "list.ipsieve", "long.log"], { cwd: folder.path });
  child.stdout!.once("data", () => child.stdout!.destroy());
  const { code, signal, stderr } = await outcomeOf(child);
  assert.deepEqual([code, signal, stderr], [0, null, ""]);
});

test("a full disk is an error", { skip: existsSync("/dev/full") ? false : "there is no /dev/full" }, async () => {
  for (const args of [
    ["identify", "--snapshot", "list.ipsieve", "access.log"],
    ["identify", "-c", "--snapshot", "list.ipsieve", "access.log"],
    ["help"],
  ]) {
    const child = spawn(process.execPath, [COMMAND_FILE, ...args], {
      cwd: folder.path,
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    });
    let stderr = "";
    child.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.match(stderr, /^ipsieve: standard output.*(ENOSPC|no space)/i, args.join(" "));
    assert.equal(code, 2, args.join(" "));
  }
});

for (const [signal, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`${signal}: exit code ${exitCode}, and no file is left`, async () => {
    const child = start(["identify", "--snapshot", "list.ipsieve", "-o", "interrupted.tsv", "-"], { cwd: folder.path });
    child.stdin!.write("10.1.2.3\n".repeat(100_000)); // the input never ends
    await until("the output has been begun", () =>
      readdirSync(folder.path).some((name) => name.startsWith("interrupted")),
    );
    child.kill(signal);
    const { code, stderr } = await outcomeOf(child);
    assert.deepEqual([code, stderr], [exitCode, ""]);
    assert.ok(!readdirSync(folder.path).some((name) => name.startsWith("interrupted")));
  });
}

test(
  "an interrupted run ends even if its input never opens or its reader never reads",
  { skip: process.platform === "win32" ? "it has no FIFOs" : false },
  async () => {
    execFileSync("mkfifo", [path("fifo")]);
    writeFileSync(path("unread.log"), "10.1.2.3\n".repeat(1_000_000));
    const runs = [["-o", "unread.tsv", "fifo"], ["unread.log"]].map(async (args) => {
      const child = start(["identify", "--snapshot", "list.ipsieve", "--progress", "json", ...args], {
        cwd: folder.path,
      });
      await new Promise((resolve) => child.stderr!.once("data", resolve));
      child.kill("SIGINT");
      return new Promise<[number | null, string | null]>((resolve) => child.on("exit", (...end) => resolve(end)));
    });
    // It exits by itself or through the signal; a shell reports both as 130.
    for (const [code, signal] of await Promise.all(runs))
      assert.ok(code === 130 || signal === "SIGINT", `${code}, ${signal}`);
  },
);

test("as many threads as large machines have: the same rows as with one, in order, and nothing on stderr", async () => {
  writeFileSync(
    path("many.log"),
    Array.from({ length: 600_000 }, (_, i) => `10.${i & 255}.${(i >> 8) & 255}.1 x\n`).join(""),
  );
  const one = await identify(["--threads", "1", "many.log"]);
  const sixteen = await identify(["--threads", "16", "many.log"]);
  assert.equal(sixteen.stderr, "");
  assert.equal(sixteen.code, 0);
  assert.ok(sixteen.stdout === one.stdout && one.stdout.length > 10_000_000);
});

test("a field that no line has is reported, and the exit code stays", async () => {
  for (const args of [
    ["--field", "nobody", "events.jsonl"],
    ["--field", "9", "--input", "csv", "events.csv"],
  ]) {
    const { code, stderr } = await identify(args);
    assert.equal(
      stderr,
      `ipsieve: --field "${args[1]}": no line has an address there; check the column or name, and how lines are split into columns: --input csv|tsv|jsonl|space|keys\n`,
    );
    assert.equal(code, 1);
  }
  assert.equal((await identify(["--field", "src_ip"], { input: "\n" })).stderr.includes("--field"), true);
  assert.equal((await identify([], { input: "nothing\n" })).stderr, "");
});

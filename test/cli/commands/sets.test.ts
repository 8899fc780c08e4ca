import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { saveRuleset } from "../../../src/datasets/ruleset-files.ts";
import { Ruleset } from "../../../src/rulesets/ruleset.ts";
import { run, temporaryFolder } from "../run-command.ts";
import { COMMAND_FILE } from "../../command-file.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder({
    "block.txt": "# a feed\n20.0.0.0/24, scanner\n20.0.1.0-20.0.1.255 ; a range\n20.0.0.7\n2a00:1::/32\n",
    "allow.txt": "20.0.0.128/25\n2a00:1:8000::/33\n",
    "bad.txt": "20.0.0.1\n20.0.0.300\nx\n",
    "other.txt": "30.0.0.0/8\n",
  });
  const rules = new Ruleset();
  rules.add("20.0.1.0/25");
  rules.add("20.0.1.128/25", { expiresAt: Date.now() + 3_600_000 });
  await saveRuleset(join(folder.path, "rules.ipsieve"), rules);
});
after(() => folder.remove());

const sets = (...args: string[]) => run(["sets", ...args], { cwd: folder.path });

async function assertPrints(expected: readonly string[], ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await sets(...args);
  assert.deepEqual(
    [code, stdout, stderr],
    [expected.length > 0 ? 0 : 1, expected.map((line) => `${line}\n`).join(""), ""],
    args.join(" "),
  );
}

test("lists, ruleset files, services and literals are combined", async () => {
  await assertPrints(["20.0.0.0/23", "2a00:1::/32"], "aggregate", "block.txt");
  await assertPrints(["20.0.0.0/23", "30.0.0.0/8", "2a00:1::/32"], "union", "block.txt", "allow.txt", "other.txt");
  await assertPrints(["20.0.0.128/25", "2a00:1:8000::/33"], "intersect", "block.txt", "allow.txt");
  await assertPrints(["20.0.0.0/25", "2a00:1::/33"], "subtract", "block.txt", "allow.txt", "rules.ipsieve");
  await assertPrints(
    ["20.0.0.0/25", "20.0.1.128/25"],
    "subtract",
    "block.txt",
    "allow.txt",
    "rules.ipsieve",
    "--now",
    "2100-01-01",
    "--family",
    "4",
  );
  await assertPrints(["20.0.0.0/24", "2a00:1::/32"], "symmetric", "block.txt", "20.0.1.0-20.0.1.255");
  await assertPrints([], "intersect", "other.txt", "block.txt");
  const voters = ["block.txt", "allow.txt", "20.0.0.192/26"];
  await assertPrints(["20.0.0.128/25", "2a00:1:8000::/33"], "atleast", "2", ...voters);
  await assertPrints(["20.0.0.192/26"], "atleast", "3", ...voters);
  await assertPrints(["20.0.0.192/26"], "atleast", "4", "--weights", "2,1,2", "--format", "text", ...voters);
  await assertPrints([], "atleast", "2", "other.txt", "block.txt");
  await assertPrints(["1.1.1.1"], "intersect", "cbs:/cdn/cloudflare", "1.1.1.1");
});

test("threat intelligence is selected by classification, tags and days, as of --now", async () => {
  const documents = [
    { ip: "30.0.0.0/24", classification: "malicious", tags: ["ssh"], last_seen: "2026-06-10" },
    { ip: "30.0.0.7", classification: "benign", tags: ["scanner"], last_seen: "2026-06-17" },
    { ip: "30.0.1.1", classification: "malicious", tags: ["http", "ssh"], last_seen: "2026-06-17" },
  ];
  const input = documents.map((document) => `${JSON.stringify(document)}\n`).join("");
  const threats = join(folder.path, "cti.ipsieve");
  const imported = await run(["cti", "import", "--output", threats, "-"], { cwd: folder.path, input });
  assert.equal(imported.code, 0, imported.stderr);
  const own = ["--threats", threats, "--now", "2026-06-18"];
  await assertPrints(["30.0.0.7"], "aggregate", "cti:benign", ...own);
  await assertPrints(["30.0.1.1"], "aggregate", "cti:malicious,days=1", ...own);
  await assertPrints(["30.0.0.7", "30.0.1.1"], "aggregate", "cti:tag=scanner,tag=http", ...own);
  await assertPrints([], "aggregate", "cti:tag=none", ...own);
  // An address with another document does not belong to the network's.
  await assertPrints(["30.0.0.7"], "subtract", "30.0.0.0/24", "cti:tag=ssh", ...own);
  for (const [operand, message] of [
    ["cti:malicous", /unknown selection "malicous"; did you mean malicious\?/],
    ["cti:", /unknown selection ""; write unknown\|benign\|promiscuous\|malicious, tag=TAG or days=N/],
    ["cti:days=1,days=1", /days=1 is given twice/],
    ["cti:benign,malicious", /unknown selection "malicious"/],
  ] as const)
    assert.match((await sets("aggregate", operand, ...own)).stderr, message);
});

test("standard input is a list, and the result is written for programs", async () => {
  const { stdout } = await run(["sets", "union", "-", "--format", "iptables", "--set-name", "own"], {
    cwd: folder.path,
    input: "20.0.0.0/25\n20.0.0.128/25\n",
  });
  assert.equal(stdout, "*filter\n:own - [0:0]\n-4 -A own -s 20.0.0.0/24 -j DROP\nCOMMIT\n");
});

test("standard input that is named twice, in whatever form, is an error: the second reader would get nothing", async () => {
  const piped = (...args: string[]) => run(args, { cwd: folder.path, input: "8.8.8.8\n" });
  for (const args of [
    ["sets", "union", "atleast:2;-;-"],
    ["sets", "union", "-", "atleast:1;-;1.1.1.1"],
    ["deployment", "render", "--include", "-", "--exclude", "atleast:1;-;1.1.1.1"],
    ["identify", "--only", "-", "-"],
  ]) {
    const { code, stdout, stderr } = await piped(...args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, /^ipsieve: standard input: it has been read, and can be read only once; save it to a file\n$/);
  }
});

test("sets are compared pair by pair", async () => {
  const { code, stdout } = await sets("compare", "block.txt", "allow.txt", "other.txt");
  assert.equal(code, 0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));
  assert.deepEqual(lines, [
    ["first", "relation", "second", "family", "shared addresses", "of first", "of second"],
    ["block.txt", "covers", "allow.txt", "IPv4", "128", "25.00 %", "100.00 %"],
    ["block.txt", "covers", "allow.txt", "IPv6", "39,614,081,257,132,168,796,771,975,168", "50.00 %", "100.00 %"],
    ["block.txt", "disjoint", "other.txt", "IPv4", "0", "0.00 %", "0.00 %"],
    ["block.txt", "disjoint", "other.txt", "IPv6", "0", "0.00 %", "-"],
    ["allow.txt", "disjoint", "other.txt", "IPv4", "0", "0.00 %", "0.00 %"],
    ["allow.txt", "disjoint", "other.txt", "IPv6", "0", "0.00 %", "-"],
    ["set", "family", "only in this set", "of the set"],
    ["block.txt", "IPv4", "384", "75.00 %"],
    ["block.txt", "IPv6", "39,614,081,257,132,168,796,771,975,168", "50.00 %"],
    ["allow.txt", "IPv4", "0", "0.00 %"],
    ["allow.txt", "IPv6", "0", "0.00 %"],
    ["other.txt", "IPv4", "16,777,216", "100.00 %"],
  ]);
  const documents = (await sets("compare", "block.txt", "allow.txt", "other.txt", "--json")).stdout
    .trimEnd()
    .split("\n");
  assert.deepEqual(
    documents.slice(3).map((line) => JSON.parse(line)),
    [
      {
        set: "block.txt",
        ipv4: { size: "512", only: "384" },
        ipv6: { size: String(2n ** 96n), only: String(2n ** 95n) },
      },
      { set: "allow.txt", ipv4: { size: "128", only: "0" }, ipv6: { size: String(2n ** 95n), only: "0" } },
      { set: "other.txt", ipv4: { size: String(2n ** 24n), only: String(2n ** 24n) }, ipv6: { size: "0", only: "0" } },
    ],
  );
  const one = await sets("compare", "block.txt", "20.0.0.0/23", "--json");
  assert.deepEqual(JSON.parse(one.stdout), {
    first: "block.txt",
    second: "20.0.0.0/23",
    relation: "covers",
    ipv4: { first: "512", second: "512", shared: "512" },
    ipv6: { first: String(2n ** 96n), second: "0", shared: "0" },
  });
  assert.equal((await sets("compare", "block.txt", "other.txt")).code, 1);
});

test("unreadable input is an error with its location, and nothing is printed", async () => {
  for (const [args, message] of [
    [["union", "bad.txt"], /^bad\.txt:2: .*\nbad\.txt:3: .*\nipsieve: bad\.txt: 2 lines cannot be read/s],
    [["union", "none.txt"], /^ipsieve: none\.txt: not a file, prefix, address or range/],
    [["union", "10.0.0.1/8"], /^ipsieve: 10\.0\.0\.1\/8: host bits are set; did you mean 10\.0\.0\.0\/8\?/],
    [["union", "cbs:/cdn/cloudflar"], /^ipsieve: the catalogue has no node .* did you mean \/cdn\/cloudflare/],
    [["union", "block.txt", "--set-name", "x"], /^ipsieve: --set-name: the format text cannot contain a name/],
    [["intersect", "block.txt"], /at least 2|needs|SET SET/],
  ] as const) {
    const { code, stdout, stderr } = await sets(...args);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
  }
});

test("two empty sets are equal and share nothing; with one family, only that counts; symmetric takes two sets", async () => {
  const empty = await sets("compare", "/dev/null", "/dev/null");
  assert.match(empty.stdout, /\n {2}\/dev\/null {2}equal +\/dev\/null {2}- +0 +- +-\n$/);
  assert.equal(empty.code, 1);
  assert.equal((await sets("union", "::1", "--family", "6")).code, 0);
  await assertPrints([], "union", "::1", "--family", "4");
  assert.equal((await sets("symmetric", "1.1.1.1", "1.1.1.2", "1.1.1.3")).code, 2);
});

test("an input file cannot be the output, for any command that reads lists or logs", () => {
  const path = join(folder.path, "own.txt");
  for (const [flags, args] of [
    ["w", ["sets", "union", path, "9.9.9.9"]],
    ["a", ["sets", "union", path]],
    ["a", ["ruleset", "diff", path, path]],
    ["a", ["identify", path]],
  ] as const) {
    writeFileSync(path, "9.9.9.0/24\n");
    const output = openSync(path, flags);
    const { status, stderr } = spawnSync(process.execPath, [COMMAND_FILE, ...args], {
      stdio: ["ignore", output, "pipe"],
      encoding: "utf8",
    });
    closeSync(output);
    assert.deepEqual([status, stderr.includes("this file is also the output")], [2, true], `${args[0]}: ${stderr}`);
    assert.equal(readFileSync(path, "utf8"), flags === "w" ? "" : "9.9.9.0/24\n");
  }
  const input = openSync(path, "r");
  const output = openSync(path, "a");
  const through = spawnSync(process.execPath, [COMMAND_FILE, "identify"], {
    stdio: [input, output, "pipe"],
    encoding: "utf8",
  });
  assert.match(through.stderr, /^ipsieve: standard input: this file is also the output/);
  closeSync(input);
  closeSync(output);
});

test("a list that is too long for N prefixes is fitted, without addresses that must never be added, and by a log", async () => {
  writeFileSync(join(folder.path, "hosts.txt"), "20.0.0.1\n20.0.0.2\n20.0.0.9\n30.0.0.1\n30.0.0.4\n");
  const fitted = async (...args: string[]) => sets("fit", "hosts.txt", "--entries", "3", ...args);
  assert.deepEqual((await sets("fit", "block.txt", "--entries", "2")).stdout, "20.0.0.0/23\n2a00:1::/32\n");
  const exact = await fitted();
  assert.match(
    exact.stderr,
    /--entries 3: the addresses need 5 prefixes, more than the 3 allowed; allow more, or a loss/,
  );
  assert.equal(exact.code, 2);
  const added = await fitted("--loss", "add");
  assert.equal(added.stdout, "20.0.0.0/30\n20.0.0.9\n30.0.0.0/29\n");
  assert.equal(added.stderr, "3 prefixes for 5: 8 IPv4 addresses added, most in 30.0.0.2/31; no list loses less\n");
  const near = await sets("fit", "1.1.1.0", "1.1.1.2", "--entries", "1", "--loss", "add");
  assert.match(
    near.stderr,
    /\nthe added addresses: warning: would block 2 addresses of Cloudflare \(\/cdn\/cloudflare\)\n$/,
  );
  const never = await fitted("--loss", "add", "--never", "30.0.0.6");
  assert.equal(never.stdout, "20.0.0.0/28\n30.0.0.1\n30.0.0.4\n");
  const impossible = await fitted(
    "--loss",
    "add",
    "--never",
    "30.0.0.6",
    "--never",
    "20.0.0.0",
    "--never",
    "20.0.0.10",
  );
  assert.match(
    impossible.stderr,
    /need at least 5 prefixes, as some addresses must not be added, more than the 3 allowed; allow 5/,
  );
  writeFileSync(join(folder.path, "own.log"), "30.0.0.2 GET /\n30.0.0.2 GET /\n20.0.1.8 GET /\n30.0.0.9 GET /\n");
  const seen = await fitted("--loss", "add", "--log", "own.log");
  assert.equal(seen.stdout, "20.0.0.0/28\n30.0.0.1\n30.0.0.4\n");
  assert.match(seen.stderr, /13 IPv4 addresses added, with 0 lines of the log, .*; no list loses less/);
  const lost = await fitted("--loss", "add", "--show-loss");
  assert.equal(lost.stdout, "20.0.0.0\n20.0.0.3\n30.0.0.0\n30.0.0.2/31\n30.0.0.5\n30.0.0.6/31\n");
  const removed = await fitted("--loss", "remove");
  assert.equal(removed.stdout.split("\n").length, 4);
  assert.match((await fitted("--log", "own.log")).stderr, /--log needs --loss add or remove; add it/);
  assert.match((await sets("fit", "hosts.txt")).stderr, /give --entries N/);
});

test("whole address spaces, both families at once and nothing are sets like others", async () => {
  writeFileSync(join(folder.path, "nothing.txt"), "");
  await assertPrints(["0.0.0.0/0", "::/0"], "aggregate", "0.0.0.0/0", "::/0");
  await assertPrints([], "subtract", "0.0.0.0/0", "0.0.0.0/0");
  await assertPrints([], "aggregate", "nothing.txt");
  const { stdout } = await sets("subtract", "0.0.0.0/0", "0.0.0.0");
  assert.deepEqual(
    stdout.trimEnd().split("\n"),
    Array.from({ length: 32 }, (_, at) =>
      at === 0 ? "0.0.0.1" : `${[24, 16, 8, 0].map((shift) => ((2 ** at) >>> shift) & 255).join(".")}/${32 - at}`,
    ),
  );
  assert.equal((await sets("fit", "nothing.txt", "--entries", "1")).stderr, "0 prefixes for 0, exact\n");
  assert.match((await sets("fit", "block.txt", "--entries", "0")).stderr, /--entries "0": give a whole number from 1/);
  const both = await sets("fit", "0.0.0.0/0", "::/0", "--entries", "1", "--loss", "add");
  assert.match(both.stderr, /need at least 2 prefixes, as IPv4 and IPv6 have no prefix in common.*; allow 2 or more/);
});

test("sets atleast says what is wrong with its numbers", async () => {
  const messages: Readonly<Record<string, readonly string[]>> = {
    'K "0": give a whole number from 1 to 2': ["0"],
    'K "block.txt": give a whole number from 1 to 2': ["block.txt"],
    'K "3": give a whole number from 1 to 2': ["3"],
    'K "6": give a whole number from 1 to 5': ["6", "--weights", "2,3"],
    "--weights 1: give one weight for each of the 2 sets, in their order": ["1", "--weights", "1"],
    '--weights "x": give a whole number from 1 to 1000000': ["1", "--weights", "1,x"],
  };
  for (const [message, args] of Object.entries(messages)) {
    const { code, stderr } = await sets("atleast", ...args, "allow.txt", "other.txt");
    assert.deepEqual([code, stderr], [2, `ipsieve: ${message}\n`]);
  }
});

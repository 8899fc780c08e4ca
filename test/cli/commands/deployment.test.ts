import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { voteIn } from "../../../src/cli/address-sets/vote-operand.ts";
import { saveRuleset } from "../../../src/datasets/ruleset-files.ts";
import { Ruleset } from "../../../src/rulesets/ruleset.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder({
    "block.txt": "20.0.0.0/24\n20.0.1.0/24\n2a00:1::/32\n",
    "allow.txt": "20.0.0.0/25\n20.0.1.7\n",
    "wide.txt": "20.0.0.0/6\n30.0.0.0/24\n",
    "many.txt": Array.from({ length: 25_001 }, (_, at) => `20.${at >> 7}.${(at & 127) * 2}.1\n`).join(""),
    "bad.txt": "20.0.0.300\n",
  });
  const rules = new Ruleset();
  rules.add("20.0.2.0/24", { expiresAt: Date.parse("2100-01-01T00:00:00Z") });
  rules.add("20.0.3.0/24");
  await saveRuleset(join(folder.path, "rules.ipsieve"), rules);
});
after(() => folder.remove());

const deployment = (...args: string[]) => run(["deployment", ...args], { cwd: folder.path });
const read = (name: string): string => readFileSync(join(folder.path, name), "utf8");

test("includes without excludes are written, with a checksum beside the file", async () => {
  const sets = ["--include", "block.txt", "--include", "rules.ipsieve", "--exclude", "allow.txt"];
  const { code, stdout, stderr } = await deployment("render", ...sets, "-o", "edl.txt", "--checksum");
  assert.deepEqual([code, stdout, stderr], [0, "", "edl.txt: 11 entries, 136 B\n"]);
  const lines = read("edl.txt").split("\n");
  assert.deepEqual(
    [lines[0], lines[1], lines.at(-3), lines.at(-2)],
    ["20.0.0.128/25", "20.0.1.0/30", "20.0.2.0/23", "2a00:1::/32"],
  );
  const sha256 = createHash("sha256").update(read("edl.txt")).digest("hex");
  assert.equal(read("edl.txt.sha256"), `${sha256}  edl.txt\n`);
});

test("files, prefixes and nodes vote: what enough of them list is the list", async () => {
  const vote = "atleast:2;block.txt;allow.txt;20.0.0.64/26,20.0.3.0/24;rules.ipsieve";
  const voted = await deployment("render", "--include", vote, "--exclude", "20.0.1.7");
  assert.deepEqual([voted.code, voted.stdout], [0, "20.0.0.0/25\n20.0.3.0/24\n"], voted.stderr);
  const weighted = "atleast:3;2*block.txt;allow.txt;20.0.0.64/26";
  const { stdout } = await deployment("render", "--include", weighted, "--format", "ipset");
  assert.match(stdout, /20\.0\.0\.0\/25/);
  const sets = await run(["sets", "union", weighted, "20.0.9.0/24"], { cwd: folder.path });
  assert.deepEqual([sets.code, sets.stdout], [0, "20.0.0.0/25\n20.0.1.7\n20.0.9.0/24\n"], sets.stderr);
  const only = ["identify", "-o", "--only", vote, "-"];
  const seen = await run(
    only.filter((word) => word !== "-o"),
    { cwd: folder.path, input: "20.0.0.1\n20.0.0.129\n" },
  );
  assert.match(seen.stdout, /^20\.0\.0\.1\t[^\n]*\n$/, seen.stderr);
  // A quote belongs to a query only: names may have an apostrophe.
  const quotes = `atleast:2;cti:tag:"a;b" or tag:'c;d';Bob's;Ann's;1*cti:tag:"e;f"`;
  assert.deepEqual(voteIn(quotes).voters, [`cti:tag:"a;b" or tag:'c;d'`, "Bob's", "Ann's", `cti:tag:"e;f"`]);
  for (const [text, message] of [
    ["atleast:5;block.txt;allow.txt", /no address can have more than 2 votes/],
    ["atleast:0;block.txt", /at least one vote/],
    ["atleast:1;0*block.txt;allow.txt", /a weight is at least 1/],
    ["atleast:1;atleast:1;block.txt", /"atleast:1" cannot vote/],
    ["atleast:1;;block.txt", /"" cannot vote/],
    ["atleast:1;block.txt;", /"" cannot vote/],
    ["atleast:1;block.txt;2*", /"" cannot vote/],
    ["atleast:;1;block.txt", /write atleast:K;SET;SET/],
    ["atleast:;block.txt", /write atleast:K;SET;SET/],
    ["atleast:1;missing.txt", /missing\.txt: not a file/],
    ["atleast:1;bad.txt", /bad\.txt: 1 line cannot be read/],
  ] as const) {
    const { code, stderr } = await deployment("render", "--include", text);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});

test("what has expired by --now is not listed", async () => {
  const later = await deployment("render", "--include", "rules.ipsieve", "--now", "2100-01-02");
  assert.deepEqual([later.code, later.stdout], [0, "20.0.3.0/24\n"]);
});

test("with timeouts, entries that expire say in how many seconds, counted from --now", async () => {
  const now = ["--now", "2099-12-31T23:59:00Z"];
  const args = ["--include", "rules.ipsieve", "--exclude", "20.0.2.128/25", "--timeouts", ...now];
  const { code, stdout } = await deployment("render", ...args, "--format", "ipset");
  const lines = stdout.split("\n").filter((line) => line.startsWith("add "));
  assert.equal(code, 0);
  assert.deepEqual(lines, ["add ipsieve_4_new 20.0.2.0/25 timeout 60 -exist", "add ipsieve_4_new 20.0.3.0/24 -exist"]);
  const rules = ["--include", "rules.ipsieve", "--timeouts", ...now];
  // Without times, the two networks are one entry.
  for (const [format, line] of [
    ["nftables", /^20\.0\.2\.0\/24 timeout 60s,?$/m],
    ["mikrotik", /^add list="ipsieve" address=20\.0\.2\.0\/24 timeout=60s$/m],
    ["crowdsec-csv", /^60s,range,20\.0\.2\.0\/24,ban,ipsieve$/m],
  ] as const)
    assert.match((await deployment("render", ...rules, "--format", format)).stdout, line);
  const preview = await deployment("preview", ...rules, "--format", "ipset");
  assert.match(preview.stdout, /^ {2}with a timeout: 1 entry of 2$/m);
  const few = await deployment("render", ...rules, "--format", "ipset", "--max-entries", "1");
  assert.match(few.stderr, /the list has 2 entries, more than the 1 allowed/);
});

test("standard output gets the list in a program's format, for one family", async () => {
  const args = ["--include", "block.txt", "--exclude", "20.0.0.0/23", "--purpose", "allowlist"];
  const { stdout } = await deployment("render", ...args, "--format", "f5");
  assert.equal(stdout, "2a00:1::,32,wl,\n");
  const ipv4 = await deployment("render", "--include", "block.txt", "--family", "4");
  assert.equal(ipv4.stdout, "20.0.0.0/23\n");
});

test("a list that must not be published is rejected, and the old file is kept", async () => {
  writeFileSync(join(folder.path, "kept.txt"), "192.0.2.1\n");
  for (const [args, message] of [
    [
      ["--include", "block.txt", "--exclude", "20.0.0.0/8", "--family", "4"],
      /the list has no addresses; check the sets; --allow-empty allows it\n/,
    ],
    [["--include", "wide.txt"], /too wide: 20\.0\.0\.0\/6 of wide\.txt/],
    [["--include", "block.txt", "--min-prefix-v6", "33"], /too wide: 2a00:1::\/32 of block\.txt/],
    [["--include", "many.txt", "--device", "sonicwall-25k"], /has 25,001 entries, more than the 25,000 allowed/],
    [["--include", "block.txt", "--max-bytes", "10"], /has 24 bytes, more than the 10 allowed/],
    [["--include", "bad.txt"], /^bad\.txt:1: .*\nipsieve: bad\.txt: 1 line cannot be read/],
    [["--include", "block.txt", "--exclude", "missing.txt"], /missing\.txt: not a file/],
  ] as const) {
    const { code, stdout, stderr } = await deployment("render", ...args, "-o", "kept.txt", "--checksum");
    assert.match(stderr, message);
    assert.deepEqual([code, stdout, read("kept.txt")], [2, "", "192.0.2.1\n"], args.join(" "));
  }
  assert.ok(!readdirSync(folder.path).includes("kept.txt.sha256"));
});

test("each limit accepts what it allows", async () => {
  for (const args of [
    ["--include", "20.0.0.0/25", "--exclude", "20.0.0.0/24", "--allow-empty"],
    ["--include", "wide.txt", "--min-prefix-v4", "6"],
    ["--include", "many.txt", "--device", "sonicwall-50k"],
    ["--include", "many.txt", "--device", "sonicwall-25k", "--max-entries", "25001"],
    ["--include", "block.txt", "--max-bytes", "24"],
  ])
    assert.equal((await deployment("render", ...args)).code, 0, args.join(" "));
});

test("a command with contradictory options is an error", async () => {
  for (const [args, message] of [
    [["--exclude", "allow.txt"], /give --include SET at least once/],
    [["--include", "-", "--exclude", "-"], /"-" is given twice/],
    [["--include", "block.txt", "--checksum"], /--checksum is written beside -o FILE/],
    [["--include", "block.txt", "-o", "block.txt"], /-o block\.txt is what --include reads/],
    [["--include", "block.txt", "--max-entries", "0"], /give a whole number from 1/],
    [["--include", "block.txt", "--device", "sonicwal-25k"], /did you mean sonicwall-25k\?/],
    [
      ["--include", "block.txt", "--timeouts"],
      /--timeouts: entries in the format text cannot have timeouts; choose one of /,
    ],
    [["--include", "block.txt", "--set-name", "x"], /the format text cannot contain a name/],
  ] as const) {
    const { code, stderr } = await deployment("render", ...args);
    assert.match(stderr, message);
    assert.equal(code, 2);
  }
  assert.equal(read("block.txt").split("\n").length, 4);
});

test("a preview counts what each set has, what excludes remove and what remains, and writes nothing", async () => {
  const sets = ["--include", "block.txt", "--include", "rules.ipsieve", "--exclude", "allow.txt"];
  const files = readdirSync(folder.path);
  const { code, stdout } = await deployment("preview", ...sets, "--json");
  assert.equal(code, 0);
  const document = JSON.parse(stdout);
  const none = { prefixes: 0, addresses: "0" };
  const wide = { prefixes: 1, addresses: String(2n ** 96n) };
  assert.deepEqual(document.include, [
    { set: "block.txt", ipv4: { prefixes: 2, addresses: "512" }, ipv6: wide },
    { set: "rules.ipsieve", ipv4: { prefixes: 2, addresses: "512" }, ipv6: none },
  ]);
  assert.deepEqual(document.exclude, [{ set: "allow.txt", ipv4: { prefixes: 2, addresses: "129" }, ipv6: none }]);
  assert.deepEqual(document.removed, { ipv4: { prefixes: 2, addresses: "129" }, ipv6: none });
  assert.deepEqual(document.list, { ipv4: { prefixes: 10, addresses: "895" }, ipv6: wide });
  assert.deepEqual(document.widest.slice(0, 2), ["20.0.2.0/23", "20.0.0.128/25"]);
  assert.deepEqual([document.changes_at, document.rejections], ["2100-01-01T00:00:00.000Z", []]);
  const rendered = await deployment("render", ...sets);
  assert.deepEqual([document.format, document.bytes], ["text", rendered.stdout.length]);
  assert.equal(document.sha256, createHash("sha256").update(rendered.stdout).digest("hex"));
  assert.deepEqual(readdirSync(folder.path), files);
});

test("a preview for people says what would be rejected, also by its exit code", async () => {
  const { code, stdout } = await deployment("preview", "--include", "wide.txt", "--exclude", "30.0.0.0/25");
  assert.equal(code, 1);
  assert.equal(
    stdout,
    [
      "           set          family  prefixes   addresses",
      "  include  wide.txt     IPv4           2  67,109,120",
      "  exclude  30.0.0.0/25  IPv4           1         128",
      "  removed               IPv4           1         128",
      "  list                  IPv4           5  67,108,992",
      "  widest prefixes: 20.0.0.0/8, 21.0.0.0/8, 22.0.0.0/8",
      "  next expiry: none",
      "  as text: 58 B",
      "  would be rejected: the includes have prefixes that are too wide: 20.0.0.0/6 of wide.txt; check the source; --min-prefix-v4 and --min-prefix-v6 allow wider ones",
      "",
    ].join("\n"),
  );
});

test("an empty set has a row, and so does the resulting list", async () => {
  writeFileSync(join(folder.path, "empty.txt"), "# none\n");
  const { code, stdout } = await deployment("preview", "--include", "empty.txt");
  assert.equal(code, 1);
  assert.match(stdout, /^ +include +empty\.txt +0 +0\n +list +0 +0\n/m);
});

test("prefixes that a format cannot express are refused or, if wanted, left out, counted and named, unless nothing remains", async () => {
  const all = ["--include", "block.txt", "--include", "2a00:2::/32", "--format", "sophos", "--exclude", "20.0.0.0/24"];
  const refused = await deployment("render", ...all);
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(
    refused.stderr,
    /: sophos cannot express 2a00:1::\/32 \(it takes IPv4 addresses only\), 2a00:2::\/32; exclude them, choose/,
  );
  const seen = await deployment("preview", ...all);
  assert.equal(seen.code, 1);
  assert.match(seen.stdout, /would be rejected: sophos cannot express 2a00:1::\/32/);
  const sets = [...all, "--unprocessable", "omit"];
  const rendered = await deployment("render", ...sets);
  assert.deepEqual(rendered.stdout.split("\n").length, 257);
  assert.equal(
    rendered.stderr,
    "warning: sophos cannot express 2a00:1::/32 (it takes IPv4 addresses only), 2a00:2::/32; the file does not have them\n",
  );
  const { unprocessable } = JSON.parse((await deployment("preview", ...sets, "--json")).stdout);
  assert.equal(unprocessable.count, 2);
  assert.deepEqual(unprocessable.named[1], { prefix: "2a00:2::/32", reason: "it takes IPv4 addresses only" });
  assert.match((await deployment("preview", ...sets)).stdout, /left out: sophos cannot express/);
  const none = await deployment("render", "--include", "2a00:2::/32", "--format", "sophos", "--unprocessable", "omit");
  assert.deepEqual([none.code, none.stdout], [2, ""]);
  assert.match(none.stderr, /no addresses that sophos can express; check the sets/);
  const both = await deployment("render", "--include", "block.txt", "--device", "aws-waf");
  assert.match(both.stderr, /one family, and this one has 20\.0\.0\.0\/23 and 2a00:1::\/32; write a list for each/);
});

test("a wider rule removes no address from a list that can express it, and lines are counted", async () => {
  const narrow = ["--include", "45.1.0.0/24", "--format", "sophos"];
  const before = await deployment("render", ...narrow);
  const wide = [...narrow, "--include", "45.0.0.0/12"];
  assert.match((await deployment("render", ...wide)).stderr, /sophos cannot express 45\.0\.0\.0\/12 \(it takes single/);
  assert.equal((await deployment("render", ...wide, "--unprocessable", "omit")).stdout, before.stdout);
  const many = await deployment("render", ...narrow, "--max-entries", "100");
  assert.match(many.stderr, /the list has 256 entries, more than the 100 allowed/);
  const pair = ["--include", "2001:db8::", "--include", "2001:db8::1", "--format", "cloudflare-list"];
  assert.match((await deployment("render", ...pair)).stdout, /"2001:db8::"[^]*"2001:db8::1"/);
  const long = Array.from({ length: 17 }, (_, at) => ["--include", `45.${at}.0.0/16`]).flat();
  const refused = await deployment("render", ...long, "--format", "ntop");
  assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  assert.match(refused.stderr, /has 1,114,112 entries, more than the 1,048,576 allowed/);
});

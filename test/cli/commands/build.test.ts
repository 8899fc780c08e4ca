import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { identifyText } from "../../../src/cbs/identify.ts";
import { openCatalogue } from "../../../src/datasets/open-catalogue.ts";
import { outcomeOf, run, temporaryFolder } from "../run-command.ts";
import { COMMAND_FILE } from "../../command-file.ts";

let folder: ReturnType<typeof temporaryFolder>;

const files = {
  "tor.txt": "192.0.2.1\n192.0.2.2\n2001:db8::/32\n",
  "mixed.csv": [
    "\ufeff# a byte order mark, then a comment",
    "; another comment",
    "",
    "10.0.0.0/8,office,/saas/acme/api",
    "10.0.0.0/8 , vpn # united with the line above",
    "192.0.2.1,bad\r",
    "198.51.100.7 - 198.51.100.9,range",
    "203.0.113.0/24 ; inline comment, with a comma",
    "::ffff:192.0.2.2/128,mapped",
    "192.0.2.200,no final newline",
  ].join("\n"),
  "bad.txt":
    "192.0.2.1\n10.1\n\n10.0.0.1/8\n192.0.2.0/33\n1.2.3.4 x\n/cloud/aws\n192.0.2.3,/cloud\n192.0.2.9-192.0.2.1\n192.0.2.4,good,a\u0001b\n",
  "aws.json":
    '{"syncToken":"7","createDate":"2026-08-22-21-17-05","prefixes":[{"ip_prefix":"203.0.113.0/25","region":"eu-west-1","service":"EC2"},{"ip_prefix":"203.0.113.0/25","region":"eu-west-1","service":"EC2"}],"ipv6_prefixes":[]}',
  "goog.json": '{"prefixes":[{"ipv4Prefix":"198.51.100.0/24"}]}',
  "cloud.json": '{"prefixes":[{"ipv4Prefix":"198.51.100.128/25","service":"Google Cloud","scope":"global"}]}',
  "ips-v6": "2001:db8::/32\n",
  "edges.txt": "192.0.2.129/25\n192.0.2.1\n",
  "feed.csv": "# ours\n2001:db8:5::/48,DE,DE-BE,Berlin,\n203.0.113.128/25,,,,\n",
  "corrupt.json": '{"prefixes": [\n',
  "empty.txt": "# nothing\n\n",
  "tor.txt.gz": gzipSync("192.0.2.1\n192.0.2.2\n2001:db8::/32\n"),
  "tor.ZST": zstdCompressSync("192.0.2.1\n192.0.2.2\n2001:db8::/32\n"),
  "ips-v6.gz": gzipSync("2001:db8::/32\n"),
  "half.gz": gzipSync("192.0.2.1\n".repeat(1000)).subarray(0, 30),
  "packed.xz": Buffer.from("fd377a585a0000", "hex"),
  binary: Buffer.from("192.0.2.1\n\0\0"),
  "latin1.txt": Buffer.from("192.0.2.1\n192.0.2.2,caf\xe9\n", "latin1"),
};

before(() => {
  folder = temporaryFolder(files);
});
after(() => folder.remove());

const build = (...args: string[]) => run(["build", ...args], { cwd: folder.path });

async function idsOf(file: string, addresses: readonly string[]): Promise<string[]> {
  const catalogue = await openCatalogue(join(folder.path, file));
  return addresses.map((address) => identifyText(catalogue, address).cbs_ids.join(" "));
}

test("lists become labels; comments, ranges, CRLF, a byte order mark and a missing final newline are read", async () => {
  const { code, stdout, stderr } = await build("tor.txt", "mixed.csv", "-o", "good.ipsieve");
  assert.match(stderr, /^good\.ipsieve: 8 prefixes, 11 nodes, .*\n$/);
  assert.deepEqual([code, stdout], [0, ""]);
  const addresses = [
    "192.0.2.1",
    "192.0.2.2",
    "10.9.9.9",
    "198.51.100.6",
    "198.51.100.7",
    "198.51.100.9",
    "198.51.100.10",
    "203.0.113.5",
    "192.0.2.200",
    "2001:db8::1",
    "2001:db9::",
  ];
  assert.deepEqual(await idsOf("good.ipsieve", addresses), [
    "bad tor",
    "mapped tor",
    "/saas/acme/api office vpn",
    "",
    "range",
    "range",
    "",
    "mixed",
    "no final newline",
    "tor",
    "",
  ]);
  const catalogue = await openCatalogue(join(folder.path, "good.ipsieve"));
  assert.equal(catalogue.table.lookupAddress(parseAddress("192.0.2.99")), 0);
  assert.deepEqual(
    catalogue.metadata.sources.map(({ name }) => name),
    ["tor.txt", "mixed.csv"],
  );
});

test("--label names the lines without a label, and - is standard input", async () => {
  const { code } = await run(["build", "--label", "feed", "-o", "feed.ipsieve", "-", "tor.txt"], {
    cwd: folder.path,
    input: "192.0.2.77\n192.0.2.78,own\n",
  });
  assert.equal(code, 0);
  assert.deepEqual(await idsOf("feed.ipsieve", ["192.0.2.77", "192.0.2.78", "192.0.2.1"]), ["feed", "own", "feed"]);
});

test("compressed lists are decompressed: files, standard input and files of publishers, with the labels of plain ones", async () => {
  const addresses = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "192.0.2.3"];
  for (const list of ["tor.txt", "tor.txt.gz", "tor.ZST"]) {
    assert.equal((await build(list, "-o", "packed.ipsieve")).code, 0);
    assert.deepEqual(await idsOf("packed.ipsieve", addresses), ["tor", "tor", "tor", ""]);
  }
  const piped = await run(["build", "-", "-o", "packed.ipsieve"], { cwd: folder.path, input: files["tor.txt.gz"] });
  assert.equal(piped.code, 0);
  assert.deepEqual(await idsOf("packed.ipsieve", addresses), ["stdin", "stdin", "stdin", ""]);
  assert.equal((await build("--source", "cloudflare=ips-v6.gz", "-o", "packed.ipsieve")).code, 0);
  assert.deepEqual(await idsOf("packed.ipsieve", ["2001:db8::1"]), ["/cdn/cloudflare"]);
});

test("files of publishers get the publishers' nodes, beside own lists", async () => {
  const args = [
    "mixed.csv",
    "--source",
    "aws=aws.json",
    "--source=google=goog.json",
    "--source",
    "google-cloud=cloud.json",
    "--source",
    "cloudflare=ips-v6",
    "--source",
    "cloudflare/ips-v4=edges.txt",
    "-o",
    "published.ipsieve",
  ];
  const { code, stdout, stderr } = await build(...args);
  assert.deepEqual([code, stdout], [0, ""]);
  const lines = stderr.trimEnd().split("\n");
  assert.match(lines.splice(4, 1)[0]!, /^edges\.txt: line 1: "192\.0\.2\.129\/25" has host bits set; .* \(cleared\)$/);
  assert.deepEqual(lines.slice(0, 5), [
    "aws.json: 2 IPv4 prefixes, 0 IPv6 prefixes, including 1 repeat",
    "goog.json: 1 IPv4 prefix, 0 IPv6 prefixes",
    "cloud.json: 1 IPv4 prefix, 0 IPv6 prefixes",
    "ips-v6: 0 IPv4 prefixes, 1 IPv6 prefix",
    "edges.txt: 2 IPv4 prefixes, 0 IPv6 prefixes",
  ]);
  assert.match(lines.slice(5).join("\n"), /^published\.ipsieve: .*\nipsieve: 1 line with host bits$/);
  assert.deepEqual(
    await idsOf("published.ipsieve", ["203.0.113.5", "198.51.100.1", "198.51.100.200", "2001:db8::1", "192.0.2.130"]),
    [
      "/cloud/aws/by-region/eu-west-1/ec2 /cloud/aws/by-service/ec2/eu-west-1 mixed",
      "/saas/google",
      "/cloud/google/by-service/google-cloud",
      "/cdn/cloudflare",
      "/cdn/cloudflare",
    ],
  );
  const { metadata, nodes } = await openCatalogue(join(folder.path, "published.ipsieve"));
  assert.deepEqual(
    metadata.sources.map(({ name, version }) => [name, version]),
    [
      ["Amazon Web Services", "2026-08-22T21:17:05.000Z"],
      ["Google", null],
      ["Google Cloud", null],
      ["Cloudflare", null],
      ["mixed.csv", null],
    ],
  );
  assert.equal(nodes.find(({ id }) => id === "/cloud/aws/by-service/ec2")!.name, "Amazon EC2");
});

test("files in a general format go under an own provider; - is standard input", async () => {
  const { code, stderr } = await run(
    [
      "build",
      "--source",
      "geofeed=feed.csv",
      "--source",
      "prefixes=-",
      "--label",
      "/isp/acme",
      "-o",
      "general.ipsieve",
    ],
    {
      cwd: folder.path,
      input: '[{"cidr":"192.0.2.0/24","service":"API"}]',
    },
  );
  assert.match(stderr, /^feed\.csv: 1 IPv4 prefix, 1 IPv6 prefix\n-: 1 IPv4 prefix, 0 IPv6 prefixes\n/);
  assert.equal(code, 0);
  assert.deepEqual(await idsOf("general.ipsieve", ["2001:db8:5::1", "203.0.113.200", "192.0.2.1"]), [
    "/isp/acme/by-region/de-be",
    "/isp/acme",
    "/isp/acme/by-service/api",
  ]);
});

test("--strict rejects a publisher's file with host bits", async () => {
  const { code, stderr } = await build("--strict", "--source", "cloudflare/ips-v4=edges.txt", "-o", "x.ipsieve");
  assert.match(
    stderr,
    /^edges\.txt: line 1: "192\.0\.2\.129\/25" .*192\.0\.2\.128\/25\n.*\nipsieve: x\.ipsieve is not written: 1 line with host bits/,
  );
  assert.deepEqual([code, existsSync(join(folder.path, "x.ipsieve"))], [2, false]);
});

const complaints = [
  /^bad\.txt:2: column 5: "10\.1": .*/,
  /^bad\.txt:5: column 11: "192\.0\.2\.0\/33": .*/,
  /^bad\.txt:6: column 9: "x": .*/,
  /^bad\.txt:7: column 1: "\/cloud\/aws": .*/,
  /^bad\.txt:8: "\/cloud" is a type, and a prefix belongs to a provider; write \/cloud\/PROVIDER$/,
  /^bad\.txt:9: column 11: "192\.0\.2\.9-192\.0\.2\.1": .*/,
  /^bad\.txt:10: "a\\u0001b" cannot be the id of a node: remove the control characters$/,
];

test("every bad line is reported with its number, host bits included, and left out with --skip-invalid", async () => {
  const { code, stderr } = await build("--skip-invalid", "bad.txt", "-o", "lenient.ipsieve");
  const lines = stderr.trimEnd().split("\n");
  assert.match(lines.splice(2 - 1, 1)[0]!, /^bad\.txt:4: column 10: "10\.0\.0\.1\/8": .*10\.0\.0\.0\/8\?$/);
  complaints.forEach((complaint, i) => assert.match(lines[i]!, complaint));
  assert.match(lines[7]!, /^lenient\.ipsieve: 1 prefix, /);
  assert.deepEqual(lines.slice(8), ["ipsieve: 8 lines left out"]);
  assert.equal(code, 0);
  assert.deepEqual(await idsOf("lenient.ipsieve", ["192.0.2.1", "10.7.7.7", "192.0.2.3", "192.0.2.4"]), [
    "bad",
    "",
    "",
    "",
  ]);
});

test("a folder on standard input is reported", async () => {
  const child = spawn(process.execPath, [COMMAND_FILE, "build", "-", "-o", "x.ipsieve"], {
    cwd: folder.path,
    stdio: [openSync(folder.path, "r"), "pipe", "pipe"],
  });
  const { code, stderr } = await outcomeOf(child);
  assert.deepEqual([code, stderr], [2, "ipsieve: standard input: this is a folder; name the lists in it\n"]);
});

const buildInput = (input: string, ...args: string[]) =>
  run(["build", "-", "--label", "feed", "-o", "input.ipsieve", ...args], { cwd: folder.path, input });

test("fields may be quoted; a quote elsewhere is a character, and a comma inside a label is rejected", async () => {
  const { code, stderr } = await buildInput(
    `"192.0.2.1/32" , "a b","c"\n192.0.2.2,"a,b"\n192.0.2.3,a"b\n192.0.2.4,"a"b\n192.0.2.5,"a\n`,
    "--skip-invalid",
  );
  assert.equal(code, 0);
  const complaints = [
    `-:2: "a,b" cannot be the id of a node: commas separate ids in lists; remove the comma`,
    `-:4: column 14: "b": a closing quote must be followed by a comma, a comment or the end of the line`,
    `-:5: column 11: "\\"a": the double quote at the start of the field is not closed on the same line`,
  ];
  assert.deepEqual(stderr.split("\n").slice(0, 3), complaints);
  const addresses = [1, 2, 3, 4, 5].map((host) => `192.0.2.${host}`);
  assert.deepEqual(await idsOf("input.ipsieve", addresses), ["a b c", "", 'a"b', "", ""]);
});

test("names may hold commas, in quotes", async () => {
  const { stderr } = await buildInput(
    '1.0.0.0/24,13335,"Cloudflare, Inc."\n1.0.4.0/22,56203,Gtelecom\n',
    "--name-column",
    "3",
  );
  assert.match(stderr, /^input\.ipsieve: 2 prefixes, 2 nodes/);
  const catalogue = await openCatalogue(join(folder.path, "input.ipsieve"));
  assert.deepEqual(identifyText(catalogue, "1.0.0.1").cbs_ids, ["13335"]);
});

test("comments may be glued to an entry; in labels they begin after white space or a comma", async () => {
  const { stderr } = await buildInput("192.0.2.1,#a\n192.0.2.2,b,;c\n192.0.2.3,d#e\n  # f\n192.0.2.4;g\n");
  assert.match(stderr, /^input\.ipsieve: 4 prefixes/);
  const addresses = [1, 2, 3, 4].map((host) => `192.0.2.${host}`);
  assert.deepEqual(await idsOf("input.ipsieve", addresses), ["feed", "b", "d#e", "feed"]);
});

test("of many bad lines 20 are printed and the rest is counted", async () => {
  const { code, stderr } = await buildInput(`192.0.2.1\n${"192.0.2.0/24\tx\n".repeat(1500)}`, "--skip-invalid");
  const shown = stderr.trimEnd().split("\n");
  assert.equal(
    shown[0],
    `-:2: column 14: "x": this is neither an entry nor a comment; begin a comment with #, or give a table as CSV, with a first line that names the columns`,
  );
  assert.equal(shown[19]!.slice(0, 5), "-:21:");
  assert.equal(shown[20], "-: ... and 1,480 more lines like these, 1,500 in all");
  assert.match(shown.slice(21).join("\n"), /^input\.ipsieve: 1 prefix, .*\nipsieve: 1,500 lines left out$/);
  assert.equal(code, 0);
});

test("a length of -1 is not a range, and host bits are not cleared", async () => {
  const { stderr } = await buildInput("192.0.2.1/-1\n10.0.0.1/8\n");
  assert.match(
    stderr,
    /^-:1: column 11: "192\.0\.2\.1\/-1": a prefix length is a plain decimal number; .*\n-:2: [^\n]*10\.0\.0\.0\/8\?\n/,
  );
});

test("a bad line, host bits included, rejects the lists and leaves no file", async () => {
  const { code, stderr } = await build("bad.txt", "tor.txt", "-o", "strict.ipsieve");
  assert.equal(code, 2);
  assert.match(
    stderr,
    /\nipsieve: strict\.ipsieve is not written: 8 lines cannot be read; correct them, or leave such lines out with --skip-invalid\n$/,
  );
  const masked = await run(["build", "-", "-o", "strict.ipsieve"], {
    cwd: folder.path,
    input: "10.0.0.1/8\n",
  });
  assert.equal(masked.code, 2);
  assert.ok(!readdirSync(folder.path).some((name) => name.startsWith("strict")));
  assert.equal((await build("tor.txt", "-o", "fine.ipsieve")).code, 0);
});

test("a rejected build leaves the existing file", async () => {
  await build("tor.txt", "-o", "kept.ipsieve");
  const content = readFileSync(join(folder.path, "kept.ipsieve"));
  assert.equal((await build("bad.txt", "-o", "kept.ipsieve")).code, 2);
  assert.deepEqual(readFileSync(join(folder.path, "kept.ipsieve")), content);
});

const refused: [name: string, args: string[], message: RegExp][] = [
  ["no -o", ["tor.txt"], /^ipsieve: build needs -o FILE/],
  ["no list", ["-o", "x.ipsieve"], /^ipsieve: build needs LIST\.\.\. or --source SOURCE=FILE/],
  [
    "a source that is not there",
    ["--source", "awz=aws.json", "-o", "x.ipsieve"],
    /^ipsieve: there is no source "awz"; did you mean aws\?\n$/,
  ],
  [
    "a source like no other",
    ["--source", "frobnicate=aws.json", "-o", "x.ipsieve"],
    /^ipsieve: there is no source "frobnicate"; there are text, csv, geofeed, prefixes, aws, /,
  ],
  [
    "a source without a file",
    ["--source", "aws", "-o", "x.ipsieve"],
    /^ipsieve: --source "aws": write SOURCE=FILE, as in aws=ip-ranges\.json\n$/,
  ],
  [
    "a source's file that is not there",
    ["--source", "aws=nowhere.json", "-o", "x.ipsieve"],
    /^ipsieve: nowhere\.json: no such file; check the path\n$/,
  ],
  [
    "a source's file that is corrupt, beside a good list",
    ["tor.txt", "--source", "aws=corrupt.json", "-o", "x.ipsieve"],
    /^ipsieve: corrupt\.json: line 2, column 1: invalid JSON/,
  ],
  [
    "a source's file in another publisher's format",
    ["--source", "github=aws.json", "-o", "x.ipsieve"],
    /^ipsieve: aws\.json: \$\.prefixes\[0\]: /,
  ],
  [
    "a source's file that is no text",
    ["--source", "aws=latin1.txt", "-o", "x.ipsieve"],
    /^ipsieve: latin1\.txt: byte \d+: the text is not UTF-8/,
  ],
  ["a compressed list that is cut off", ["half.gz", "-o", "x.ipsieve"], /^ipsieve: half\.gz: .*too early/],
  [
    "a source's compressed file that is cut off",
    ["--source", "aws=half.gz", "-o", "x.ipsieve"],
    /^ipsieve: half\.gz: .*too early/,
  ],
  [
    "one of several lists of a source under a name of one's own",
    ["--source", "cloudflare=tor.txt", "-o", "x.ipsieve"],
    /^ipsieve: cloudflare has several lists, .*: cloudflare\/ips-v4=FILE, cloudflare\/ips-v6=FILE\n$/,
  ],
  [
    "Google's list without that of its cloud",
    ["--source", "google=goog.json", "-o", "x.ipsieve"],
    /^ipsieve: the addresses of google-cloud .*; its file is needed too: --source google-cloud=FILE\n$/,
  ],
  [
    "Google's list with one of its cloud that is broken",
    ["--source", "google=goog.json", "--source", "google-cloud=tor.txt", "-o", "x.ipsieve"],
    /^ipsieve: tor\.txt: line 1, column \d+: invalid JSON/,
  ],
  [
    "a general format without a provider",
    ["--source", "geofeed=feed.csv", "-o", "x.ipsieve"],
    /^ipsieve: feed\.csv: .* name it with --label \/TYPE\/PROVIDER\n$/,
  ],
  [
    "a general format under a path of three parts",
    ["--source", "geofeed=feed.csv", "--label", "/isp/acme/x", "-o", "x.ipsieve"],
    /--label \/TYPE\/PROVIDER\n$/,
  ],
  [
    "a bad list in a general format",
    ["--source", "geofeed=bad.txt", "--label", "/isp/acme", "-o", "x.ipsieve"],
    /^ipsieve: bad\.txt: line 2: "10\.1" at position/,
  ],
  [
    "a source's file that is its own output",
    ["--source", "aws=aws.json", "-o", "aws.json"],
    /^ipsieve: -o aws\.json is one of the lists; give another file\n$/,
  ],
  [
    "a list that is not there",
    ["nowhere.txt", "-o", "x.ipsieve"],
    /^ipsieve: nowhere\.txt: no such file; check the path\n$/,
  ],
  ["a folder as list", [".", "-o", "x.ipsieve"], /^ipsieve: \.: this is a folder; name the lists in it\n$/],
  ["a list without a name", ["", "-o", "x.ipsieve"], /^ipsieve: an empty file name was given/],
  [
    "an empty list",
    ["empty.txt", "-o", "x.ipsieve"],
    /^ipsieve: x\.ipsieve is not written: the lists contain no prefixes\n$/,
  ],
  [
    "a list compressed by xz",
    ["packed.xz", "-o", "x.ipsieve"],
    /^ipsieve: packed\.xz: this is xz, which is not read directly; pipe it through `xz -dc`\n$/,
  ],
  ["a binary list", ["binary", "-o", "x.ipsieve"], /^ipsieve: binary: not text/],
  [
    "a list that is its own output",
    ["tor.txt", "-o", "tor.txt"],
    /^ipsieve: -o tor\.txt is one of the lists; give another file\n$/,
  ],
  [
    "a folder that is not there",
    ["tor.txt", "-o", "nowhere/x.ipsieve"],
    /nowhere\/x\.ipsieve: cannot be written \(ENOENT\)/,
  ],
];
for (const [name, args, message] of refused) {
  test(`refuses ${name}`, async () => {
    const { code, stdout, stderr } = await build(...args);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /defect/);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.ok(!existsSync(join(folder.path, "x.ipsieve")));
  });
}

test("a line that is not UTF-8 is bad, the others are not", async () => {
  const { code, stderr } = await build("--skip-invalid", "latin1.txt", "-o", "latin1.ipsieve");
  assert.match(stderr, /^latin1\.txt:2: column 14: .*: the line is not UTF-8; convert the file\n/);
  assert.equal(code, 0);
  assert.deepEqual(await idsOf("latin1.ipsieve", ["192.0.2.1", "192.0.2.2"]), ["latin1", ""]);
});

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { run, temporaryFolder } from "./run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
const path = (name: string) => join(folder.path, name);

before(async () => {
  folder = temporaryFolder({ "list.csv": "10.0.0.0/8,a\n10.1.0.0/16,b\n2001:db8::/32,c\n" });
  await run(["build", "list.csv", "-o", "good.ipsieve"], { cwd: folder.path });
  const good = readFileSync(path("good.ipsieve"));
  writeFileSync(path("short.ipsieve"), good.subarray(0, -1));
  const flipped = Buffer.from(good);
  flipped[good.length - 20]! ^= 1;
  writeFileSync(path("flipped.ipsieve"), flipped);
  const trie = new PrefixTrie();
  trie.insert(parsePrefix("10.0.0.0/8"), 1);
  await writeSnapshot(path("other.ipsieve"), { table: freeze(trie), metadata: {}, kind: "documents" });
  // Well-formed, but value 7 stands for no node.
  trie.insert(parsePrefix("10.0.0.0/8"), 7);
  const metadata = {
    format: 2,
    title: "",
    createdAt: new Date(0).toISOString(),
    sources: [],
    nodes: { texts: "a\n", places: new Uint8Array(12) },
  };
  await writeSnapshot(path("lost.ipsieve"), { table: freeze(trie), metadata, kind: "catalogue" });
});
after(() => folder.remove());

test("info shows kind, size, prefixes, sources and sections", async () => {
  const { code, stdout } = await run(["info", "good.ipsieve"], { cwd: folder.path });
  assert.equal(code, 0);
  for (const fact of [
    /^good\.ipsieve\n/,
    /kind +catalogue, format 1/,
    /prefixes +2 IPv4, 1 IPv6, 3 distinct matches/,
    /source +list\.csv/,
    /nodes4 +[\d,]+ bytes  crc32 [0-9a-f]{8}/,
  ]) {
    assert.match(stdout, fact);
  }
});

test("info --json is one document", async () => {
  const { stdout } = await run(["info", "--json", "good.ipsieve"], { cwd: folder.path });
  const { path: file, kind, prefixCount4, prefixCount6, about, generation } = JSON.parse(stdout);
  assert.deepEqual(
    [file, kind, prefixCount4, prefixCount6, about.types],
    ["good.ipsieve", "catalogue", 2, 1, { list: 3 }],
  );
  assert.match(generation, /^[0-9a-f]{32}$/);
});

test("info --layout shows the composition of the index, which build --favour chooses", async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `10.${i}.${(i * 7) % 256}.0/24`);
  writeFileSync(join(folder.path, "nets.txt"), lines.join("\n"));
  const layouts = [];
  for (const favour of ["speed", "size"]) {
    const built = await run(["build", "--favour", favour, "nets.txt", "-o", "nets.ipsieve"], { cwd: folder.path });
    assert.equal(built.code, 0, built.stderr);
    const { stdout } = await run(["info", "--layout", "nets.ipsieve"], { cwd: folder.path });
    assert.match(stdout, /^layout of IPv4: [0-9,]+ ranges, .*, about [0-9.]+ ns a lookup$/m);
    assert.match(stdout, /^ {2}root +[0-9]+ bits .* 1\.00 a lookup {2}#+$/m);
    const document = await run(["info", "--json", "--layout", "nets.ipsieve"], { cwd: folder.path });
    layouts.push(JSON.parse(document.stdout).layout[0]);
  }
  const [speed, size] = layouts;
  assert.ok(size.bytes < speed.bytes && speed.nanoseconds < size.nanoseconds, JSON.stringify(layouts));
  const { code, stderr } = await run(["build", "--favour", "sped", "nets.txt", "-o", "x"], { cwd: folder.path });
  assert.equal(code, 2);
  assert.match(stderr, /--favour "sped": did you mean speed\?/);
});

test("info shows what it can about an unknown kind", async () => {
  const { code, stdout } = await run(["info", "other.ipsieve"], { cwd: folder.path });
  assert.equal(code, 0);
  assert.match(stdout, /kind +documents/);
});

test("verify accepts a good file, and the bundled one", async () => {
  const good = await run(["verify", "good.ipsieve"], { cwd: folder.path });
  assert.deepEqual(good, {
    code: 0,
    signal: null,
    stderr: "",
    stdout: "good.ipsieve: intact; 2 IPv4 and 1 IPv6 prefixes, nested up to 2 deep, of 3 values; 11 sections\n",
  });
  assert.equal((await run(["verify"])).code, 0);
});

const refused: [args: string[], message: RegExp][] = [
  [
    ["verify", "short.ipsieve"],
    /^ipsieve: short\.ipsieve: \d+ bytes, its header says \d+; copy it again or build it again\n$/,
  ],
  [["info", "short.ipsieve"], /^ipsieve: short\.ipsieve: \d+ bytes/],
  [["verify", "flipped.ipsieve"], /^ipsieve: flipped\.ipsieve: .*checksum/],
  [["identify", "--snapshot", "flipped.ipsieve", "list.csv"], /^ipsieve: flipped\.ipsieve: .*checksum/],
  [
    ["lookup", "--snapshot", "list.csv", "1.2.3.4"],
    /^ipsieve: list\.csv: not a snapshot; give a file written by `ipsieve build`\n$/,
  ],
  [["lookup", "--snapshot", "nowhere.ipsieve", "1.2.3.4"], /^ipsieve: nowhere\.ipsieve: .*check the path\n$/],
  [
    ["lookup", "--snapshot", "other.ipsieve", "1.2.3.4"],
    /^ipsieve: other\.ipsieve: its kind is "documents", not "catalogue"; give a file written by "ipsieve build"\n$/,
  ],
  [
    ["verify", "lost.ipsieve"],
    /^ipsieve: lost\.ipsieve: the table has the value 7, but the catalogue knows 1; build it again\n$/,
  ],
];
for (const [args, message] of refused) {
  test(`refuses ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await run(args, { cwd: folder.path });
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""]);
  });
}

test("no control character of a file name or operand reaches the terminal in an error", async () => {
  for (const args of [["info"], ["build", "-o", "new.ipsieve"], ["identify"], ["sets", "union"], ["verify"]]) {
    const { code, stdout, stderr } = await run([...args, "no\u001b[2Jsuch\u009bfile"], { cwd: folder.path });
    assert.deepEqual([code, stdout], [2, ""], args[0]);
    assert.match(stderr, /no\\u001b\[2Jsuch\\u009bfile/, args[0]);
    // oxlint-disable-next-line no-control-regex -- they are what it looks for
    assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/, args[0]);
  }
});

/** Sets as filters: `identify --only` and `replay` read what `sets` reads, and select the same addresses. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { parsePrefix, prefixContains, prefixOf } from "../../../src/address/prefix.ts";
import { smallNetworks, writeSmallNetworks } from "../../networks/small-networks.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;

const ADDRESSES = ["8.8.8.8", "8.8.10.1", "171.64.1.1", "192.0.2.1", "203.0.113.9", "10.0.0.1", "2001:db8::1", "none"];
/** Enough lines that the kernel reads them. */
const LINES = Array.from({ length: 4000 }, (_, index) => ADDRESSES[(index * 7 + (index >> 5)) % ADDRESSES.length]!);

const DOCUMENTS = [
  { ip: "203.0.113.0/24", classification: "malicious", tags: ["ssh"], last_seen: "2026-06-10" },
  { ip: "203.0.113.9", classification: "benign", tags: ["scanner"], last_seen: "2026-06-17" },
  { ip: "2001:db8::/32", classification: "malicious", tags: ["http"], last_seen: "2026-06-17" },
];

before(async () => {
  folder = temporaryFolder({
    "list.csv": "8.8.8.0/24,/saas/google\n203.0.113.0/25,office\n10.0.0.0/8,office\n",
    "block.txt": "10.0.0.0/8\n8.8.8.8\n",
    "feed.ndjson": DOCUMENTS.map((document) => `${JSON.stringify(document)}\n`).join(""),
    "log.txt": LINES.map((address) => `${address} - - "GET /"\n`).join(""),
  });
  await writeSmallNetworks(join(folder.path, "networks.ipsieve"));
  for (const args of [
    ["build", "list.csv", "-o", "list.ipsieve"],
    ["cti", "import", "feed.ndjson", "--output", "cti.ipsieve"],
  ])
    assert.equal((await command(...args)).code, 0);
});
after(() => folder.remove());

const command = (...args: string[]) => run(args, { cwd: folder.path });
const DATASETS = ["--snapshot", "list.ipsieve", "--networks", "networks.ipsieve", "--threats", "cti.ipsieve"];

const SETS = [
  "asn:15169",
  "asn:AS64501",
  "country:FR",
  "country:de",
  "cbs:office",
  "cti:malicious",
  "cti:classification:malicious AND tag:http",
  "cti:country:FR",
  "block.txt",
  "203.0.113.0-203.0.113.255",
  "2001:db8::/32",
];

/** The lines within a set, by the prefixes that `sets` prints. */
async function expectedLines(set: string): Promise<string[]> {
  const { stdout, code, stderr } = await command("sets", "aggregate", set, ...DATASETS);
  assert.equal(code, 0, stderr);
  const prefixes = stdout
    .split("\n")
    .filter(Boolean)
    .map((text) => parsePrefix(text));
  assert.ok(prefixes.length > 0, set);
  return LINES.filter((text) => {
    if (text === "none") return false;
    const address = parseAddress(text);
    const own = prefixOf(address, address.family === 4 ? 32 : 128);
    return prefixes.some((prefix) => prefix.family === own.family && prefixContains(prefix, own));
  });
}

for (const set of SETS)
  test(`--only ${set}: the rows, counts and hits of its addresses alone`, async () => {
    const lines = await expectedLines(set);
    for (const engine of ["webassembly", "typescript"]) {
      const only = ["--only", set, "--engine", engine, "log.txt"];
      const { stdout } = await command("identify", ...DATASETS, ...only);
      assert.deepEqual(
        stdout
          .split("\n")
          .slice(0, -1)
          .map((row) => row.split("\t")[0]),
        lines,
      );
      const columns = await command("identify", ...DATASETS, "--columns", "services,asn,address", ...only);
      const networks = smallNetworks();
      assert.deepEqual(
        columns.stdout
          .split("\n")
          .slice(0, -1)
          .map((row) => row.split("\t").slice(1)),
        lines.map((line) => [String(networks.lookup(line)?.asn ?? ""), line]),
      );
      assert.equal((await command("identify", "-c", ...DATASETS, ...only)).stdout, `${lines.length}\n`);
      const summary = JSON.parse(
        (await command("identify", "--summary", "--top", "9", "--format", "json", ...DATASETS, ...only)).stdout,
      );
      assert.equal(summary.matched, lines.length);
      assert.equal(summary.top.matched.distinct, new Set(lines).size);
    }
    const of = async (...args: string[]) => JSON.parse((await command("replay", "log.txt", "--json", ...args)).stdout);
    const hit = await of("--rules", set, ...DATASETS);
    assert.deepEqual(hit.hit, { lines: lines.length, addresses: new Set(lines).size });
    const within = await of("--rules", "0.0.0.0/0", "--against", set, "--only", set, ...DATASETS);
    const ipv4 = lines.filter((line) => !line.includes(":"));
    assert.deepEqual(within.hit, { lines: ipv4.length, addresses: new Set(ipv4).size });
    assert.equal(within.log.within_only, lines.length);
    assert.equal(within.only_rules.lines, 0);
  });

test("documents of --only are whole, and another snapshot's name still chooses that snapshot", async () => {
  const { stdout } = await command("identify", ...DATASETS, "--only", "asn:15169", "--format", "jsonl", "log.txt");
  const first = JSON.parse(stdout.split("\n")[0]!);
  assert.deepEqual([first.ip, first.cidr, first.network.asn, first.line], ["8.8.8.8", "8.8.8.0/24", 15169, 1]);
  const several = ["--snapshot", "list.ipsieve", "--snapshot", "cti.ipsieve", "-c", "log.txt"];
  const named = await command("identify", "--only", "cti", ...several);
  const bySet = await command("identify", "--only", "203.0.113.0/24", ...several);
  const lines = LINES.filter((line) => line === "203.0.113.9").length;
  assert.equal(named.stdout, `${2 * lines}\n`);
  assert.equal(bySet.stdout, `${lines}\n`);
});

const REFUSED: readonly (readonly [set: string, message: RegExp])[] = [
  ["asn:15170", /asn:15170: no network has the number AS15170; the nearest are AS15169 \(Google LLC\) and AS16509/],
  ["asn:google", /asn:google: write an AS number/],
  ["country:ZZ", /no network is in the country "ZZ" .*; (?:did you mean|there are)/],
  ["country:Germany", /country:Germany: write the two letters of a country/],
  ["cti:contry:FR", /there is no field "contry"; did you mean country\?/],
  ["cbs:/nowhere", /nowhere/],
  ["nothing.txt", /nothing\.txt/],
];
for (const [set, message] of REFUSED)
  test(`refused: ${set}`, async () => {
    for (const args of [
      ["identify", "--only", set, ...DATASETS, "log.txt"],
      ["replay", "log.txt", "--rules", set, ...DATASETS],
      ["replay", "log.txt", "--rules", "block.txt", "--only", set, ...DATASETS],
    ]) {
      const { code, stderr } = await command(...args);
      assert.match(stderr, message, args.join(" "));
      assert.equal(code, 2);
    }
  });

test("refused: options that --only does not go with", async () => {
  for (const [args, message] of [
    [["--only", "asn:32", "-v"], /--only and --invert-match cannot be combined/],
    [["--threats", "cti.ipsieve"], /--threats is for --only/],
    [["--only", "asn:32", "--format", "arrow"], /--only and --format arrow cannot be combined/],
  ] as const) {
    const { code, stderr } = await command("identify", "--snapshot", "list.ipsieve", ...args, "log.txt");
    assert.match(stderr, message);
    assert.equal(code, 2);
  }
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { csvRow } from "../../../src/csv/write-row.ts";
import { openCatalogue } from "../../../src/datasets/open-catalogue.ts";
import { identifyText } from "../../../src/cbs/identify.ts";
import { smallNetworks, writeSmallNetworks, SMALL_TABLE } from "../../networks/small-networks.ts";
import { run, temporaryFolder } from "../run-command.ts";
import { sampled } from "../../rounds.ts";

let folder: ReturnType<typeof temporaryFolder>;

/** Addresses with a service and a network, with one of both, with neither, and lines without an address. */
const ADDRESSES = [
  "8.8.8.8",
  "171.64.1.1",
  "192.0.2.1",
  "192.0.2.200",
  "203.0.113.9",
  "10.0.0.1",
  "198.51.100.1",
  "2001:db8::1",
  "2606:4700::9",
  "",
  "8.8.10.1",
];
/** Enough lines that the kernel reads them. */
const LINES = Array.from({ length: 4000 }, (_, index) => ADDRESSES[(index * 7 + (index >> 5)) % ADDRESSES.length]!);

const table = `${SMALL_TABLE}\n198.51.100.0\t198.51.100.0\t64502\tDE\t=HYPERLINK("x"),\ty`;

before(async () => {
  folder = temporaryFolder({
    "list.csv":
      "8.8.8.0/24,/saas/google\n203.0.113.0/25,office\n203.0.113.0/24,/cloud/acme/by-service/mail/eu-1\n10.0.0.0/8,office\n",
    "log.txt": LINES.map((address) => `${address} - - "GET /"\n`).join(""),
    "table.csv": `id,ip\n${LINES.map((address, index) => `${index},${address}\n`).join("")}`,
    "log.jsonl": LINES.map((address) => `${JSON.stringify({ ip: address })}\n`).join(""),
  });
  await writeSmallNetworks(join(folder.path, "networks.ipsieve"), table);
  assert.equal((await run(["build", "list.csv", "-o", "list.ipsieve"], { cwd: folder.path })).code, 0);
});
after(() => folder.remove());

const identify = (...args: string[]) =>
  run(["identify", "--snapshot", "list.ipsieve", "--networks", "networks.ipsieve", ...args], { cwd: folder.path });

/** What a row must have, by the library's lookups. */
async function expectedRows(columns: readonly string[]): Promise<(string | null)[][]> {
  const catalogue = await openCatalogue(join(folder.path, "list.ipsieve"));
  const networks = smallNetworks(table);
  const joined = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(","));
  return LINES.map((ip) => {
    if (ip === "") return columns.map(() => null);
    const { cidr, cbs_ids, providers, services, regions, types } = identifyText(catalogue, ip);
    const network = networks.lookup(ip);
    const cells: Record<string, string | null> = {
      address: ip,
      prefix: cidr,
      services: joined(cbs_ids),
      provider: joined(providers),
      service: joined(services),
      region: joined(regions),
      type: joined(types),
      asn: network && String(network.asn),
      network: network && network.name,
      country: network && network.country,
    };
    return columns.map((column) => cells[column]!);
  });
}

const CHOICES = [
  "address,prefix,services,asn,network,country",
  "address,prefix,services,country",
  "network,address,services",
  "address,type,provider,service,region",
  "address,prefix,services",
] as const;

for (const [at, engine] of ["webassembly", "typescript"].entries())
  for (const choice of sampled(CHOICES, 2, at))
    test(`rows of ${choice} are those of single lookups, in ${engine}`, async () => {
      const columns = choice.split(",");
      const rows = await expectedRows(columns);
      const options = ["--engine", engine, "--columns", choice];
      const tsv = await identify(...options, "log.txt");
      assert.equal(tsv.stdout, rows.map((row) => `${row.map((cell) => cell ?? "").join("\t")}\n`).join(""));
      const csv = await identify(...options, "--format", "csv", "log.txt");
      assert.equal(csv.stdout, rows.map((row) => csvRow(row)).join(""));
      const appended = await identify(...options, "--format", "append", "log.txt");
      assert.equal(
        appended.stdout,
        rows.map((row, at) => `${LINES[at]} - - "GET /"${row.map((cell) => `\t${cell ?? ""}`).join("")}\n`).join(""),
      );
      const records = await identify(...options, "--format", "append", "--field", "ip", "table.csv");
      assert.equal(
        records.stdout,
        [csvRow(["id", "ip", ...columns]), ...rows.map((row, at) => `${at},${LINES[at]},${csvRow(row)}`)].join(""),
      );
    });

test("the usual columns of networks, after those that rows have anyway, are the same as in any other order", async () => {
  const usual = await identify("--format", "append", "--columns", "services,asn,network", "log.txt");
  const other = await identify("--format", "append", "--columns", "asn,services,network", "log.txt");
  const cells = (text: string) => text.split("\n").map((line) => line.split("\t").slice(1));
  assert.deepEqual(
    cells(usual.stdout),
    cells(other.stdout).map(([asn, services, ...rest]) => (asn === undefined ? [] : [services!, asn, ...rest])),
  );
});

test("which lines match is decided by services alone, whatever the engine", async () => {
  const plain = async (...args: string[]) =>
    (await run(["identify", "--snapshot", "list.ipsieve", ...args, "log.txt"], { cwd: folder.path })).stdout;
  for (const engine of ["webassembly", "typescript"])
    for (const selection of ["--matched", "-v"])
      for (const columns of ["address,prefix,services,asn", "asn,address"]) {
        const rows = (await identify("--engine", engine, selection, "--columns", columns, "log.txt")).stdout;
        const expected = (await plain(selection)).split("\n").map((row) => row.split("\t")[0]);
        assert.deepEqual(
          rows.split("\n").map((row) => row.split("\t")[columns === "asn,address" ? 1 : 0] ?? ""),
          expected,
        );
      }
  const json = JSON.parse((await identify("--summary", "--format", "json", "log.txt")).stdout);
  const without = JSON.parse(await plain("--summary", "--format", "json", "--networks", "none"));
  assert.deepEqual(
    [json.matched, json.unmatched, json.no_address, json.types],
    [without.matched, without.unmatched, without.no_address, without.types],
  );
  assert.equal("networks" in without, false);
});

test("documents have the network as a member", async () => {
  const networks = smallNetworks(table);
  for (const engine of ["webassembly", "typescript"]) {
    const { stdout } = await identify("--engine", engine, "--format", "jsonl", "log.txt");
    const documents = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(documents.length, LINES.length);
    for (const [at, { ip, network, line }] of documents.entries()) {
      assert.deepEqual([ip, line], [LINES[at] || null, at + 1]);
      const expected = ip === null ? null : networks.lookup(ip);
      assert.deepEqual(network, expected && { ...expected, name: expected.name.replaceAll("\t", " ") });
    }
  }
});

test("append adds the chosen columns to objects as one member", async () => {
  const { stdout } = await identify(
    "--format",
    "append",
    "--columns",
    "asn,services",
    "--append-as",
    "known",
    "log.jsonl",
  );
  assert.deepEqual(JSON.parse(stdout.split("\n")[0]!), {
    ip: "8.8.8.8",
    known: { asn: 15169, services: ["/saas/google"] },
  });
});

test("summaries and top addresses have networks and countries", async () => {
  const { stdout } = await identify("--summary", "--top", "2", "--format", "json", "log.txt");
  const { networks, countries, top } = JSON.parse(stdout);
  const expected = new Map<number, number>();
  const byCountry = new Map<string, number>();
  const known = smallNetworks(table);
  for (const ip of LINES) {
    const network = ip === "" ? null : known.lookup(ip);
    if (network === null) continue;
    expected.set(network.asn, (expected.get(network.asn) ?? 0) + 1);
    if (network.country !== null) byCountry.set(network.country, (byCountry.get(network.country) ?? 0) + 1);
  }
  assert.deepEqual(
    new Map(networks.map(({ asn, lines }: { asn: number; lines: number }) => [asn, lines])),
    new Map([...expected].sort((a, b) => b[1] - a[1])),
  );
  assert.deepEqual(
    Object.fromEntries(countries.map(({ country, lines }: { country: string; lines: number }) => [country, lines])),
    Object.fromEntries(byCountry),
  );
  for (const { ip, network } of [...top.matched.addresses, ...top.unmatched.addresses])
    assert.deepEqual(network, known.lookup(ip));
  const text = await identify("--summary", "log.txt");
  assert.match(text.stdout, /\nby network\n {2}AS\d+ /);
  assert.match(text.stdout, /\nby country\n/);
  const csv = await identify("--summary", "--format", "csv", "log.txt");
  assert.match(csv.stdout, /^network,15169,Google LLC,\d+$/m);
  assert.match(csv.stdout, /^country,FR,,\d+$/m);
});

test("a missing file leaves the columns empty and says so; the exit code is that of the services", async () => {
  const { stdout, stderr, code } = await run(
    ["identify", "--snapshot", "list.ipsieve", "--networks", "absent", "--columns", "address,services,asn", "log.txt"],
    { cwd: folder.path },
  );
  assert.deepEqual([code, stdout.split("\n")[0]], [0, "8.8.8.8\t/saas/google\t"]);
  assert.match(stderr, /^ipsieve: absent: no such file/);
});

const WRONG: readonly (readonly [args: string[], message: RegExp])[] = [
  [["--columns", "address,asnn"], /there is no column "asnn"; did you mean asn\?/],
  [["--columns", "asn,asn"], /asn is given twice/],
  [["--columns", "asn", "--format", "jsonl"], /--columns is for tsv, csv and append/],
  [["--columns", "asn", "-c"], /--columns is for rows, and none are printed/],
  [["--format", "tsv"], /--networks is for --columns/],
];
for (const [args, message] of WRONG)
  test(`refused: ${args.join(" ")}`, async () => {
    const { code, stderr } = await identify(...args, "log.txt");
    assert.equal(code, 2);
    assert.match(stderr, message);
  });

test("refused: columns of networks without any", async () => {
  const { stderr } = await run(["identify", "--networks", "none", "--columns", "asn", "log.txt"], { cwd: folder.path });
  assert.match(stderr, /--networks none: the columns asn, network and country need them/);
});

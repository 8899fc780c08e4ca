import assert from "node:assert/strict";
import { copyFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { networksNotice } from "../../../src/cli/snapshots/chosen-networks.ts";
import { BUNDLED_NETWORKS } from "../../../src/datasets/open-networks.ts";
import { SMALL_TABLE, smallNetworks, writeSmallNetworks } from "../../networks/small-networks.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;

before(async () => {
  folder = temporaryFolder({
    "list.csv": "8.8.8.0/24,/saas/google\n203.0.113.0/25,office\n10.0.0.0/8,office\n",
    "rules.txt": "203.0.113.0/24\n",
  });
  await writeSmallNetworks(join(folder.path, "networks.ipsieve"));
  const { code } = await run(["build", "list.csv", "-o", "list.ipsieve"], { cwd: folder.path });
  assert.equal(code, 0);
});
after(() => folder.remove());

const command = (...args: string[]) => run(args, { cwd: folder.path });
const lookup = (...args: string[]) => command("lookup", "--snapshot", "list.ipsieve", ...args);

describe("lookup", () => {
  test("shows the network of each address, also without a service, and none where there is none", async () => {
    const { code, stdout, stderr } = await lookup(
      "--networks",
      "networks.ipsieve",
      "8.8.8.8",
      "171.64.1.1",
      "10.0.0.1",
    );
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(
      stdout,
      `google (AS15169 Google LLC, US)
8.8.8.8
  network AS15169 Google LLC, US  8.8.8.0/24
  8.8.8.0/24  8.8.8.0 - 8.8.8.255, 256 addresses
    SaaS > google  /saas/google  by list.csv
Stanford University (AS32, US)
171.64.1.1
  network AS32 Stanford University, US  171.64.0.0/14
  no match
office
10.0.0.1
  10.0.0.0/8  10.0.0.0 - 10.255.255.255, 16,777,216 addresses
    office  by list.csv
  note: in 10.0.0.0/8, Private-Use (RFC 1918); not reachable from the internet
`,
    );
  });

  test("has it as a member of the document, and null", async () => {
    const texts = ["8.8.8.8", "8.8.8.0/25", "8.0.0.0/8", "192.0.2.1", "10.0.0.1", "2001:db8::1"];
    const { stdout } = await lookup("--json", "--networks", "networks.ipsieve", ...texts);
    const documents = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { network: unknown });
    const networks = smallNetworks();
    assert.deepEqual(
      documents.map(({ network }) => network),
      texts.map((text) => networks.lookup(text)),
    );
    assert.deepEqual(networks.lookup("192.0.2.1")?.country, null);
  });

  test("answers about services without networks, and says once what is missing", async () => {
    const cut = join(folder.path, "cut.ipsieve");
    copyFileSync(join(folder.path, "networks.ipsieve"), cut);
    truncateSync(cut, 5000);
    for (const [path, message] of [
      [
        "absent.ipsieve",
        /^ipsieve: absent\.ipsieve: no such file[^\n]*; AS numbers, organisations and countries are left out/,
      ],
      ["cut.ipsieve", /^ipsieve: cut\.ipsieve: 5000 bytes, its header says [^\n]*are left out/],
      ["list.ipsieve", /^ipsieve: list\.ipsieve: its kind is "catalogue", not "networks"[^\n]*are left out/],
    ] as const) {
      const { code, stdout, stderr } = await lookup("--json", "--networks", path, "8.8.8.8", "8.8.8.9");
      assert.equal(code, 0);
      assert.match(stderr, message);
      assert.equal(stderr.match(/left out/g)?.length, 1);
      for (const line of stdout.trimEnd().split("\n")) {
        const { cbs_ids, network } = JSON.parse(line) as { cbs_ids: string[]; network: unknown };
        assert.deepEqual([cbs_ids, network], [["/saas/google"], null]);
      }
    }
    const { stdout, stderr } = await lookup("--networks", "none", "8.8.8.8");
    assert.deepEqual([stdout.includes("network"), stderr], [false, ""]);
  });

  test("shows the bundled networks by default, with no notice in a pipe, however old they are", async () => {
    const { stdout, stderr } = await lookup("171.64.1.1");
    assert.deepEqual(
      [stdout, stderr],
      [
        "Stanford University (AS32, US)\n171.64.1.1\n  network AS32 Stanford University, US  171.64.0.0/14\n  no match\n",
        "",
      ],
    );
  });
});

test("networks are old after 30 days, and say how to renew them", () => {
  const created = new Date("2026-06-17T19:00:00Z");
  const after = (days: number): number => created.getTime() + days * 86_400_000;
  assert.equal(networksNotice(BUNDLED_NETWORKS, created, after(30)), undefined);
  assert.equal(
    networksNotice(BUNDLED_NETWORKS, created, after(31)),
    'the bundled networks are 31 days old (2026-06-17); "ipsieve cbs update" fetches current ones',
  );
  assert.match(networksNotice("own.ipsieve", created, after(99))!, /^the networks in own\.ipsieve are 99 days old/);
});

test("explain names the network beside the rules", async () => {
  const args = [
    "explain",
    "203.0.113.9",
    "--rules",
    "rules.txt",
    "--snapshot",
    "list.ipsieve",
    "--networks",
    "networks.ipsieve",
  ];
  assert.match((await command(...args)).stdout, /\n {2}network: AS64501 Exemple SA, FR \(203\.0\.113\.0\/24\)\n$/);
  const { network } = JSON.parse((await command(...args, "--json")).stdout) as { network: unknown };
  assert.deepEqual(network, smallNetworks().lookup("203.0.113.9"));
});

test("info and verify know the kind", async () => {
  const info = await command("info", "networks.ipsieve");
  assert.match(info.stdout, /AS numbers {2,}6, in 4 countries\n.*source {2,}small\.tsv, CC0-1\.0\n/s);
  const { about } = JSON.parse((await command("info", "--json", "networks.ipsieve")).stdout) as { about: object };
  assert.deepEqual(Object.keys(about), ["title", "asNumbers", "countries", "sources"]);
  assert.match((await command("verify", "networks.ipsieve")).stdout, /^networks\.ipsieve: intact; /);
  assert.equal((await command("verify", "cut.ipsieve")).code, 2);
});

describe("sets", () => {
  const sets = (...args: string[]) => command("sets", ...args, "--networks", "networks.ipsieve");

  test("asn:NUMBER and country:CODE are operands, in any form and case", async () => {
    assert.equal((await sets("union", "asn:15169")).stdout, "8.8.8.0/22\n");
    assert.equal(
      (await sets("union", "asn:AS15169", "country:fr")).stdout,
      "8.8.8.0/22\n203.0.113.0/24\n2001:db8::/32\n",
    );
    assert.equal((await sets("subtract", "asn:15169", "country:DE")).stdout, "8.8.8.0/24\n");
    assert.equal((await sets("intersect", "203.0.113.0/28", "country:FR")).stdout, "203.0.113.0/28\n");
  });

  test("unknown ones are errors with the nearest known, malformed ones say what to write", async () => {
    for (const [operand, message] of [
      [
        "asn:15170",
        /^ipsieve: asn:15170: no network has the number AS15170; the nearest are AS15169 \(Google LLC\) and AS16509/,
      ],
      ["country:FX", /^ipsieve: country:FX: no network is in the country "FX".*did you mean FR\?/],
      ["asn:google", /^ipsieve: asn:google: write an AS number, as in asn:15169/],
      ["asn:4294967296", /write an AS number/],
      ["country:FRA", /^ipsieve: country:FRA: write the two letters of a country/],
    ] as const) {
      const { code, stderr } = await sets("union", operand);
      assert.equal(code, 2);
      assert.match(stderr, message);
    }
    const { code, stderr } = await command("sets", "union", "asn:15169", "--networks", "absent.ipsieve");
    assert.deepEqual([code, stderr.startsWith("ipsieve: absent.ipsieve: no such file")], [2, true]);
  });
});

describe("cbs search", () => {
  const search = (...args: string[]) =>
    command("cbs", "search", "--snapshot", "list.ipsieve", "--networks", "networks.ipsieve", ...args);

  test("finds organisations by the beginnings of their words, after nodes", async () => {
    assert.equal((await search("google")).stdout, "/saas/google  SaaS > google\nasn:15169     Google LLC\n");
    assert.equal((await search("uni", "stanf")).stdout, "asn:32  Stanford University\n");
    for (const text of ["as13335", "ASN13335", "asn:13335"])
      assert.equal((await search(text)).stdout, "asn:13335  Cloudflare, Inc.\n", text);
    assert.deepEqual(JSON.parse((await search("--json", "söhne")).stdout), { asn: 64500, name: "Example & Söhne" });
    assert.equal((await search("--limit", "1", "google")).stdout, "/saas/google  SaaS > google\n");
    assert.equal((await search("tanford")).code, 1);
    assert.equal((await search("--type", "isp", "stanford")).code, 1);
  });
});

test("cbs diff shows which prefixes moved between two datasets", async () => {
  const moved = SMALL_TABLE.replace("8.8.8.255\t15169", "8.8.8.255\t13335")
    .replace("192.0.2.0\t192.0.2.127\t64500\tNone", "192.0.2.0\t192.0.2.127\t64500\tAT")
    .replace("171.67.255.255", "171.65.255.255");
  await writeSmallNetworks(join(folder.path, "moved.ipsieve"), moved);
  const diff = (...args: string[]) => command("cbs", "diff", ...args, "networks.ipsieve", "moved.ipsieve");
  assert.deepEqual(await diff("--prefixes"), {
    code: 0,
    signal: null,
    stderr: "",
    stdout: [
      "~ 8.8.8.0/24\tAS15169 Google LLC, US -> AS13335 Cloudflare, Inc., US\n",
      "- 171.64.0.0/14\tAS32 Stanford University, US\n",
      "+ 171.64.0.0/15\tAS32 Stanford University, US\n",
      "~ 192.0.2.0/25\tAS64500 Example & Söhne -> AS64500 Example & Söhne, AT\n",
    ].join(""),
  });
  assert.equal((await diff()).stdout, "1 prefix added, 1 removed, 2 moved to other networks or countries\n");
  assert.equal(JSON.parse((await diff("--json")).stdout).prefixes_moved, 2);
  const same = await command("cbs", "diff", "networks.ipsieve", "networks.ipsieve");
  assert.equal(same.code, 1);
});

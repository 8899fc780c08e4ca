import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Reader } from "mmdb-lib";
import { outcomeOf, run, start, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;

before(async () => {
  folder = temporaryFolder({
    "old.csv":
      "10.0.0.0/9,/cloud/acme\n10.128.0.0/9,/cloud/acme/by-service/mail/eu-1,office\n192.0.2.0/24,/cdn/globex\n2001:db8::/32,/cloud/acme/by-region/eu-1\n",
    "new.csv":
      "10.0.0.0/9,/cloud/acme\n10.128.0.0/9,/cloud/acme/by-service/mail/eu-1\n192.0.2.0/25,/cdn/globex\n2001:db8::/32,/cloud/acme/by-region/eu-1\n",
    "one.csv": "192.0.2.1,/cdn/one\n",
  });
  for (const name of ["old", "new", "one"])
    assert.equal((await run(["build", `${name}.csv`, "-o", `${name}.ipsieve`], { cwd: folder.path })).code, 0);
});
after(() => folder.remove());

const cbs = (...args: string[]) => run(["cbs", ...args], { cwd: folder.path });
const old = (command: string, ...args: string[]) => cbs(command, "--snapshot", "old.ipsieve", ...args);

describe("cbs browse", () => {
  test("the root, a node, and a leaf", async () => {
    assert.deepEqual(await old("browse"), {
      code: 0,
      signal: null,
      stderr: "",
      stdout: `old.csv
  3 IPv4 prefixes, 1 IPv6 prefix, 16,777,472 IPv4 addresses

  id      name    IPv4  IPv6  IPv4 addresses
  /cdn    CDN        1     0             256
  /cloud  Cloud      2     1      16,777,216
  office  office     1     0       8,388,608
`,
    });
    assert.equal(
      (await old("browse", "/cloud/acme/by-service/mail/eu-1")).stdout,
      "Cloud > acme > By service > mail > eu-1  /cloud/acme/by-service/mail/eu-1\n  1 IPv4 prefix, 0 IPv6 prefixes, 8,388,608 IPv4 addresses\n",
    );
    const node = JSON.parse((await old("browse", "--json", "/cloud/acme")).stdout);
    assert.deepEqual(
      [node.parent, node.ipv4_count, node.children.map(({ id }: { id: string }) => id)],
      ["/cloud", 2, ["/cloud/acme/by-region", "/cloud/acme/by-service"]],
    );
  });

  test("flat lists with filters", async () => {
    const { stdout } = await old("browse", "--list", "regions", "--json");
    assert.deepEqual(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [
        {
          type: "cloud",
          provider: "acme",
          provider_name: "acme",
          key: "eu-1",
          name: "eu-1",
          id: "/cloud/acme/by-region/eu-1",
          ipv4_count: 1,
          ipv6_count: 1,
          ipv4_addresses: 8388608,
        },
      ],
    );
    assert.match(
      (await old("browse", "--list", "providers", "--type", "cdn")).stdout,
      /\n {2}\/cdn\/globex +globex +1 +0 +256\n$/,
    );
    assert.deepEqual(await old("browse", "--list", "services", "--region", "mars"), {
      code: 1,
      signal: null,
      stdout: "",
      stderr: "",
    });
  });
});

describe("cbs search", () => {
  test("words, typos, addresses", async () => {
    assert.deepEqual((await old("search", "globx")).stdout, "/cdn/globex  CDN > globex\n");
    assert.equal(
      (await old("search", "mail", "eu", "--limit", "1")).stdout,
      "/cloud/acme/by-service/mail/eu-1  Cloud > acme > By service > mail > eu-1\n",
    );
    assert.equal(
      (await old("search", "10.200.0.1")).stdout,
      "/cloud/acme/by-service/mail/eu-1  Cloud > acme > By service > mail > eu-1\noffice\n",
    );
    assert.equal(JSON.parse((await old("search", "--json", "--type", "cdn", "globex")).stdout).id, "/cdn/globex");
    assert.deepEqual(await old("search", "zzzzzz"), { code: 1, signal: null, stdout: "", stderr: "" });
  });

  test("a search for a list that only an update fetches says how to get it", async () => {
    const note =
      'ipsieve: the list "pingdom" (/bot/pingdom) is not in this catalogue; "ipsieve cbs update" fetches it\n';
    assert.equal((await cbs("search", "pingdom")).stderr, note);
    const { stdout, stderr } = await cbs("search", "googlebot");
    assert.match(stdout, /^\/bot\/google\/googlebot .*Google/);
    assert.equal(stderr, "", "it comes with the catalogue");
    assert.doesNotMatch((await cbs("search", "cloudflare")).stderr, /is not in this catalogue/);
    assert.equal((await old("search", "pingdom")).stderr, "");
  });
});

describe("cbs ranges", () => {
  test("as in the lists, aggregated, by family, as documents", async () => {
    assert.equal((await old("ranges", "/cloud/acme")).stdout, "10.0.0.0/9\n10.128.0.0/9\n2001:db8::/32\n");
    assert.equal((await old("ranges", "--aggregate", "/cloud/acme")).stdout, "10.0.0.0/8\n2001:db8::/32\n");
    assert.equal((await old("ranges", "--family", "6", "/cloud")).stdout, "2001:db8::/32\n");
    assert.deepEqual(
      (await old("ranges", "--json", "office")).stdout,
      '{"cidr":"10.128.0.0/9","cbs_ids":["/cloud/acme/by-service/mail/eu-1","office"],"sources":["old.csv"]}\n',
    );
    assert.deepEqual(await old("ranges", "--family", "6", "office"), { code: 1, signal: null, stdout: "", stderr: "" });
  });

  test("files for firewalls: sets named after the node, or by --set-name", async () => {
    const nftables = await old("ranges", "/cloud/acme", "--format", "nftables");
    assert.match(
      nftables.stdout,
      /^add table inet ipsieve\nadd set inet ipsieve cloud_acme_[0-9a-f]{6}_4 .*\n.*\nadd element .*\n10\.0\.0\.0\/8\n}\n.*\n.*\n.*\n2001:db8::\/32\n}\n$/,
    );
    assert.match(
      (await old("ranges", "/cloud/acme", "--format", "ipset", "--set-name", "acme")).stdout,
      /^add acme_4_new 10\.128\.0\.0\/9 -exist$/m,
    );
    for (const [options, problem] of [
      [["--set-name", "a"], /goes with --format ipset or nftables/],
      [
        ["--format", "ipset", "--set-name", "a\nb"],
        /--set-name "a\\nb": the name of a set must be a letter followed by up to 24 letters, digits and underscores\n$/,
      ],
      [["--json", "--format", "text"], /give --json or --format, not both/],
    ] as const) {
      const { code, stdout, stderr } = await old("ranges", "/cloud/acme", ...options);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, problem);
    }
  });

  test("a reader that closes early is not an error", async () => {
    const child = start(["cbs", "ranges", "/isp"]);
    child.stdout!.once("data", () => child.stdout!.destroy());
    const { code, stderr } = await outcomeOf(child);
    assert.deepEqual([code, stderr.replace(/^ipsieve: the bundled catalogue is \d+ days old .*\n$/, "")], [0, ""]);
  });
});

test("cbs stats counts by type and provider", async () => {
  const { code, stdout } = await old("stats");
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^old\.csv\n {2}made .*; 10 nodes, 1 source\n {2}3 IPv4 prefixes, 1 IPv6 prefix, 16,777,472 IPv4 addresses\n/,
  );
  assert.match(stdout, /\n {2}CDN +2 +1 +0 +256\n/);
  assert.match(stdout, /\n {2}3 providers\n {2}acme +2 +1 +16,777,216\n/);
  const { types, providers, nodes } = JSON.parse((await old("stats", "--json")).stdout);
  assert.deepEqual([types.length, providers.length, nodes], [3, 3, 10]);
});

describe("cbs diff", () => {
  test("an overview, the prefixes, a document", async () => {
    const { code, stdout } = await cbs("diff", "old.ipsieve", "new.ipsieve");
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `                      before       after  change
  IPv4 prefixes            3           3       0
  IPv6 prefixes            1           1       0
  IPv4 addresses  16,777,472  16,777,344    -128
  1 prefix added, 1 removed, 1 moved to other nodes
  - office

  node          IPv4   IPv6  IPv4 addresses
  /cdn/globex  +1 -1  +0 -0            -128
  office       +0 -1  +0 -0      -8,388,608
`,
    );
    assert.equal(
      (await cbs("diff", "--prefixes", "old.ipsieve", "new.ipsieve")).stdout,
      "- 10.128.0.0/9\toffice\n- 192.0.2.0/24\t/cdn/globex\n+ 192.0.2.0/25\t/cdn/globex\n",
    );
    assert.deepEqual(JSON.parse((await cbs("diff", "--json", "old.ipsieve", "new.ipsieve")).stdout).nodes_removed, [
      "office",
    ]);
  });

  test("nothing differs: exit code 1", async () => {
    const { code, stdout } = await cbs("diff", "--prefixes", "old.ipsieve", "old.ipsieve");
    assert.deepEqual([code, stdout], [1, ""]);
  });
});

describe("cbs export", () => {
  test("every format, to standard output and to a file", async () => {
    for (const format of ["mmdb", "clickhouse", "csv", "jsonl", "nginx", "haproxy"]) {
      const file = `out.${format}`;
      const [printed, written] = await Promise.all([
        old("export", "--format", format),
        old("export", "--format", format, "-o", file),
      ]);
      assert.deepEqual([printed.code, printed.stderr, written.code, written.stdout], [0, "", 0, ""]);
      assert.match(written.stderr, new RegExp(`^out\\.${format}: .* k?B\n$`));
      assert.equal(readFileSync(join(folder.path, file)).toString(), printed.stdout);
    }
    const reader = new Reader<any>(readFileSync(join(folder.path, "out.mmdb")));
    assert.deepEqual(reader.get("10.200.0.1").cbs_ids, ["/cloud/acme/by-service/mail/eu-1", "office"]);
    assert.match(readFileSync(join(folder.path, "out.nginx"), "utf8"), /^10\.0\.0\.0\/9 "\/cloud\/acme";\n/m);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.endsWith(".tmp")),
      [],
    );
  });

  test("an MMDB has the type that a reader insists on, and else the same bytes; libmaxminddb reads it", async (t) => {
    const type = "GeoIP2-Enterprise";
    for (const more of [[], ["--database-type", type]]) {
      const file = more.length === 0 ? "own.mmdb" : "named.mmdb";
      assert.equal((await old("export", "--format", "mmdb", ...more, "-o", file)).code, 0);
    }
    const [own, named] = ["own.mmdb", "named.mmdb"].map((file) => readFileSync(join(folder.path, file)));
    const reader = new Reader<any>(named!);
    assert.equal(reader.metadata.databaseType, type);
    assert.deepEqual(reader.get("10.200.0.1"), new Reader<any>(own!).get("10.200.0.1"));
    const metadataAt = (file: Buffer): number => file.lastIndexOf("\xab\xcd\xefMaxMind.com", undefined, "latin1");
    assert.ok(own!.subarray(0, metadataAt(own!)).equals(named!.subarray(0, metadataAt(named!))));
    const args = ["--verbose", "--file", join(folder.path, "named.mmdb"), "--ip", "10.200.0.1"];
    const { status, stdout, error } = spawnSync("mmdblookup", args, { encoding: "utf8" });
    if (error !== undefined) return t.diagnostic("mmdblookup is not installed");
    assert.deepEqual([status, stdout.includes(type), stdout.includes('"office"')], [0, true, true], stdout);
  });

  test("--ddl prints the statements of ClickHouse", async () => {
    const { code, stdout } = await old("export", "--format", "clickhouse", "--ddl");
    assert.equal(code, 0);
    assert.match(stdout, /LAYOUT\(IP_TRIE\)/);
  });

  test("IPv6 prefixes that MMDB cannot hold are reported", async () => {
    await run(["build", "-", "-o", "low.ipsieve"], {
      cwd: folder.path,
      input: "::1,low\n::5:0/112,low\n::1:0:0:0/80,around\n1::/16,high\n0:0:1::/96,high\n10.0.0.0/8,ten\n",
    });
    const { code, stderr } = await cbs("export", "--snapshot", "low.ipsieve", "--format", "mmdb", "-o", "low.mmdb");
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^ipsieve: left out, because MMDB keeps IPv4 at ::\/96: ::1 and 1 more prefix\nlow\.mmdb: .*\n$/,
    );
    const reader = new Reader<any>(readFileSync(join(folder.path, "low.mmdb")));
    const found = ["10.0.0.1", "::1", "0:0:0:0:1::", "1::1", "0:0:1::1"].map(
      (address) => reader.get(address)?.cbs_ids ?? null,
    );
    assert.deepEqual(found, [["ten"], null, ["around"], ["high"], ["high"]]);
  });

  test("a failed export leaves the old file unchanged", async () => {
    const many = Array.from({ length: 500 }, (_, i) => `label-${i}-${"x".repeat(30)}`).join(",");
    await run(["build", "-", "-o", "many.ipsieve"], { cwd: folder.path, input: `192.0.2.1,${many}\n` });
    const { code, stderr } = await cbs("export", "--snapshot", "many.ipsieve", "--format", "haproxy", "-o", "many.map");
    assert.equal(code, 2);
    assert.match(stderr, /^ipsieve: HAProxy reads values of up to 16000 bytes, .*; choose another format\n$/);
    assert.equal(existsSync(join(folder.path, "many.map")), false);
  });
});

const refused: [args: string[], stderr: RegExp][] = [
  [["browse", "/cloud/acmee"], /^ipsieve: the catalogue has no node "\/cloud\/acmee"; did you mean \/cloud\/acme\?\n$/],
  [["browse", "zzz"], /^ipsieve: the catalogue has no node "zzz"; "ipsieve cbs search" finds ids by name\n$/],
  [["browse", "globex"], /did you mean \/cdn\/globex\?\n$/],
  [["browse", "1.2.3.999"], /"ipsieve cbs search" finds ids by name\n$/],
  [["ranges", "cdn/globex"], /did you mean \/cdn\/globex\?\n$/],
  [["ranges", "--family", "5", "office"], /Choose from 4, 6\n$/],
  [["browse", "--type", "cdn"], /^ipsieve: --type is for lists; add --list providers\|services\|regions\n$/],
  [["browse", "--list", "providers", "/cdn"], /^ipsieve: --list and the id \/cdn cannot be combined/],
  [["search", "--limit", "0", "x"], /^ipsieve: --limit "0": give a whole number/],
  [["search", "10.0.0.1/8"], /^ipsieve: "10\.0\.0\.1\/8" at position 9: .*10\.0\.0\.0\/8/],
  [["export"], /^ipsieve: cbs export needs --format clickhouse\|csv\|jsonl\|ranges-csv\|mmdb\|nginx\|haproxy\n$/],
  [["export", "--format", "mdb"], /did you mean mmdb\?/],
  [["export", "--format", "csv", "--database-type", "x"], /--database-type is only for --format mmdb/],
  [["export", "--format", "mmdb", "--database-type", "é"], /--database-type "é": give 1 to 100 printable/],
  [["export", "--format", "csv", "--ddl"], /^ipsieve: --ddl is only for ClickHouse/],
  [
    ["export", "--format", "csv", "-o", "nowhere/out.csv"],
    /^ipsieve: nowhere\/out\.csv: cannot be written \(ENOENT\); choose another path\n$/,
  ],
  [
    ["export", "--format", "csv", "-o", "old.ipsieve"],
    /^ipsieve: -o old\.ipsieve is the same file as old\.ipsieve, which is read; give another file\n$/,
  ],
];
for (const [[command, ...args], message] of refused) {
  test(`refuses cbs ${[command, ...args].join(" ")}`, async () => {
    const { code, stdout, stderr } = await old(command!, ...args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  });
}

test("a file that is no catalogue", async () => {
  for (const args of [
    ["stats", "--snapshot", "old.csv"],
    ["diff", "old.ipsieve", "old.csv"],
    ["diff", "old.ipsieve", "missing.ipsieve"],
  ]) {
    const { code, stdout, stderr } = await cbs(...args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^ipsieve: (old\.csv|missing\.ipsieve): /);
  }
});

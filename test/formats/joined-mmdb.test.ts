import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { Reader, type Response } from "mmdb-lib";
import { formatAddress } from "../../src/address/format-address.ts";
import { formatPrefix, parsePrefix, prefixContains, prefixOf } from "../../src/address/prefix.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import type { CtiDataset } from "../../src/cti/dataset.ts";
import { CTI_KIND } from "../../src/cti/cti-kind.ts";
import { CtiDataset as Dataset } from "../../src/cti/dataset.ts";
import { CtiBuilder } from "../../src/cti/dataset-builder.ts";
import { NOTHING_KNOWN } from "../../src/cti/fields.ts";
import {
  catalogueSource,
  ctiSource,
  joinedMmdb,
  type MmdbSource,
  networksSource,
  rulesSource,
} from "../../src/datasets/joined-mmdb.ts";
import { saveRuleset } from "../../src/datasets/ruleset-files.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { catalogueOf, CREATED, prefixes } from "../cbs/catalogues.ts";
import { run, temporaryFolder } from "../cli/run-command.ts";
import { smallNetworks, writeSmallNetworks } from "../networks/small-networks.ts";
import { rounds } from "../rounds.ts";
import { missingCommand, missingTools, TOOLS } from "../tools.ts";
import { isInMmdbIpv4 } from "./subjects.ts";

const NOW = Date.parse("2026-11-28T00:00:00Z");
const DAY = 86_400_000;
const folder = temporaryFolder({ "list.txt": "8.8.8.8\n".repeat(100) });
before(() => writeSmallNetworks(join(folder.path, "networks.ipsieve")));
after(() => folder.remove());

function readerOf(...sources: readonly MmdbSource[]): Reader<Response> {
  const about = { type: "test", title: "", buildSeconds: 1 };
  const parts = Array.from(joinedMmdb(sources, about), (part) => (part === "" ? new Uint8Array() : part));
  return new Reader<Response>(Buffer.concat(parts));
}

function builderOf(lines: readonly (readonly [prefix: string, tag: string])[]): CtiBuilder {
  const builder = new CtiBuilder();
  for (const [prefix, tag] of lines) builder.add(parsePrefix(prefix, "mask"), { ...NOTHING_KNOWN, tags: [tag] });
  return builder;
}

function datasetOf(lines: readonly (readonly [prefix: string, tag: string])[]): CtiDataset {
  const { trie, metadata } = builderOf(lines).build({ title: "test", createdAt: CREATED, sources: [] });
  return new Dataset(metadata, freeze(trie));
}

const prefixOfText = fc.tuple(prefixes, fc.constantFrom("a", "b", "c"));
/** Rules must not cover the block of mapped addresses. */
const rulePrefix = prefixes.filter((text) => {
  const { family, w0 } = parsePrefix(text, "mask");
  return family === 4 || w0 !== 0;
});
/** Lists that nest in each other, whose networks are whole /24s. */
const everything = fc.record({
  services: fc.array(prefixOfText, { maxLength: 6 }),
  networks: fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 4 }),
  tags: fc.array(prefixOfText, { maxLength: 6 }),
  rules: fc.array(fc.tuple(rulePrefix, fc.constantFrom("x", "y", ""), fc.constantFrom(null, -1, 1, 2)), {
    maxLength: 6,
  }),
});
type Everything = typeof everything extends fc.Arbitrary<infer Lists> ? Lists : never;

/** What the lists say about an address, by looking at each line. */
function expectedOf({ services, networks, tags, rules }: Everything, text: string): Record<string, unknown> | null {
  const own = prefixOf(parseAddress(text), text.includes(":") ? 128 : 32);
  const around = <Line extends readonly [string, ...unknown[]]>(lines: readonly Line[]): Line[] =>
    lines.filter(([prefix]) => prefixContains(parsePrefix(prefix, "mask"), own));
  const longest = Math.max(-1, ...around(tags).map(([prefix]) => parsePrefix(prefix, "mask").length));
  const atLongest = around(tags).filter(([prefix]) => parsePrefix(prefix, "mask").length === longest);
  const ids = [...new Set(around(services).map(([, id]) => id))].sort();
  const network = networks.find((at) => text.startsWith(`${at}.${at}.${at}.`));
  // Of rules for one prefix the last counts: they are added with "override".
  const last = new Map(rules.map((rule) => [formatPrefix(parsePrefix(rule[0], "mask")), rule]));
  const active = around([...last.values()]).filter(([, , days]) => days === null || days > 0);
  const days = active.map(([, , each]) => each);
  const record = {
    ...(ids.length > 0 && { cbs_ids: ids }),
    ...(network !== undefined && { asn: 64_500 + network }),
    ...(longest >= 0 && { tags: [...new Set(atLongest.map(([, tag]) => tag))].sort() }),
    ...(active.length > 0 && {
      names: [...new Set(active.map(([, name]) => name).filter((name) => name !== ""))].sort(),
      expires: days.includes(null) ? null : Math.max(...(days as number[])),
    }),
  };
  return Object.keys(record).length === 0 ? null : record;
}

function foundBy(reader: Reader<Response>, text: string): Record<string, unknown> | null {
  const found = reader.get(text) as Record<string, unknown> | null;
  if (found === null) return null;
  const {
    cbs_ids,
    autonomous_system_number: asn,
    cti,
    rulesets,
  } = found as {
    readonly cbs_ids?: readonly string[];
    readonly autonomous_system_number?: number;
    readonly cti?: { readonly tags: readonly string[] };
    readonly rulesets?: { readonly Mine: { readonly names: readonly string[]; readonly expires_at?: string } };
  };
  const expiry = rulesets?.Mine.expires_at;
  return {
    ...(cbs_ids && { cbs_ids }),
    ...(asn !== undefined && { asn }),
    ...(cti && { tags: cti.tags }),
    ...(rulesets && {
      names: rulesets.Mine.names,
      expires: expiry === undefined ? null : (Date.parse(expiry) - NOW) / DAY,
    }),
  };
}

function sourcesOf({ services, networks, tags, rules }: Everything): MmdbSource[] {
  const mine = new Ruleset({ name: "Mine", allowSpecialPurpose: true });
  for (const [prefix, name, days] of rules)
    mine.add(formatPrefix(parsePrefix(prefix, "mask")), {
      name: name === "" ? null : name,
      expiresAt: days === null ? null : NOW + days * DAY,
      mode: "override",
    });
  const table = networks.map((at) => `${at}.${at}.${at}.0\t${at}.${at}.${at}.255\t${64_500 + at}\tFR\tExample ${at}`);
  return [
    catalogueSource(catalogueOf(services)),
    networksSource(smallNetworks(table.sort().join("\n"))),
    ctiSource(datasetOf(tags)),
    rulesSource(mine, NOW),
  ];
}

describe("what several datasets know, joined as an MMDB", () => {
  test("random lists: each address has what each line around it says", () => {
    let count = 0;
    fc.assert(
      fc.property(everything, (lists) => {
        const reader = readerOf(...sourcesOf(lists));
        const texts = [...lists.services, ...lists.tags, ...lists.rules].flatMap(([prefix]) => {
          const { family, w0, w1, w2, w3 } = parsePrefix(prefix, "mask");
          const next = (w3 + 1) >>> 0;
          return [w3, next].map((low) =>
            formatAddress(family === 4 ? { family, w0: w0 + low - w3, w1, w2, w3 } : { family, w0, w1, w2, w3: low }),
          );
        });
        for (const text of [...texts, ...lists.networks.map((at) => `${at}.${at}.${at}.7`)]) {
          if (isInMmdbIpv4(parseAddress(text))) continue;
          assert.deepEqual(foundBy(reader, text), expectedOf(lists, text), text);
          count++;
        }
      }),
      { numRuns: rounds({ short: 150, long: 2000 }) },
    );
    assert.ok(count > 500);
  });

  test("negative control: a list that one of them lacks is noticed", () => {
    const lists: Everything = { services: [["1.1.1.0/24", "a"]], networks: [1], tags: [], rules: [] };
    const [services] = sourcesOf(lists);
    assert.notDeepEqual(foundBy(readerOf(services!), "1.1.1.1"), expectedOf(lists, "1.1.1.1"));
  });

  test("a document is that of the lookup, without what is not known; several rulesets stand by name", () => {
    const one = new Ruleset({ name: "One" });
    const two = new Ruleset({ name: "2" });
    one.add("8.8.8.0/24", { name: "r" });
    two.add("8.8.8.8");
    const reader = readerOf(ctiSource(datasetOf([["8.8.8.8", "ssh"]])), rulesSource(one, NOW), rulesSource(two, NOW));
    assert.deepEqual(reader.get("8.8.8.8"), {
      cti: { classification: "unknown", tags: ["ssh"] },
      rulesets: { One: { names: ["r"] }, 2: { names: [] } },
    });
    assert.deepEqual(reader.get("8.8.8.9"), { rulesets: { One: { names: ["r"] } } });
  });
});

describe("on the command line", () => {
  const call = (...args: string[]): ReturnType<typeof run> => run(args, { cwd: folder.path });
  const record = (path: string, address: string): unknown =>
    new Reader<Response>(readFileSync(join(folder.path, path))).get(address);

  test("cbs export joins networks, threat intelligence and rulesets; cti export has it alone", async () => {
    const mine = new Ruleset({ name: "Mine" });
    mine.add("8.8.8.8", { name: "resolver" });
    await saveRuleset(join(folder.path, "mine.ipsieve"), mine);
    const with_ = ["networks.ipsieve", "mine.ipsieve"].flatMap((path) => ["--with", path]);
    const joined = await call("cbs", "export", "--format", "mmdb", "--snapshot", "none", ...with_, "-o", "all.mmdb");
    assert.equal(joined.code, 0, joined.stderr);
    assert.deepEqual(record("all.mmdb", "8.8.8.8"), {
      autonomous_system_number: 15_169,
      autonomous_system_organization: "Google LLC",
      country: { iso_code: "US" },
      rulesets: { Mine: { names: ["resolver"] } },
    });
    assert.deepEqual(record("all.mmdb", "192.0.2.1"), {
      autonomous_system_number: 64_500,
      autonomous_system_organization: "Example & Söhne",
    });
    assert.equal((await call("cti", "export", "--format", "mmdb", "-o", "cti.mmdb")).code, 0);
    const { stdout } = await call("cti", "export", "--format", "ndjson");
    const [first] = stdout.split("\n", 1).map((line) => JSON.parse(line));
    const { cti } = record("cti.mmdb", first.cidr.split("/")[0]) as { cti: { tags: unknown; src: { asn: unknown } } };
    assert.deepEqual([cti.tags, cti.src.asn], [first.tags, first.src.asn]);
  });

  test("prefixes where the format keeps IPv4 are left out of an export, and named", async () => {
    await writeSmallNetworks(
      join(folder.path, "mapped.ipsieve"),
      "::1.2.3.0\t::1.2.3.255\t64500\tNone\tExample\n1.2.3.0\t1.2.3.255\t64501\tFR\tExemple",
    );
    const { trie, metadata } = builderOf([["::5.0.0.0/104", "a"]]).build({
      title: "test",
      createdAt: CREATED,
      sources: [],
    });
    const path = join(folder.path, "cti.ipsieve");
    await writeSnapshot(path, { table: freeze(trie), metadata, kind: CTI_KIND, createdAt: CREATED });
    const with_ = ["--with", "mapped.ipsieve", "--with", "cti.ipsieve", "-o", "x.mmdb"];
    const joined = await call("cbs", "export", "--format", "mmdb", "--snapshot", "none", ...with_);
    const told = "ipsieve: left out, because MMDB keeps IPv4 at ::/96: ";
    assert.equal(joined.stderr.split("\n")[0], `${told}::102:300/120 and 1 more prefix`);
    assert.deepEqual(record("x.mmdb", "::1.2.3.4"), record("x.mmdb", "1.2.3.4"));
    const alone = await call("cti", "export", "--format", "mmdb", "--snapshot", "cti.ipsieve", "-o", "x.mmdb");
    assert.equal(alone.stderr.split("\n")[0], `${told}::500:0/104`);
  });

  test("the networks of the last update are not overwritten by an export that reads them", async () => {
    const path = join(folder.path, "networks.ipsieve");
    await writeSmallNetworks(path);
    const own = readFileSync(path);
    const args = ["cbs", "export", "--format", "mmdb", "--snapshot", "none", "--with", "networks", "-o", path];
    const { code, stderr } = await run(args, { env: { IPSIEVE_HOME: folder.path } });
    assert.equal(code, 2);
    assert.match(stderr, /is the same file as .*, which is read; give another file/);
    assert.deepEqual(readFileSync(path), own);
  });

  test("what cannot be joined is said, with what to do", async () => {
    for (const [message, ...args] of [
      [/--with is only for --format mmdb, not for csv/, "--format", "csv", "--with", "networks"],
      [/leaves nothing to export; add --with networks/, "--format", "mmdb", "--snapshot", "none"],
      [
        /a file of networks is given already/,
        "--format",
        "mmdb",
        "--with",
        "networks.ipsieve",
        "--with",
        "networks.ipsieve",
      ],
      [
        /-o mine\.ipsieve is the same file as mine\.ipsieve/,
        "--format",
        "mmdb",
        "--with",
        "mine.ipsieve",
        "-o",
        "mine.ipsieve",
      ],
      [
        /list\.txt: not a file of .*; for a list, make one: .*ruleset import NAME\.ipsieve list\.txt/,
        "--format",
        "mmdb",
        "--with",
        "list.txt",
      ],
      [/missing\.ipsieve/, "--format", "mmdb", "--with", "missing.ipsieve", "-o", "x.mmdb"],
    ] as const) {
      const { code, stderr } = await call("cbs", "export", ...args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
  });

  const command = ["cbs", "export", "--format", "mmdb", "--snapshot", "none", "--with", "networks.ipsieve"];

  test("libmaxminddb reads it", { skip: missingCommand("mmdblookup", "--version", "mmdb-bin") }, async () => {
    assert.equal((await call(...command, "-o", "asn.mmdb")).code, 0);
    const { stdout } = spawnSync("mmdblookup", ["--file", join(folder.path, "asn.mmdb"), "--ip", "2606:4700::1"], {
      encoding: "utf8",
    });
    assert.match(stdout, /13335 <uint32>[^]*Cloudflare, Inc\.[^]*"US"/);
  });

  const libraries = join(TOOLS, "maxmind-reader/libs");
  test(
    "MaxMind's own reader, that of Elasticsearch and Logstash, takes it for its database of AS numbers",
    { skip: missingTools(libraries) || missingCommand("javac", "--version", "default-jdk-headless") },
    async () => {
      assert.equal((await call(...command, "--database-type", "GeoLite2-ASN", "-o", "asn.mmdb")).code, 0);
      const { stdout, stderr } = spawnSync(
        "java",
        [
          "-cp",
          `${libraries}/*`,
          join(TOOLS, "maxmind-reader/LookUp.java"),
          join(folder.path, "asn.mmdb"),
          "8.8.8.8",
          "2606:4700::1",
          "9.9.9.9",
        ],
        { encoding: "utf8" },
      );
      assert.deepEqual(
        stdout.split("\n"),
        ["15169 Google LLC 8.8.8.0/24", "13335 Cloudflare, Inc. 2606:4700:0:0:0:0:0:0/32", "none", ""],
        stderr,
      );
    },
  );
});

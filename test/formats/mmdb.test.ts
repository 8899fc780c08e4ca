import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { Reader, type Response } from "mmdb-lib";
import { addressBits, type Address } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { lastAddress } from "../../src/address/range.ts";
import { exportRules } from "../../src/rulesets/export-rules.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { MmdbData, type MmdbValue } from "../../src/formats/data/mmdb/mmdb-data.ts";
import { mmdbFile } from "../../src/formats/data/mmdb/mmdb-file.ts";
import { MmdbTree } from "../../src/formats/data/mmdb/mmdb-tree.ts";
import { catalogueOf, CREATED } from "../cbs/catalogues.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { missingCommand } from "../tools.ts";
import { compareMmdb } from "./mmdb-reader.ts";
import { anyRules } from "./hostile-rules.ts";
import { bytesOf, isInMmdbIpv4, neighbour, randomLines, subjects } from "./subjects.ts";

const all = await subjects();
const isLarge = (tree: CatalogueTree): boolean => tree.catalogue.table.prefixCount(4) > 1000;

describe("MMDB, read by mmdb-lib", () => {
  for (const [name, tree] of all) {
    const skip = isLarge(tree) && onlyLong();
    test(`${name}: every prefix and the addresses around it have the record of the table`, { skip }, (t) => {
      const bytes = bytesOf(tree, "mmdb");
      const reader = new Reader<Response>(bytes);
      const count = compareMmdb(tree, reader, isLarge(tree) ? 20 : 1);
      t.diagnostic(`${count} addresses, ${bytes.length} bytes`);
      const { metadata } = reader;
      assert.deepEqual(
        [
          metadata.binaryFormatMajorVersion,
          metadata.binaryFormatMinorVersion,
          metadata.ipVersion,
          metadata.databaseType,
        ],
        [2, 0, 6, "ipsieve-CBS"],
      );
      assert.equal(metadata.buildEpoch.getTime(), Date.parse(tree.catalogue.metadata.createdAt));
      assert.deepEqual(metadata.description, { en: tree.catalogue.metadata.title });
    });
  }

  test("IPv4 is found in mapped form too, and never through an IPv6 prefix that contains it", () => {
    const reader = new Reader<Response>(bytesOf(all[1]![1], "mmdb"));
    const idsOf = (address: string): unknown => (reader.get(address) as { cbs_ids: string[] } | null)?.cbs_ids ?? null;
    assert.deepEqual(["10.1.1.1", "::ffff:10.1.1.1", "11.1.1.1", "::ffff:11.1.1.1"].map(idsOf), [
      ["ten"],
      ["ten"],
      null,
      null,
    ]);
    assert.deepEqual(["::1:0:0:0", "1::", "::fffe:0:1"].map(idsOf), [
      ["six", "six-low"],
      ["six"],
      ["six", "six-around", "six-low"],
    ]);
  });

  test("a catalogue from before 1970 has the first second that readers accept as a time", () => {
    const { metadata, table } = catalogueOf([["10.0.0.0/8", "ten"]]);
    for (const [createdAt, epoch] of [
      ["1969-07-20T20:17:40Z", 1],
      ["1970-01-01T00:00:00Z", 1],
      ["1970-01-01T00:00:02Z", 2],
    ] as const) {
      const tree = new CatalogueTree(new Catalogue({ ...metadata, createdAt }, table));
      assert.equal(new Reader<Response>(bytesOf(tree, "mmdb")).metadata.buildEpoch.getTime(), epoch * 1000);
    }
  });

  test("the same catalogue yields the same bytes", () => {
    for (const [, tree] of all.slice(0, 3))
      assert.deepEqual(bytesOf(new CatalogueTree(tree.catalogue), "mmdb"), bytesOf(tree, "mmdb"));
  });

  test("random catalogues", () => {
    let count = 0;
    fc.assert(
      fc.property(randomLines, (lines) => {
        const tree = new CatalogueTree(catalogueOf(lines));
        count += compareMmdb(tree, new Reader<Response>(bytesOf(tree, "mmdb")), 1);
      }),
      { numRuns: rounds({ short: 100, long: 300 }) },
    );
    assert.ok(count > 1000);
  });

  test("negative control: a record that is off by one is detected", () => {
    const tree = all[0]![1];
    const bytes = bytesOf(tree, "mmdb");
    const { searchTreeSize } = new Reader<Response>(bytes).metadata;
    let noticed = 0;
    for (let at = 2; at < searchTreeSize; at += 96) {
      const corrupt = Buffer.from(bytes);
      corrupt[at]! ^= 1;
      try {
        compareMmdb(tree, new Reader<Response>(corrupt), 1);
      } catch {
        noticed++;
      }
    }
    assert.ok(noticed > 0);
  });
});

describe("records of every width", () => {
  const tree = all[0]![1];
  for (const recordSize of [24, 28, 32] as const) {
    test(`${recordSize} bits`, () => {
      const search = new MmdbTree();
      for (const family of [6, 4] as const)
        for (const { prefix, match } of tree.catalogue.table.entries(family)) search.add(prefix, match);
      // The largest values that the width can hold, so that every bit of it is used.
      const top = 2 ** recordSize - 1;
      const written = (size: 24 | 28 | 32, offsetOf: (match: number) => number) =>
        Buffer.concat([...search.write(size, offsetOf)]);
      const bytes = written(recordSize, (match) => top - match);
      const found = new Set(recordsOf(bytes, recordSize));
      for (const match of search.values()) if (match !== "") assert.ok(found.has(top - match));
      assert.equal(bytes.length, (search.nodeCount * recordSize) / 4);
      const small = recordsOf(
        written(24, (match) => 2 ** 24 - 1 - match),
        24,
      );
      const wide = recordsOf(
        written(recordSize, (match) => 2 ** 24 - 1 - match),
        recordSize,
      );
      assert.deepEqual(wide, small);
    });
  }
});

describe("rules, read by mmdb-lib", () => {
  const NOW = Date.UTC(2026, 10, 28);
  const readerOf = (rules: readonly Rule[]) =>
    new Reader<Response>(Buffer.concat([...exportRules(rules, "mmdb", { now: NOW })].map((part) => Buffer.from(part))));

  /** What the rules say of an address, by looking at each of them. */
  function expected(rules: readonly Rule[], address: Address): object | null {
    const covering = rules.filter(({ prefix }) =>
      prefixContains(prefix, { ...address, length: addressBits(address.family) }),
    );
    if (covering.length === 0) return null;
    const names = [...new Set(covering.map(({ name }) => name).filter((name) => name !== null && name !== ""))].sort();
    const expiries = covering.map(({ expiresAt }) => expiresAt ?? Infinity);
    const last = Math.max(...expiries);
    return {
      names,
      ...(last < Infinity && { expires_at: new Date(last).toISOString() }),
      prefix_length: Math.max(...covering.map(({ prefix }) => prefix.length)),
    };
  }

  /** The addresses at both ends of each rule, and beside them. */
  function compareRules(rules: readonly Rule[], reader: Reader<Response>): number {
    const ends = rules.flatMap(({ prefix }) => [prefix, lastAddress(prefix)]);
    const addresses = ends.flatMap((address) => [neighbour(address, -1), neighbour(address, 0), neighbour(address, 1)]);
    for (const address of addresses) {
      if (isInMmdbIpv4(address)) continue;
      assert.deepEqual(reader.get(formatAddress(address)), expected(rules, address), formatAddress(address));
    }
    return addresses.length;
  }

  const ours = anyRules.map((rules) => rules.filter(({ prefix }) => !isInMmdbIpv4(prefix)));

  test("an address has the names of all rules that cover it, and the last of their ends", () => {
    let count = 0;
    fc.assert(
      fc.property(ours, (rules) => void (count += compareRules(rules, readerOf(rules)))),
      { numRuns: rounds({ short: 200, long: 5000 }) },
    );
    assert.ok(count > 1000);
    const { metadata } = readerOf([]);
    assert.deepEqual([metadata.databaseType, metadata.buildEpoch.getTime()], ["ipsieve-rules", NOW]);
  });

  test("negative control: a rule that is left out is missed", () => {
    const rules = ["10.0.0.0/8", "10.1.0.0/16"].map((text): Rule => ({
      prefix: parsePrefix(text),
      name: text,
      expiresAt: null,
      createdAt: 0,
      updatedAt: 0,
    }));
    assert.throws(() => compareRules(rules, readerOf(rules.slice(0, 1))), /^AssertionError.*: 10\.1\.0\.0$/m);
  });

  test("libmaxminddb reads the same", { skip: missingCommand("mmdblookup", "--version", "mmdb-bin") }, () => {
    const folder = temporaryFolder();
    const rule = (text: string, name: string | null, expiresAt: number | null): Rule => ({
      prefix: parsePrefix(text),
      name,
      expiresAt,
      createdAt: 0,
      updatedAt: 0,
    });
    const rules = [
      rule("10.0.0.0/8", "wide", NOW),
      rule("10.1.0.0/16", "narrow", NOW + 1),
      rule("2001:db8::/32", null, null),
    ];
    const file = join(folder.path, "rules.mmdb");
    writeFileSync(file, Buffer.concat([...exportRules(rules, "mmdb", { now: NOW })].map((part) => Buffer.from(part))));
    const lookedUp = (...args: string[]) =>
      spawnSync("mmdblookup", ["--file", file, "--ip", ...args], { encoding: "utf8" });
    for (const [ip, member, told] of [
      ["10.1.2.3", "names", ["narrow", "wide"]],
      ["10.2.0.0", "names", ["wide"]],
      ["10.1.2.3", "expires_at", [new Date(NOW + 1).toISOString()]],
      ["2001:db8::1", "names", []],
    ] as const) {
      const { status, stdout } = lookedUp(ip, member);
      assert.equal(status, 0, ip);
      assert.deepEqual(
        Array.from(stdout.matchAll(/"(.*)"/g), ([, text]) => text),
        told,
      );
    }
    assert.match(lookedUp("11.0.0.0").stderr, /Could not find an entry/);
    folder.remove();
  });

  test("a rule for IPv6 addresses where the format keeps IPv4 is an error, not left out", () => {
    for (const text of ["::1/128", "::192.0.2.0/120"]) {
      const rule = { prefix: parsePrefix(text), name: null, expiresAt: null, createdAt: 0, updatedAt: 0 };
      assert.throws(() => readerOf([rule]), /mmdb cannot express ::.*MMDB keeps IPv4 at ::\/96/);
    }
  });
});

/** Reads records one bit at a time, in the order left, right. */
function recordsOf(bytes: Uint8Array, recordSize: number): number[] {
  const records: number[] = [];
  for (let at = 0; at < bytes.length; at += recordSize / 4) {
    const node = bytes.subarray(at, at + recordSize / 4);
    const number = (part: Iterable<number>): number => [...part].reduce((value, byte) => value * 256 + byte, 0);
    if (recordSize === 28)
      records.push(number([node[3]! >> 4, ...node.subarray(0, 3)]), number([node[3]! & 15, ...node.subarray(4)]));
    else records.push(number(node.subarray(0, recordSize / 8)), number(node.subarray(recordSize / 8)));
  }
  return records;
}

test("sizes and pointers at the limits of their encodings are read back", () => {
  for (const size of [0, 1, 28, 29, 30, 284, 285, 286, 65_820, 65_821, 65_822, 70_000]) {
    const text = "x".repeat(size);
    assert.equal(readRecord([["text", [text]]]).text[0].length, size);
  }
  for (const count of [0, 28, 29, 284, 285, 286]) {
    const texts = Array.from({ length: count }, (_, i) => `t${i}`);
    assert.deepEqual(readRecord([["list", texts]]).list, texts);
  }
  // The second "again" is a pointer to the first, which is at this byte offset.
  for (const place of [
    0, 2000, 2047, 2048, 2049, 345_678, 526_000, 526_335, 526_336, 526_337, 9_876_543, 140_000_000,
  ]) {
    const { first, second } = readRecord([
      ["before", ["y".repeat(Math.min(place, 16_000_000))]],
      ...fillers(place),
      ["first", ["again"]],
      ["second", ["z", "again"]],
    ]);
    assert.deepEqual([first, second], [["again"], ["z", "again"]]);
  }
  const data = new MmdbData().text("again and again");
  const { byteLength } = data;
  assert.equal(data.text("again and again").byteLength, byteLength + 2, "a pointer");
  for (const number of [0, 1, 255, 256, 65_535, 4_294_967_295]) assert.equal(readRecord([["n", number]]).n, number);
});

function fillers(place: number): [string, string[]][] {
  return place < 16_000_000 ? [] : Array.from({ length: 8 }, (_, i) => [`filler${i}`, [String(i).repeat(16_000_000)]]);
}

/** A database with only this record, read by mmdb-lib. */
function readRecord(members: readonly (readonly [string, MmdbValue])[]): any {
  const data = new MmdbData();
  assert.equal(data.addRecord(Object.fromEntries(members)), 0);
  const search = new MmdbTree();
  search.add(parsePrefix("0.0.0.0/0"), 1);
  const bytes = Buffer.concat([...mmdbFile(search, data, () => 0, { type: "test", title: "", buildSeconds: 1 })]);
  return new Reader<Response>(bytes).get("1.1.1.1");
}

test("the metadata has no pointers, which readers look up in the data", () => {
  const bytes = Buffer.from(bytesOf(all[3]![1], "mmdb"));
  const metadata = bytes.subarray(bytes.lastIndexOf("MaxMind.com"));
  // An array of one text of two bytes: the same one as the key of the description.
  assert.ok(metadata.includes("languages\u0001\u0004Ben") && metadata.includes("description\u00e1Ben", "latin1"));
});

test("the time of the build is that of the catalogue", () => {
  assert.equal(new Reader<Response>(bytesOf(all[3]![1], "mmdb")).metadata.buildEpoch.getTime(), CREATED.getTime());
});

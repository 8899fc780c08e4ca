import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Address } from "../../../src/address/address.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { CatalogueTree } from "../../../src/cbs/catalogue-tree.ts";
import { clickhouseDdl } from "../../../src/cbs/exports/clickhouse.ts";
import type { ExportFormat } from "../../../src/cbs/exports/export.ts";
import { identify } from "../../../src/cbs/identify.ts";
import { catalogueOf } from "../catalogues.ts";
import { bound, bytesOf, entriesOf, LongestMatch, linesOf, probes, randomLines, subjects } from "./subjects.ts";

const all = await subjects();
const isLarge = (tree: CatalogueTree): boolean => tree.catalogue.table.prefixCount(4) > 1000;
const hard = all[0]![1];

/** The fields of a CSV line, quoted or not. */
function csvFields(line: string): string[] {
  const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!);
  return fields.map((field) => (field.startsWith("'") ? field.slice(1) : field));
}

/** What each line says, as a reader of the format takes it: a prefix and its ids. Throws for a line that is none. */
const readers: Record<Exclude<ExportFormat, "mmdb">, (lines: string[]) => [prefix: string, ids: string[]][]> = {
  csv: ([header, ...lines]) => {
    assert.equal(header, "cidr,cbs_id,type,provider,service,region,label");
    const byPrefix = new Map<string, string[]>();
    for (const line of lines) {
      const fields = csvFields(line);
      assert.equal(fields.length, 7, line);
      const ids = byPrefix.get(fields[0]!) ?? [];
      byPrefix.set(fields[0]!, ids);
      ids.push(fields[1]!);
    }
    return [...byPrefix];
  },
  jsonl: (lines) => lines.map((line) => JSON.parse(line)).map(({ cidr, cbs_ids }) => [cidr, cbs_ids]),
  nginx: (lines) =>
    lines.map((line) => {
      const [, prefix, value] = /^([0-9a-f.:/]+) "((?:[^"\\]|\\["\\])*)";$/.exec(line) ?? [];
      assert.ok(prefix !== undefined && value !== undefined, line);
      return [prefix, value.replace(/\\(.)/g, "$1").split(",")];
    }),
  haproxy: (lines) =>
    lines.map((line) => {
      const space = line.indexOf(" ");
      const prefix = line.slice(0, space);
      const isStop = line.slice(space + 1) === "-" && ["0.0.0.0/0", "::/96", "2002::/16"].includes(prefix);
      return [prefix, isStop ? [] : line.slice(space + 1).split(",")];
    }),
  clickhouse: (lines) =>
    lines.map((line) => {
      const cells = line.split("\t");
      assert.equal(cells.length, 8, line);
      assert.equal(Number(cells[7]), parsePrefix(cells[0]!).length);
      return [formatPrefix(parsePrefix(cells[0]!)), arrayOf(cells[1]!)];
    }),
};

/** A ClickHouse array of texts: quotes and backslashes stand behind a backslash. */
function arrayOf(cell: string): string[] {
  assert.match(cell, /^\[(?:'(?:[^'\\]|\\['\\])*'(?:,(?='))?)*\]$/);
  return [...cell.matchAll(/'((?:[^'\\]|\\['\\])*)'/g)].map(([, text]) => text!.replace(/\\(.)/g, "$1"));
}

/** As `deepEqual`, which takes seconds for hundreds of thousands of lines. */
function same(read: readonly [string, string[]][], expected: readonly [string, string[]][]): void {
  assert.equal(read.length, expected.length);
  for (const [i, [prefix, ids]] of read.entries()) {
    if (prefix !== expected[i]![0] || ids.join() !== expected[i]![1].join()) assert.deepEqual([prefix, ids], expected[i]);
  }
}

for (const format of ["csv", "jsonl"] as const) {
  describe(format, () => {
    for (const [name, tree] of all) {
      test(`${name}: read back, it is the same catalogue`, () => {
        const read = readers[format](linesOf(tree, format));
        const { catalogue } = tree;
        const expected = [...entriesOf(bound(catalogue))].map(({ prefix, own }): [string, string[]] => [formatPrefix(prefix), own]);
        same(read, expected);
        if (isLarge(tree)) return;
        const again = catalogueOf(read.map(([prefix, ids]) => [prefix, ...ids]), Object.fromEntries(catalogue.nodes.map(({ id, name }) => [id, name])));
        for (const address of probes(catalogue)) {
          const text = formatAddress(address);
          assert.deepEqual(identify(again, address, text), identify(catalogue, address, text));
        }
      });
    }
  });
}

for (const format of ["nginx", "haproxy", "clickhouse"] as const) {
  describe(format, () => {
    for (const [name, tree] of all) {
      test(`${name}: the most specific line has the nodes of all covering prefixes`, () => {
        const read = readers[format](linesOf(tree, format));
        const { catalogue } = tree;
        const expected = [...entriesOf(bound(catalogue))].map(({ prefix, all: ids }): [string, string[]] => [formatPrefix(prefix), ids]);
        const isStop = ([, ids]: [string, string[]]): boolean => ids.length === 0;
        same(read.filter((line) => !isStop(line)), expected);
        const longest = new LongestMatch<string[]>();
        for (const [prefix, ids] of read) longest.add(prefix, ids);
        const known = new Map<number, string>();
        let at = 0;
        for (const address of probes(catalogue, isLarge(tree) ? 50 : 1)) {
          // The lines are those of the table, as has just been seen: a tenth of the addresses shows how they are read.
          if (at++ % 10 !== 0 && isLarge(tree)) continue;
          const match = catalogue.table.lookupAddress(address);
          if (!known.has(match)) known.set(match, catalogue.nodesOf(match).map(({ id }) => id).join());
          assert.equal((longest.get(address) ?? []).join(), known.get(match));
        }
      });
    }
  });
}

describe("readers that look IPv4 up as mapped IPv6 get no answer of an IPv6 prefix", () => {
  const tree = all[1]![1];
  for (const format of ["haproxy", "clickhouse"] as const) {
    test(format, () => {
      const longest = new LongestMatch<string[]>();
      for (const [prefix, ids] of readers[format](linesOf(tree, format))) longest.add(prefix, ids);
      const asMapped = (address: Address): string[] | undefined => longest.get(address) ?? longest.get({ family: 6, w0: 0, w1: 0, w2: 0xffff, w3: address.w0 });
      assert.deepEqual(asMapped({ family: 4, w0: 0x0a000001, w1: 0, w2: 0, w3: 0 }), ["ten"]);
      assert.deepEqual(asMapped({ family: 4, w0: 0x0b000001, w1: 0, w2: 0, w3: 0 }), []);
    });
  }
});

test("what stands in a line, whole", () => {
  assert.ok(linesOf(hard, "csv").includes("10.1.0.0/16,/cloud/aws/by-service/ec2/us-east-1,cloud,aws,ec2,us-east-1,Cloud > aws > By service > ec2 > us-east-1"));
  assert.ok(linesOf(hard, "csv").includes("10.1.2.3,'=1+1,list,'=1+1,,,'=1+1"));
  assert.ok(
    linesOf(hard, "jsonl").includes(
      '{"cidr":"2001:db8::/32","cbs_ids":["/saas/docs/pages"],"labels":["SaaS > docs > pages"],"providers":["docs"],"types":["saas"],"services":["pages"],"regions":[]}',
    ),
  );
  assert.ok(linesOf(hard, "nginx").includes('10.1.0.0/16 "/cloud/aws,/cloud/aws/by-region/us-east-1/ec2,/cloud/aws/by-service/ec2/us-east-1,everything";'));
  assert.ok(linesOf(hard, "nginx").some((line) => line.includes('it\'s \\"quoted\\" \\\\ \\\\n; {x} $y #z')));
  assert.ok(linesOf(hard, "haproxy").includes("10.0.0.0/8 /cloud/aws,everything"));
  assert.ok(linesOf(hard, "clickhouse").includes("10.0.0.0/8\t['/cloud/aws','everything']\t['Cloud > aws','everything']\t['aws','everything']\t['cloud','list']\t[]\t[]\t8"));
});

test("the same catalogue gives the same bytes", () => {
  const again = new CatalogueTree(catalogueOf([...randomOrder(linesBack(hard))]));
  for (const format of ["csv", "jsonl", "nginx", "haproxy", "clickhouse"] as const) assert.deepEqual(bytesOf(again, format), bytesOf(hard, format));
});

function linesBack(tree: CatalogueTree): [string, ...string[]][] {
  return [...entriesOf(bound(tree.catalogue))].map(({ prefix, own }) => [formatPrefix(prefix), ...own] as [string, ...string[]]);
}

function randomOrder<Item>(items: readonly Item[]): Item[] {
  return [...items].reverse();
}

for (const [format, most] of [["nginx", 4000], ["haproxy", 16_000]] as const) {
  test(`${format} cannot read endless words, and is not given any`, () => {
    const treeOf = (count: number): CatalogueTree => new CatalogueTree(catalogueOf([["192.0.2.0/24", ...Array.from({ length: count }, (_, i) => String(i).padStart(49, "x"))]]));
    // 49 bytes each, and a comma between them.
    assert.throws(() => bytesOf(treeOf(most / 50 + 1), format), { name: "CatalogueError", code: "unexportable", message: new RegExp(`${most} bytes`) });
    assert.ok(linesOf(treeOf(most / 50), format).some((line) => line.length > most));
  });
}

test("the statements of ClickHouse name the columns in the order of the rows", () => {
  const ddl = clickhouseDdl("mine");
  const columns = [...ddl.matchAll(/^ {2}(\w+) /gm)].map(([, column]) => column);
  const expected = ["prefix", "cbs_ids", "labels", "providers", "types", "services", "regions", "prefix_length"];
  assert.deepEqual(columns, [...expected, ...expected]);
  assert.match(ddl, /CREATE OR REPLACE DICTIONARY mine\n[^]*LAYOUT\(IP_TRIE\)/);
});

test("random catalogues: every format holds all prefixes with their ids", () => {
  fc.assert(
    fc.property(randomLines, (lines) => {
      const tree = new CatalogueTree(catalogueOf(lines));
      const expected = [...entriesOf(bound(tree.catalogue))];
      for (const format of ["csv", "jsonl", "nginx", "haproxy", "clickhouse"] as const) {
        const member = format === "csv" || format === "jsonl" ? "own" : "all";
        const read = readers[format](linesOf(tree, format)).filter(([, ids]) => ids.length > 0);
        assert.deepEqual(read, expected.map((entry) => [formatPrefix(entry.prefix), entry[member]]));
      }
    }),
    { numRuns: 300 },
  );
});

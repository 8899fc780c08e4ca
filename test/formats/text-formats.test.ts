import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Address } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { formatPrefix } from "../../src/address/prefix.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { clickhouseDdl } from "../../src/formats/data/clickhouse.ts";
import { identify } from "../../src/cbs/identify.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { bound, bytesOf, entriesOf, LongestMatch, linesOf, probes, randomLines, subjects } from "./subjects.ts";
import { readers, same } from "./text-readers.ts";
import { oneOf, onlyLong, rounds } from "../rounds.ts";

const all = await subjects();
const isLarge = (tree: CatalogueTree): boolean => tree.catalogue.table.prefixCount(4) > 1000;
const hard = all[0]![1];
/** CSV, and in each run another one, are read back of the bundled catalogue too, which takes seconds. */
const ofLarge = ["csv", oneOf(["jsonl", "nginx", "haproxy", "clickhouse"])];
const subjectsOf = (format: string) => all.filter(([, tree]) => !isLarge(tree) || ofLarge.includes(format));

for (const format of ["csv", "jsonl"] as const) {
  describe(format, () => {
    for (const [name, tree] of subjectsOf(format)) {
      test(
        `${name}: it is read back as the same catalogue`,
        { skip: isLarge(tree) && format !== "csv" && onlyLong() },
        () => {
          const read = readers[format](linesOf(tree, format));
          const { catalogue } = tree;
          const expected = [...entriesOf(bound(catalogue))].map(({ prefix, own }): [string, string[]] => [
            formatPrefix(prefix),
            own,
          ]);
          same(read, expected);
          if (isLarge(tree)) return;
          const again = catalogueOf(
            read.map(([prefix, ids]) => [prefix, ...ids]),
            Object.fromEntries(catalogue.nodes.map(({ id, name }) => [id, name])),
          );
          for (const address of probes(catalogue)) {
            const text = formatAddress(address);
            assert.deepEqual(identify(again, address, text), identify(catalogue, address, text));
          }
        },
      );
    }
  });
}

for (const format of ["nginx", "haproxy", "clickhouse"] as const) {
  describe(format, () => {
    for (const [name, tree] of subjectsOf(format)) {
      test(
        `${name}: the most specific line has the nodes of all covering prefixes`,
        { skip: isLarge(tree) && onlyLong() },
        () => {
          const read = readers[format](linesOf(tree, format));
          const { catalogue } = tree;
          const expected = [...entriesOf(bound(catalogue))].map(({ prefix, all: ids }): [string, string[]] => [
            formatPrefix(prefix),
            ids,
          ]);
          const isStop = ([, ids]: [string, string[]]): boolean => ids.length === 0;
          same(
            read.filter((line) => !isStop(line)),
            expected,
          );
          const longest = new LongestMatch<string[]>();
          for (const [prefix, ids] of read) longest.add(prefix, ids);
          const known = new Map<number, string>();
          let at = 0;
          for (const address of probes(catalogue, isLarge(tree) ? 50 : 1)) {
            // The lines were just shown to be those of the table, so a tenth of the addresses is enough to show how
            // they are read.
            if (at++ % 10 !== 0 && isLarge(tree)) continue;
            const match = catalogue.table.lookupAddress(address);
            if (!known.has(match))
              known.set(
                match,
                catalogue
                  .nodesOf(match)
                  .map(({ id }) => id)
                  .join(),
              );
            assert.equal((longest.get(address) ?? []).join(), known.get(match));
          }
        },
      );
    }
  });
}

describe("readers that look up IPv4 as mapped IPv6 get no result from an IPv6 prefix", () => {
  const tree = all[1]![1];
  for (const format of ["haproxy", "clickhouse"] as const) {
    test(format, () => {
      const longest = new LongestMatch<string[]>();
      for (const [prefix, ids] of readers[format](linesOf(tree, format))) longest.add(prefix, ids);
      const asMapped = (address: Address): string[] | undefined =>
        longest.get(address) ?? longest.get({ family: 6, w0: 0, w1: 0, w2: 0xffff, w3: address.w0 });
      assert.deepEqual(asMapped({ family: 4, w0: 0x0a000001, w1: 0, w2: 0, w3: 0 }), ["ten"]);
      assert.deepEqual(asMapped({ family: 4, w0: 0x0b000001, w1: 0, w2: 0, w3: 0 }), []);
    });
  }
});

test("complete lines", () => {
  assert.ok(
    linesOf(hard, "csv").includes(
      "10.1.0.0/16,/cloud/aws/by-service/ec2/us-east-1,cloud,aws,ec2,us-east-1,Cloud > aws > By service > ec2 > us-east-1",
    ),
  );
  assert.ok(linesOf(hard, "csv").includes("10.1.2.3,'=1+1,list,'=1+1,,,'=1+1"));
  assert.ok(
    linesOf(hard, "jsonl").includes(
      '{"cidr":"2001:db8::/32","cbs_ids":["/saas/docs/pages"],"labels":["SaaS > docs > pages"],"providers":["docs"],"types":["saas"],"services":["pages"],"regions":[]}',
    ),
  );
  assert.ok(
    linesOf(hard, "nginx").includes(
      '10.1.0.0/16 "/cloud/aws,/cloud/aws/by-region/us-east-1/ec2,/cloud/aws/by-service/ec2/us-east-1,everything";',
    ),
  );
  assert.ok(linesOf(hard, "nginx").some((line) => line.includes('it\'s \\"quoted\\" \\\\ \\\\n; {x} $y #z')));
  assert.ok(linesOf(hard, "haproxy").includes("10.0.0.0/8 /cloud/aws,everything"));
  assert.ok(
    linesOf(hard, "clickhouse").includes(
      "10.0.0.0/8\t['/cloud/aws','everything']\t['Cloud > aws','everything']\t['aws','everything']\t['cloud','list']\t[]\t[]\t8",
    ),
  );
});

test("the same catalogue yields the same bytes", () => {
  const again = new CatalogueTree(catalogueOf([...randomOrder(linesBack(hard))]));
  for (const format of ["csv", "jsonl", "nginx", "haproxy", "clickhouse"] as const)
    assert.deepEqual(bytesOf(again, format), bytesOf(hard, format));
});

function linesBack(tree: CatalogueTree): [string, ...string[]][] {
  return [...entriesOf(bound(tree.catalogue))].map(
    ({ prefix, own }) => [formatPrefix(prefix), ...own] as [string, ...string[]],
  );
}

function randomOrder<Item>(items: readonly Item[]): Item[] {
  return [...items].reverse();
}

const manyIds = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i).padStart(49, "x"));

test("HAProxy cannot read values of any length, and gets none that are too long", () => {
  const treeOf = (count: number): CatalogueTree =>
    new CatalogueTree(catalogueOf([["192.0.2.0/24", ...manyIds(count)]]));
  // 49 bytes each, with a comma between them.
  assert.throws(() => bytesOf(treeOf(321), "haproxy"), {
    name: "CatalogueError",
    code: "unexportable",
    message: /16000 bytes, .* take 16049/,
  });
  assert.ok(linesOf(treeOf(320), "haproxy").some((line) => line.length > 16_000));
});

test("nginx cannot read words of any length, and gets several instead", () => {
  const tree = new CatalogueTree(
    catalogueOf([
      ["192.0.2.0/24", ...manyIds(80)],
      ["192.0.2.0/25", "one"],
      ["198.51.100.0/24", ...manyIds(81).map((id) => `é"\\💡$${id}`)],
    ]),
  );
  const lines = linesOf(tree, "nginx");
  assert.deepEqual(Math.max(...lines.map((line) => Buffer.byteLength(line))) < 4096, true);
  assert.deepEqual(
    lines.filter((line) => line.endsWith(' ",1";') || line.endsWith(' ",2";')).map((line) => line.split(" ")[0]),
    ["192.0.2.0/25", "198.51.100.0/24"],
  );
  same(
    readers.nginx(lines),
    [...entriesOf(bound(tree.catalogue))].map(({ prefix, all: ids }) => [formatPrefix(prefix), ids]),
  );
});

test("the statements of ClickHouse name the columns in the order of the rows", () => {
  const ddl = clickhouseDdl("mine");
  const columns = [...ddl.matchAll(/^ {2}(\w+) /gm)].map(([, column]) => column);
  const expected = ["prefix", "cbs_ids", "labels", "providers", "types", "services", "regions", "prefix_length"];
  assert.deepEqual(columns, [...expected, ...expected]);
  assert.match(ddl, /CREATE OR REPLACE DICTIONARY mine\n[^]*LAYOUT\(IP_TRIE\)/);
});

test("random catalogues: every format has all prefixes with their ids", () => {
  fc.assert(
    fc.property(randomLines, (lines) => {
      const tree = new CatalogueTree(catalogueOf(lines));
      const expected = [...entriesOf(bound(tree.catalogue))];
      for (const format of ["csv", "jsonl", "nginx", "haproxy", "clickhouse"] as const) {
        const member = format === "csv" || format === "jsonl" ? "own" : "all";
        const read = readers[format](linesOf(tree, format)).filter(([, ids]) => ids.length > 0);
        assert.deepEqual(
          read,
          expected.map((entry) => [formatPrefix(entry.prefix), entry[member]]),
        );
      }
    }),
    { numRuns: rounds({ short: 60, long: 120 }) },
  );
});

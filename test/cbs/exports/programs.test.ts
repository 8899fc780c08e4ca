import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Address } from "../../../src/address/address.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { CatalogueTree } from "../../../src/cbs/catalogue-tree.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { catalogueOf } from "../catalogues.ts";
import { clickhouse } from "./programs/clickhouse.ts";
import { haproxy } from "./programs/haproxy.ts";
import { mmdblookup } from "./programs/mmdblookup.ts";
import { nginx } from "./programs/nginx.ts";
import type { Program } from "./programs/program.ts";
import { probes, subjects } from "./subjects.ts";

const all = await subjects();
const folder = temporaryFolder();
after(() => folder.remove());

/** Compares the answers of the program with those of the catalogue; gives the number of the addresses, and of those that something covers. */
async function compare(program: Program, tree: CatalogueTree): Promise<[asked: number, found: number]> {
  const addresses = sampleOf(tree, program.most);
  const own = join(folder.path, String(++runs));
  mkdirSync(own);
  const answers = await program.answers(tree, addresses, own);
  assert.equal(answers.length, addresses.length);
  let found = 0;
  for (const [at, address] of addresses.entries()) {
    if (answers[at] !== program.expected(tree, address)) assert.equal(answers[at], program.expected(tree, address), formatAddress(address));
    if (tree.catalogue.table.lookupAddress(address) !== 0) found++;
  }
  return [addresses.length, found];
}
let runs = 0;

/** Whatever the catalogue: the ends of both families, and forms of IPv6 that hold the IPv4 address 10.1.2.3, which some programs look up instead. */
const ALWAYS = ["0.0.0.0", "9.9.9.9", "255.255.255.255", "::", "::1", "ffff::", "2001:4860::", "::a01:203", "2002:a01:203::", "64:ff9b::a01:203", "::fffe:a01:203", "::ffff:0:a01:203"];

function sampleOf(tree: CatalogueTree, most: number): Address[] {
  const addresses = [...probes(tree.catalogue)];
  const step = Math.ceil(addresses.length / most);
  return [...ALWAYS.map(parseAddress), ...addresses.filter((_, at) => at % step === 0)];
}

for (const program of [clickhouse, mmdblookup, nginx, haproxy]) {
  describe(`exported and read by ${program.name}`, { skip: program.missing }, () => {
    for (const [name, tree] of all) {
      test(`${name}: every answer is that of the catalogue`, async (t) => {
        const [asked, found] = await compare(program, tree);
        t.diagnostic(`${asked} addresses, ${found} found`);
        assert.equal(found > asked / 4, tree.catalogue.table.matchCount > 0);
      });
    }

    test("as many nodes of one prefix as any format has room for", async () => {
      const ids = Array.from({ length: 80 }, (_, i) => String(i).padStart(49, "x"));
      await compare(program, new CatalogueTree(catalogueOf([["10.0.0.0/8", ...ids], ["2001:4860::/32", "short"]])));
    });

    test("negative control: the answers of another catalogue are noticed", async () => {
      const other = new CatalogueTree(catalogueOf([["10.0.0.0/9", "/cloud/aws"], ["2001:db8::/32", "/saas/docs"]]));
      const answersOfOther: Program = { ...program, answers: (_tree, addresses, own) => program.answers(other, addresses, own) };
      await assert.rejects(compare(answersOfOther, all[0]![1]), { name: "AssertionError", message: /^[0-9a-f.:]+\n/ });
    });
  });
}

import assert from "node:assert/strict";
import type { Address } from "../../../src/address/address.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import { parseAddress } from "../../../src/address/parse-address.ts";
import type { CatalogueTree } from "../../../src/cbs/catalogue-tree.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { probes } from "../subjects.ts";
import { clickhouse } from "./clickhouse.ts";
import { haproxy } from "./haproxy.ts";
import { mmdblookup } from "./mmdblookup.ts";
import { nginx } from "./nginx.ts";
import type { Program } from "./program.ts";

export const PROGRAMS: readonly Program[] = [clickhouse, mmdblookup, nginx, haproxy];

/**
 * Compares the program's answers with the catalogue; returns the number of addresses, and how many of them something
 * covers.
 */
export async function compareProgram(program: Program, tree: CatalogueTree): Promise<[asked: number, found: number]> {
  const addresses = sampleOf(tree, program.most);
  const folder = temporaryFolder();
  const answers = await program.answers(tree, addresses, folder.path).finally(() => folder.remove());
  assert.equal(answers.length, addresses.length);
  let found = 0;
  for (const [at, address] of addresses.entries()) {
    if (answers[at] !== program.expected(tree, address))
      assert.equal(answers[at], program.expected(tree, address), formatAddress(address));
    if (tree.catalogue.table.lookupAddress(address) !== 0) found++;
  }
  return [addresses.length, found];
}

/**
 * Included for every catalogue: the ends of both families, and IPv6 forms that contain the IPv4 address 10.1.2.3, which
 * some programs look up instead.
 */
const ALWAYS = [
  "0.0.0.0",
  "9.9.9.9",
  "255.255.255.255",
  "::",
  "::1",
  "ffff::",
  "2001:4860::",
  "::a01:203",
  "2002:a01:203::",
  "64:ff9b::a01:203",
  "::fffe:a01:203",
  "::ffff:0:a01:203",
];

/** Made once for the programs that are asked about one catalogue after the other. */
const probesOf = new WeakMap<CatalogueTree, readonly Address[]>();

function sampleOf(tree: CatalogueTree, most: number): Address[] {
  const addresses = probesOf.get(tree) ?? [...probes(tree.catalogue)];
  probesOf.set(tree, addresses);
  const step = Math.ceil(addresses.length / most);
  return [...ALWAYS.map(parseAddress), ...addresses.filter((_, at) => at % step === 0)];
}

/**
 * R6: compares identify with the linear oracle, over the catalogue of published lists, written and opened again, for
 * the given time and for at least a million addresses: `npm run torture -- identify --minutes 5 [--seed N] [--lists
 * DIR]`; DIR is IPSIEVE_LISTS by default. Prints the counts; exits 1 at the first disagreement. Starts with the
 * negative controls.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../../bench/data/random.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { importCatalogue } from "../../src/cbs/import-catalogue.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { brokenIdentifies, compareIdentify, namedPrefixes, NO_COUNTS, oracleOf } from "../cbs/identify-differential.ts";

const MIN_ADDRESSES = 1_000_000;
const ROUND = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    lists: { type: "string" },
  },
});
const lists = resolve(
  values.lists ?? process.env["IPSIEVE_LISTS"] ?? join(import.meta.dirname, "../../../shared/data/cbs"),
);
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes >= 0) || !Number.isInteger(seed)) throw new RangeError("--minutes takes a number, --seed an integer");

const read = (path: string): string | undefined =>
  existsSync(join(lists, path)) ? readFileSync(join(lists, path), "utf8") : undefined;
const { trie, metadata, reports } = importCatalogue(read, { title: "Published lists", createdAt: new Date() });
if (trie.size === 0) throw new Error(`no published lists in ${lists}; name their folder in IPSIEVE_LISTS`);
const folder = mkdtempSync(join(tmpdir(), "ipsieve-torture-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
await writeSnapshot(join(folder, "catalogue"), { table: freeze(trie), metadata, kind: "catalogue" });
const snapshot = await openSnapshot(join(folder, "catalogue"));
const catalogue = new Catalogue(snapshot.metadata, snapshot.table);
const named = namedPrefixes(trie, catalogue);
const oracle = oracleOf(named, catalogue);
const identify = (text: string) => identifyText(catalogue, text);
const sources = reports.filter(({ status }) => status === "imported").length;
console.log(
  `seed ${seed}; ${sources} sources, ${named.length} prefixes, ${catalogue.nodeCount} nodes, ${catalogue.table.matchCount} matches`,
);

for (const [what, broken] of Object.entries(brokenIdentifies(catalogue, identify))) {
  let noticed = false;
  try {
    compareIdentify(broken, named, oracle, new Random(seed), ROUND, { ...NO_COUNTS });
  } catch {
    noticed = true;
  }
  console.log(`negative control: ${what}: ${noticed ? "noticed" : "NOT noticed"}`);
  if (!noticed) process.exit(1);
}

const end = Date.now() + minutes * 60_000;
const random = new Random(seed);
const counts = { ...NO_COUNTS };
const compared = (): number => counts.inside + counts.edges + counts.outside;
try {
  while (Date.now() < end || compared() < MIN_ADDRESSES)
    compareIdentify(identify, named, oracle, random, ROUND, counts);
} catch (error) {
  console.error(`seed ${seed}:`, error);
  process.exit(1);
}
console.log(`${compared()} addresses, 0 disagreements: ${JSON.stringify(counts)}`);

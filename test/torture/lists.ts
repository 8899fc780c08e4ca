/**
 * Checks published lists with the programs that read them: `npm run torture -- lists [--addresses N] [--minutes N]
 * [--only PART_OF_NAME] [--seed N]`. Random rules, some of them expired, minus random excludes, until each program has
 * been queried about N addresses (10,000 by default) or the time is up. Prints the counts; exits 1 at the first
 * difference, with the seed that shows it. Starts with the negative controls of each program: a list that adds the
 * excludes back must be found, and so must one that contains expired rules.
 */
import { AssertionError } from "node:assert/strict";
import { parseArgs } from "node:util";
import { Random } from "../../bench/data/random.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import type { CompiledList } from "../../src/deployments/compile.ts";
import { CONSUMERS } from "../formats/consumers/all.ts";
import type { Consumer } from "../formats/consumers/consumer.ts";
import { type Case, checkPublished, compileCase, randomCase } from "../formats/consumers/published-lists.ts";

const { values } = parseArgs({
  options: {
    addresses: { type: "string", default: "10000" },
    minutes: { type: "string", default: "60" },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});

const BROKEN: Readonly<Record<string, (each: Case) => Case>> = {
  "adds the excludes back": (each) => ({ ...each, excludes: [] }),
  "keeps what has expired": (each) => ({ ...each, rules: each.rules.map((rule) => ({ ...rule, expiresAt: null })) }),
};

const firstSeed = Number(values.seed);
const end = Date.now() + Number(values.minutes) * 60_000;
let total = 0;
for (const consumer of CONSUMERS.filter(({ name }) => name.includes(values.only ?? ""))) {
  if (consumer.missing !== false) {
    console.log(`${consumer.name}: not asked: ${consumer.missing}`);
    continue;
  }
  for (const what of Object.keys(BROKEN)) await mustBeFound(consumer, what);
  let asked = 0;
  let seed = firstSeed;
  for (; asked < Number(values.addresses) && Date.now() < end; seed++) asked += await checked(consumer, seed);
  total += asked;
  console.log(`${consumer.name}: ${seed - firstSeed} lists, ${asked} addresses, 0 differences; both controls found`);
}
console.log(`seeds from ${firstSeed} on: ${total} addresses, 0 differences`);

async function checked(consumer: Consumer, seed: number): Promise<number> {
  try {
    return await checkPublished(consumer, randomCase(new Random(seed)));
  } catch (error) {
    console.error(`${consumer.name}, seed ${seed}:`, error);
    process.exit(1);
  }
}

/** Negative control: the program gets a list that was made from something else. */
async function mustBeFound(consumer: Consumer, what: string): Promise<void> {
  const { each, list } = caseThatShows(BROKEN[what]!);
  try {
    await checkPublished(consumer, each, list);
  } catch (error) {
    if (error instanceof AssertionError) return;
    throw error;
  }
  console.error(`${consumer.name}: a list that ${what} was not found`);
  process.exit(1);
}

/**
 * The first case in which the broken list differs at one of the addresses: in a third of the cases, expired rules make
 * no difference.
 */
function caseThatShows(broken: (each: Case) => Case): { each: Case; list: CompiledList } {
  for (let seed = firstSeed; ; seed++) {
    const each = randomCase(new Random(seed));
    const [right, list] = [compileCase(each), compileCase(broken(each))];
    const differs = (text: string): boolean =>
      right.addresses.has(parseAddress(text)) !== list.addresses.has(parseAddress(text));
    if (each.addresses.some(differs)) return { each, list };
  }
}

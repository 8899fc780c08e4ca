import { mkdtempSync, rmSync } from "node:fs";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Family } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { createPool, type Pool } from "../../src/batch/pool/pool.ts";
import { openRuleset, openRulesetSnapshot, saveRuleset } from "../../src/datasets/ruleset-files.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { restored, type Ruleset } from "../../src/rulesets/ruleset.ts";
import type { Snapshot } from "../../src/snapshot/snapshot.ts";
import { Random } from "../data/random.ts";
import { collectGarbage, type Measurement, type Part, summarize } from "./part.ts";

const SEED = 16;
const RULES = 1_000_000;
const ASKED = 1_000_000;
const ROUNDS = 5;
const WARM_UP = 1;
/** In a turn. The first one is not counted: the garbage collector's threads work beside it, on the same processors. */
const CALLS = 4;
const NOW = Date.UTC(2026, 10, 23);

/** Rules for single addresses of a family, and what is asked: half of it has a rule. */
interface Asked {
  readonly family: Family;
  readonly columns: Uint32Array;
  readonly words: Uint32Array;
  readonly texts: readonly string[];
  readonly isListed: Uint8Array;
  readonly listed: number;
}

/** By words of one address: the keys of `count` different addresses in order. */
function differentKeys(width: 1 | 4, count: number, random: Random): Uint32Array {
  const first = new Set<number>();
  while (first.size < count) first.add(random.word());
  const keys = new Uint32Array(count * width);
  Uint32Array.from(first)
    .sort()
    .forEach((word, at) => {
      keys[at * width] = width === 1 ? word : (0x2000_0000 | (word >>> 3)) >>> 0;
      // What is cut off above goes on here, so that they stay different and in order.
      if (width === 4) keys[at * width + 1] = (word << 29) >>> 0;
    });
  return keys;
}

/** One number per address: what an IPv6 address with a rule has beyond it is zero; -1 where it is not. */
function keyOf(words: Uint32Array, at: number, width: 1 | 4): number {
  if (width === 1) return words[at]!;
  const [w0, w1, w2, w3] = [words[4 * at]!, words[4 * at + 1]!, words[4 * at + 2]!, words[4 * at + 3]!];
  return w2 === 0 && w3 === 0 ? w0 * 8 + w1 / 2 ** 29 : -1;
}

function makeAsked(family: Family, random: Random): Asked {
  const width = family === 4 ? 1 : 4;
  const columns = differentKeys(width, RULES, random);
  const known = new Set<number>();
  for (let at = 0; at < RULES; at++) known.add(keyOf(columns, at, width));
  const words = new Uint32Array(ASKED * width);
  const isListed = new Uint8Array(ASKED);
  for (let at = 0; at < ASKED; at++) {
    const from = random.below(RULES) * width;
    words.set(columns.subarray(from, from + width), at * width);
    if (at % 2 === 0) words[at * width + width - 1] = random.word();
    isListed[at] = known.has(keyOf(words, at, width)) ? 1 : 0;
  }
  const texts = Array.from({ length: ASKED }, (_, at) => {
    const [w0, w1 = 0, w2 = 0, w3 = 0] = words.subarray(at * width, (at + 1) * width) as unknown as [number];
    return formatAddress({ family, w0, w1, w2, w3 });
  });
  return { family, columns, words, texts, isListed, listed: isListed.reduce((sum, each) => sum + each, 0) };
}

function indexOf({ family, columns }: Asked): RuleIndex {
  const index = RuleIndex.from([
    {
      family,
      words: columns,
      lengths: new Uint8Array(RULES).fill(family === 4 ? 32 : 128),
      names: new Array<null>(RULES).fill(null),
      expiresAt: new Float64Array(RULES).fill(Infinity),
      createdAt: new Float64Array(RULES).fill(NOW),
      updatedAt: new Float64Array(RULES).fill(NOW),
    },
  ]);
  for (const _ of index.freezing());
  return index;
}

/** Every answer is counted: the number of addresses with a rule must equal that of the list. */
function requireListed(subject: string, found: number, { listed }: Asked): void {
  if (found !== listed) throw new Error(`${subject}: ${found} in place of ${listed}`);
}

function countOf(matches: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < matches.length; at++) if (matches[at] !== 0) count++;
  return count;
}

/** The ways, in turns, every other round in the opposite order. */
async function inTurns(
  asked: Asked,
  ways: Readonly<Record<string, { readonly threads?: number; readonly answer: () => number | Promise<Uint32Array> }>>,
): Promise<Measurement[]> {
  const samples = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const order = Object.entries(ways);
    for (const [subject, { answer }] of round % 2 === 0 ? order : order.reverse()) {
      collectGarbage();
      for (let call = 0; call < CALLS; call++) {
        const start = performance.now();
        const found = await answer();
        const time = ((performance.now() - start) * 1e6) / ASKED;
        requireListed(subject, typeof found === "number" ? found : countOf(found), asked);
        if (round >= WARM_UP && call > 0) samples.set(subject, [...(samples.get(subject) ?? []), time]);
      }
    }
  }
  return Object.entries(ways).map(([subject, { threads }]) => ({
    subject,
    ...(threads !== undefined && { threads }),
    unit: "ns/lookup",
    ...summarize(samples.get(subject)!),
  }));
}

/** One by one, of an opened ruleset: from words and from texts. */
function singles(asked: Asked, ruleset: Ruleset): [words: () => number, texts: () => number] {
  const { family, words, texts } = asked;
  const ofWords = (): number => {
    let found = 0;
    if (family === 4) for (const word of words) found += ruleset.decide4(word, NOW) === 0 ? 0 : 1;
    else
      for (let at = 0; at < words.length; at += 4)
        found += ruleset.decide6(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!, NOW) === 0 ? 0 : 1;
    return found;
  };
  const ofTexts = (): number => {
    let found = 0;
    for (const text of texts) found += ruleset.decideText(text, NOW) === 0 ? 0 : 1;
    return found;
  };
  return [ofWords, ofTexts];
}

async function measureFamily(family: Family, folder: string, random: Random): Promise<Measurement[]> {
  const asked = makeAsked(family, random);
  const path = join(folder, `ipv${family}.ipsieve`);
  await saveRuleset(path, restored({ allowSpecialPurpose: true }, indexOf(asked), RULES));
  const snapshot: Snapshot = await openRulesetSnapshot(path);
  const pools: Pool[] = [];
  try {
    for (const threads of [1, 2]) pools.push(await createPool({ threads, snapshot }));
    const [ofWords, ofTexts] = singles(asked, await openRuleset(path));
    const name = `IPv${family}`;
    const options = { now: NOW };
    const inBulk = pools.map(({ threads }, at) => ({
      [`${name} words, pool of ${threads}`]: {
        threads,
        answer: async () => (await pools[at]!.lookupBatch(family, asked.words, options)).matches,
      },
      [`${name} texts, pool of ${threads}`]: {
        threads,
        answer: async () => (await pools[at]!.lookupTexts(asked.texts, options)).matches,
      },
    }));
    const ways = {
      ...inBulk[0],
      ...inBulk[1],
      [`${name} words, single checks`]: { answer: ofWords },
      [`${name} texts, single checks`]: { answer: ofTexts },
      [`${name} texts, net.BlockList`]: { answer: listOf(asked) },
    };
    return await inTurns(asked, ways);
  } finally {
    for (const pool of pools) await pool.close();
  }
}

/** Node's own list, with the same rules, asked for the same texts. */
function listOf({ family, columns, texts }: Asked): () => number {
  const list = new BlockList();
  const width = family === 4 ? 1 : 4;
  for (let at = 0; at < columns.length; at += width) {
    const [w0, w1 = 0, w2 = 0, w3 = 0] = columns.subarray(at, at + width) as unknown as [number];
    list.addAddress(formatAddress({ family, w0, w1, w2, w3 }), `ipv${family}`);
  }
  return () => {
    let found = 0;
    for (const text of texts) if (list.check(text, `ipv${family}`)) found++;
    return found;
  };
}

/** A warm pool on a million rules, beside one thread, single checks, and Node's own list. */
export const part: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-bench-"));
  const random = new Random(SEED);
  try {
    const measurements = [...(await measureFamily(4, folder, random)), ...(await measureFamily(6, folder, random))];
    const notes = [
      `pool: ${RULES} rules for single addresses, ${ASKED} addresses a call, half of them without a rule of their own`,
    ];
    return { measurements, refusals: [], notes };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

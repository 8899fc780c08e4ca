import { join } from "node:path";
import { Matcher } from "../../src/batch/engine/matcher.ts";
import { openRulesetSnapshot, saveRuleset } from "../../src/datasets/ruleset-files.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { restored } from "../../src/rulesets/ruleset.ts";
import { type Measurement, summarize } from "./part.ts";

const ROUNDS = 41;
/** Passes over the addresses in one sample. */
const PASSES = 5;

/** How many rules of a hundred have expired; null where no rule ever does. */
const FORMS = [null, 0, 2, 25] as const;

/** A batch of the kernel over one form of the rules, and how many addresses it must find. */
interface Form {
  readonly expired: (typeof FORMS)[number];
  readonly matcher: Matcher;
  readonly found: number;
  readonly samples: number[];
}

/**
 * Batches over the same rules without expiries and with them, in turns, every other round in the opposite order: what
 * skipping costs. `words` are addresses with a rule each, ascending; `asked` are looked up at `now`.
 */
export async function expiringBatches(
  words: Uint32Array,
  asked: Uint32Array,
  now: number,
  folder: string,
): Promise<Measurement[]> {
  const forms: Form[] = [];
  for (const expired of FORMS) {
    const isExpired = (at: number): boolean => expired !== null && (at * 61) % 100 < expired;
    const path = join(folder, "expiring.ipsieve");
    const index = indexOf(words, (at) => (expired === null ? Infinity : now + (isExpired(at) ? -1000 : 1e9)), now);
    await saveRuleset(path, restored({ allowSpecialPurpose: true }, index, words.length));
    const active = new Set(words.filter((_, at) => !isExpired(at)));
    const found = asked.reduce((sum, word) => sum + (active.has(word) ? 1 : 0), 0);
    forms.push({ expired, matcher: new Matcher(await openRulesetSnapshot(path)), found, samples: [] });
  }
  const out = new Uint32Array(asked.length);
  for (let round = 0; round <= ROUNDS; round++)
    for (const form of round % 2 === 0 ? forms : forms.toReversed()) {
      const time = measure(form, asked, out, now);
      if (round > 0) form.samples.push(time);
    }
  return forms.map(({ expired, samples }) => ({
    subject: `words in bulk, kernel, ${expired === null ? "rules without expiries" : `${expired} % of the rules expired`}`,
    unit: "ns/lookup",
    ...summarize(samples),
  }));
}

/** In nanoseconds an address. */
function measure({ expired, matcher, found }: Form, asked: Uint32Array, out: Uint32Array, now: number): number {
  const start = performance.now();
  for (let pass = 0; pass < PASSES; pass++) matcher.lookupBatchInto(4, asked, out, asked.length, now);
  const time = ((performance.now() - start) * 1e6) / (PASSES * asked.length);
  const count = out.reduce((sum, id) => sum + (id === 0 ? 0 : 1), 0);
  if (count !== found) throw new Error(`with ${expired} % expired, ${count} addresses were found in place of ${found}`);
  return time;
}

function indexOf(words: Uint32Array, expiryOf: (at: number) => number, now: number): RuleIndex {
  const index = RuleIndex.from([
    {
      family: 4,
      words,
      lengths: new Uint8Array(words.length).fill(32),
      names: new Array<null>(words.length).fill(null),
      expiresAt: Float64Array.from(words, (_, at) => expiryOf(at)),
      createdAt: new Float64Array(words.length).fill(now),
      updatedAt: new Float64Array(words.length).fill(now),
    },
  ]);
  for (const _ of index.freezing());
  return index;
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatAddress } from "../../src/address/format-address.ts";
import { openRuleset, saveRuleset } from "../../src/datasets/ruleset-files.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { restored } from "../../src/rulesets/ruleset.ts";
import { expiringBatches } from "./expiring-batches.ts";
import { collectGarbage, type Measurement, type Part, summarize } from "./part.ts";
import { severalSnapshots } from "./several-snapshots.ts";
import { run } from "./whole-command.ts";
import { randomWords } from "../../test/random-words.ts";

const SEED = 20_261_122;
const RULES = 1_000_000;
const ASKED = 200_000;
/** Texts of one bulk request. */
const BULK = 10_000;
const ROUNDS = 7;
const OPENS = 15;
const NOW = Date.UTC(2026, 10, 22);

const next = randomWords(SEED);

/** Random IPv4 addresses, half of them with an expiry, of which a sixth has passed. */
function makeIndex(): { index: RuleIndex; words: Uint32Array } {
  const distinct = new Set<number>();
  while (distinct.size < RULES) distinct.add(next());
  const words = Uint32Array.from(distinct).sort();
  const expiresAt = Float64Array.from(words, (_, at) => (at % 2 === 0 ? Infinity : NOW + ((at % 30) - 5) * 1000));
  const times = new Float64Array(RULES).fill(NOW);
  const names = new Array<string>(RULES).fill("bench");
  const lengths = new Uint8Array(RULES).fill(32);
  return {
    index: RuleIndex.from([{ family: 4, words, lengths, names, expiresAt, createdAt: times, updatedAt: times }]),
    words,
  };
}

function requireSame(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found} in place of ${expected}`);
}

/** Decisions, freezes and files of a ruleset; each form must give as many decisions as a scan of the list. */
export const part: Part = async () => {
  const { index, words } = makeIndex();
  const asked = Uint32Array.from({ length: ASKED }, (_, at) => (at % 2 === 0 ? next() : words[next() % RULES]!));
  const texts = Array.from(asked, (w0) => formatAddress({ family: 4, w0, w1: 0, w2: 0, w3: 0 }));
  const bulks = Array.from({ length: ASKED / BULK }, (_, at) => texts.slice(at * BULK, (at + 1) * BULK));
  const out = new Uint32Array(ASKED);
  const countOut = (): number => out.reduce((sum, id) => sum + (id === 0 ? 0 : 1), 0);
  const active = new Set(words.filter((_, at) => at % 2 === 0 || (at % 30) - 5 > 0));
  const expected = asked.reduce((sum, word) => sum + (active.has(word) ? 1 : 0), 0);
  const single = (): number => asked.reduce((sum, word) => sum + (index.decide4(word, NOW) === 0 ? 0 : 1), 0);
  const singleText = (): number => {
    let found = 0;
    for (const text of texts) if (index.decideText(text, NOW) !== 0) found++;
    return found;
  };
  const bulkWords = (): number => (index.decideWordsInto(4, asked, out, NOW), countOut());
  const bulkTexts = (): number => {
    bulks.forEach((bulk, at) => index.decideInto(bulk, out.subarray(at * BULK), NOW));
    return countOut();
  };
  const measurements: Measurement[] = [];
  const measure = (subject: string, answer: () => number, rounds = ROUNDS): void => {
    const samples: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const found = answer();
      samples.push(((performance.now() - start) * 1e6) / ASKED);
      requireSame(subject, found, expected);
    }
    measurements.push({ subject, unit: "ns/lookup", ...summarize(samples) });
  };
  const freeze = (): number => {
    collectGarbage();
    const start = performance.now();
    for (const _ of index.freezing());
    return performance.now() - start;
  };
  measure("tree, one word", single, 3);
  const freezes = [freeze()];
  for (const [subject, answer] of [
    ["one word", single],
    ["one text", singleText],
    ["words in bulk", bulkWords],
    ["texts in bulk", bulkTexts],
  ] as const)
    measure(subject, answer);
  for (let at = 0; at < ROUNDS; at++) {
    const prefix = { family: 4 as const, w0: words[at]!, w1: 0, w2: 0, w3: 0, length: 32 };
    const rule = index.get(prefix)!;
    index.delete(prefix);
    index.set(rule);
    freezes.push(freeze());
  }
  measurements.push({ subject: "freeze", unit: "ms", ...summarize(freezes) });
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-bench-"));
  try {
    const path = join(folder, "rules.ipsieve");
    await saveRuleset(path, restored({ allowSpecialPurpose: true }, index, RULES));
    measurements.push(
      ...(await measureOpen(path)),
      ...(await expiringBatches(words, asked, NOW, folder)),
      ...(await severalSnapshots(path, texts, NOW, folder)),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  return {
    measurements,
    refusals: [],
    notes: [`rules: ${RULES} IPv4 addresses, ${expected} of ${ASKED} asked decided`],
  };
};

/** In a fresh process, as a command does it; and again in one that has the memory at hand. */
async function measureOpen(path: string): Promise<Measurement[]> {
  const script = fileURLToPath(new URL("./open-ruleset-once.ts", import.meta.url));
  const once: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < OPENS; round++) {
    once.push(Number(run(process.execPath, [script, path], "stdout").stdout));
    collectGarbage();
    const start = performance.now();
    const ruleset = await openRuleset(path);
    again.push(performance.now() - start);
    requireSame("open", ruleset.count, RULES);
  }
  return [
    { subject: "open once", unit: "ms", ...summarize(once) },
    { subject: "open again", unit: "ms", ...summarize(again) },
  ];
}

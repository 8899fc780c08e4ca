/**
 * What a bulk check of 10,000 addresses costs inside the handler; alone: `node bench/api/checks.ts [--rules N]
 * [--rounds N]`. Every batch has other addresses, half of which have a rule, because recently checked addresses are in
 * the processor's caches. Ways to look up alternate in each round; each was checked to yield the same results.
 */
import { parseArgs } from "node:util";
import { formatAddress } from "../../src/address/format-address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { finished } from "../../src/turns/finished.ts";
import type { RuleColumns } from "../../src/rulesets/rule-columns.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { AddressBatch } from "../../src/service/address-batch.ts";
import { writeDocuments } from "../../src/service/address-documents.ts";
import { checkBatch, checkDocument } from "../../src/service/rules/check-rules.ts";
import { KERNEL_ENGINE } from "../../src/service/rules/kernel-engine.ts";
import { Random } from "../data/random.ts";
import { rulesOf } from "./fill-store.ts";
import { type Measurement, measurement, medianOf } from "./measure.ts";

const ADDRESSES = 10_000;
const NOW = Date.UTC(2026, 10, 23);
const WRITES_A_SECOND = 500;
/** The number of changes between two freezes, which are 31 s apart. */
const WRITES = 15_000;
/** Of a sample beside writes. */
const BATCHES = 50;
const SAMPLES = 16;
const WARM_UP = 2;

const PARSE = "JSON.parse of the body of a bulk check";
/** How long a step of a background freeze blocks everything else. */
const LONGEST_STEP = "longest step of the freeze of 1,000,000 rules";

/**
 * Milliseconds of processor time that this process has had: other work on the machine disturbs it less. Not that of the
 * thread (`threadCpuUsage`), which some machines count in steps of 4 ms only.
 */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The same rules in a tree, in a table, in a table of the kernel, and in that with rules added since. */
interface Forms {
  readonly tree: RuleIndex;
  readonly table: RuleIndex;
  readonly kernel: RuleIndex;
  readonly written: RuleIndex;
  /** In milliseconds. */
  readonly longestStep: number;
}

function formsOf(columns: RuleColumns, random: Random): Forms {
  const [tree, table, kernel, written] = [0, 1, 2, 3].map(() => RuleIndex.from([columns])) as [
    RuleIndex,
    RuleIndex,
    RuleIndex,
    RuleIndex,
  ];
  finished(table.freezing());
  finished(written.freezing(KERNEL_ENGINE));
  let longestStep = 0;
  const freezing = kernel.freezing(KERNEL_ENGINE);
  for (let isDone = false; !isDone;) {
    const start = processorTime();
    isDone = freezing.next().done === true;
    longestStep = Math.max(longestStep, processorTime() - start);
  }
  for (let i = 0; i < WRITES; i++) writeOne(written, random);
  return { tree, table, kernel, written, longestStep };
}

function writeOne(rules: RuleIndex, random: Random): void {
  const prefix = { family: 4 as const, w0: random.word(), w1: 0, w2: 0, w3: 0, length: 32 };
  rules.set({ prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 });
}

function batchOf({ words }: RuleColumns, random: Random): string {
  const ips = Array.from({ length: ADDRESSES }, (_, index) => {
    const w0 = index % 2 === 0 ? random.word() : words[random.below(words.length)]!;
    return formatAddress({ family: 4, w0, w1: 0, w2: 0, w3: 0 });
  });
  return JSON.stringify({ ips });
}

function idsOf(rules: RuleIndex, ips: readonly string[], isDistinct = true): Uint32Array {
  const batch = new AddressBatch(ips, () => false, { isDistinct });
  return finished(
    batch.lookingUp({
      lookUpInto: (family, words, out, count) => rules.decideWordsInto(family, words, out, NOW, count),
      lookUpPrefix: (prefix) => rules.decide(prefix, NOW),
    }),
  );
}

function responseOf(rules: RuleIndex, ips: readonly string[]): Buffer[] {
  const batch = new AddressBatch(ips, () => false);
  const checks = finished(checkBatch(rules, batch, NOW));
  const parts = writeDocuments(batch.texts, "map", (place) => checkDocument(batch.texts[place]!, checks[place]!));
  return Array.from(parts, (part) => Buffer.from(part));
}

function requireSame({ tree, table, kernel }: Forms, ips: readonly string[]): void {
  const expected = ips.map((ip) => tree.check(parsePrefix(ip), NOW).rule?.prefix.w0);
  for (const rules of [table, kernel])
    idsOf(rules, ips, false).forEach((id, at) => {
      if ((id === 0 ? undefined : rules.prefixAt(id as never).w0) !== expected[at])
        throw new Error(`${ips[at]} differs`);
    });
}

/**
 * Batches one after the other, between which 500 rules are added for each second that they take: milliseconds of all of
 * it per batch. So many rules were added before that the first batch begins a freeze, of which a step runs after each.
 */
function besideWrites(rules: RuleIndex, columns: RuleColumns, random: Random): number[] {
  while (!rules.isStale) writeOne(rules, random);
  let owed = 0;
  let freezing: Iterator<undefined, void> | undefined;
  return Array.from({ length: SAMPLES }, () => {
    let time = 0;
    for (let batch = 0; batch < BATCHES; batch++) {
      const ips = (JSON.parse(batchOf(columns, random)) as { ips: string[] }).ips;
      const start = processorTime();
      idsOf(rules, ips);
      if (rules.isStale) freezing ??= rules.freezing(KERNEL_ENGINE);
      if (freezing?.next().done === true) freezing = undefined;
      for (owed += (processorTime() - start) * (WRITES_A_SECOND / 1000); owed >= 1; owed--) writeOne(rules, random);
      time += processorTime() - start;
    }
    return time / BATCHES;
  });
}

/** In milliseconds of processor time a batch, by what is done with its texts. */
export function measureChecks(count: number, rounds: number): Measurement[] {
  const random = new Random(2);
  const columns = rulesOf(count, new Random(1));
  const forms = formsOf(columns, random);
  const { tree, table, kernel, written, longestStep } = forms;
  requireSame(forms, JSON.parse(batchOf(columns, random)).ips);
  const ways: Readonly<Record<string, (ips: readonly string[]) => unknown>> = {
    "10,000 texts to rules, one by one, tree of all rules": (ips) =>
      ips.map((ip) => tree.check(parsePrefix(ip), NOW).rule),
    "10,000 texts to rules, batch, table": (ips) => idsOf(table, ips),
    "10,000 texts to rules, batch, kernel": (ips) => idsOf(kernel, ips),
    [`10,000 texts to rules, batch, kernel, ${WRITES} rules added since`]: (ips) => idsOf(written, ips),
    "10,000 texts to the response of a bulk check, kernel": (ips) => responseOf(kernel, ips),
  };
  const samples: Record<string, number[]> = { [PARSE]: [] };
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const body = batchOf(columns, random);
      const start = processorTime();
      const ips = JSON.parse(body).ips as string[];
      const parsed = processorTime();
      way(ips);
      if (round < 0) continue;
      samples[PARSE]!.push(parsed - start);
      (samples[name] ??= []).push(processorTime() - parsed);
    }
  }
  const measured = Object.entries(samples).map(([subject, times]) => measurement(subject, "processor ms", times));
  const beside = `10,000 texts to rules, batch, kernel, while ${WRITES_A_SECOND} writes a second and a freeze run`;
  measured.push(measurement(beside, "processor ms", besideWrites(written, columns, random)));
  return [...measured, measurement(LONGEST_STEP, "processor ms", [longestStep])];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rules: { type: "string", default: "1000000" }, rounds: { type: "string", default: "15" } },
  });
  for (const { subject, samples } of measureChecks(Number(values.rules), Number(values.rounds))) {
    const rate = (time: number): string => (ADDRESSES / time / 1000).toFixed(2);
    const [median, least] = [medianOf(samples), Math.min(...samples)];
    const rates = subject === LONGEST_STEP ? "" : `, ${rate(median)} (${rate(least)}) M/s`;
    console.log(`${subject}: ${median.toFixed(2)} (${least.toFixed(2)}) ms${rates}`);
  }
}

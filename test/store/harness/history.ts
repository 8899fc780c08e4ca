import assert from "node:assert/strict";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { isActive, type Rule } from "../../../src/rulesets/rule.ts";
import { addRule, CONFLICT_MODES, updateRule } from "../../../src/rulesets/write-rule.ts";
import type { BatchItem, BatchResult } from "../../../src/store/command.ts";
import { Random } from "../../snapshot/harness/sample.ts";
import { adding, by, type Replica } from "./stores.ts";
import { Memory } from "./memory.ts";

export interface HistoryOptions {
  readonly seed: number;
  readonly writers: number;
  readonly writes: number;
  readonly prefixes: number;
}

export interface HistoryReport {
  readonly writes: number;
  /** Writes that were put into an order for their rule. */
  readonly chained: number;
  readonly loads: number;
}

/** The request of a writer, its result, and when: in ticks of a counter that all writers share. */
export interface Entry {
  readonly began: number;
  readonly ended: number;
  readonly at: number;
  readonly item: BatchItem | { readonly update: { name: string }; readonly prefix: string };
  readonly result: string;
  readonly rule: Rule | null;
}

/**
 * Many writers add, update and delete rules of few prefixes through several replicas, while others load. Then, for each
 * prefix, looks for an order of the writes in which each has the result that the pure decision gives at its position,
 * and in which no write comes before one that had ended when it began.
 */
export async function runHistory(replicas: readonly Replica[], options: HistoryOptions): Promise<HistoryReport> {
  const { organisation, blocklist } = await replicas[0]!.organisation("history");
  const into = { organisationId: organisation.id, rulesetId: blocklist.id };
  const entries = new Map<string, Entry[]>();
  let tick = 0;
  const running = { writers: options.writers };
  const loads = (async () => {
    let count = 0;
    for (; running.writers > 0; count++) await checkLoad(replicas[count % replicas.length]!);
    return count;
  })();
  const writers = Array.from({ length: options.writers }, async (_, who) => {
    const random = new Random(options.seed * 1000 + who);
    const { store } = replicas[who % replicas.length]!;
    for (let i = 0; i < options.writes; i++) {
      const text = `192.0.2.${random.below(options.prefixes)}`;
      const at = 1000 + tick;
      const began = tick++;
      const entry = await oneWrite(store, into, text, at, random);
      const list = entries.get(text) ?? [];
      entries.set(text, list);
      list.push({ ...entry, began, ended: tick++, at });
    }
    running.writers--;
  });
  await Promise.all(writers);
  const total = options.writers * options.writes;
  const chained = [...entries.values()].reduce((sum, list) => sum + orderOf(list), 0);
  return { writes: total, chained, loads: await loads };
}

async function oneWrite(
  store: Replica["store"],
  into: { organisationId: string; rulesetId: string },
  text: string,
  at: number,
  random: Random,
): Promise<Pick<Entry, "item" | "result" | "rule">> {
  const prefix = parsePrefix(text);
  const failed = ({ code, existing = null }: { code: string; existing?: Rule | null }) => ({
    result: code,
    rule: existing,
  });
  switch (random.below(5)) {
    case 0: {
      const item = { delete: prefix };
      return {
        item,
        ...(await store
          .write({ kind: "delete-rule", ...into, prefix, ...by(at) })
          .then(() => ({ result: "deleted", rule: null }), failed)),
      };
    }
    case 1: {
      const update = { name: `n${random.below(3)}` };
      const done = store.write({ kind: "update-rule", ...into, prefix, changes: update, ...by(at) });
      return {
        item: { update, prefix: text },
        ...(await done.then(({ rule }) => ({ result: "updated", rule }), failed)),
      };
    }
    default: {
      const mode = CONFLICT_MODES[random.below(4)]!;
      const add = adding(text, {
        name: random.below(2) === 0 ? null : `n${random.below(3)}`,
        expiresAt: random.below(5) === 0 ? null : random.below(5000),
        mode,
      });
      if (random.below(4) > 0)
        return {
          item: { add },
          ...(await store
            .write({ kind: "add-rule", ...into, request: add, ...by(at) })
            .then(({ action, rule }) => ({ result: action as string, rule }), failed)),
        };
      const { results } = await store.write({
        kind: "batch-rules",
        ...into,
        items: [{ add }],
        atomic: false,
        ...by(at),
      });
      const [result] = results as [BatchResult & { rule: Rule }];
      return { item: { add }, result: result.action, rule: result.rule };
    }
  }
}

/** The result of the write if the rule is `before`. */
function expected(
  { item, at }: Entry,
  before: Rule | undefined,
): { result: string; rule: Rule | null; after: Rule | undefined } {
  if ("update" in item) {
    if (before === undefined) return { result: "rule-not-found", rule: null, after: undefined };
    const rule = updateRule(before, item.update, at);
    return { result: "updated", rule, after: rule };
  }
  if ("delete" in item)
    return { result: before === undefined ? "rule-not-found" : "deleted", rule: null, after: undefined };
  const { action, rule } = addRule(before, item.add, at);
  if (before !== undefined && item.add.mode === "extend") {
    assert.ok(
      (rule.expiresAt ?? Number.POSITIVE_INFINITY) >= (before.expiresAt ?? Number.POSITIVE_INFINITY),
      "extend shortens",
    );
  }
  return { result: action, rule, after: rule };
}

/**
 * Puts the writes of one prefix into an order that explains all results; fails if there is none. Depth first,
 * remembering the states that led nowhere.
 */
export function orderOf(entries: readonly Entry[]): number {
  const all = [...entries].sort((a, b) => a.began - b.began);
  const deadEnds = new Set<string>();
  let most = 0;
  const isSame = (a: Rule | null | undefined, b: Rule | null | undefined) =>
    JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  const left = new Set(all.keys());
  assert.ok(
    search(undefined),
    `no order explains more than ${most} of the ${all.length} writes of ${prefixOf(all[0]!)}`,
  );
  return all.length;

  function search(rule: Rule | undefined): boolean {
    if (left.size === 0) return true;
    const state = `${[...left].slice(0, 60).join()} ${left.size} ${JSON.stringify(rule)}`;
    if (deadEnds.has(state)) return false;
    let firstEnd = Number.POSITIVE_INFINITY;
    for (const index of left) firstEnd = Math.min(firstEnd, all[index]!.ended);
    for (const index of left.values().toArray()) {
      const entry = all[index]!;
      if (entry.began > firstEnd) break; // another one had ended before it began
      const { result, rule: given, after } = expected(entry, rule);
      const isConflict = entry.result === "conflict";
      if (result !== entry.result || (!isConflict && !isSame(given, entry.rule))) continue;
      left.delete(index);
      most = Math.max(most, all.length - left.size);
      if (search(after)) return true;
      left.add(index);
      resort();
    }
    deadEnds.add(state);
    return false;
  }

  /** A set iterates in insertion order; what matters here is the order in which the writes began. */
  function resort(): void {
    const sorted = [...left].sort((a, b) => a - b);
    left.clear();
    for (const index of sorted) left.add(index);
  }
}

function prefixOf({ item }: Entry): string {
  if ("update" in item) return item.prefix;
  return formatPrefix("add" in item ? item.add.prefix : item.delete);
}

/**
 * A load during writes shows one instant: the ruleset's version belongs to a change that the load includes, and every
 * rule is either active or expired, and occurs once.
 */
async function checkLoad({ store }: Replica): Promise<void> {
  const memory = new Memory();
  memory.start(await store.load((part) => memory.add(part)));
  for (const { version } of memory.rulesets.values()) assert.ok(version <= memory.sequence);
  for (const rules of memory.rules.values()) {
    const all = [...rules.values()];
    assert.equal(
      all.filter((rule) => isActive(rule, 2000)).length + all.filter((rule) => !isActive(rule, 2000)).length,
      all.length,
    );
  }
}

/**
 * `node bench/long-commands.ts [--rules N] [--database sqlite|postgres]`: how long single writes of another organisation
 * wait while a command of many rules runs. One rule after the other is added, each as soon as the one before it has been
 * acknowledged.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loadavg, tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { prefixIn, type RuleColumns } from "../src/rulesets/rule-columns.ts";
import { RULES_PER_PART } from "../src/rulesets/rule-list.ts";
import { namesOf, packNames } from "../src/rulesets/rule-names.ts";
import { openStore, type StoreLocation } from "../src/store/open-store.ts";
import type { Store } from "../src/store/store.ts";
import { startPostgres } from "../test/store/harness/postgres.ts";
import { rulesOf } from "./api/fill-store.ts";
import { Random } from "./data/random.ts";

/** Milliseconds between two writes of the other organisation. */
const EVERY = 10;
/** As many items as a request may have. */
const BATCH = 10_000;

let next = 0;

interface Owner {
  readonly organisationId: string;
  readonly rulesetId: string;
}

const { values } = parseArgs({
  options: { rules: { type: "string", default: "300000" }, database: { type: "string", default: "sqlite" } },
});
const rules = Number(values.rules);

const about = () => ({ actor: "user:bench", at: Date.now() });

async function organisation(store: Store, name: string): Promise<Owner> {
  const { organisation, rulesets } = await store.write({ kind: "create-organisation", ...about(), name });
  return { organisationId: organisation.id, rulesetId: rulesets[0]!.id };
}

/** The waits of single writes until something has ended, in milliseconds; always at least one. */
async function waitsDuring(store: Store, into: Owner, work: Promise<unknown>): Promise<number[]> {
  let isRunning = true;
  const ended = work.finally(() => (isRunning = false));
  const waits: number[] = [];
  for (;;) {
    await delay(EVERY);
    const began = performance.now();
    const prefix = { family: 4, w0: next++, w1: 0, w2: 0, w3: 0, length: 32 } as const;
    const request = { prefix, name: null, expiresAt: null, mode: "extend" } as const;
    await store.write({ kind: "add-rule", ...into, request, ...about() });
    waits.push(performance.now() - began);
    if (!isRunning) break;
  }
  await ended;
  return waits.sort((a, b) => a - b);
}

async function measure(store: Store): Promise<void> {
  const [own, other] = [await organisation(store, "Neighbour"), await organisation(store, "Other")];
  const random = new Random(3);
  const [list, others] = [rulesOf(rules, random), rulesOf(rules, random)];
  const run = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    let took = 0;
    const timed = async (): Promise<void> => {
      await work();
      took = performance.now() - began;
    };
    const waits = await waitsDuring(store, other, timed());
    const p99 = waits[Math.min(waits.length - 1, Math.floor(0.99 * waits.length))]!;
    const cells = [took, waits.length, waits[waits.length >> 1]!, p99, waits.at(-1)!];
    process.stdout.write(`| ${[name, ...cells.map((each) => each.toFixed(0))].join(" | ")} |\n`);
  };
  const owned = () => ({ ...own, ...about() });
  const importing = (mode: "skip" | "override") => () =>
    store.write({ kind: "import-rules", ...owned(), rules: inParts(list), mode });
  const replacing = (by: RuleColumns) => () =>
    store.write({ kind: "replace-rules", ...owned(), rules: inParts(by), shrink: { maxShrink: 100 } });
  const deleted = Array.from({ length: Math.min(BATCH, rules) }, (_, index) => ({ delete: prefixIn(list, index) }));
  process.stdout.write(
    `${rules} rules, load ${loadavg()[0]!.toFixed(1)}\n| command | ms | writes beside it | median | p99 | longest |\n|-|-|-|-|-|-|\n`,
  );
  await run("nothing, for a second", () => delay(1000));
  await run("import, all created", importing("skip"));
  await run("import, all skipped", importing("skip"));
  await run("import, all written again", importing("override"));
  await run("replacement by the same", replacing(list));
  await run("replacement by others", replacing(others));
  const sequence = await lastChangeOf(store, own.rulesetId);
  await run("undo of that", () => store.write({ kind: "restore-rules", ...owned(), sequence }));
  await run(`batch, ${deleted.length} deleted`, () =>
    store.write({ kind: "batch-rules", ...owned(), items: deleted, atomic: true }),
  );
  await run("ruleset deleted", () => store.write({ kind: "delete-ruleset", ...owned() }));
  const deletion = await lastChangeOf(store, own.rulesetId);
  await run("ruleset restored", () => store.write({ kind: "restore-ruleset", ...owned(), sequence: deletion }));
}

async function lastChangeOf(store: Store, rulesetId: string): Promise<number> {
  let [last, after] = [0, 0];
  for (;;) {
    const changes = await store.changesAfter(after);
    if (changes.length === 0) return last;
    for (const change of changes) if ("rulesetId" in change && change.rulesetId === rulesetId) last = change.sequence;
    after = changes.at(-1)!.sequence;
  }
}

/** As lists are read from requests. */
function inParts({ family, words, lengths, names, expiresAt, createdAt, updatedAt }: RuleColumns): RuleColumns[] {
  const all = namesOf(names);
  const parts: RuleColumns[] = [];
  for (let at = 0; at < lengths.length; at += RULES_PER_PART) {
    const to = at + RULES_PER_PART;
    parts.push({
      family,
      words: words.slice(at, to),
      lengths: lengths.slice(at, to),
      names: packNames(all.slice(at, to)),
      expiresAt: expiresAt.slice(at, to),
      createdAt: createdAt.slice(at, to),
      updatedAt: updatedAt.slice(at, to),
    });
  }
  return parts;
}

const folder = mkdtempSync(join(tmpdir(), "ipsieve-bench-"));
const server = values.database === "postgres" ? await startPostgres() : undefined;
const location: StoreLocation =
  server === undefined ? { file: join(folder, "store.db") } : { url: await server.database() };
const store = await openStore(location, { rulesPerRuleset: 2 * rules });
try {
  await measure(store);
} finally {
  await store.close();
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
}

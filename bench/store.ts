/**
 * `node bench/store.ts [FOLDER]`: durable writes and loads of the SQLite store, beside the naive way: one transaction
 * per rule. Rounds of each, alternating, and medians: the speed of the disk changes by the second. FOLDER must be on
 * the disk to be measured; by default a temporary folder.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keyOfPrefix } from "../src/store/_prefix-key.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/store.ts";

const ROUNDS = 7;
const ROUND_MS = 1000;
const LOADED = 1_000_000;

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), "ipsieve-bench-"));
let next = 0;

/** A new prefix, anywhere among the others. */
function newPrefix() {
  return { family: 4, w0: Math.imul(next++, 2654435761) >>> 0, w1: 0, w2: 0, w3: 0, length: 32 } as const;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

/** Rules per second of one transaction each, with the same table and settings. */
function naive(): () => number {
  const file = new DatabaseSync(join(folder, "naive.db"));
  file.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table rules (ruleset integer not null, prefix text not null, name text, expires_at integer, created_at integer not null,
    updated_at integer not null, primary key (ruleset, prefix)) without rowid`);
  const insert = file.prepare("insert into rules values (1, ?, 'name', null, 1, 1)");
  return () => {
    const began = performance.now();
    let rules = 0;
    for (; performance.now() - began < ROUND_MS; rules++) insert.run(keyOfPrefix(newPrefix()));
    return (1000 * rules) / (performance.now() - began);
  };
}

async function writers(
  store: Store,
  into: { organisationId: string; rulesetId: string },
  count: number,
): Promise<number> {
  const began = performance.now();
  let rules = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (; performance.now() - began < ROUND_MS; rules++) {
        const request = { prefix: newPrefix(), name: "name", expiresAt: null, mode: "extend" } as const;
        await store.write({ kind: "add-rule", ...into, request, actor: "user:bench", at: 1 });
      }
    }),
  );
  return (1000 * rules) / (performance.now() - began);
}

async function makeStore(name: string) {
  const store = await openStore({ file: join(folder, name) }, { rulesPerRuleset: 2 * LOADED });
  const { organisation, rulesets } = await store.write({
    kind: "create-organisation",
    name: "bench",
    actor: "user:bench",
    at: 1,
  });
  return { store, into: { organisationId: organisation.id, rulesetId: rulesets[0]!.id } };
}

async function load(): Promise<void> {
  const { store, into } = await makeStore("loaded.db");
  const words = Uint32Array.from({ length: LOADED }, (_, i) => Math.imul(i, 2654435761) >>> 0).sort();
  const times = () => new Float64Array(LOADED);
  const rules = [
    {
      family: 4,
      words,
      lengths: new Uint8Array(LOADED).fill(32),
      names: Array.from({ length: LOADED }, (_, i) => `list ${i % 50}`),
      expiresAt: times().map((_, i) => (i % 2 === 0 ? Number.POSITIVE_INFINITY : 1.8e12 + i)),
      createdAt: times(),
      updatedAt: times(),
    } as const,
  ];
  const began = performance.now();
  await store.write({ kind: "replace-rules", ...into, rules, actor: "user:bench", at: 1.7e12 });
  console.log(`a replacement by ${LOADED} new rules: ${Math.round(performance.now() - began)} ms`);
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await store.load(() => {});
    took.push(performance.now() - start);
  }
  console.log(`a load of ${LOADED} rules in the store's thread: ${Math.round(median(took))} ms`);
  await store.close();
}

try {
  const { store, into } = await makeStore("written.db");
  const runs: Record<string, () => number | Promise<number>> = {
    "naive, one transaction per rule": naive(),
    ...Object.fromEntries(
      [1, 16, 64, 256].map((count) => [`the store, ${count} writers`, () => writers(store, into, count)]),
    ),
  };
  const rates = new Map(Object.keys(runs).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(runs)) rates.get(name)!.push(await run());
  }
  for (const [name, own] of rates) {
    console.log(
      `${name}: ${Math.round(median(own))} rules/s acknowledged and on the disk (${Math.round(Math.min(...own))} to ${Math.round(Math.max(...own))})`,
    );
  }
  await store.close();
  await load();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

import { writeSync } from "node:fs";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { QueuedStore } from "../../../src/store/queue/_queued-store.ts";
import { SqliteBackend } from "../../../src/store/sqlite/_backend.ts";
import type { Synchronous } from "../../../src/store/sqlite/_database.ts";
import { Random } from "../../snapshot/harness/sample.ts";
import { adding } from "./stores.ts";

/*
 * Writes without end, or this many times, from several writers at once, and reports the start and the acknowledgement
 * of every write: `began WRITER NUMBER KIND` and `done WRITER NUMBER`. Each writer has two prefixes of its own: a write
 * gives one or both of them the write's number as a name, or deletes both. With `early`, a write is reported as
 * acknowledged before it is.
 */
const [path, seed, synchronous, timing, writes] = process.argv.slice(2) as [
  string,
  string,
  Synchronous,
  "early" | "honest",
  string,
];
const WRITERS = 8;

const backend = new SqliteBackend({
  path,
  create: true,
  limits: {
    rulesPerRuleset: 1000,
    rulesetsPerOrganisation: 1000,
    deploymentsPerOrganisation: 100,
    listsPerOrganisation: 100,
    webhooksPerOrganisation: 20,
    credentialsPerOrganisation: 100,
    auditDays: 400,
    eventDays: 30,
    eventsPerOrganisation: 1e6,
  },
  synchronous,
});
await backend.opened;
const store = new QueuedStore(backend, 1000);
const { rulesets } = await store.load(null);
const { organisationId, id: rulesetId } =
  rulesets[0] ?? (await store.write({ kind: "create-organisation", name: "killed", ...by() })).rulesets[0]!;
writeSync(1, "ready\n");
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeOn(writer)));
await store.close();

async function writeOn(writer: number): Promise<void> {
  const random = new Random(Number(seed) * WRITERS + writer);
  for (let i = 0; i < Number(writes); i++) {
    const number = Number(seed) * 1_000_000 + i;
    const kind = ["one", "both", "both", "delete"][random.below(4)]!;
    writeSync(1, `began ${writer} ${number} ${kind}\n`);
    const written = writeOne(writer, number, kind);
    if (timing === "honest") await written;
    writeSync(1, `done ${writer} ${number}\n`);
    await written;
  }
}

async function writeOne(writer: number, number: number, kind: string): Promise<unknown> {
  const into = { organisationId, rulesetId, ...by() };
  const request = (half: number) => adding(`192.0.2.${2 * writer + half}`, { name: String(number), mode: "override" });
  if (kind === "one") return store.write({ kind: "add-rule", ...into, request: request(0) });
  const prefixes = [0, 1].map((half) => parsePrefix(`192.0.2.${2 * writer + half}`));
  const items =
    kind === "both" ? [{ add: request(0) }, { add: request(1) }] : prefixes.map((prefix) => ({ delete: prefix }));
  return store.write({
    kind: "batch-rules",
    ...into,
    items,
    atomic: false,
    idempotency: { key: `${writer} ${number}`, request: kind },
  });
}

function by() {
  return { actor: "user:test", at: Date.now() };
}

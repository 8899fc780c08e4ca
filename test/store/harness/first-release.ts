import { sql } from "kysely";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { keyOfPrefix } from "../../../src/store/_prefix-key.ts";
import { digestOfApiKey, makeApiKey } from "../../../src/store/records/api-key.ts";
import type { StoreLocation } from "../../../src/store/open-store.ts";
import type { Engine } from "../../../src/store/sql/_engine.ts";
import { migrateAsEarlier } from "./earlier-migrator.ts";
import { openEngine } from "./open-engine.ts";

/** The tables of the first release. */
export const FIRST_TABLES: readonly string[] =
  "store organisations plans api_keys rulesets rules changes idempotency key_usage".split(" ");

const MADE = Date.UTC(2026, 0, 2, 3, 4, 5);
const [ORGANISATION, OTHER] = ["0a000000-0000-4000-8000-000000000001", "0a000000-0000-4000-8000-000000000002"];
export const FIRST_RULESET = "0b000000-0000-4000-8000-000000000001";
const ALLOWLIST = "0b000000-0000-4000-8000-000000000002";

/** Rules of every kind: both families, hosts and prefixes, with and without names, permanent, expiring and expired. */
export const FIRST_RULES: readonly (readonly [prefix: string, name: string | null, expiresAt: number | null])[] = [
  ["192.0.2.0/24", null, null],
  ["192.0.2.7/32", 'a "name", quoted', Date.UTC(2099, 0)],
  ["198.51.100.128/25", "ended", MADE + 1],
  ["2001:db8::/32", "näme", null],
  ["2001:db8:1::5/128", "", Date.UTC(2099, 0)],
];

/** Keys of the first release, as text. */
export interface FirstKeys {
  readonly valid: string;
  readonly readOnly: string;
  readonly revoked: string;
  readonly expired: string;
  readonly ofOther: string;
}

/**
 * Creates the tables as the first release did, and fills all of them; only the number of its migrations is recorded.
 */
export async function fillFirstRelease(location: StoreLocation, now: number): Promise<FirstKeys> {
  const engine = openEngine(location);
  await using _ = engine;
  await migrateAsEarlier(engine, 1);
  await insert(engine, "organisations", [
    { id: ORGANISATION, name: "Example", created_at: MADE },
    { id: OTHER, name: "Other", created_at: MADE },
  ]);
  await insert(engine, "plans", [
    { organisation_id: ORGANISATION, area: "edl", active: 1, until: null, per_minute: 5000, per_month: 1_000_000 },
    { organisation_id: ORGANISATION, area: "cbs", active: 1, until: MADE, per_minute: null, per_month: null },
    { organisation_id: OTHER, area: "edl", active: 0, until: null, per_minute: null, per_month: null },
  ]);
  const keys = await fillKeys(engine);
  await fillRules(engine);
  await fillHistory(engine, now);
  return keys;
}

async function fillKeys(engine: Engine): Promise<FirstKeys> {
  const made = Object.fromEntries(
    ["valid", "readOnly", "revoked", "expired", "ofOther"].map((label) => [label, makeApiKey().text]),
  ) as unknown as FirstKeys;
  const row = (label: keyof FirstKeys) => ({
    id: `key-${label}`,
    organisation_id: label === "ofOther" ? OTHER : ORGANISATION,
    label,
    access: label === "readOnly" ? "read" : "read_write",
    digest: digestOfApiKey(made[label]),
    start: made[label].slice(0, 8),
    created_at: MADE,
    expires_at: label === "expired" ? MADE + 1 : null,
    revoked_at: label === "revoked" ? MADE + 1 : null,
  });
  await insert(engine, "api_keys", (Object.keys(made) as (keyof FirstKeys)[]).map(row));
  const usage = { key_id: "key-valid", month: "2026-01", requests: 7, last_used_at: MADE };
  await insert(engine, "key_usage", [usage]);
  return made;
}

async function fillRules(engine: Engine): Promise<void> {
  const about = { organisation_id: ORGANISATION, description: "kept", created_at: MADE, updated_at: MADE, version: 3 };
  await insert(engine, "rulesets", [
    { ...about, id: FIRST_RULESET, name: "block", purpose: "blocklist", rule_count: FIRST_RULES.length },
    { ...about, id: ALLOWLIST, name: "allow", purpose: "allowlist", rule_count: 0 },
  ]);
  const { rows } = await sql<{ number: number }>`select number from rulesets where id = ${FIRST_RULESET}`.execute(
    engine.db,
  );
  await insert(
    engine,
    "rules",
    FIRST_RULES.map(([prefix, name, expiresAt]) => ({
      ruleset: rows[0]!.number,
      prefix: keyOfPrefix(parsePrefix(prefix)),
      name,
      expires_at: expiresAt,
      created_at: MADE,
      updated_at: MADE,
    })),
  );
}

async function fillHistory(engine: Engine, now: number): Promise<void> {
  const key = keyOfPrefix(parsePrefix("192.0.2.0/24"));
  const body = { rulesetId: FIRST_RULESET, upserts: [[key, null, null, MADE, MADE]], deletes: [] };
  const about = { transaction: "t", at: MADE, organisation_id: ORGANISATION };
  const organisation = { kind: "organisation", organisation: { id: ORGANISATION, name: "Example", createdAt: MADE } };
  await insert(engine, "changes", [
    { ...about, sequence: 1, actor: "user:root", kind: "organisation", body: JSON.stringify(organisation) },
    { ...about, sequence: 2, actor: "key:key-valid", kind: "rules", body: JSON.stringify(body) },
  ]);
  await sql`update store set sequence = 2`.execute(engine.db);
  const answer = JSON.stringify({ outcome: {} });
  await insert(engine, "idempotency", [
    { organisation_id: ORGANISATION, key: "used", request: "another", answer, created_at: now },
  ]);
}

async function insert(engine: Engine, table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
  for (const row of rows) {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    const values = sql.join(Object.values(row).map((value) => sql`${value}`));
    await sql`insert into ${sql.table(table)} (${columns}) values (${values})`.execute(engine.db);
  }
}

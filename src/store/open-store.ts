import { QueuedStore } from "./_queued-store.ts";
import { SqliteBackend } from "./sqlite/_backend.ts";
import type { Store, StoreLimits, StoreOptions } from "./store.ts";

/** Where the data are: in a SQLite file, or in a PostgreSQL database (`postgres://user:password@host:port/name`). */
export type StoreLocation = { readonly file: string } | { readonly url: string };

export const DEFAULT_STORE_OPTIONS: StoreOptions = { rulesPerRuleset: 20_000, auditDays: 400, pollEvery: 1000, patience: 15_000, create: true };

/** Opens the store, and brings its tables up to date or makes them unless `create` is false. Throws StoreError. */
export async function openStore(location: StoreLocation, options: Partial<StoreOptions> = {}): Promise<Store> {
  const all = { ...DEFAULT_STORE_OPTIONS, ...options };
  const { pollEvery, create } = all;
  if ("file" in location) {
    return new QueuedStore(await SqliteBackend.open({ path: location.file, create, limits: limitsOf(all), synchronous: "full" }), pollEvery);
  }
  // pg is loaded only where it is used.
  const { PostgresBackend } = await import("./postgres/_backend.ts");
  return new QueuedStore(await PostgresBackend.open(location.url, all), pollEvery);
}

function limitsOf({ rulesPerRuleset, auditDays }: StoreOptions): StoreLimits {
  return { rulesPerRuleset, auditDays };
}

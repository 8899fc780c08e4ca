import { QueuedStore } from "./_queued-store.ts";
import { SqliteBackend } from "./sqlite/_backend.ts";
import type { RulesetRules, State } from "./state.ts";
import type { Store, StoreOptions } from "./store.ts";

/** Where the data are: in a SQLite file, or in a PostgreSQL database (`postgres://user:password@host:port/name`). */
export type StoreLocation = { readonly file: string } | { readonly url: string };

export const DEFAULT_STORE_OPTIONS: StoreOptions = {
  rulesPerRuleset: 1_000_000,
  rulesetsPerOrganisation: 1000,
  auditDays: 400,
  pollEvery: 1000,
  patience: 15_000,
  create: true,
};

/** Opens the store, and brings its tables up to date or makes them unless `create` is false. Throws StoreError. */
export async function openStore(location: StoreLocation, options: Partial<StoreOptions> = {}): Promise<Store> {
  const all = { ...DEFAULT_STORE_OPTIONS, ...options };
  return "url" in location ? openPostgres(location.url, all) : openSqlite(location.file, all).store;
}

/**
 * As `openStore` and `Store.load`, at once: the thread of a SQLite file goes on from one to the other, whatever the
 * caller's thread does meanwhile.
 */
export function openAndLoad(
  location: StoreLocation,
  options: Partial<StoreOptions>,
  receive: (part: RulesetRules) => void,
): { store: Promise<Store>; state: Promise<State> } {
  const all = { ...DEFAULT_STORE_OPTIONS, ...options };
  if ("file" in location) {
    const { backend, store } = openSqlite(location.file, all);
    return { store, state: backend.load(receive) };
  }
  const store = openPostgres(location.url, all);
  return { store, state: store.then((opened) => opened.load(receive)) };
}

function openSqlite(
  path: string,
  { create, rulesPerRuleset, rulesetsPerOrganisation, auditDays, pollEvery }: StoreOptions,
): { backend: SqliteBackend; store: Promise<Store> } {
  const backend = new SqliteBackend({
    path,
    create,
    limits: { rulesPerRuleset, rulesetsPerOrganisation, auditDays },
    synchronous: "full",
  });
  return { backend, store: backend.opened.then(() => new QueuedStore(backend, pollEvery)) };
}

/** pg is loaded only where it is used. */
async function openPostgres(url: string, options: StoreOptions): Promise<Store> {
  const { PostgresBackend } = await import("./postgres/_backend.ts");
  return new QueuedStore(await PostgresBackend.open(url, options), options.pollEvery);
}

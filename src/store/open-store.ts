import { QueuedStore } from "./queue/_queued-store.ts";
import { SqliteBackend } from "./sqlite/_backend.ts";
import { SharedBackend } from "./sqlite/_shared-backend.ts";
import type { RemoteWriter } from "./sqlite/file-writer.ts";
import type { RulesetRules } from "./state.ts";
import type { LoadedState, SavedRules } from "./saved-rules.ts";
import type { Store } from "./store.ts";
import type { StoreOptions } from "./store-options.ts";

/** Where the data are: in a SQLite file, or in a PostgreSQL database (`postgres://user:password@host:port/name`). */
export type StoreLocation = { readonly file: string } | { readonly url: string };

const DEFAULT_STORE_OPTIONS: StoreOptions = {
  rulesPerRuleset: 1_000_000,
  rulesetsPerOrganisation: 1000,
  deploymentsPerOrganisation: 100,
  listsPerOrganisation: 100,
  webhooksPerOrganisation: 20,
  credentialsPerOrganisation: 100,
  auditDays: 400,
  eventDays: 30,
  eventsPerOrganisation: 5_000_000,
  pollEvery: 1000,
  patience: 15_000,
  create: true,
};

/** Opens the store, and creates its tables or brings them up to date unless `create` is false. Throws StoreError. */
export async function openStore(location: StoreLocation, options: Partial<StoreOptions> = {}): Promise<Store> {
  const all = { ...DEFAULT_STORE_OPTIONS, ...options };
  return "url" in location ? openPostgres(location.url, all) : openSqlite(location.file, all).store;
}

/**
 * `openStore` and `Store.load` in one: the thread of a SQLite file proceeds from one to the other whatever the caller's
 * thread does meanwhile. Saved rules may come later than the call. `writer`: if another process writes the SQLite file.
 */
export function openAndLoad(
  location: StoreLocation,
  options: Partial<StoreOptions>,
  receive: (part: RulesetRules) => void,
  saved: Promise<readonly SavedRules[]> = Promise.resolve([]),
  writer?: RemoteWriter,
): { store: Promise<Store>; state: Promise<LoadedState> } {
  const all = { ...DEFAULT_STORE_OPTIONS, ...options };
  if ("file" in location) {
    const { backend, store } = openSqlite(location.file, all, writer);
    return { store, state: saved.then((rules) => backend.load(receive, rules)) };
  }
  const store = openPostgres(location.url, all);
  return { store, state: Promise.all([store, saved]).then(([opened, rules]) => opened.load(receive, rules)) };
}

/** `writer`: the process that writes the file, if this one only reads it. */
function openSqlite(
  path: string,
  { create, pollEvery, ...limits }: StoreOptions,
  writer?: RemoteWriter,
): { backend: SqliteBackend; store: Promise<Store> } {
  const backend = new SqliteBackend({
    path,
    create: create && writer === undefined,
    limits,
    synchronous: "full",
    isReader: writer !== undefined,
  });
  const shared = writer === undefined ? backend : new SharedBackend(backend, writer);
  return { backend, store: backend.opened.then(() => new QueuedStore(shared, pollEvery)) };
}

/** pg is loaded only when it is used. */
async function openPostgres(url: string, options: StoreOptions): Promise<Store> {
  const { PostgresBackend } = await import("./postgres/_backend.ts");
  return new QueuedStore(await PostgresBackend.open(url, options), options.pollEvery);
}

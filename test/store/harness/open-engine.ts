import type { StoreLocation } from "../../../src/store/open-store.ts";
import { openPool } from "../../../src/store/postgres/_database.ts";
import type { Engine } from "../../../src/store/sql/_engine.ts";
import { openDatabase } from "../../../src/store/sqlite/_database.ts";

/** Opens the tables without migrating them. */
export function openEngine(location: StoreLocation): Engine & AsyncDisposable {
  if ("url" in location) {
    const { engine } = openPool(location.url, 1);
    return { ...engine, [Symbol.asyncDispose]: () => engine.db.destroy() };
  }
  const engine = openDatabase(location.file, true);
  return { ...engine, [Symbol.asyncDispose]: async () => engine.file.close() };
}

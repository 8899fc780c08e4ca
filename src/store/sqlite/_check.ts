import { readReport } from "../sql/_report.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReport } from "../state.ts";
import type { SqliteEngine } from "./_database.ts";

/** Reads the whole file. Throws StoreError (`corrupt`). */
export function checkFile(engine: SqliteEngine, path: string): Promise<StoreReport> {
  const rows = engine.file.prepare("pragma integrity_check").all() as { integrity_check: string }[];
  const found = rows.map(({ integrity_check }) => integrity_check).filter((line) => line !== "ok");
  const orphans = engine.file.prepare("pragma foreign_key_check").all().length;
  if (orphans > 0) found.push(`${orphans} rows refer to rows that do not exist`);
  if (found.length > 0) throw new StoreError("corrupt", `${path}: ${found.slice(0, 5).join("; ")}; restore a backup`);
  return readReport(engine);
}

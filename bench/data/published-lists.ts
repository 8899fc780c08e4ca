import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SOURCES } from "../../src/cbs/importers/sources.ts";

/**
 * The lists as they were published, by path, from the folder that IPSIEVE_LISTS names, else the one beside a checkout
 * where tests look for it.
 */
export function readPublishedLists(): ReadonlyMap<string, string> {
  const folder = resolve(process.env["IPSIEVE_LISTS"] ?? join(import.meta.dirname, "../../../shared/data/cbs"));
  const paths = SOURCES.flatMap(({ files }) => files.map(({ path }) => path)).filter((path) =>
    existsSync(join(folder, path)),
  );
  if (paths.length === 0) throw new Error(`no published lists in ${folder}; name their folder in IPSIEVE_LISTS`);
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

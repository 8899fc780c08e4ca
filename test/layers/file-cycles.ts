import { posix } from "node:path";
import type { SourceReferences } from "./read-references.ts";

/**
 * The import cycles between files: sets of files each of which leads to every other one, through types and values
 * alike. To change one of them, all must be read; and a value may be used before its file has run. Empty if each file
 * only imports files below it. Each cycle is sorted.
 *
 * Uses Tarjan's algorithm: the files are walked depth first; `low` is the earliest file on the path that a file
 * reaches. A file that reaches none before itself closes a cycle of all files that were entered after it and not yet
 * closed.
 */
export function fileCycles(read: ReadonlyMap<string, SourceReferences>): string[][] {
  const cycles: string[][] = [];
  const entered = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const enter = (file: string): void => {
    const order = entered.size;
    entered.set(file, order);
    low.set(file, order);
    open.push(file);
    const imports = importsOf(file, read);
    for (const imported of imports) {
      if (!entered.has(imported)) enter(imported);
      if (open.includes(imported)) low.set(file, Math.min(low.get(file)!, low.get(imported)!));
    }
    if (low.get(file) !== order) return;
    const closed = open.splice(open.indexOf(file));
    if (closed.length > 1 || imports.includes(file)) cycles.push(closed.sort());
  };
  for (const file of read.keys()) if (!entered.has(file)) enter(file);
  return cycles;
}

/** The files of `read` that a file imports in any way; the URL of a worker's file does not count. */
function importsOf(file: string, read: ReadonlyMap<string, SourceReferences>): string[] {
  return read
    .get(file)!
    .references.filter(({ kind, specifier }) => kind !== "url" && specifier?.startsWith(".") === true)
    .map(({ specifier }) => posix.join(posix.dirname(file), specifier!))
    .filter((path) => read.has(path));
}

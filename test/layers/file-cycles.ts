import { posix } from "node:path";
import type { SourceReferences } from "./read-references.ts";

/**
 * The circles of imports between files: sets of files of which each leads to every other one, types and values alike.
 * Whoever changes one of them must read all; and a value may be used before its file has run. Empty where each file
 * stands above those that it imports. Each circle is sorted.
 *
 * By Tarjan's algorithm: the files are walked depth first; `low` is the earliest file on the path that a file reaches.
 * One that reaches none before itself closes a circle of all that were entered after it and not closed.
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

/** The files of `read` that a file imports in any way; the address of a worker's file is none. */
function importsOf(file: string, read: ReadonlyMap<string, SourceReferences>): string[] {
  return read
    .get(file)!
    .references.filter(({ kind, specifier }) => kind !== "url" && specifier?.startsWith(".") === true)
    .map(({ specifier }) => posix.join(posix.dirname(file), specifier!))
    .filter((path) => read.has(path));
}

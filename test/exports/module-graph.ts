import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readReferences } from "../layers/read-references.ts";

/** What a built module loads, or can load: files by their path in `folder`, and everything else by its specifier. */
export interface ModuleGraph {
  readonly files: ReadonlySet<string>;
  /** Modules of node: and packages, with a file that names each. */
  readonly outside: ReadonlyMap<string, string>;
}

/** Walks all imports, re-exports, dynamic imports and `require`s from an entry on. */
export function moduleGraph(folder: string, entry: string): ModuleGraph {
  const files = new Set<string>();
  const outside = new Map<string, string>();
  for (let left = [entry]; left.length > 0;) {
    for (const file of left) files.add(file);
    // The parser is one of TypeScript, and of JavaScript by that.
    const sources = Object.fromEntries(left.map((file) => [`${file}.ts`, readFileSync(join(folder, file), "utf8")]));
    const next = new Set<string>();
    for (const [source, { references }] of readReferences(sources)) {
      const file = source.replace(/\.ts$/, "");
      for (const { kind, specifier } of references) {
        if (specifier === null || kind === "url") continue;
        if (specifier.startsWith(".")) next.add(relative(folder, join(folder, dirname(file), specifier)));
        else outside.set(specifier, file);
      }
    }
    left = [...next].filter((file) => !files.has(file));
  }
  return { files, outside };
}

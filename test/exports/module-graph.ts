import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readReferences, type SourceReferences } from "../layers/read-references.ts";

/** What a built module loads, or can load: files by their path in `folder`, and everything else by its specifier. */
export interface ModuleGraph {
  readonly files: ReadonlySet<string>;
  /** Modules of node: and packages, each with a file that imports it. */
  readonly outside: ReadonlyMap<string, string>;
}

/** What each file refers to, by its path, so that a file that several entries load is read once. */
const read = new Map<string, SourceReferences>();

/** Walks all imports, re-exports, dynamic imports and `require`s, starting at an entry. */
export function moduleGraph(folder: string, entry: string): ModuleGraph {
  const files = new Set<string>();
  const outside = new Map<string, string>();
  for (let left = [entry]; left.length > 0;) {
    for (const file of left) files.add(file);
    readThose(left.map((file) => join(folder, file)).filter((path) => !read.has(path)));
    const next = new Set<string>();
    for (const file of left) {
      for (const { kind, specifier } of read.get(join(folder, file))!.references) {
        if (specifier === null || kind === "url") continue;
        if (specifier.startsWith(".")) next.add(relative(folder, join(folder, dirname(file), specifier)));
        else outside.set(specifier, file);
      }
    }
    left = [...next].filter((file) => !files.has(file));
  }
  return { files, outside };
}

/** Reads each file as `NUMBER.ts`: the parser reads TypeScript, and therefore JavaScript too. */
function readThose(paths: readonly string[]): void {
  const sources = Object.fromEntries(paths.map((path, at) => [`${at}.ts`, readFileSync(path, "utf8")]));
  for (const [source, references] of readReferences(sources)) read.set(paths[parseInt(source)]!, references);
}

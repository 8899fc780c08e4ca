import type { SourceFile } from "typescript/unstable/ast";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API } from "typescript/unstable/sync";

// One compiler process for all calls; it ends with this one. Every call has its own folder in a file system of its own.
let files = createVirtualFileSystem({});
let calls = 0;
const api = new API({
  cwd: "/",
  fs: {
    readFile: (path) => files.readFile?.(path) ?? null,
    fileExists: (path) => files.fileExists?.(path),
    directoryExists: (path) => files.directoryExists?.(path),
    getAccessibleEntries: (path) => files.getAccessibleEntries?.(path),
    realpath: (path) => path,
  },
});

/** Parses TypeScript sources (path → text) with the compiler's own parser. */
export function parseSources(sources: Readonly<Record<string, string>>): Map<string, SourceFile> {
  const folder = `/call-${calls++}`;
  const placed = Object.entries(sources).map(([path, text]) => [`${folder}/${path}`, text] as const);
  const compilerOptions = {
    noLib: true,
    noResolve: true,
    types: [],
    allowImportingTsExtensions: true,
    jsx: "preserve",
    noEmit: true,
  };
  const config = JSON.stringify({ compilerOptions, files: placed.map(([path]) => path) });
  files = createVirtualFileSystem({ ...Object.fromEntries(placed), [`${folder}/tsconfig.json`]: config });
  const project = api
    .updateSnapshot({ openProjects: [`${folder}/tsconfig.json`] })
    .getProject(`${folder}/tsconfig.json`);
  return new Map(
    Object.keys(sources).map((path) => {
      const file = project?.program.getSourceFile(`${folder}/${path}`);
      if (file === undefined) throw new Error(`the parser did not return ${path}`);
      return [path, file];
    }),
  );
}

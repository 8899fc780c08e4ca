import { hash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** Where `npm run build` puts pages: the same path from the sources and from the built files. */
const BUILT = fileURLToPath(new URL("../../dist", import.meta.url));
export const DASHBOARD = join(BUILT, "dashboard");
export const API_CONSOLE = join(BUILT, "api-console");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The compressed forms, smallest first, by the extensions of their files. */
const CODINGS = { br: ".br", gzip: ".gz" } as const;
export type Coding = keyof typeof CODINGS;

/** A file of built pages, in all its forms. */
export interface BuiltFile {
  /** For example `/assets/index-4f2a.js`; `/` for the page itself. */
  readonly path: string;
  readonly type: string;
  /** Of its content: changes whenever the file does. */
  readonly tag: string;
  /** By content coding; `identity`: uncompressed. */
  readonly bytes: Readonly<Record<"identity", Buffer>> & Readonly<Partial<Record<Coding, Buffer>>>;
}

const KNOWN = new Map<string, readonly BuiltFile[]>();

/** The built files of a folder, read once for all servers of the process. */
export function builtFiles(folder: string): readonly BuiltFile[] {
  const files = KNOWN.get(folder) ?? readBuiltFiles(folder);
  KNOWN.set(folder, files);
  return files;
}

/**
 * The content of all built files: 0.3 MB for the dashboard, 2.6 for the API console. Empty if it has not been built.
 */
export function readBuiltFiles(folder: string): BuiltFile[] {
  const names = globSync("**/*", { cwd: folder }).map((name) => name.replace(/\.(?:br|gz)$/, ""));
  return [...new Set(names)]
    .filter((name) => Object.hasOwn(TYPES, extname(name)))
    .map((name) => {
      const path = join(folder, name);
      // The console is kept compressed only.
      const identity = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
      const coded = Object.entries(CODINGS)
        .filter(([, ending]) => existsSync(path + ending))
        .map(([coding, ending]) => [coding, readFileSync(path + ending)]);
      const url = `/${name.replaceAll("\\", "/")}`;
      return {
        path: url === "/index.html" ? "/" : url,
        type: TYPES[extname(name)]!,
        tag: hash("sha256", identity, "base64url").slice(0, 22),
        bytes: { identity, ...Object.fromEntries(coded) },
      };
    });
}

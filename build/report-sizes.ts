/** `npm run sizes`: the sizes of the built package, as a Markdown table. Build it first: `npm run build`. */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const ROOT = join(import.meta.dirname, "..");

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

function pack(): Packed {
  const { stdout, stderr, status } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout)[0];
}

/** The size of what the first page of the dashboard loads, as a browser receives it. */
function firstPage(): number {
  const folder = join(ROOT, "dist/dashboard");
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const loaded = Array.from(page.matchAll(/(?:src|href)="\.\/(assets[^"]*)"/g), ([, path]) => path!);
  return ["index.html", ...loaded].reduce((sum, path) => sum + gzipped(join(folder, path)), 0);
}

function gzipped(path: string): number {
  return gzipSync(readFileSync(path), { level: 9 }).length;
}

const { size, unpackedSize, entryCount, files } = pack();
const sum = (pattern: RegExp): number =>
  files.filter(({ path }) => pattern.test(path)).reduce((bytes, each) => bytes + each.size, 0);
const dashboard = globSync("dist/dashboard/**/*.{html,js,css,svg}", { cwd: ROOT });
const rows: readonly (readonly [what: string, bytes: number])[] = [
  ["the tarball", size],
  [`installed, ${entryCount} files`, unpackedSize],
  ["… `dist/packages/`", sum(/^dist\/packages\//)],
  [
    "… `dist/dashboard/`, each file in three forms, and `dist/api-console/`, compressed",
    sum(/^dist\/(dashboard|api-console)\//),
  ],
  ["… other code in `dist/`", sum(/^dist\/(?!packages|dashboard|api-console)/)],
  ["… data", sum(/^data\//)],
  ["the file of all commands", statSync(join(ROOT, "dist/cli/command-line.cjs")).size],
  ["the file of `identify`", statSync(join(ROOT, "dist/cli/start-identify.cjs")).size],
  ["the dashboard, all pages, gzip", dashboard.reduce((bytes, path) => bytes + gzipped(join(ROOT, path)), 0)],
  ["… its first page", firstPage()],
];
console.log("| | bytes |\n|---|---|");
for (const [what, bytes] of rows) console.log(`| ${what} | ${bytes.toLocaleString("en")} |`);

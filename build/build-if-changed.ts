/**
 * `node build/build-if-changed.ts`: builds the package and its data anew, unless nothing that they are made from has
 * changed since it last did, and neither has what it made. So `npm ci && npm test` builds once.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** The hash of what was built from, written last. */
const STAMP = join(ROOT, ".built");
const INPUTS = ["package.json", "package-lock.json", "tsconfig.json", "build", "data", "src"];
const OUTPUTS = [
  "dist",
  "data/catalogue.ipsieve",
  "data/networks.ipsieve",
  "data/cti-sample.ipsieve",
  "data/sample.log",
  "src/client/_operations.ts",
  "src/dashboard/_operations.ts",
  "src/kernel/_module.ts",
];

const hash = hashOf(INPUTS.flatMap(filesIn).filter((path) => !OUTPUTS.includes(path)));
if (!isBuiltFrom(hash)) {
  rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  run("npm", "run", "generated");
  run(process.execPath, "build/side-by-side.ts", "compile", "dashboard", "data");
  writeFileSync(STAMP, hash);
}

/** The files in a folder, or the file, by their paths from the root. */
function filesIn(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  const entries = readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash("sha256").update(process.version);
  for (const path of paths.toSorted()) {
    const bytes = readFileSync(join(ROOT, path));
    hash.update(`${path} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

/** Whether what is there was built from the same files, and has not been changed or removed since. */
function isBuiltFrom(hash: string): boolean {
  try {
    if (readFileSync(STAMP, "utf8") !== hash) return false;
    const { mtimeMs } = statSync(STAMP);
    return OUTPUTS.flatMap(filesIn).every((path) => statSync(join(ROOT, path)).mtimeMs <= mtimeMs);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

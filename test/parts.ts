import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/**
 * What `node test/run.ts PART` runs: `all` files in their short form (`npm test`); or each file once, as `.ci/run` does:
 * `once`, those without a long form, and `long`, the others in that form. `programs` are those of `long` that need other
 * programs, `nightly` the long forms that take too long for `.ci/run`, which runs their short ones.
 */
export const PARTS = ["all", "once", "long", "programs", "nightly"] as const;
export type Part = (typeof PARTS)[number];

/** Files whose long form takes minutes. */
export const NIGHTLY: readonly string[] = [
  "test/api/ended-starts.test.ts",
  "test/api/exclusive-imports.test.ts",
  "test/api/restored-databases.test.ts",
  "test/batch/engine/field-scan.test.ts",
  "test/batch/with-typescript.test.ts",
  "test/collateral/find-collateral.test.ts",
  "test/collateral/longest-cover.test.ts",
  "test/deployments/compile.test.ts",
  "test/kernel/mid-line.test.ts",
];

/** Test files that start other programs: paths or glob patterns. */
export const WITH_PROGRAMS: readonly string[] = readFileSync(join(ROOT, "test/programs-tests.txt"), "utf8")
  .trimEnd()
  .split("\n");

/** Whether a part runs the long forms, in which no test may be skipped. */
export function isLong(part: Part): boolean {
  return part !== "all" && part !== "once";
}

/** The test files of a part, by their paths from the root of the checkout. */
export function filesOf(part: Part): readonly string[] {
  const all = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: ["test/output/**"] }).toSorted();
  const programs = globSync([...WITH_PROGRAMS], { cwd: ROOT });
  const long = all.filter((path) => !NIGHTLY.includes(path) && (programs.includes(path) || hasLongForm(path)));
  if (part === "all") return all;
  if (part === "programs") return programs.toSorted();
  if (part === "nightly") return NIGHTLY;
  return part === "long" ? long : all.filter((path) => !long.includes(path));
}

/** Whether a test file, or one that it runs, does more or has more tests in the long form (`test/rounds.ts`). */
export function hasLongForm(path: string): boolean {
  if (path === "test/rounds.test.ts") return false;
  const text = readFileSync(join(ROOT, path), "utf8");
  const others = Array.from(text.matchAll(/\bimport\("(\.[^"]+\.test\.ts)"\)/g), ([, other]) => other!);
  return (
    /\brounds\(\{|\bonlyLong\(|\bsampled\(/.test(text) ||
    others.some((other) => hasLongForm(join(dirname(path), other)))
  );
}

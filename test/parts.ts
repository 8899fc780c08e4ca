import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inTurn } from "./rounds.ts";
import { LONGEST } from "./shared-processes.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * What `node test/run.ts PART` runs: `all` files in their short form, some in turn (`npm test`); or each file once, as
 * `.ci/run` does:
 * `once`, those without a long form, and `long`, the others in that form. `programs` are those of `long` that need other
 * programs, `nightly` the long forms that take too long for `.ci/run`, which runs their short ones: in `long`, if they
 * need programs.
 */
export const PARTS = ["all", "once", "long", "programs", "nightly"] as const;
export type Part = (typeof PARTS)[number];

/** Files whose long form takes about a minute or more, and in whose place `.ci/run` has their short one. */
export const NIGHTLY: readonly string[] = [
  "test/address/differential.test.ts",
  "test/api/bouncer-moments.test.ts",
  "test/api/changes-at-once.test.ts",
  "test/api/compiled-clients.test.ts",
  "test/api/dashboard/catalogue-updates.test.ts",
  "test/api/ended-starts.test.ts",
  "test/api/exclusive-imports.test.ts",
  "test/api/failing-files.test.ts",
  "test/api/fair-lists.test.ts",
  "test/api/fuzz.test.ts",
  "test/api/guard-classes.test.ts",
  "test/api/killed-followers.test.ts",
  "test/api/numbers.test.ts",
  "test/api/on-postgres.test.ts",
  "test/api/plugins/early-answers.test.ts",
  "test/api/restored-databases.test.ts",
  "test/api/rotations.test.ts",
  "test/api/schemathesis.test.ts",
  "test/api/shared-connections.test.ts",
  "test/api/versions.test.ts",
  "test/batch/engine/field-scan.test.ts",
  "test/batch/expiry.test.ts",
  "test/batch/further-snapshots.test.ts",
  "test/batch/identify.test.ts",
  "test/batch/input/records-beside-jq.test.ts",
  "test/batch/lines/encoded-fields.test.ts",
  "test/batch/lines/find-address.test.ts",
  "test/batch/lines/named-columns.test.ts",
  "test/batch/lines/records.test.ts",
  "test/batch/with-typescript.test.ts",
  "test/cbs/importers/hostile.test.ts",
  "test/cli/hostile-arguments.test.ts",
  "test/collateral/find-collateral.test.ts",
  "test/collateral/longest-cover.test.ts",
  "test/dashboard/account-pages.test.ts",
  "test/dashboard/catalogue-pages.test.ts",
  "test/dashboard/catalogue-update-pages.test.ts",
  "test/dashboard/compacted-lines.test.ts",
  "test/dashboard/deployment-pages.test.ts",
  "test/dashboard/follower-pages.test.ts",
  "test/dashboard/identify-pages.test.ts",
  "test/dashboard/lookup-pages.test.ts",
  "test/dashboard/rulesets-pages.test.ts",
  "test/deployments/compile.test.ts",
  "test/deployments/time-list.test.ts",
  "test/deployments/unprocessable.test.ts",
  "test/examples/duckdb.test.ts",
  "test/examples/spark.test.ts",
  "test/formats/rule-consumers.test.ts",
  "test/kernel/mid-line.test.ts",
  "test/package.test.ts",
  "test/reading/list-oracle.test.ts",
  "test/rulesets/compact.test.ts",
  "test/service/rules/check-rules.test.ts",
  "test/sets/address-set.test.ts",
  "test/store/audit.test.ts",
  "test/store/events.test.ts",
  "test/store/migrations.test.ts",
  "test/table/hashed.test.ts",
];

/** Files without a long form that take four seconds of processor time or more. */
export const DEAR: readonly string[] = [
  "test/api/bad-input.test.ts",
  "test/api/dashboard/feed-imports.test.ts",
  "test/api/dashboard/identifications.test.ts",
  "test/api/standby-feeds.test.ts",
  "test/api/taxii.test.ts",
  "test/batch/engine/long-rows.test.ts",
  "test/cbs/base-layer.test.ts",
  "test/cli/commands/identify.test.ts",
  "test/cli/commands/on-server.test.ts",
  "test/cli/commands/only-sets.test.ts",
  "test/cli/commands/ruleset-file.test.ts",
  "test/cli/commands/ruleset.test.ts",
  "test/cli/commands/sets.test.ts",
  "test/cli/commands/several-snapshots.test.ts",
  "test/cli/permissions.test.ts",
  "test/cli/quick-start.test.ts",
  "test/cti/importers/published-lists.test.ts",
  "test/formats/published-lists.test.ts",
  "test/update/published-lists.test.ts",
  "test/update/update-catalogue.test.ts",
];

/** Test files that start other programs: paths or glob patterns. */
export const WITH_PROGRAMS: readonly string[] = readFileSync(join(ROOT, "test/programs-tests.txt"), "utf8")
  .trimEnd()
  .split("\n");

/**
 * What a run of a part has of its files. Those that start other programs, have a long form or are dear take turns in
 * `npm test`, by TEST_SEED, as `.ci/run` has all of them. The longest are spread over the runs, so that these take as
 * long.
 */
export function filesOfRun(part: Part): readonly string[] {
  const files = filesOf(part);
  if (part !== "all") return files;
  const programs = filesOf("programs");
  const others = files.filter((path) => programs.includes(path) || DEAR.includes(path) || hasLongForm(path));
  const chosen = inTurn([...new Set([...LONGEST, ...DEAR, ...others])]);
  return files.filter((path) => !others.includes(path) || chosen.includes(path));
}

/** Whether a part runs the long forms, in which no test may be skipped. */
export function isLong(part: Part): boolean {
  return part !== "all" && part !== "once";
}

/** Whether a test file runs in its short form in a part of long forms. */
export function isShortIn(part: Part, path: string): boolean {
  return part === "long" && NIGHTLY.includes(path);
}

/** The test files of a part, by their paths from the root of the checkout. */
export function filesOf(part: Part): readonly string[] {
  const all = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: ["test/output/**"] }).toSorted();
  const programs = globSync([...WITH_PROGRAMS], { cwd: ROOT });
  const long = all.filter((path) => programs.includes(path) || (hasLongForm(path) && !NIGHTLY.includes(path)));
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
    /\brounds\(\{|\bonlyLong\(|\btakingTurns\(|\bsampled\(/.test(text) ||
    others.some((other) => hasLongForm(join(dirname(path), other)))
  );
}

import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inTurn } from "./rounds.ts";

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

/**
 * Files without a long form that take four seconds of processor time or more, on a busy machine: half of that on an idle
 * one.
 */
export const COSTLY: readonly string[] = [
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
  "test/store/sql/counts.test.ts",
  "test/store/sql/history.test.ts",
  "test/store/sql/indicators.test.ts",
  "test/update/published-lists.test.ts",
  "test/update/update-catalogue.test.ts",
];

/** Test files that start other programs: paths or glob patterns. */
export const WITH_PROGRAMS: readonly string[] = [
  "test/address/programs.test.ts",
  "test/api/behind-tls.test.ts",
  "test/api/enforced-packets.test.ts",
  "test/api/feed-readers.test.ts",
  "test/api/generated-clients.test.ts",
  "test/api/misp-feeds.test.ts",
  "test/api/openapi/document-linters.test.ts",
  "test/api/partitions.test.ts",
  "test/api/polled-feeds.test.ts",
  "test/api/schemathesis.test.ts",
  "test/api/shared-connections.test.ts",
  "test/api/taxii-clients.test.ts",
  "test/api/timed-packets.test.ts",
  "test/api/vendor-queries.test.ts",
  "test/batch/input/records-beside-duckdb.test.ts",
  "test/batch/input/records-beside-jq.test.ts",
  "test/batch/log-programs.test.ts",
  "test/bench/native.test.ts",
  "test/cli/commands/completions.test.ts",
  "test/cli/full-disk.test.ts",
  "test/cli/recovery.test.ts",
  "test/client/forward-auth.test.ts",
  "test/cti/importers/csv-beside-python.test.ts",
  "test/dashboard/*-pages.test.ts",
  "test/dashboard/api-console.test.ts",
  "test/dashboard/dropped-packet.test.ts",
  "test/examples/clickhouse.test.ts",
  "test/examples/duckdb.test.ts",
  "test/examples/kafka.test.ts",
  "test/examples/spark.test.ts",
  "test/exports/core-platforms.test.ts",
  "test/exports/site.test.ts",
  "test/formats/firewalls.test.ts",
  "test/formats/programs.test.ts",
  "test/formats/rule-consumers.test.ts",
  "test/formats/timed-decisions.test.ts",
  "test/packaging/board.test.ts",
  "test/packaging/linters.test.ts",
  "test/packaging/systemd.test.ts",
  "test/reading/list-oracle.test.ts",
  "test/service/store/store-outage.test.ts",
  "test/store/power-cut.test.ts",
];

/** Files that need a process of their own, and why. */
export const OWN_PROCESS: Readonly<Record<string, string>> = {
  "test/api/address-streams.test.ts": "measures memory",
  "test/api/http/read-buffers.test.ts": "measures memory",
  "test/api/load.test.ts": "measures how a server bears load",
  "test/api/plugins/writers.test.ts": "takes `Function` away",
  "test/batch/with-typescript.test.ts": "sets another engine for the files that it loads",
  "test/formats/programs.test.ts": "loads chDB, whose signal handler stops the process at a fault that V8 handles",
  "test/formats/published-lists.test.ts": "loads chDB as well",
  "test/service/logs/identifications.test.ts": "measures memory",
  "test/service/rules/background-freezes.test.ts": "measures memory",
  "test/service/rules/kernel-engine.test.ts": "measures memory",
  "test/service/store/store-outage.test.ts": "ends threads of its process",
  "test/snapshot/shared-memory.test.ts": "waits until memory is collected",
};

/**
 * Files that take longest by the clock, in the long form or the short one: they begin first, as one core would have
 * nothing to do if they came last.
 */
export const LONGEST: readonly string[] = [
  "test/api/on-postgres.test.ts",
  "test/package.test.ts",
  "test/readme.test.ts",
  "test/api/plugins/sequences.test.ts",
  "test/api/fuzz.test.ts",
  "test/api/processes.test.ts",
];

/**
 * How many files share a process, in their short forms and in their long ones, as starting Node, and loading and
 * compiling what they test, takes longer than the tests of many files. What one of them breaks takes no more with it.
 */
export const FILES = { short: 24, long: 6 } as const;

/**
 * What a run of a part has of its files. Those that start other programs, have a long form or are costly take turns in
 * `npm test`, by TEST_SEED, as `.ci/run` has all of them. The longest are spread over the runs, so that these take as
 * long.
 */
export function filesOfRun(part: Part): readonly string[] {
  const files = filesOf(part);
  if (part !== "all") return files;
  const programs = filesOf("programs");
  const others = files.filter((path) => programs.includes(path) || COSTLY.includes(path) || hasLongForm(path));
  const chosen = inTurn([...new Set([...LONGEST, ...COSTLY, ...others])]);
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

/**
 * The files of each process, in the order in which they begin: the longest alone, then neighbours by name, which load
 * the same modules, then the others that are alone.
 */
export function processesFor(
  files: readonly string[],
  form: "short" | "long" = "short",
): readonly (readonly string[])[] {
  const sorted = files.toSorted();
  const longest = LONGEST.filter((file) => files.includes(file));
  const sharing = sorted.filter(sharesProcess);
  const together = Array.from({ length: Math.ceil(sharing.length / FILES[form]) }, (_, index) =>
    sharing.slice(index * FILES[form], (index + 1) * FILES[form]),
  );
  const others = sorted.filter((file) => !longest.includes(file) && !sharing.includes(file));
  return [...longest.map((file) => [file]), ...together, ...others.map((file) => [file])];
}

function sharesProcess(file: string): boolean {
  return OWN_PROCESS[file] === undefined && !LONGEST.includes(file);
}

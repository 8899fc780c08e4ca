/**
 * The folders whose test files share processes. Starting Node, and loading and compiling what they test, takes longer
 * than the tests of many files.
 */
export const TOGETHER: readonly string[] = [
  "test/address/",
  "test/api/",
  "test/batch/",
  "test/cbs/",
  "test/client/",
  "test/collateral/",
  "test/csv/",
  "test/cti/",
  "test/dashboard/",
  "test/data/",
  "test/datasets/",
  "test/deployments/",
  "test/exports/",
  "test/formats/",
  "test/json/",
  "test/kernel/",
  "test/middleware/",
  "test/rows/",
  "test/rulesets/",
  "test/service/",
  "test/sets/",
  "test/store/",
  "test/table/",
  "test/trie/",
  "test/turns/",
  "test/update/",
];

/** Files of those folders that need a process of their own, and why. */
export const OWN_PROCESS: Readonly<Record<string, string>> = {
  "test/api/address-streams.test.ts": "measures memory",
  "test/api/http/read-buffers.test.ts": "measures memory",
  "test/api/load.test.ts": "measures how a server bears load",
  "test/api/on-postgres.test.ts": "gives all servers of its process another store",
  "test/api/plugins/writers.test.ts": "takes `Function` away",
  "test/api/replicated-feeds.test.ts": "gives all servers of its process another store",
  "test/api/shared-limits.test.ts": "gives all servers of its process another store",
  "test/api/standby-feeds.test.ts": "gives all servers of its process another store",
  "test/batch/with-typescript.test.ts": "sets another engine for the files that it loads",
  "test/formats/programs.test.ts": "loads chDB, whose signal handler stops the process at a fault that V8 handles",
  "test/formats/published-lists.test.ts": "loads chDB as well",
  "test/service/logs/identifications.test.ts": "measures memory",
  "test/service/rules/background-freezes.test.ts": "measures memory",
  "test/service/rules/kernel-engine.test.ts": "measures memory",
  "test/service/store/store-outage.test.ts": "ends threads of its process",
};

/**
 * Files that start one process after the other: they begin before the files that share processes, as one core would
 * have nothing to do if they came last.
 */
export const EARLY: readonly string[] = ["test/package.test.ts", "test/readme.test.ts"];

/** How many files share a process: what one of them breaks takes no more with it. */
const FILES = 12;

/** Whether these files have a process that begins before the shared ones. */
export function isEarly(files: readonly string[]): boolean {
  return files.some((file) => EARLY.includes(file));
}

/** The files of each process, in order: neighbours by name, which load the same modules, or one alone. */
export function processesFor(files: readonly string[]): readonly (readonly string[])[] {
  const sorted = files.toSorted();
  const shared = sorted.filter(sharesProcess);
  const together = Array.from({ length: Math.ceil(shared.length / FILES) }, (_, index) =>
    shared.slice(index * FILES, (index + 1) * FILES),
  );
  const alone = sorted.filter((file) => !sharesProcess(file)).map((file) => [file]);
  const [early, others] = [alone.filter(isEarly), alone.filter((files) => !isEarly(files))];
  return [...early, ...together, ...others];
}

function sharesProcess(file: string): boolean {
  return TOGETHER.some((folder) => file.startsWith(folder)) && OWN_PROCESS[file] === undefined;
}

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

import { relative } from "node:path";
import { isMainThread } from "node:worker_threads";

/** How many minutes a test file may run: several times what the slowest needs on two busy cores. */
export const MINUTES = Number(process.env["TEST_MINUTES"] ?? 25);

let timer: NodeJS.Timeout | undefined;

/**
 * Ends this process if `file` has not ended after that time, and no other was limited since. The runner's own limit
 * applies to a test: it reports a test that hangs, but then waits for the file, which is kept alive by what hangs. This
 * timer keeps no file alive.
 */
export function limitTime(file: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const counts = new Map<string, number>();
    for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const kept = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
    console.error(`${file} has not ended after ${MINUTES} minutes; kept alive by: ${kept}`);
    process.exit(1);
  }, MINUTES * 60_000);
  timer.unref();
}

// Loaded before each test file.
const file = process.argv[1] ?? "";
if (isMainThread && file.endsWith(".test.ts")) limitTime(relative(process.cwd(), file));

import type { TestEvent } from "node:test/reporters";

/**
 * A reporter for runs in which the programs that tests need are installed: a skip fails the run, and so does a run
 * without tests.
 */
export default async function* nothingSkipped(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skips: string[] = [];
  let ran = 0;
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    // The line for the whole file, which is not a test.
    if ((data as { entryFile?: string }).entryFile === undefined) continue;
    const reason = data.skip ?? data.todo;
    if (reason !== undefined) skips.push(`skipped, which fails this run: ${data.name}: ${reason}\n`);
    else if (data.details.type === "test") ran++;
  }
  if (skips.length > 0 || ran === 0) process.exitCode = 1;
  yield `${skips.join("")}${ran} tests ran, ${skips.length} skipped\n`;
}

import type { TestEvent } from "node:test/reporters";

/** A reporter that ends the process at the first test that fails: one is enough to notice a mutant. */
export default async function* stopAtFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.todo !== undefined) continue;
    yield `${data.name}\n`;
    process.exit(1);
  }
}

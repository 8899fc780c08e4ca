/** One part of a run, in a process of its own: `node --expose-gc bench/part.ts NAME`, started by run.ts. */
import type { Part, PartResult } from "./figures/part.ts";

/** What the process sends before it ends. */
export type PartReport = { readonly result: PartResult } | { readonly error: string };

async function report(name: string): Promise<PartReport> {
  try {
    const { part } = (await import(`./figures/${name}.ts`)) as { part: Part };
    return { result: await part() };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

if (import.meta.main) {
  process.send!(await report(process.argv[2]!));
  process.disconnect();
}

/** One part of a run, in a process of its own: `node --expose-gc bench/part.ts NAME`, started by run.ts. */
import type { Part } from "./figures/part.ts";

const name = process.argv[2]!;
const { part } = (await import(`./figures/${name}.ts`)) as { part: Part };
process.send!(await part());
process.disconnect();

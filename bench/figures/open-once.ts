/**
 * A process that opens or reads a file once and prints the milliseconds: `node bench/figures/open-once.ts open|read
 * PATH`.
 */
import { openOrRead } from "./open.ts";

const [act, path] = process.argv.slice(2) as ["open" | "read", string];
const start = performance.now();
await openOrRead[act](path);
process.stdout.write(String(performance.now() - start));

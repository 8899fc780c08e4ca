/**
 * A process that opens a ruleset once and prints the milliseconds: `node bench/figures/open-ruleset-once.ts PATH`.
 */
import { openRuleset } from "../../src/datasets/ruleset-files.ts";

const start = performance.now();
await openRuleset(process.argv[2]!);
process.stdout.write(String(performance.now() - start));

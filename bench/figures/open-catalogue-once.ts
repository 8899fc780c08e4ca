/**
 * A process that opens a catalogue, answers one address and prints the milliseconds: `node
 * bench/figures/open-catalogue-once.ts PATH`.
 */
import { openAndAnswer } from "./catalogue.ts";

const start = performance.now();
await openAndAnswer(process.argv[2]!);
process.stdout.write(String(performance.now() - start));

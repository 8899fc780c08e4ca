/**
 * A process that reads streams of changes. Arguments: port, key, streams. It reports when all are open, and then on
 * request how many changes have arrived.
 */
import { openStream } from "./latency.ts";

const [port, key, count] = process.argv.slice(2);
const AT_ONCE = 50;
/** A single byte, which cannot be divided between parts of a stream. The change of a rule has two. */
const BRACE = "{".charCodeAt(0);
let braces = 0;

process.on("message", () => process.send!(braces / 2));
process.on("disconnect", () => process.exit());
for (let opened = 0; opened < Number(count); opened += AT_ONCE)
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, Number(count) - opened) }, async () => {
      const stream = await openStream(`http://127.0.0.1:${port}/v1/changes`, key!);
      stream.on("data", (part: Buffer) => {
        for (let at = part.indexOf(BRACE); at >= 0; at = part.indexOf(BRACE, at + 1)) braces++;
      });
    }),
  );
process.send!(0);

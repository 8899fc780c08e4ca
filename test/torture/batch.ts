/*
 * npm run torture -- batch [--minutes N] [--seed N] [--megabytes N] [--memory-only]
 *
 * First the memory promise: a pipe of this many megabytes of log (1024 by default), identified with rows on every
 * number of threads, must stay under 200 MB of resident memory in addition to the snapshot. Then random texts are
 * compared with the oracles, in every shape of shards and on 1 to 3 threads, until the time is up. Exit code 1 at the
 * first failure.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { identify } from "../../src/batch/identify.ts";
import { cases, checkCase } from "../batch/differential.ts";
import { makeSnapshot, RENDERER } from "../batch/fixture.ts";

const MAX_BYTES = 200 * 1024 * 1024;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    megabytes: { type: "string", default: "1024" },
    "memory-only": { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const megabytes = Number(values.megabytes);
if (!(minutes > 0) || !Number.isInteger(seed) || !(megabytes > 0))
  throw new RangeError("--minutes and --megabytes take a number above 0, --seed an integer");

const folder = mkdtempSync(join(tmpdir(), "ipsieve-torture-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const snapshot = await makeSnapshot(folder);

/** Blocks of about a megabyte, of lines that begin differently: none of it is retained. */
function* log(bytes: number): Generator<Buffer> {
  const rest = ' - - [31/Jan/2024:12:34:56 +0000] "GET /index.html HTTP/1.1" 200 612 "-" "Mozilla/5.0"\n';
  const block = Buffer.from(
    Array.from({ length: 10_000 }, (_, at) => `1.2.${at % 256}.${(at * 31) % 256}${rest}`).join(""),
  );
  for (let given = 0; given < bytes; given += block.length) yield block;
}

/** The maximum of resident bytes in addition to the snapshot, and the number of lines. */
async function memoryOf(
  threads: number,
  output: Writable | { path: string },
): Promise<{ most: number; lines: number }> {
  let most = 0;
  const measure = (): void => void (most = Math.max(most, process.memoryUsage.rss() - snapshot.buffer.byteLength));
  const timer = setInterval(measure, 20);
  const { lines } = await identify({
    inputs: [Readable.from(log(megabytes * 1024 * 1024))],
    snapshot,
    format: "jsonl",
    renderer: RENDERER,
    threads,
    output,
  });
  clearInterval(timer);
  measure();
  return { most, lines };
}

for (const threads of [1, 2]) {
  const { most, lines } = await memoryOf(threads, { path: "/dev/null" });
  console.log(
    `${megabytes} MB through a pipe, ${threads} threads: ${lines} lines, ${Math.round(most / 1e6)} MB resident at most`,
  );
  if (most > MAX_BYTES) {
    console.error("too much memory");
    process.exit(1);
  }
}
// Negative control: rows that are never released must be noticed.
const kept: Buffer[] = [];
const leak = await memoryOf(1, new Writable({ write: (rows: Buffer, _encoding, done) => (kept.push(rows), done()) }));
console.log(`negative control: rows kept, ${Math.round(leak.most / 1e6)} MB`);
if (leak.most <= MAX_BYTES) {
  console.error("the memory of kept rows was not noticed; give more --megabytes");
  process.exit(1);
}
if (values["memory-only"]) process.exit(0);

const until = Date.now() + minutes * 60_000;
const counts = { cases: 0, lines: 0, bytes: 0 };
console.log(`seed ${seed}, ${minutes} minutes`);
const engines = fc.constantFrom("webassembly" as const, "typescript" as const);
const threaded = fc.tuple(cases, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 30 }), engines);
for (let round = 0; Date.now() < until; round++) {
  const result = await fc.check(
    fc.asyncProperty(threaded, async ([one, threads, times, engine]) => {
      const text = `${one.text}\n`.repeat(times);
      await checkCase(snapshot, folder, { ...one, engine, text, threads, limits: { ...one.limits, workerBytes: 1 } });
      counts.cases++;
      counts.lines += text.split("\n").length - 1;
      counts.bytes += text.length;
    }),
    { seed: seed + round, numRuns: 100 },
  );
  if (!result.failed) continue;
  console.error(fc.defaultReportMessage(result));
  process.exit(1);
}
console.log(`0 disagreements: ${JSON.stringify(counts)}`);

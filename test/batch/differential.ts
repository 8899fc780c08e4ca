import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import type { BatchLimits } from "../../src/batch/identify-options.ts";
import type { RowSelection } from "../../src/batch/engine/messages.ts";
import { identify } from "../../src/batch/identify.ts";
import type { RowFormat } from "../../src/rows/row-format.ts";
import type { Snapshot } from "../../src/snapshot/snapshot.ts";
import { LOG_LINES } from "../cases/log-lines.ts";
import { ENGINE, expectedCounts, expectedRows, RENDERER } from "./fixture.ts";

/** How a text reaches `identify`. */
export const SOURCES = ["file", "stream", "gzip", "zstd", "two members", "two frames"] as const;
export type Source = (typeof SOURCES)[number];

export interface Case {
  readonly text: string;
  readonly source: Source;
  readonly engine: "webassembly" | "typescript";
  readonly format: RowFormat;
  readonly rows: RowSelection;
  readonly threads: number;
  readonly limits: Partial<BatchLimits>;
  /** The stream arrives in pieces of this many bytes. */
  readonly pieceBytes: number;
}

/** Runs one case; rows and counts must equal those of the oracles. */
export async function checkCase(snapshot: Snapshot, folder: string, one: Case): Promise<void> {
  const { text, engine, format, rows, threads, limits } = one;
  const output = join(folder, "rows");
  const result = await identify({
    inputs: [inputOf(one, folder)],
    snapshot,
    engine,
    format,
    renderer: RENDERER,
    rows,
    threads,
    limits,
    output: { path: output },
    countMatches: true,
  });
  const written = readFileSync(output, "latin1");
  const expected = expectedRows(text, format, rows);
  if (written !== expected)
    assert.equal(
      written.split("\n").map(shorten).join("\n"),
      expected.split("\n").map(shorten).join("\n"),
      JSON.stringify({ ...one, text: text.length }),
    );
  const { lines, addresses, matched } = result;
  assert.equal(result.engine, engine);
  assert.deepEqual({ lines, addresses, matched }, expectedCounts(text));
  assert.equal(
    result.perMatch.reduce((sum, count) => sum + count, 0),
    addresses,
  );
  assert.equal(result.perMatch[0], addresses - matched);
  assert.equal(result.bytesWritten, expected.length);
}

function shorten(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}... ${line.length}` : line;
}

function inputOf({ text, source, pieceBytes }: Case, folder: string): string | Readable {
  const bytes = Buffer.from(text, "latin1");
  if (source === "stream") return Readable.from(pieces(bytes, pieceBytes));
  const half = bytes.length >> 1;
  const both = (compress: (bytes: Buffer) => Buffer): Buffer =>
    Buffer.concat([compress(bytes.subarray(0, half)), compress(bytes.subarray(half))]);
  const stored = {
    file: () => bytes,
    gzip: () => gzipSync(bytes),
    zstd: () => zstdCompressSync(bytes),
    "two members": () => both(gzipSync),
    "two frames": () => both(zstdCompressSync),
  }[source]();
  const path = join(folder, `input.${source.replace(" ", "-")}`);
  writeFileSync(path, stored);
  return path;
}

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

const lineEnd = fc.oneof(
  { weight: 8, arbitrary: fc.constant("\n") },
  fc.constantFrom("\r\n", "\n\n", "\r\r\n", "\n\r\n"),
);
const line = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...LOG_LINES.map((one) => one.line)) },
  { weight: 3, arbitrary: fc.ipV4() },
  { weight: 1, arbitrary: fc.ipV6() },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "\0", "\r", "x".repeat(3000), `${"y ".repeat(700)}1.2.3.4`, "\xff\xfe\x00"),
  },
);

/** Texts with every kind of line end, with and without the last one, in any shape of shards. */
export const cases: fc.Arbitrary<Case> = fc.record({
  text: fc
    .tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 60 }), fc.oneof(fc.constant(""), line))
    .map(([lines, last]) => lines.map(([text, end]) => text + end).join("") + last)
    // Those would be UTF-16, and JSON, to whose objects a member is appended (test/batch/lines/records.test.ts).
    .filter((text) => !/^(?:\xff\xfe|\xfe\xff|\s*\{|\s*\[\s*\{)/.test(text)),
  source: fc.constantFrom(...SOURCES),
  engine: fc.constant(ENGINE),
  format: fc.constantFrom("tsv", "csv", "jsonl", "append"),
  rows: fc.oneof(
    { weight: 4, arbitrary: fc.constant("all" as const) },
    fc.constantFrom("matched" as const, "unmatched" as const),
  ),
  threads: fc.constant(1),
  limits: fc.record({
    shardBytes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 5000 })),
    rowBytes: fc.integer({ min: 1, max: 2000 }),
    templateBytes: fc.constantFrom(1, 300, 1000, 1 << 20),
  }),
  pieceBytes: fc.integer({ min: 1, max: 5000 }),
});

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { decompress } from "../../../src/batch/input/_decompress.ts";
import { zstdFrameChunks } from "../../../src/batch/input/_zstd-frames.ts";
import { BatchError } from "../../../src/batch/batch-error.ts";
import { identify } from "../../../src/batch/identify.ts";
import { ENGINE, expectedRows, makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";
import { rounds } from "../../rounds.ts";

const SEED = 20240131;
const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);
const output = join(folder, "out");
const LINES = Array.from({ length: 400 }, (_, at) => `${at % 256}.${(at * 7) % 256}.${(at * 13) % 256}.1 line ${at}`);
const TEXT = `${LINES.join("\n")}\n`;
const BYTES = Buffer.from(TEXT);

/** The rows, or the code of the error; asserts that an error leaves no file. */
async function outcome(stored: Buffer, name = "input"): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, stored);
  writeFileSync(output, "before");
  try {
    await identify({
      inputs: [path],
      snapshot,
      engine: ENGINE,
      format: "tsv",
      renderer: RENDERER,
      threads: 1,
      output: { path: output },
    });
    return readFileSync(output, "latin1");
  } catch (error) {
    assert.ok(error instanceof BatchError, String(error));
    assert.ok(error.message.startsWith(path), error.message);
    assert.equal(readFileSync(output, "latin1"), "before");
    assert.ok(!existsSync(`${output}.partial`));
    return error.code;
  }
}

/** A skippable frame, which parallel compressors put before each of their frames. */
function skippable(content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + (content.length % 16), 0);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

const ZSTD_SHAPES: Record<string, (bytes: Buffer) => Buffer> = {
  plain: (bytes) => zstdCompressSync(bytes),
  "with a checksum": (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
  "without its size": (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } }),
  "in small blocks": (bytes) =>
    zstdCompressSync(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_targetLength]: 100 },
    }),
};

test("every member and every frame is read", async () => {
  const rows = expectedRows(TEXT + TEXT, "tsv");
  assert.equal(await outcome(Buffer.concat([gzipSync(BYTES), gzipSync(""), gzipSync(BYTES)])), rows);
  for (const [name, compress] of Object.entries(ZSTD_SHAPES)) {
    const frame = compress(BYTES);
    const empty = zstdCompressSync("");
    const extra = skippable(Buffer.from("anything"));
    assert.equal(await outcome(Buffer.concat([frame, frame])), rows, name);
    assert.equal(
      await outcome(Buffer.concat([extra, frame, empty, skippable(Buffer.alloc(0)), frame, extra])),
      rows,
      name,
    );
  }
});

test("frames are separated in pieces of any size", async (t) => {
  const frames = Object.values(ZSTD_SHAPES).flatMap((compress) => [
    compress(BYTES),
    skippable(Buffer.alloc(300)),
    compress(Buffer.alloc(300_000, "1.2.3.4\n")),
    compress(Buffer.alloc(0)),
  ]);
  const stored = Buffer.concat(frames);
  const whole = Buffer.concat(Object.values(ZSTD_SHAPES).flatMap(() => [BYTES, Buffer.alloc(300_000, "1.2.3.4\n")]));
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 20 }), async (sizes) => {
      const pieces: Buffer[] = [];
      for (let at = 0, turn = 0; at < stored.length; turn++)
        pieces.push(stored.subarray(at, (at += sizes[turn % sizes.length]!)));
      const out: Buffer[] = [];
      for await (const chunk of decompress(
        (async function* () {
          yield* pieces;
        })(),
        "zstd",
        "file",
      ))
        out.push(chunk);
      assert.ok(Buffer.concat(out).equals(whole));
      runs++;
    }),
    { seed: SEED, numRuns: 40 },
  );
  t.diagnostic(`${runs} ways to cut ${frames.length} frames, seed ${SEED}`);
});

test("a stream that ends too early is never taken for a complete one", async (t) => {
  const short = Buffer.from(LINES.slice(0, 12).join("\n"));
  const streams: Record<string, Buffer> = {
    gzip: gzipSync(short),
    ...Object.fromEntries(Object.entries(ZSTD_SHAPES).map(([name, compress]) => [`zstd ${name}`, compress(short)])),
  };
  let cuts = 0;
  for (const [name, stream] of Object.entries(streams)) {
    const kind = name.startsWith("gzip") ? "gz" : "zst";
    for (
      let length = 0;
      length < stream.length;
      length += length < 20 || length > stream.length - 12 ? 1 : rounds({ short: 112, long: 14 })
    ) {
      assert.equal(
        await outcome(stream.subarray(0, length), `cut.${kind}`),
        "stream-truncated",
        `${name}, ${length} of ${stream.length} bytes`,
      );
      if (length > 0)
        assert.equal(
          await outcome(Buffer.concat([stream, stream.subarray(0, length)]), `cut.${kind}`),
          "stream-truncated",
          `${name}, second, ${length} bytes`,
        );
      cuts += 2;
    }
  }
  assert.equal(await outcome(skippable(Buffer.alloc(20)).subarray(0, 15)), "stream-truncated");
  t.diagnostic(`${cuts} truncations`);
});

test("garbage after the end and corruption inside are errors", async (t) => {
  for (const stream of [gzipSync(BYTES), zstdCompressSync(BYTES)]) {
    assert.equal(await outcome(Buffer.concat([stream, Buffer.from("garbage")])), "stream-corrupt");
    assert.equal(await outcome(Buffer.concat([stream, Buffer.from("1.2.3.4\n".repeat(100_000))])), "stream-corrupt");
  }
  assert.equal(await outcome(Buffer.concat([zstdCompressSync(BYTES), Buffer.alloc(512)])), "stream-corrupt");
  // What begins with a NUL is no padding: a member may follow it.
  const member = gzipSync(BYTES);
  for (const more of [
    Buffer.alloc(1),
    Buffer.alloc(512),
    Buffer.from("\0garbage"),
    Buffer.concat([Buffer.alloc(512), member]),
  ])
    assert.equal(await outcome(Buffer.concat([member, more])), "stream-corrupt");
  // With a checksum in the format, no flipped bit may change the rows.
  const rows = expectedRows(TEXT, "tsv");
  const harmless: Record<string, number> = { gzip: 0, zstd: 0 };
  let flips = 0;
  for (const [name, stream] of Object.entries({
    gzip: gzipSync(BYTES),
    zstd: ZSTD_SHAPES["with a checksum"]!(BYTES),
  })) {
    for (let at = 4; at < stream.length; at += rounds({ short: 162, long: 18 }), flips++) {
      const corrupt = Buffer.from(stream);
      corrupt[at]! ^= 1 << (at % 8);
      const result = await outcome(corrupt, "corrupt");
      if (result === rows) harmless[name]!++;
      else assert.match(result, /^(stream-corrupt|stream-truncated)$/);
    }
  }
  t.diagnostic(`${flips} flipped bits; rows unchanged and no error: ${JSON.stringify(harmless)}`);
});

// Negative control: the comparison above must notice what the platform's decompressor does when frames are not
// separated.
test("reading two frames as one chunk loses the second: the reason for separating them", async () => {
  const two = Buffer.concat([zstdCompressSync(BYTES), zstdCompressSync(BYTES)]);
  const { createZstdDecompress } = await import("node:zlib");
  const out = Buffer.concat(await Readable.from([two]).pipe(createZstdDecompress()).toArray());
  const chunks: Buffer[] = [];
  for await (const chunk of zstdFrameChunks(
    (async function* () {
      yield two;
    })(),
    "file",
  ))
    chunks.push(chunk);
  assert.ok(Buffer.concat(chunks).equals(two));
  assert.ok(
    out.length === BYTES.length || out.length === 2 * BYTES.length,
    "when this platform reads both, _zstd-frames.ts is not needed any more",
  );
});

test("short texts with the name of a compressed file are texts, and only skippable frames are an empty text", async () => {
  for (const name of ["short.gz", "short.zst"]) {
    for (const text of ["1\n", "\n", "P", "1.2", "ab\n"])
      assert.equal(
        await outcome(Buffer.from(text), name),
        expectedRows(text, "tsv"),
        `${name} ${JSON.stringify(text)}`,
      );
  }
  for (const content of [Buffer.alloc(0), Buffer.from("anything")]) {
    assert.equal(await outcome(skippable(content), "skip.zst"), "");
    assert.equal(await outcome(Buffer.concat([skippable(content), skippable(content)])), "");
  }
});

test("the rows of the complete lines before corruption in a stream are written", async () => {
  const length = rounds({ short: 45_000, long: 200_000 });
  const random = Array.from(
    { length },
    (_, at) =>
      `${(at * 7919) % 256}.${(at * 104_729) % 256}.${at % 256}.1 line ${(at * 2_654_435_761) % 4_294_967_296}\n`,
  ).join("");
  const corruptions: Record<string, () => AsyncGenerator<Buffer>> = {
    "a failing stream": async function* () {
      yield Buffer.from("1.2.3.4\n5.6.7.8\nbegun");
      throw Object.assign(new Error("gone"), { code: "EIO" });
    },
    gzip: async function* () {
      yield gzipSync(random).subarray(0, -9);
    },
    zstd: async function* () {
      yield ZSTD_SHAPES["in small blocks"]!(Buffer.from(random)).subarray(0, -9);
    },
  };
  for (const [name, corruption] of Object.entries(corruptions)) {
    const written: Buffer[] = [];
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (written.push(chunk), done()) });
    await assert.rejects(
      identify({
        inputs: [Readable.from(corruption())],
        snapshot,
        engine: ENGINE,
        format: "tsv",
        renderer: RENDERER,
        threads: 1,
        output: sink,
      }),
      BatchError,
    );
    const rows = Buffer.concat(written).toString("latin1");
    const whole = expectedRows(name === "a failing stream" ? "1.2.3.4\n5.6.7.8\n" : random, "tsv");
    assert.ok(whole.startsWith(rows) && rows.endsWith("\n"), name);
    if (name === "a failing stream") assert.equal(rows, whole);
    else assert.ok(rows.split("\n").length > length - 30_000, `${name}: ${rows.split("\n").length} rows`);
  }
});

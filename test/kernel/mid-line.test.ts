import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { createFound, findAddress, STOP } from "../../src/batch/lines/find-address.ts";
import {
  HIT_ENTRIES,
  HITS,
  TEXT_SLACK,
  VECTOR_COLON_BITS,
  VECTOR_DOT,
  VECTOR_DOT_TABLE,
  VECTOR_IS_COLON,
  VECTOR_LOW_NIBBLE,
  WORKSPACE_BYTES,
} from "../../src/kernel/workspace.ts";
import { LOG_LINES } from "../cases/log-lines.ts";
import { rounds } from "../rounds.ts";
import type { KernelRoom } from "./kernel-memory.ts";
import { randomIpv6, randomLine, randomQuad } from "./random-lines.ts";
import { kernelLines, referenceLines, scanningKernel } from "./scan-harness.ts";

const SEED = 20261123;
const TEXT_BYTES = 1 << 20;
const LF = 0x0a;
const LINES = rounds({ short: 300_000, long: 100_000_000 });

/** The bytes that addresses consist of, and those around them. */
const BYTES = Buffer.from('.....::::::0012345678999abcfFgz_ /,[]"%-=*\x1a\r\n\xff', "latin1");

/** Lines as programs write them, with an address somewhere in them. */
const SHAPES: readonly ((address: string, random: Random) => string)[] = [
  (address, random) =>
    `Nov 23 12:34:56 web${random.below(10)} sshd[${random.below(30_000)}]: Failed password from ${address} port 22`,
  (address, random) =>
    `{"time":"2026-11-23T12:34:56.${random.below(1000)}Z","version":"1.18.0","client_ip":"${address}","took":1.5}`,
  (address, random) =>
    `2026-11-23T12:34:56+01:00,user${random.below(1000)},login,${address},${random.below(100_000)},ok`,
  (address) => `DHCPACK on ${address} to 00:11:22:33:44:55 via eth0`,
  (address, random) => `std::vector 10.0.19041.1 Chrome/120.0.0.0 ${".".repeat(random.below(9))} src:${address}:80 ::`,
  (address) => `a:b:c:d:e:f:1 1:2:3:4 www.a.b.c.d.example.com ip:${address}.`,
];

/** Lines of these shapes, with one in `others` of another shape. */
function randomText(random: Random, others = 4): Buffer {
  const lines: string[] = [];
  for (let bytes = 0; bytes < TEXT_BYTES - 2000;) {
    const address = random.below(3) === 0 ? randomIpv6(random) : randomQuad(random);
    const line =
      random.below(others) === 0 ? randomLine(random) : SHAPES[random.below(SHAPES.length)]!(address, random);
    bytes += line.length + 1;
    lines.push(line);
  }
  return Buffer.from(`${lines.join("\n")}\n`, "latin1");
}

/** Replaces some bytes of the text by other significant bytes, LFs included; the last byte stays an LF. */
function change(text: Buffer, random: Random): void {
  for (let changes = text.length >> 7; changes > 0; changes--)
    text[random.below(text.length - 1)] = BYTES[random.below(BYTES.length)]!;
}

/** How many chunks were read by their hits, and how many line by line. */
interface Chunks {
  byHits: number;
  byLines: number;
}

/** The first line that the kernel reads differently from the reference; null if there is none. */
function firstDifference(
  { kernel, memory, at: room }: KernelRoom,
  at: number,
  text: Buffer,
  chunks?: Chunks,
): string | null {
  new Uint8Array(memory.buffer).set(text, at);
  const firstHit = new Uint32Array(memory.buffer, room - WORKSPACE_BYTES + HITS, 1);
  const found = createFound();
  const words = new Uint32Array(4 * 640);
  const families = new Uint8Array(640);
  for (let next = at, start = 0; next < at + text.length;) {
    firstHit[0] = 0; // the kernel writes an address or -1 here
    next = kernel.scanChunk(next, at + text.length);
    if (chunks !== undefined) chunks[firstHit[0] === 0 ? "byLines" : "byHits"]++;
    families.fill(0);
    for (let index = 0; index < kernel.count4; index++) {
      const line = kernel.lines4[index]!;
      families[line]! += 4;
      words[4 * line] = kernel.words4[index]!;
    }
    for (let index = 0; index < kernel.count6; index++) {
      const line = kernel.lines6[index]!;
      families[line]! += 6;
      words.set(kernel.words6.subarray(4 * index, 4 * index + 4), 4 * line);
    }
    for (let line = 0; line < kernel.chunkLines; line++) {
      const family = findAddress(text, start, text.length, found);
      const end = text.indexOf(LF, found[STOP]!);
      let isSame = family === families[line] && kernel.lineStarts[line] === at + start;
      for (let word = 0; word < (family === 0 ? 0 : family === 4 ? 1 : 4); word++)
        isSame &&= words[4 * line + word] === found[word];
      if (!isSame) return text.toString("latin1", start, end);
      start = end + 1;
    }
  }
  return null;
}

test(`the kernel reads ${LINES} lines of all shapes like the reference, changed at random, at random alignments`, (t) => {
  const room = scanningKernel(TEXT_BYTES + 64);
  const random = new Random(SEED);
  const chunks = { byHits: 0, byLines: 0 };
  let lines = 0;
  let text = randomText(random);
  for (let round = 0; lines < LINES; round++) {
    // Every other text has so few lines that start with an address that most chunks are read by their hits.
    if (round % 8 === 0) text = randomText(random, round % 16 === 0 ? 4 : 100);
    assert.equal(firstDifference(room, room.at + random.below(64), text, chunks), null, `seed ${SEED}, round ${round}`);
    for (const byte of text) if (byte === LF) lines++;
    change(text, random);
  }
  t.diagnostic(`seed ${SEED}: ${lines} lines; ${chunks.byHits} chunks by hits, ${chunks.byLines} by lines`);
  assert.ok(chunks.byHits > 100 && chunks.byLines > 100);
});

test("the kernel reads the sample log like the reference, with anything before its lines", () => {
  const room = scanningKernel(4 * TEXT_BYTES);
  const log = readFileSync(new URL("../../data/sample.log", import.meta.url), "latin1")
    .trimEnd()
    .split("\n");
  for (const front of ["", "x ", "12:34:56 ", "a.b.c.d.e::f.1.2.3.4.5 ", `${" ".repeat(47)}1.`]) {
    const text = Buffer.from(`${log.map((line) => front + line).join("\n")}\n`, "latin1");
    assert.equal(firstDifference(room, room.at, text), null);
  }
});

test(`each of ${LOG_LINES.length} lines after every number of bytes from 0 to 130`, () => {
  const room = scanningKernel(4 * TEXT_BYTES);
  // A delimiter, and bytes that look like the start of an address.
  for (const fill of [" ", "1.2 ", "::x "]) {
    for (let length = 0; length <= 130; length++) {
      const front = fill.repeat(Math.ceil(length / fill.length)).slice(0, length);
      const text = Buffer.from(`${LOG_LINES.map(({ line }) => front + line).join("\n")}\n`, "latin1");
      assert.equal(firstDifference(room, room.at, text), null, `${length} bytes of ${JSON.stringify(fill)}`);
    }
  }
});

test("addresses of every length after every number of bytes, alone in the text", () => {
  const room = scanningKernel(TEXT_BYTES);
  for (const address of [
    "1.2.3.4",
    "255.255.255.255",
    "1:2:3:4:5:6:7:8",
    "2001:1db8:3333:4444:5555:6666:7777:8888",
    "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
    "::",
    "::1",
    "fe80::",
    "::ffff:1.2.3.4",
    "ip:::1",
    "client:1:2:3:4:5:6:7:8",
  ]) {
    for (let length = 0; length <= 130; length++) {
      const text = Buffer.from(`${"-".repeat(length)}${address}\n`);
      const expected = referenceLines(text, text.length);
      assert.notEqual(expected[0]!.address, null);
      assert.deepEqual(kernelLines(room, room.at + 3, text, text.length), expected);
    }
  }
});

test(`lines with ${HIT_ENTRIES} possible positions of an address, with fewer and with more`, () => {
  const room = scanningKernel(4 * TEXT_BYTES);
  const random = new Random(SEED);
  const plain = SHAPES[0]!;
  for (const [name, unit] of [
    ["dots", "1."],
    ["versions", "1.2.3.456 "],
    ["gaps", "x::y "],
    ["colons", ":"],
  ] as const) {
    for (let length = HIT_ENTRIES - 100; length <= HIT_ENTRIES + 100; length += 1 + random.below(8)) {
      const lines = Array.from({ length: 40 }, () => plain(randomQuad(random), random));
      const long = unit.repeat(length);
      const text = Buffer.from([...lines, ...lines, long, `${long} 192.0.2.7 x`, ...lines, ""].join("\n"));
      const chunks = { byHits: 0, byLines: 0 };
      assert.equal(firstDifference(room, room.at, text), null, `${length} ${name}`);
      assert.equal(firstDifference(room, room.at + random.below(64), text, chunks), null, `${length} ${name}, by hits`);
      assert.ok(chunks.byHits > 0);
    }
  }
});

test("lines that are read by hits, at the very end of the memory", () => {
  const room = scanningKernel(TEXT_BYTES);
  const random = new Random(SEED);
  const end = room.memory.buffer.byteLength - TEXT_SLACK;
  const lines = Array.from({ length: 40 }, () => SHAPES[0]!(randomQuad(random), random)).join("\n");
  const chunks = { byHits: 0, byLines: 0 };
  for (let length = 0; length <= 130; length++) {
    const text = Buffer.from(`${lines}\n${"-".repeat(length)}${length % 2 === 0 ? " 192.0.2.7" : ""}\n`);
    assert.equal(firstDifference(room, end - text.length, text, chunks), null, `${length} bytes`);
  }
  assert.deepEqual(chunks, { byHits: 130, byLines: 1 });
});

// Negative controls where lines are read by hits: each changes one byte of the vectors that the masks are made with.
for (const [name, offset] of Object.entries({
  "sees no dots": VECTOR_DOT_TABLE + 14,
  "sees dots and newlines in fifteen bytes of sixteen": VECTOR_LOW_NIBBLE + 9,
  "sees colons and newlines in fifteen bytes of sixteen": VECTOR_COLON_BITS + 4,
})) {
  test(`a kernel that ${name} is caught where lines are read by hits`, () => {
    const room = scanningKernel(TEXT_BYTES + 64);
    const text = randomText(new Random(SEED), 1000);
    assert.equal(firstDifference(room, room.at, text), null); // the next chunk is read by its hits
    new Uint8Array(room.memory.buffer)[room.at - WORKSPACE_BYTES + offset] = 0;
    const chunks = { byHits: 0, byLines: 0 };
    assert.notEqual(firstDifference(room, room.at, text, chunks), null);
    assert.deepEqual(chunks, { byHits: 1, byLines: 0 });
  });
}

// Negative controls: each changes one byte of the vectors that the masks are made with.
for (const [name, offset] of Object.entries({ dots: VECTOR_DOT + 9, colons: VECTOR_IS_COLON + 4 })) {
  test(`a kernel that sees ${name} in fifteen bytes of sixteen is caught`, () => {
    const room = scanningKernel(TEXT_BYTES + 64);
    new Uint8Array(room.memory.buffer)[room.at - WORKSPACE_BYTES + offset] = 0;
    assert.notEqual(firstDifference(room, room.at, randomText(new Random(SEED))), null);
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import {
  GAPS,
  KINDS,
  QUAD_BIAS,
  QUAD_LEAST,
  QUADS,
  TEXT_SLACK,
  VECTOR_LF,
  VECTOR_PAIRS,
  WORKSPACE_BYTES,
} from "../../src/kernel/workspace.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { Random } from "../../bench/data/random.ts";
import { LOG_LINES } from "../cases/log-lines.ts";
import { kernelOver } from "./kernel-memory.ts";
import { randomLine } from "./random-lines.ts";
import { kernelLines, referenceLines, scanningKernel } from "./scan-harness.ts";
import { rounds } from "../rounds.ts";

const SEED = 20261121;
const TEXT_BYTES = 1 << 20;

/** A text of random lines; one in five has no newline at its end. */
function randomText(random: Random, lines: number): Buffer {
  const text = Array.from({ length: lines }, () => randomLine(random)).join("\n");
  return Buffer.from(random.below(5) === 0 ? text : `${text}\n`, "latin1");
}

/** The text with the LF that follows every text, and unrelated bytes after it. */
function withEnd(text: Buffer): Buffer {
  return Buffer.concat([text, Buffer.from("\n7.7.7.7\n::7\n")]);
}

test(`the kernel reads ${LOG_LINES.length} lines as in the table, each at every alignment`, () => {
  const room = scanningKernel(TEXT_BYTES);
  const text = Buffer.from(`${LOG_LINES.map(({ line }) => line).join("\n")}\n`, "latin1");
  for (let offset = 0; offset < 64; offset++) {
    const lines = kernelLines(room, room.at + offset, text, text.length);
    assert.deepEqual(
      lines.map(({ address }) => address),
      LOG_LINES.map(({ address }) => address),
    );
  }
});

test("each of these lines alone, without a final newline, at the very end of the memory", () => {
  const room = scanningKernel(TEXT_BYTES);
  for (const { line, address } of LOG_LINES) {
    if (line === "") continue;
    const text = Buffer.from(`${line}\n`, "latin1");
    const at = room.memory.buffer.byteLength - TEXT_SLACK - text.length;
    assert.deepEqual(kernelLines(room, at, text, text.length - 1), [{ start: 0, address }]);
    assert.deepEqual(kernelLines(room, at, text, text.length), [{ start: 0, address }]);
  }
});

test("a workspace may have any previous content", () => {
  const table = freeze(new PrefixTrie());
  const room = kernelOver(table, TEXT_BYTES);
  const random = new Random(SEED);
  const workspace = room.at - WORKSPACE_BYTES;
  new Uint32Array(room.memory.buffer, workspace, WORKSPACE_BYTES / 4).forEach(
    (_, index, words) => (words[index] = random.word() >>> random.below(32)),
  );
  const kernel = Kernel.create(room.memory, table.sections, workspace)!;
  const text = randomText(random, 5000);
  assert.deepEqual(
    kernelLines({ ...room, kernel }, room.at, withEnd(text), text.length),
    referenceLines(withEnd(text), text.length),
  );
});

test("the kernel reads random texts like the reference", (t) => {
  const room = scanningKernel(TEXT_BYTES);
  const random = new Random(SEED);
  let lines = 0;
  let addresses = 0;
  for (let round = 0; round < rounds({ short: 500, long: 1500 }); round++) {
    const text = randomText(random, 1 + random.below(round % 10 === 0 ? 3000 : 60));
    const bytes = withEnd(text);
    const expected = referenceLines(bytes, text.length);
    assert.deepEqual(kernelLines(room, room.at + random.below(64), bytes, text.length), expected);
    lines += expected.length;
    addresses += expected.filter(({ address }) => address !== null).length;
  }
  t.diagnostic(`seed ${SEED}: ${lines} lines, ${addresses} with an address`);
  assert.ok(addresses > lines / 3 && addresses < lines);
});

test("quads of every shape, and texts that differ from a quad by one byte", () => {
  const room = scanningKernel(TEXT_BYTES);
  const octets = [
    "0",
    "9",
    "10",
    "99",
    "100",
    "199",
    "249",
    "255",
    "256",
    "00",
    "01",
    "001",
    "010",
    "300",
    "999",
    "1000",
  ];
  const lines = octets.flatMap((a) =>
    octets.flatMap((b) => [`${a}.${b}.7.255`, `1.22.${a}.${b}`, `${a}.2.3.${b} x`, `25.${a}.${b}.0:80`]),
  );
  for (let byte = 0; byte < 256; byte++) {
    if (byte === 0x0a) continue;
    const one = String.fromCharCode(byte);
    for (let at = 0; at <= 11; at++)
      lines.push(
        `12.3.45.678`.slice(0, at) + one + `12.3.45.67 1.1.1.1`.slice(at),
        `${"12.3.45.67".slice(0, at)}${one}${"12.3.45.67".slice(at)}`,
      );
  }
  const text = Buffer.from(`${lines.join("\n")}\n`, "latin1");
  assert.deepEqual(kernelLines(room, room.at, text, text.length), referenceLines(text, text.length));
});

test("every way to write the groups of an IPv6 address, and too many or too few", () => {
  const room = scanningKernel(TEXT_BYTES);
  const random = new Random(SEED);
  const lines: string[] = [];
  for (let before = 0; before <= 9; before++) {
    for (let after = -1; after <= 9; after++) {
      for (let round = 0; round < 20; round++) {
        const groups = (count: number) =>
          Array.from({ length: count }, () =>
            random
              .word()
              .toString(16)
              .slice(0, 1 + random.below(random.below(20) === 0 ? 6 : 4)),
          ).join(":");
        const text = groups(before) + (after < 0 ? "" : `::${groups(after)}`);
        lines.push(
          round % 2 === 0 ? text : text.toUpperCase(),
          `${text} -`,
          `${text}:`,
          `${text}%eth0`,
          `${text}g`,
          `${text}.1`,
        );
      }
    }
  }
  const text = Buffer.from(`\n${lines.join("\n")}\n`, "latin1");
  const expected = referenceLines(text, text.length);
  assert.ok(expected.filter(({ address }) => address?.includes(":")).length > 2000);
  assert.deepEqual(kernelLines(room, room.at, text, text.length), expected);
});

test("lines of every length up to a few blocks, empty ones, and one of a megabyte", () => {
  const room = scanningKernel(4 * TEXT_BYTES);
  const of = (length: number) => `${" ".repeat(length)}9.8.7.6`;
  const lines = [
    "",
    "",
    "",
    ...Array.from({ length: 300 }, (_, length) => of(length)),
    ...Array.from({ length: 3000 }, () => ""),
    of(TEXT_BYTES),
    "1.2.3.4",
    "x".repeat(TEXT_BYTES),
    "::9",
  ];
  const text = Buffer.from(`${lines.join("\n")}\n`, "latin1");
  assert.deepEqual(kernelLines(room, room.at + 5, text, text.length), referenceLines(text, text.length));
});

test("counting, with and without counters per match, and matches by line", () => {
  const trie = new PrefixTrie();
  for (const [index, text] of ["0.0.0.0/2", "64.0.0.0/3", "::/3", "2000::/4"].entries())
    trie.insert(parsePrefix(text), index + 1);
  const table = freeze(trie);
  const room = kernelOver(table, TEXT_BYTES);
  const random = new Random(SEED);
  const counters = room.at + TEXT_BYTES - 64;
  const perMatch = new Float64Array(room.memory.buffer, counters, table.matchCount + 1);
  const bytes = new Uint8Array(room.memory.buffer);
  for (let round = 0; round < 100; round++) {
    const text = randomText(random, 1 + random.below(1500));
    bytes.set(withEnd(text), room.at);
    const matches = referenceLines(withEnd(text), text.length).map(({ address }) =>
      address === null ? -1 : table.lookup(address),
    );
    const expected = {
      lines: matches.length,
      addresses: matches.filter((match) => match >= 0).length,
      matched: matches.filter((match) => match > 0).length,
    };
    room.kernel.countMatches(0);
    assert.deepEqual(room.kernel.countLines(room.at, room.at + text.length), expected);
    perMatch.fill(0);
    room.kernel.countMatches(counters);
    assert.deepEqual(room.kernel.countLines(room.at, room.at + text.length), expected);
    assert.deepEqual(
      [...perMatch],
      Array.from({ length: table.matchCount + 1 }, (_, id) => matches.filter((match) => match === id).length),
    );
    const byLine: number[] = [];
    for (let next = room.at; next < room.at + text.length;) {
      next = room.kernel.scanChunk(next, room.at + text.length);
      room.kernel.lookupChunk();
      byLine.push(...room.kernel.matches.subarray(0, room.kernel.chunkLines));
    }
    assert.deepEqual(byLine, matches);
  }
});

// Negative controls: each changes one byte of the tables that the assembly reads, which the random texts must notice.
const BROKEN: Record<string, readonly [offset: number, change: (byte: number) => number]> = {
  "takes the digits of a quad of one shape from elsewhere": [
    QUADS + 64 * quadEntry([3, 2, 1, 3]) + 10,
    (byte) => byte ^ 1,
  ],
  "lets octets of one shape begin with a zero": [QUADS + 64 * quadEntry([2, 2, 2, 2]) + QUAD_LEAST, () => 0],
  "reads one digit wrongly": [QUADS + 64 * quadEntry([1, 1, 1, 1]) + QUAD_BIAS, (byte) => byte - 1],
  "takes the underscore for a delimiter": [KINDS + 0x5f, () => 16],
  "weighs one digit of a group wrongly": [VECTOR_PAIRS + 5, (byte) => byte + 1],
  "moves a group after the gap": [GAPS + 16 * (9 * 2 + 1) + 12, (byte) => byte ^ 2],
  "sees newlines in fifteen bytes of sixteen": [VECTOR_LF + 9, () => 0],
};

function quadEntry(digits: readonly number[]): number {
  let mask = 0;
  let end = -1;
  for (const count of digits) mask |= 1 << (end += count + 1);
  return Math.imul(mask, 0x8b50_2b7d) >>> 24;
}

for (const [name, [offset, change]] of Object.entries(BROKEN)) {
  test(`a kernel that ${name} is caught`, () => {
    const room = scanningKernel(TEXT_BYTES);
    const bytes = new Uint8Array(room.memory.buffer, room.at - WORKSPACE_BYTES, WORKSPACE_BYTES);
    bytes[offset] = change(bytes[offset]!);
    const random = new Random(SEED);
    let wrong = 0;
    for (let round = 0; round < 100; round++) {
      const text = randomText(random, 100);
      const expected = referenceLines(withEnd(text), text.length);
      try {
        assert.deepEqual(kernelLines(room, room.at, withEnd(text), text.length), expected);
      } catch {
        wrong++;
      }
    }
    assert.ok(wrong > 0);
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import { templateRoom, TemplateWriter } from "../../src/kernel/row-template.ts";
import { GAP_RUNS, MASKS, OCTETS, ROW_SLACK, WORKSPACE_BYTES } from "../../src/kernel/workspace.ts";
import { freeze } from "../../src/table/freeze.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { Random } from "../../bench/data/random.ts";
import { type KernelRoom, kernelOver } from "./kernel-memory.ts";
import { randomLine, randomIpv6 } from "./random-lines.ts";
import { referenceLines } from "./scan-harness.ts";
import type { MatchId } from "../../src/table/match-id.ts";

const SEED = 20261122;
const ROOM = 8 << 20;
const ADDRESS_HOLE = 255;
const OWN_PREFIX_HOLE = 252;

type Selection = "all" | "matched" | "unmatched";

/** A template: parts of text, with holes between them. */
type Template = readonly (string | number)[];

function templateBytes(template: Template): Uint8Array {
  return Buffer.concat(
    template.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from([0, part]))),
  );
}

/** By match id + 1; the front belongs to all of those with a match, which then are texts without holes. */
interface Templates {
  readonly front: Template | null;
  readonly templates: readonly Template[];
}

/** The row of a line, as a string; `address` is null for a line without one. */
function rowOf({ front, templates }: Templates, match: number, address: Address | null): string {
  const template = templates[match + 1]!;
  const parts = match > 0 && front !== null ? [...front, ...template] : template;
  const texts = parts.map((part) => {
    if (typeof part === "string") return part;
    if (part === ADDRESS_HOLE) return formatAddress(address!);
    const length = part === OWN_PREFIX_HOLE ? table.prefixLength(match as MatchId) : part;
    return formatPrefix(prefixOf(address!, length));
  });
  return texts.join("");
}

/** A table with prefixes of every length of both families, so that prefix holes are of every length. */
function nestedTable(): PrefixTable {
  const trie = new PrefixTrie();
  let value = 1;
  for (let length = 1; length <= 32; length++)
    trie.insert(parsePrefix(formatPrefix(prefixOf(parseAddress("93.184.216.34"), length))), value++);
  for (let length = 1; length <= 128; length++)
    trie.insert(
      parsePrefix(formatPrefix(prefixOf(parseAddress("2606:2800:220:1:248:1893:25c8:1946"), length))),
      value++,
    );
  return freeze(trie);
}

const table = nestedTable();

/** The lengths of the parts make copies of every size occur. */
const templates = Array.from({ length: table.matchCount + 2 }, (_, key): Template => {
  if (key === 0) return ["\t\t\n"];
  const label = "/network/of/some/length/".repeat(12).slice(0, (key * 7) % 200);
  if (key === 1) return [ADDRESS_HOLE, "\t\t\n"];
  const length = key % 5 === 0 ? OWN_PREFIX_HOLE : table.prefixLength((key - 1) as MatchId);
  return key % 3 === 0
    ? [ADDRESS_HOLE, "\t", length, `\t${label}\n`]
    : key % 3 === 1
      ? [`{"ip":"`, ADDRESS_HOLE, `","labels":["${label}"],"cidr":"`, length, `"}\n`]
      : [length, ADDRESS_HOLE, length, "\n"];
});

const ALONE: Templates = { front: null, templates };
const TEXTS = templates.map((template, key) => (key < 2 ? template : ["label-".repeat(40).slice(0, (key * 7) % 200)]));
const COLUMNS: Templates = {
  front: [ADDRESS_HOLE, ",", OWN_PREFIX_HOLE, ","],
  templates: TEXTS.map((text, key) => (key < 2 ? text : [...text, "\n"])),
};
const APPENDED: Templates = { front: [","], templates: TEXTS };

/**
 * What the kernel writes for the text into outputs of this many bytes each, one after the other, and how often an
 * output was full.
 */
function kernelRows(
  { kernel, memory, at }: KernelRoom,
  text: Buffer,
  end: number,
  selection: Selection,
  appends: boolean,
  outBytes: number,
  rowTemplates: Templates = ALONE,
): { rows: string; full: number } {
  const bytes = new Uint8Array(memory.buffer);
  const templateOf = new Uint32Array(memory.buffer, at, table.matchCount + 2).fill(0);
  let nextTemplate = at + 65536;
  const textAt = at + (2 << 20) + (text.length % 64);
  const out = at + (4 << 20);
  bytes.set(text, textAt);
  const writer = new TemplateWriter(memory.buffer);
  kernel.useRows(at, selection, appends, rowTemplates.front === null ? 0 : 0x2c);
  const rows: Buffer[] = [];
  let full = 0;
  const flush = (to: number) => rows.push(Buffer.from(bytes.slice(out, to)));
  let filled = out;
  for (let next = textAt; next < textAt + end;) {
    next = kernel.scanChunk(next, textAt + end);
    kernel.lookupChunk();
    for (let missing = kernel.gatherTemplates(); missing > 0; missing = kernel.gatherTemplates()) {
      for (const match of kernel.missing.subarray(0, missing)) {
        if (templateOf[match + 1] !== 0) continue;
        const template = templateBytes(rowTemplates.templates[match + 1]!);
        templateOf[match + 1] = nextTemplate;
        const isText = rowTemplates.front !== null && match > 0;
        const after = isText ? writer.writeText(nextTemplate, template, 0) : writer.write(nextTemplate, template);
        assert.ok(after - nextTemplate <= templateRoom(template) && after <= textAt - 64);
        nextTemplate = after;
      }
    }
    for (;;) {
      filled = kernel.writeRows(filled, out + outBytes);
      assert.ok(filled <= out + outBytes);
      if (kernel.writtenLines === kernel.chunkLines) break;
      assert.ok(filled > out, "the output is too small for one row");
      flush(filled);
      filled = out;
      full++;
    }
  }
  flush(filled);
  return { rows: Buffer.concat(rows).toString("latin1"), full };
}

/** The same rows, made with strings. */
function expectedRows(
  text: Buffer,
  end: number,
  selection: Selection,
  appends: boolean,
  rowTemplates: Templates = ALONE,
): string {
  const lines = referenceLines(text, end);
  return lines
    .map(({ start, address: written }) => {
      const address = written === null ? null : parseAddress(written);
      const match = address === null ? -1 : table.lookupAddress(address);
      if (selection !== "all" && (selection === "matched") !== match > 0) return "";
      const row = rowOf(rowTemplates, match, address);
      return appends ? `${text.toString("latin1", start, text.indexOf(0x0a, start)).replace(/\r$/, "")}${row}\n` : row;
    })
    .join("");
}

/** Addresses that share their first bits with the nested prefixes. */
function nearAddress(random: Random): string {
  if (random.below(2) === 0)
    return formatAddress({
      family: 4,
      w0: (0x5db8d822 ^ (random.word() >>> random.below(32))) >>> 0,
      w1: 0,
      w2: 0,
      w3: 0,
    });
  const words = [0x26062800, 0x02200001, 0x02481893, 0x25c81946];
  const last = random.below(128);
  for (let word = last >> 5; word < 4; word++)
    words[word] =
      random.below(3) === 0 ? 0 : (words[word]! ^ (random.word() >>> (word === last >> 5 ? last & 31 : 0))) >>> 0;
  return formatAddress({ family: 6, w0: words[0]!, w1: words[1]!, w2: words[2]!, w3: words[3]! });
}

function randomText(random: Random, lines: number): Buffer {
  const line = () =>
    [
      () => randomLine(random),
      () => nearAddress(random),
      () => `${nearAddress(random)} - - ${"x".repeat(random.below(300))}\r`,
      () => randomIpv6(random),
    ][random.below(4)]!();
  return Buffer.from(Array.from({ length: lines }, line).join("\n") + "\n".repeat(random.below(3)), "latin1");
}

const withEnd = (text: Buffer): Buffer => Buffer.concat([text, Buffer.from("\n7.7.7.7\n")]);

for (const appends of [false, true]) {
  for (const selection of ["all", "matched", "unmatched"] as const) {
    test(`rows ${appends ? "after their lines" : "alone"}, ${selection} lines, are those of the templates filled in with strings`, (t) => {
      const room = kernelOver(table, ROOM);
      const random = new Random(SEED);
      let rows = 0;
      let full = 0;
      for (let round = 0; round < 60; round++) {
        const text = randomText(random, 1 + random.below(1200));
        const rowTemplates = round % 2 === 0 ? ALONE : appends ? APPENDED : COLUMNS;
        const expected = expectedRows(withEnd(text), text.length, selection, appends, rowTemplates);
        const actual = kernelRows(
          room,
          withEnd(text),
          text.length,
          selection,
          appends,
          round % 3 === 0 ? (appends ? 1000 : 500) : round % 3 === 1 ? 30_000 : 2 << 20,
          rowTemplates,
        );
        assert.equal(actual.rows, expected);
        rows += expected.split("\n").length - 1;
        full += actual.full;
      }
      t.diagnostic(`seed ${SEED}: ${rows} rows, ${full} full outputs`);
      assert.ok(rows > 1000 && full > 10);
    });
  }
}

test("rows count exactly the processed lines, with and without a row", () => {
  const { kernel, at, bytes, memory } = kernelOver(table, ROOM);
  const counters = new Float64Array(memory.buffer, at + ROOM - 4096, table.matchCount + 1);
  kernel.countMatches(at + ROOM - 4096);
  new Uint32Array(memory.buffer, at, table.matchCount + 2).fill(at + 65536);
  new TemplateWriter(memory.buffer).write(at + 65536, templateBytes([ADDRESS_HOLE, "\n"]));
  const text = "93.184.216.34\n2606:2800:220:1:248:1893:25c8:1946\n200.1.1.1\n93.184.216.34\n";
  bytes.write(text, 1 << 20);
  kernel.useRows(at, "matched", false, 0);
  const start = at + (1 << 20);
  kernel.scanChunk(start, start + text.length);
  kernel.lookupChunk();
  assert.equal(kernel.gatherTemplates(), 0);
  assert.equal(kernel.writeRows(at + (2 << 20), at + (2 << 20) + 40), at + (2 << 20), "a row may take 52 bytes");
  assert.deepEqual([kernel.writtenLines, kernel.takeCounts()], [0, { lines: 0, addresses: 0, matched: 0 }]);
  kernel.writeRows(at + (2 << 20), at + (2 << 20) + 60);
  assert.deepEqual([kernel.writtenLines, kernel.takeCounts()], [1, { lines: 1, addresses: 1, matched: 1 }]);
  kernel.writeRows(at + (2 << 20), at + (2 << 20) + 9000);
  assert.deepEqual([kernel.writtenLines, kernel.takeCounts()], [4, { lines: 3, addresses: 3, matched: 2 }]);
  assert.deepEqual(
    [
      counters[table.lookup("93.184.216.34")],
      counters[table.lookup("2606:2800:220:1:248:1893:25c8:1946")],
      counters[table.lookup("200.1.1.1")],
    ],
    [2, 1, 1],
  );
});

test("nothing beyond the output space and its slack is written", () => {
  const room = kernelOver(table, ROOM);
  const { kernel, at, bytes } = room;
  const text = randomText(new Random(SEED), 400);
  const filled = at + (4 << 20) + 5000;
  bytes.fill(0xee);
  kernelRowsOnce(room, kernel, text, filled);
  assert.ok(bytes.subarray(filled + ROW_SLACK - at, (4 << 20) + 100_000).every((byte) => byte === 0xee));
});

test("texts end before the end of the output, or have no row; nothing beyond its slack is written", () => {
  const { kernel, at, bytes, memory } = kernelOver(table, ROOM);
  const text = "93.184.216.34\n2606:2800:220:1:248:1893:25c8:1946\n";
  const start = at + (1 << 20);
  const out = at + (2 << 20);
  let short = 0;
  for (const appends of [false, true]) {
    for (let length = 0; length < 80; length++) {
      bytes.write(text, 1 << 20);
      new Uint32Array(memory.buffer, at, table.matchCount + 2).fill(at + 65537);
      new TemplateWriter(memory.buffer).writeText(at + 65537, Buffer.from("x".repeat(length)), 0);
      const expected = text.split("\n").slice(0, 2);
      const rows = expected.map(
        (line) => `${line}${appends ? "" : `,${formatPrefix(own(line))}`},${"x".repeat(length)}\n`,
      );
      for (let room = 0; room < 280; room++) {
        bytes.fill(0xee, 2 << 20, (2 << 20) + 600);
        kernel.useRows(at, "all", appends, 0x2c);
        kernel.scanChunk(start, start + text.length);
        kernel.lookupChunk();
        assert.equal(kernel.gatherTemplates(), 0);
        const end = kernel.writeRows(out, out + room);
        const written = rows.slice(0, kernel.writtenLines).join("");
        assert.equal(bytes.toString("latin1", 2 << 20, end - at), written);
        assert.ok(written.length <= room);
        assert.ok(bytes.subarray(out + room + ROW_SLACK - at, out + 600 - at).every((byte) => byte === 0xee));
        if (kernel.writtenLines < 2) short++;
        else assert.ok(room >= rows.join("").length);
      }
      assert.equal(kernel.writtenLines, 2);
    }
  }
  assert.ok(short > 1000);
});

/** The prefix of the address's match. */
function own(text: string): ReturnType<typeof prefixOf> {
  const address = parseAddress(text);
  return prefixOf(address, table.prefixLength(table.lookupAddress(address)));
}

function kernelRowsOnce(room: KernelRoom, kernel: Kernel, text: Buffer, end: number): void {
  const { at, bytes, memory } = room;
  new Uint32Array(memory.buffer, at, table.matchCount + 2).fill(at + 65536);
  new TemplateWriter(memory.buffer).write(at + 65536, templateBytes([ADDRESS_HOLE, "x".repeat(100), 8, "\n"]));
  bytes.set(withEnd(text), 1 << 20);
  kernel.useRows(at, "matched", true, 0);
  const start = at + (1 << 20);
  kernel.scanChunk(start, start + text.length);
  kernel.lookupChunk();
  assert.equal(kernel.gatherTemplates(), 0);
  kernel.writeRows(at + (4 << 20), end);
  assert.ok(kernel.writtenLines < kernel.chunkLines);
}

// Negative controls: each changes one byte of the tables that the rows are made with.
const BROKEN: Record<string, readonly [offset: number, value: number]> = {
  "writes the digits of one octet too short": [OCTETS + 8 * 216 + 4, 3],
  "opens no gap for one shape of zeros": [GAP_RUNS + 0b11000000, 8],
  "masks one bit too little at one length": [MASKS + 16 * 45 + 4 + 1, 0xff],
};

for (const [name, [offset, value]] of Object.entries(BROKEN)) {
  test(`a kernel that ${name} is caught`, () => {
    const room = kernelOver(table, ROOM);
    new Uint8Array(room.memory.buffer)[room.at - WORKSPACE_BYTES + offset] = value;
    const random = new Random(SEED);
    const texts = Array.from({ length: 20 }, () => randomText(random, 500));
    const wrong = texts.filter(
      (text) =>
        kernelRows(room, withEnd(text), text.length, "all", false, 2 << 20).rows !==
        expectedRows(withEnd(text), text.length, "all", false),
    );
    assert.ok(wrong.length > 0);
  });
}

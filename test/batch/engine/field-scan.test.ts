import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { identify } from "../../../src/batch/identify.ts";
import type { IdentifyOptions } from "../../../src/batch/identify-options.ts";
import { CsvRecordCutter, endOfRecord } from "../../../src/batch/lines/csv-records.ts";
import { fieldAddress } from "../../../src/batch/lines/fields/field-address.ts";
import type { FieldSpec } from "../../../src/batch/lines/fields/field-spec.ts";
import { locateField } from "../../../src/batch/lines/fields/locate-field.ts";
import { createFound } from "../../../src/batch/lines/find-address.ts";
import {
  KINDS,
  MEMBER,
  PATH_STEPS,
  STEP_BYTES,
  STEP_MASK,
  STEPS,
  TEXT_SLACK,
  VECTOR_BACKSLASH,
  VECTOR_COMMA,
  VECTOR_QUOTE,
  WORKSPACE_BYTES,
} from "../../../src/kernel/workspace.ts";
import { LOG_LINES } from "../../cases/log-lines.ts";
import type { KernelRoom } from "../../kernel/kernel-memory.ts";
import { scanningKernel } from "../../kernel/scan-harness.ts";
import { rounds } from "../../rounds.ts";
import { makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";
import { MEMBERS, randomFieldLines, type Syntax } from "./field-lines.ts";

const SEED = 20261123;
const TEXT_BYTES = 1 << 19;
const LINES = rounds({ short: 60_000, long: 10_000_000 });
const SYNTAXES: readonly Syntax[] = ["csv", "tsv", "jsonl"];
const LF = 0x0a;
const CR = 0x0d;

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);

/** The kernel's result for a text. */
interface Outcome {
  /** The first line whose address or end differs from the reference. */
  readonly wrong: string | null;
  readonly lines: number;
  /** Lines that were not left to the reference, and those of them with an address. */
  readonly decided: number;
  readonly found: number;
}

/** Compares the lines of the text at the address `at` with the reference, as if the text ended in an LF. */
function compare({ kernel, memory }: KernelRoom, at: number, text: Buffer, field: FieldSpec): Outcome {
  const bytes = Buffer.from(memory.buffer);
  text.copy(bytes, at);
  const end = at + text.length;
  bytes[end] = LF;
  // A chunk with several objects on a line is left to the reference (test/batch/reader-cases.test.ts).
  if (field.syntax === "jsonl")
    for (let pair = bytes.indexOf("}{", at); pair >= 0 && pair < end; pair = bytes.indexOf("}{", pair))
      bytes[pair + 1] = 0x20;
  const locate = locateField(field);
  const isQuoted = field.syntax === "csv" && text.includes('"');
  if (field.syntax === "jsonl") kernel.useMember(Buffer.from(field.member));
  const scan = (from: number): number => {
    if (field.syntax === "jsonl") return kernel.scanMember(from, end);
    if (field.syntax === "keys") throw new RangeError("the kernel finds no keys");
    return isQuoted
      ? kernel.scanQuotedColumn(from, end, field.column)
      : kernel.scanColumn(from, end, field.syntax === "csv" ? 0x2c : 0x09, field.column);
  };
  const span = { bytes, start: 0, end: 0 };
  const expected = createFound();
  let [lines, decided, found] = [0, 0, 0];
  const stopped = (start: number, newline: number): Outcome => ({
    wrong: bytes.toString("latin1", start, newline),
    lines,
    decided,
    found,
  });
  for (let next = at; next < end;) {
    const from = next;
    next = scan(from);
    if (next === from) {
      // A record of several lines, or one that is not closed, is left to the reference.
      const newline = bytes.indexOf(LF, from);
      const cutter = new CsvRecordCutter();
      cutter.lastEnd(bytes.subarray(from, newline), newline - from);
      if (!isQuoted || !cutter.isOpen) return stopped(from, newline);
      next = endOfRecord(bytes, from, end) + 1;
      continue;
    }
    const addresses = addressesOf(kernel);
    const undecided = new Set(kernel.undecided.subarray(0, kernel.undecidedCount));
    for (let line = 0; line < kernel.chunkLines; line++) {
      const start = kernel.lineStarts[line]!;
      const newline = kernel.lineStarts[line + 1]! - 1;
      const lineEnd = newline > start && bytes[newline - 1] === CR ? newline - 1 : newline;
      const family = locate(bytes, start, lineEnd, span)
        ? fieldAddress(span.bytes, span.start, span.end, "first", expected)
        : 0;
      const address = family === 0 ? undefined : expected.subarray(0, family === 4 ? 1 : 4).join();
      lines++;
      if (isQuoted && newline < end && endOfRecord(bytes, start, end) !== newline) return stopped(start, newline);
      if (addresses.get(line) !== (undecided.has(line) ? undefined : address)) return stopped(start, newline);
      if (undecided.has(line)) continue;
      decided++;
      if (family !== 0) found++;
    }
  }
  return { wrong: null, lines, decided, found };
}

function addressesOf(kernel: KernelRoom["kernel"]): Map<number, string> {
  const addresses = new Map<number, string>();
  for (let index = 0; index < kernel.count4; index++)
    addresses.set(kernel.lines4[index]!, String(kernel.words4[index]));
  for (let index = 0; index < kernel.count6; index++)
    addresses.set(kernel.lines6[index]!, kernel.words6.subarray(4 * index, 4 * index + 4).join());
  return addresses;
}

function randomSpec(random: Random, syntax: Syntax): FieldSpec {
  return syntax === "jsonl"
    ? { syntax, member: MEMBERS[random.below(MEMBERS.length)]! }
    : { syntax, column: random.below(6) };
}

for (const syntax of SYNTAXES) {
  test(`the kernel agrees with the reference about ${LINES} lines of ${syntax}`, (t) => {
    const room = scanningKernel(TEXT_BYTES + 64);
    const random = new Random(SEED);
    const all = { lines: 0, decided: 0, found: 0 };
    for (let round = 0; all.lines < LINES; round++) {
      const text = randomFieldLines(random, syntax, 1 + random.below(1500)).subarray(0, TEXT_BYTES - TEXT_SLACK - 1);
      const { wrong, ...more } = compare(room, room.at + random.below(64), text, randomSpec(random, syntax));
      assert.equal(wrong, null, `seed ${SEED}, round ${round}`);
      for (const key of ["lines", "decided", "found"] as const) all[key] += more[key];
    }
    t.diagnostic(`seed ${SEED}: ${JSON.stringify(all)}`);
    assert.ok(all.decided > all.lines * 0.4 && all.found > all.lines / 40);
  });
}

/**
 * Cuts the text at the address `at` into pieces, with the kernel and without; returns the first position where they
 * differ.
 */
function cutDifference({ kernel, memory }: KernelRoom, at: number, text: Buffer, random: Random): number | null {
  const bytes = Buffer.from(memory.buffer, at, text.length + TEXT_SLACK);
  text.copy(bytes);
  let from = 0;
  const own = new CsvRecordCutter((start, to, state) => {
    const cut = kernel.cutRecords(at + from + start, at + from + to, state);
    return { end: Math.max(0, cut.end - at - from), state: cut.state };
  });
  const reference = new CsvRecordCutter();
  for (let fill = 0; fill < text.length;) {
    fill = Math.min(text.length, fill + 1 + random.below(random.below(4) === 0 ? 3 : 3000));
    const piece = bytes.subarray(from);
    const end = reference.lastEnd(piece, fill - from);
    if (own.lastEnd(piece, fill - from) !== end || own.isOpen !== reference.isOpen) return fill;
    if (end === 0 || random.below(2) === 0) continue;
    for (const cutter of [own, reference]) cutter.cut(end);
    from += end;
  }
  return null;
}

test("the kernel cuts CSV into the same records as TypeScript, in any pieces", () => {
  const room = scanningKernel(TEXT_BYTES + 64);
  const random = new Random(SEED);
  for (let lines = 0; lines < LINES; lines += 500) {
    const text = randomFieldLines(random, "csv", 500).subarray(0, TEXT_BYTES - TEXT_SLACK - 1);
    assert.equal(cutDifference(room, room.at + random.below(64), text, random), null, `seed ${SEED}, line ${lines}`);
  }
});

/** The sample log and the lines of the table, each as a field among others. */
test("lines of logs as members and as columns, quoted and not, after any number of bytes up to a window and more", () => {
  const sample = readFileSync(new URL("../../../data/sample.log", import.meta.url), "latin1")
    .trimEnd()
    .split("\n");
  const lines = [
    ...sample.slice(0, 40),
    ...sample.slice(0, 200).map((line) => line.split(" ", 1)[0]!),
    ...LOG_LINES.map(({ line }) => line),
  ];
  const room = scanningKernel(TEXT_BYTES);
  let found = 0;
  for (let length = 0; length <= 70; length++) {
    const front = "-".repeat(length);
    const texts: readonly (readonly [FieldSpec, (line: string) => string])[] = [
      [{ syntax: "jsonl", member: "ip" }, (line) => `{"front":"${front}","ip":${JSON.stringify(line)},"n":1}`],
      [{ syntax: "jsonl", member: "a.ip" }, (line) => `{"front": ${length}, "a": {"b":["${front}"],"ip":"${line}"}}`],
      [{ syntax: "csv", column: 1 }, (line) => `${front},"${line.replaceAll('"', '""')}",x`],
      [{ syntax: "csv", column: 1 }, (line) => `"${front}","${line}",x`],
      [{ syntax: "tsv", column: 1 }, (line) => `${front}\t${line}\tx`],
    ];
    for (const [field, lineOf] of texts) {
      const text = Buffer.from(`${lines.map(lineOf).join("\n")}\n`, "latin1");
      const outcome = compare(room, room.at, text, field);
      assert.equal(outcome.wrong, null, `${JSON.stringify(field)} behind ${length} bytes`);
      found += outcome.found;
    }
  }
  assert.ok(found > 71 * 5 * 150);
});

/** Members where a less precise search would find them wrongly, or miss them. */
const MEMBER_CASES: readonly (readonly [line: string, found: boolean])[] = [
  ['{"ip":"192.0.2.1"}', true],
  ['x {"a":{"ip":"192.0.2.2"},"ip":"192.0.2.1"}', true],
  ['{"a":"\\"ip\\":\\"192.0.2.2","ip":"192.0.2.1"}', true],
  ['{"ip":"192.0.2.1","ip":"192.0.2.2"}', true],
  ['{"a":[{"ip":"192.0.2.2"},"]}",{}],"ip":"192.0.2.1"}', true],
  ['{"a":"","ip":"","ip":"192.0.2.2"}', false],
  ['{"a":"x" "ip":"192.0.2.2"}', false],
  ['{"a":"x,"ip":"192.0.2.2"}', false],
  ['{"a":,"ip":"192.0.2.2"}', false],
  ['{"a":[1,"ip":"192.0.2.2"}', false],
  ['{"ip":"192.0.2.2', false],
  ['{"a":{}},"ip":"192.0.2.2"}', false],
  ['{"a":{"b":1}{"ip":"192.0.2.2"}', false],
  ['["ip","192.0.2.2"]', false],
];

test("the member of a line is the first in the outermost object; a line that is not JSON up to it has none", () => {
  const room = scanningKernel(TEXT_BYTES);
  for (const [line, isFound] of MEMBER_CASES) {
    // Once with what the kernel remembers from other lines, once alone.
    for (const before of ["", '{"a":"b","ip":"192.0.2.1"}\n', `${MEMBER_CASES.map(([other]) => other).join("\n")}\n`]) {
      const text = Buffer.from(`${before}${line}\n`);
      assert.equal(compare(room, room.at, text, { syntax: "jsonl", member: "ip" }).wrong, null, line);
      const last = addressesOf(room.kernel).get(room.kernel.chunkLines - 1);
      const undecided = room.kernel.undecided
        .subarray(0, room.kernel.undecidedCount)
        .includes(room.kernel.chunkLines - 1);
      assert.equal(last, isFound ? String(0xc000_0201) : undefined, line);
      assert.equal(undecided, line.endsWith("192.0.2.2"), line);
    }
  }
});

/** Lines of one program, and the member in them; each reaches it in a different way. */
const WAYS: readonly (readonly [member: string, line: (ip: string, n: number) => string])[] = [
  ["ip", (ip, n) => `{"t":"${"x".repeat(n % 40)}","n":${n},"ip":"${ip}","a":1}`],
  ["ip", (ip, n) => `{"t":null,"a key of more than sixteen bytes":"${n}","ip":"${ip}"}`],
  ["client.ip", (ip, n) => `x{"a":[${n},"]"],"client":{"n":${n}, "ip" : "${ip}"}}\r`],
  ["ip", (ip) => `{"ip":"${ip}","ip":"192.0.2.2"}`],
];

/** Copies of the line in which each byte is replaced by each byte that has a meaning in JSON. */
function changedLines(line: string): string[] {
  const bytes = '"\\{}[],: \t\r1x';
  return Array.from({ length: line.length * bytes.length }, (_, index) => {
    const at = Math.floor(index / bytes.length);
    return line.slice(0, at) + bytes[index % bytes.length]! + line.slice(at + 1);
  });
}

/**
 * Every changed line between lines of the same shape, either as the first of two that are followed side by side or as
 * the second.
 */
function wayText([, lineOf]: (typeof WAYS)[number], isFirst: boolean): Buffer {
  const line = (n: number): string => lineOf(n % 7 === 0 ? "2001:db8::1" : "192.0.2.1", n);
  const lines = changedLines(line(1)).flatMap((changed, n) =>
    isFirst ? [line(n), line(n + 1), changed, line(n + 2)] : [line(n), line(n + 1), line(n + 2), changed],
  );
  return Buffer.from(`${lines.join("\n")}\n`, "latin1");
}

test("a line that differs in one byte from the lines whose way to the member is followed is read by the rule", () => {
  const room = scanningKernel(TEXT_BYTES);
  for (const way of WAYS)
    for (const isFirst of [true, false])
      for (let shift = 0; shift < 3; shift++) {
        const text = wayText(way, isFirst).subarray(0, TEXT_BYTES - TEXT_SLACK - 4);
        const { wrong, lines, found } = compare(room, room.at + shift, text, { syntax: "jsonl", member: way[0] });
        assert.equal(wrong, null);
        assert.ok(found > lines / 2);
      }
});

test("a kernel that follows a way without comparing what is between the values is caught", () => {
  const room = scanningKernel(TEXT_BYTES);
  const text = wayText(WAYS[0]!, true);
  const scanMember = room.kernel.scanMember.bind(room.kernel);
  room.kernel.scanMember = (at, end) => {
    for (let step = 0; step < PATH_STEPS; step++)
      new Uint8Array(room.memory.buffer).fill(
        0,
        room.at - WORKSPACE_BYTES + STEPS + step * STEP_BYTES + STEP_MASK,
        room.at - WORKSPACE_BYTES + STEPS + step * STEP_BYTES + STEP_MASK + 16,
      );
    return scanMember(at, end);
  };
  assert.notEqual(compare(room, room.at, text, { syntax: "jsonl", member: "ip" }).wrong, null);
});

// Negative controls: the kernel reads a wrong byte of its tables.
for (const [name, offset, byte, syntax] of [
  ["sees quotes of CSV in fifteen bytes of sixteen", VECTOR_QUOTE + 5, 0, "csv"],
  ["sees quotes of JSON in fifteen bytes of sixteen", VECTOR_QUOTE + 9, 0, "jsonl"],
  ["sees backslashes in fifteen bytes of sixteen", VECTOR_BACKSLASH + 2, 0, "jsonl"],
] as const) {
  test(`a kernel that ${name} is caught`, () => {
    const room = scanningKernel(TEXT_BYTES + 64);
    new Uint8Array(room.memory.buffer)[room.at - WORKSPACE_BYTES + offset] = byte;
    const random = new Random(SEED);
    let caught = false;
    for (let round = 0; round < 200 && !caught; round++) {
      const text = randomFieldLines(random, syntax, 500).subarray(0, TEXT_BYTES - TEXT_SLACK - 1);
      caught = compare(room, room.at, text, randomSpec(random, syntax)).wrong !== null;
    }
    assert.ok(caught);
  });
}

test("a kernel that sees commas in fifteen bytes of sixteen is caught when it cuts records", () => {
  const room = scanningKernel(TEXT_BYTES + 64);
  new Uint8Array(room.memory.buffer)[room.at - WORKSPACE_BYTES + VECTOR_COMMA + 3] = 0;
  const random = new Random(SEED);
  let caught = false;
  for (let round = 0; round < 200 && !caught; round++)
    caught =
      cutDifference(room, room.at, randomFieldLines(random, "csv", 500).subarray(0, TEXT_BYTES), random) !== null;
  assert.ok(caught);
});

test("a kernel that takes the letter g for a digit is caught", () => {
  const room = scanningKernel(TEXT_BYTES);
  const text = Buffer.from("x,1::g\n");
  assert.equal(compare(room, room.at, text, { syntax: "csv", column: 1 }).wrong, null);
  new Uint8Array(room.memory.buffer)[room.at - WORKSPACE_BYTES + KINDS + 0x67] = 1;
  assert.equal(compare(room, room.at, text, { syntax: "csv", column: 1 }).wrong, "x,1::g");
});

test("a kernel that looks for another member is caught", () => {
  const room = scanningKernel(TEXT_BYTES);
  const { kernel } = room;
  const useMember = kernel.useMember.bind(kernel);
  kernel.useMember = (name) => {
    useMember(name);
    new Uint8Array(room.memory.buffer)[room.at - WORKSPACE_BYTES + MEMBER] = 0x78;
  };
  const text = Buffer.from('{"ip":"192.0.2.1"}\n');
  assert.equal(compare(room, room.at, text, { syntax: "jsonl", member: "ip" }).wrong, '{"ip":"192.0.2.1"}');
});

async function result(options: Partial<IdentifyOptions> & Pick<IdentifyOptions, "inputs">): Promise<unknown> {
  const output = join(folder, "rows");
  const { lines, addresses, matched, top, perMatch } = await identify({
    snapshot,
    format: "tsv",
    renderer: RENDERER,
    threads: 1,
    ...options,
    ...(options.format !== "none" && { output: { path: output } }),
  });
  const rows = options.format === "none" ? "" : readFileSync(output, "latin1");
  return { lines, addresses, matched, top, perMatch: [...perMatch], rows };
}

/** Texts of tables, without LFs between quotes and with them. */
function tableText(random: Random, syntax: Syntax): Buffer {
  for (;;) {
    const text = randomFieldLines(random, syntax, 3000);
    // A run ends at a quote that is not closed.
    const closed = Buffer.concat([text, Buffer.from("\n")]);
    let at = 0;
    while (at < closed.length && (at = endOfRecord(closed, at, closed.length) + 1) < closed.length);
    if (syntax !== "csv" || at === closed.length) return closed;
  }
}

test("runs over fields are equal with both engines: rows, counts, line numbers, quotes and records of several lines", async () => {
  const random = new Random(SEED);
  for (const syntax of ["csv", "csv", "tsv", "jsonl"] as const) {
    const path = join(folder, `table-${syntax}`);
    writeFileSync(path, tableText(random, syntax));
    for (const options of [
      { format: "tsv" },
      { format: "jsonl", rows: "matched" },
      { format: "none", topAddresses: 20 },
      { format: "none", countMatches: true },
      { format: "append" },
      { format: "tsv", address: "last" },
      { format: "tsv", field: undefined },
    ] as const) {
      const both = [];
      for (const engine of ["webassembly", "typescript"] as const)
        both.push(
          await result({
            inputs: [path],
            engine,
            field: syntax === "jsonl" ? "client.ip" : 2,
            fieldSyntax: syntax,
            header: false,
            limits: { shardBytes: 50_000 },
            ...options,
          }),
        );
      assert.deepEqual(both[0], both[1], `${syntax} ${JSON.stringify(options)}`);
    }
  }
});

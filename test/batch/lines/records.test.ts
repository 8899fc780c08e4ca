import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import {
  CsvRecordCutter,
  endOfRecord,
  type LineCutter,
  PlainLineCutter,
} from "../../../src/batch/lines/csv-records.ts";
import { BatchError } from "../../../src/batch/batch-error.ts";
import { fieldAddress, type AddressChoice } from "../../../src/batch/lines/fields/field-address.ts";
import { createFound } from "../../../src/batch/lines/find-address.ts";
import type { IdentifyOptions } from "../../../src/batch/identify-options.ts";
import type { RowSelection } from "../../../src/batch/engine/messages.ts";
import { identify } from "../../../src/batch/identify.ts";
import type { RowFormat } from "../../../src/rows/row-format.ts";
import { isPublicAddress } from "../../../src/batch/lines/public-address.ts";
import { oracleFieldAddress, oracleIsPublic, type OracleRecord, oracleRecords } from "../../oracle/record-oracle.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";
import { expectedTable, type TableCase } from "../expected-table.ts";
import { rounds } from "../../rounds.ts";

const SEED = 20261122;
const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);
const target = join(folder, "rows");

const address = fc.constantFrom(
  "1.2.3.4",
  "10.0.0.1",
  "10.1.2.3",
  "192.0.2.7",
  "8.8.8.8",
  "255.255.255.255",
  "fe80::1",
  "2001:db8:1:2::9",
  "2600::1",
  "::ffff:1.2.3.4",
  "172.16.0.1",
  "100.64.0.1",
  "224.0.0.1",
  "::1",
  "64:ff9b::1",
);
const item = fc.oneof(
  { weight: 6, arbitrary: address },
  {
    weight: 3,
    arbitrary: fc
      .tuple(address, fc.constantFrom(":80", "/24", "%eth0", ":99999", "/129", ":", "x", ".", "/33", "/128"))
      .map(([text, tail]) => text + tail),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(address, fc.constantFrom("", "%en1", "%"), fc.constantFrom("", ":443", "/64", ":x", "]"))
      .map(([text, zone, tail]) => `[${text}${zone}]${tail}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "unknown",
      "",
      "-",
      "209.256.68.22/255.255.224.0",
      "1.2.3",
      "for=1.2.3.4",
      'for="[2001:db8:cafe::17]:4711";proto=http',
      "proto=https;For=192.0.2.60:80;by=203.0.113.43",
      "for=unknown",
      "for=_hidden",
      "by=1.2.3.4",
      "2001:db8::1:54321",
      "2001:db8::1:5432",
      "2001:db8::1:99999",
      "1:2:3:4:5:6:7:8:8080",
      "::ffff:198.51.100.17:8080",
      "198.51.100.17.43436",
      "198.51.100.17.65536",
      "2001:db8::7.53",
      "+172.16.0.1:49770",
      "\xef\xbb\xbf1.2.3.4",
      "'1.2.3.4'",
      "[",
      "]",
      "[]",
      "%",
      "/",
      ":",
    ),
  },
);
const list = fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => items.join(", "));

test("fields hold one address or a list, in every notation, and nothing that merely looks like one", (t) => {
  const found = createFound();
  const counts = { addresses: 0, none: 0 };
  // In a column of Arrow, texts stand side by side, and the last one ends with the data.
  const around = fc.tuple(
    fc.constantFrom("", "9.", "=", '="', "=\\", "\xef\xbb\xbf"),
    fc.constantFrom("", "\n9.9.9.9", "9", ":80", '"', "]"),
  );
  const dressed = fc
    .tuple(fc.constantFrom("", " ", '"', "\t", '[ "'), list, fc.constantFrom("", " ", '"', '"]', "'"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      dressed,
      fc.constantFrom<AddressChoice>("first", "last", "first-public"),
      around,
      (text, choice, [before, behind]) => {
        const bytes = new Uint8Array(Buffer.from(before + text + behind, "latin1"));
        const family = fieldAddress(bytes, before.length, before.length + text.length, choice, found);
        const actual =
          family === 0
            ? null
            : [...found.subarray(0, family === 4 ? 1 : 4)].flatMap((word) => [
                word >>> 24,
                (word >>> 16) & 255,
                (word >>> 8) & 255,
                word & 255,
              ]);
        assert.deepEqual(actual, oracleFieldAddress(text, choice), `${choice} of ${text}`);
        counts[actual === null ? "none" : "addresses"]++;
      },
    ),
    { seed: SEED, numRuns: 30_000 },
  );
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
  assert.ok(counts.addresses > 5000 && counts.none > 5000, JSON.stringify(counts));
});

test("special-purpose addresses are distinguished from public ones at the edges of every block", () => {
  const words = new Uint32Array(4);
  for (let first = 0; first < 256; first++) {
    for (const rest of [
      0, 1, 0x3f_ffff, 0x40_0000, 0x7f_ffff, 0x80_0000, 0x10_0000, 0x0f_ffff, 0x1f_ffff, 0x20_0000, 0xa8_0000,
      0xfe_0000, 0x00_0009, 0x00_0008, 0x00_00aa, 0x00_0200, 0x00_0300, 0x33_6400, 0x00_7100, 0x12_0000, 0x58_6301,
      0xff_ffff,
    ]) {
      words[0] = first * 0x100_0000 + rest;
      const bytes = [first, rest >> 16, (rest >> 8) & 255, rest & 255];
      assert.equal(isPublicAddress(4, words), oracleIsPublic(bytes), bytes.join("."));
    }
  }
});

/**
 * The ends of records that a cutter and the engine find in a text that arrives in pieces; null: it ends within quotes.
 */
function cutInPieces(csv: string, sizes: readonly number[], cutter: LineCutter): number[] | null {
  const bytes = Buffer.from(`${csv}\n`, "latin1"); // as at the end of a stream
  const whole = csv.length;
  const ends: number[] = [];
  let from = 0;
  let fill = 0;
  for (let piece = 0; fill < whole; piece++) {
    fill = Math.min(whole, fill + sizes[piece % sizes.length]! + (piece > 200 ? 1 : 0));
    const end = cutter.lastEnd(bytes.subarray(from), fill - from);
    if (end === 0) continue;
    for (let at = from; at < from + end; at = ends.at(-1)! + 1) ends.push(endOfRecord(bytes, at, from + end));
    cutter.cut(end);
    from += end;
  }
  if (cutter.isOpen) return null;
  if (from < whole) ends.push(endOfRecord(bytes, from, whole));
  return ends;
}

test("records are cut where the oracle cuts them, in any pieces, and the engine finds the same ends", (t) => {
  const text = fc
    .array(fc.constantFrom("a", ",", '"', '""', "\n", "\r\n", '"a,b\n"', ',"', '"\n', "é"), { maxLength: 40 })
    .map((parts) => parts.join(""));
  const counts = { closed: 0, open: 0, severalLines: 0, caughtPlainCutter: 0 };
  fc.assert(
    fc.property(text, fc.array(fc.nat(8), { minLength: 1, maxLength: 10 }), (csv, sizes) => {
      const records = oracleRecords(csv);
      const expected = records && endsOf(records, csv);
      assert.deepEqual(cutInPieces(csv, sizes, new CsvRecordCutter()), expected, JSON.stringify(csv));
      counts[records === null ? "open" : "closed"]++;
      if (records?.some((record) => record.text.includes("\n")) === true) counts.severalLines++;
      // The negative control: a cutter that ignores quotes.
      if (!isDeepStrictEqual(cutInPieces(csv, sizes, new PlainLineCutter()), expected)) counts.caughtPlainCutter++;
    }),
    { seed: SEED, numRuns: 20_000 },
  );
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
  assert.ok(Math.min(...Object.values(counts)) > 1000, JSON.stringify(counts));
});

function endsOf(records: readonly OracleRecord[], csv: string): number[] {
  const ends: number[] = [];
  let at = 0;
  for (const { text } of records) {
    at += text.length;
    if (csv[at] === "\r") at++;
    ends.push(at);
    at++;
  }
  return ends;
}

interface Case extends TableCase {
  readonly source: "file" | "stream" | "gzip" | "zstd";
  readonly threads: number;
  readonly limits: IdentifyOptions["limits"];
}

const note = fc.constantFrom("", "x", "9.9.9.9", '"a, ""b""\r\n1.2.3.4"', '"\n\n"', '"10.1.2.3', "é\xff", 'a"b', " y ");
const csvLine = fc
  .tuple(
    fc.constantFrom("1", "", '"1,2"', "1,2"),
    fc.oneof(
      list.map((text) => `"${text.replaceAll('"', '""')}"`),
      item,
      fc.constant(undefined),
    ),
    fc.oneof({ weight: 9, arbitrary: note.filter((text) => text !== '"10.1.2.3') }, { weight: 1, arbitrary: note }),
  )
  .map((fields) => fields.filter((field) => field !== undefined).join(","));
const jsonLine = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.dictionary(
          fc.constantFrom("a", "ip", "é", "list", "text"),
          fc.oneof(list, fc.integer(), fc.constant(null), fc.array(address, { maxLength: 3 })),
          { maxKeys: 4, noNullPrototype: true },
        ),
        fc.constantFrom(undefined, 1),
      )
      .map(([value, space]) =>
        Buffer.from(JSON.stringify(value, null, space).replaceAll("\n", " ")).toString("latin1"),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      " ",
      "{",
      "[1.2.3.4]",
      '{"a":1}}',
      '{"ip":"1.2.3.4"',
      "10.0.0.1 \xff\x01",
      '"text"',
      "{}",
      " { } ",
      '{"a":"\xff"}',
    ),
  },
);
const textLine = fc
  .tuple(list, fc.constantFrom("", " x", " Chrome/120.0.0.0", " 12:30:00", " and ::1"))
  .map((parts) => parts.join(""));
const end = fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n");

const textOf = (head: string, line: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(fc.tuple(line, end), { maxLength: 30 }), fc.oneof(fc.constant(""), line))
    .map(([lines, last]) => head + lines.map((parts) => parts.join("")).join("") + last);

const kinds = fc.oneof(
  fc.record({
    kind: fc.constant("csv" as const),
    text: fc
      .constantFrom("time,ip,note\n", 'time,ip,"no\nte"\r\n', '\xef\xbb\xbf"time",ip,note\n')
      .chain((head) => textOf(head, csvLine)),
    header: fc.constant(true),
    field: fc.constantFrom(undefined, "ip", 2),
  }),
  fc.record({
    kind: fc.constant("csv" as const),
    text: textOf("", csvLine),
    header: fc.constant(false),
    field: fc.constantFrom(undefined, 2, 3),
  }),
  fc.record({
    kind: fc.constant("jsonl" as const),
    text: textOf("", jsonLine),
    header: fc.constant(undefined),
    field: fc.constantFrom(undefined, "ip", "list"),
  }),
  fc.record({
    kind: fc.constant("tsv" as const),
    text: textOf(
      "time\tip\tnote\n",
      fc
        .tuple(list, fc.constantFrom("", "\t", '\t"x', '\t"x', "\tx\t", "\tx\ty"))
        .map(([text, rest]) => `1\t${text}${rest}`),
    ),
    header: fc.constant(true),
    field: fc.constantFrom(undefined, "ip"),
  }),
  fc.record({
    kind: fc.constant("space" as const),
    text: textOf("", textLine),
    header: fc.constant(undefined),
    field: fc.constantFrom(undefined, 1),
  }),
);
const cases: fc.Arbitrary<Case> = fc
  .tuple(
    kinds,
    fc.record({
      format: fc.constantFrom<RowFormat>("tsv", "csv", "jsonl", "append", "append"),
      rows: fc.constantFrom<RowSelection>("all", "all", "matched", "unmatched"),
      address: fc.constantFrom<AddressChoice>("first", "last", "first-public"),
      rowText: fc.boolean(),
      source: fc.constantFrom("file" as const, "stream" as const, "gzip" as const, "zstd" as const),
      threads: fc.constant(1),
      limits: fc.record({
        shardBytes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 2000 })),
        rowBytes: fc.integer({ min: 1, max: 2000 }),
        templateBytes: fc.constantFrom(1, 300, 1 << 20),
        shardLines: fc.constantFrom(1, 3, 1e6, 1e6),
      }),
    }),
  )
  .map(([kind, rest]) => ({ ...kind, ...rest }));

async function checkCase(one: Case): Promise<string> {
  const { text, kind, header, field, format, rows, address: choice, rowText, source, threads, limits } = one;
  const bytes = Buffer.from(text, "latin1");
  const path = join(folder, "input");
  writeFileSync(path, source === "gzip" ? gzipSync(bytes) : source === "zstd" ? zstdCompressSync(bytes) : bytes);
  const input =
    source === "stream"
      ? Readable.from(
          bytes.length === 0 ? [] : [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)],
        )
      : path;
  const expected = expectedTable(one);
  const running = identify({
    inputs: [input],
    snapshot,
    engine: ENGINE,
    format,
    renderer: RENDERER,
    rows,
    address: choice,
    rowText,
    threads,
    output: { path: target },
    fieldSyntax: kind,
    appendAs: "ids",
    topAddresses: 3,
    countMatches: true,
    ...(header !== undefined && { header }),
    ...(field !== undefined && { field }),
    ...(limits && { limits }),
  });
  if (expected === null) {
    await assert.rejects(running, (error) => error instanceof BatchError && error.code === "quote-unclosed");
    return "unclosed";
  }
  const result = await running;
  const written = readFileSync(target, "latin1");
  assert.equal(written, expected.rows, JSON.stringify({ ...one, text }, null, 1));
  const { lines, addresses, matched, malformed, malformedLines, top } = result;
  assert.deepEqual({ lines, addresses, matched, malformed }, expected.counts, JSON.stringify(one));
  assert.deepEqual(
    malformedLines.map(({ line }) => line),
    expected.malformedLines.slice(0, 20),
  );
  assert.deepEqual(
    { matched: shown(top!.matched), unmatched: shown(top!.unmatched) },
    expected.top,
    JSON.stringify(one),
  );
  return `${kind} ${format}`;
}

function shown({
  distinct,
  addresses,
}: {
  distinct: number;
  addresses: readonly { address: string; lines: number }[];
}): unknown {
  return { distinct, addresses: addresses.map(({ address: text, lines }) => [text, lines]) };
}

test("random tables, objects and texts yield the rows, counts and top addresses of the oracle, with any sizes of shards", async (t) => {
  const counts: Record<string, number> = {};
  for (const one of fc.sample(cases, { seed: SEED, numRuns: rounds({ short: 200, long: 1500 }) })) {
    const what = await checkCase(one);
    counts[what] = (counts[what] ?? 0) + 1;
  }
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
  assert.ok(Object.keys(counts).length === 17, JSON.stringify(counts));
});

test("two and three threads yield the same", async () => {
  for (const [index, one] of fc.sample(cases, { seed: SEED + 1, numRuns: rounds({ short: 6, long: 40 }) }).entries()) {
    const text = one.text + (one.kind === "csv" ? "" : one.text.slice(one.header === true ? 8 : 0).repeat(40));
    await checkCase({
      ...one,
      text,
      threads: 2 + (index % 2),
      limits: { shardBytes: 300, rowBytes: 900, workerBytes: 1 },
    });
  }
});

test("records, objects and lists of many megabytes are one line", async () => {
  const long = "x".repeat(rounds({ short: 500_000, long: 12_000_000 }));
  const cases: Pick<Case, "kind" | "text" | "header" | "field">[] = [
    { kind: "csv", header: true, field: "ip", text: `ip,note\n1.2.3.4,"${long}\n${long}"\n10.0.0.1,\n` },
    {
      kind: "jsonl",
      header: undefined,
      field: "ip",
      text: `{"ip":"1.2.3.4"}\n{"long":"${long}","ip":"10.0.0.1"}\n{"long":"${long}\n`,
    },
    {
      kind: "space",
      header: undefined,
      field: undefined,
      text: `1.2.3.4 ${"- ".repeat(rounds({ short: 150_000, long: 3_000_000 }))} 8.8.8.8\n10.0.0.1`,
    },
  ];
  for (const one of cases) {
    for (const source of ["file", "gzip"] as const)
      await checkCase({
        ...one,
        source,
        format: "append",
        rows: "all",
        address: "last",
        rowText: false,
        threads: 2,
        limits: { workerBytes: 1 },
      });
  }
});

test("an unclosed quote and a member that already exists are errors with their line, even from workers", async () => {
  const fails = async (text: string, options: Partial<IdentifyOptions>): Promise<BatchError> => {
    const path = join(folder, "failing");
    writeFileSync(path, text);
    const running = identify({
      inputs: [path],
      snapshot,
      engine: ENGINE,
      format: "append",
      renderer: RENDERER,
      threads: 2,
      output: { path: target },
      limits: { shardBytes: 200, workerBytes: 1 },
      ...options,
    });
    return running.then(
      () => assert.fail("no error"),
      (error: BatchError) => error,
    );
  };
  const rows = '1,"a\nb"\n'.repeat(100);
  const open = await fails(`n,t\n${rows}2,"x\n${rows.replaceAll('"', "")}`, {});
  assert.deepEqual([open.code, open.line], ["quote-unclosed", 202]);
  const exists = await fails(`${'{"a":1}\n'.repeat(500)}{"cbs_ids":1}\n${'{"a":1}\n'.repeat(500)}`, {});
  assert.deepEqual([exists.code, exists.line], ["member-exists", 501]);
  const many = await fails(Array.from({ length: 600 }, (_, i) => `1.2.${i >> 8}.${i & 255}\n`).join(""), {
    format: "none",
    topAddresses: 3,
    limits: { shardBytes: 200, workerBytes: 1, addresses: 500 },
  });
  assert.equal(many.code, "too-many-addresses");
});

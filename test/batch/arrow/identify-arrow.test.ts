import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { after, test } from "node:test";
import {
  type DataType,
  Dictionary,
  Int32,
  LargeUtf8,
  Null,
  RecordBatchStreamWriter,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Utf8View,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { type IdentifyArrowOptions, identifyArrow } from "../../../src/batch/arrow/identify-arrow.ts";
import { BatchError } from "../../../src/batch/batch-error.ts";
import { identifyText } from "../../../src/cbs/identify.ts";
import { catalogueColumns } from "../../../src/datasets/arrow-columns.ts";
import { catalogueOf } from "../../../src/datasets/catalogue-from-bytes.ts";
import { openCatalogueSnapshot } from "../../../src/datasets/open-catalogue.ts";
import { rounds } from "../../rounds.ts";

const CATALOGUE = join(import.meta.dirname, "../../../data/catalogue.ipsieve");
const snapshot = await openCatalogueSnapshot(CATALOGUE);
const catalogue = catalogueOf(snapshot, CATALOGUE);
const folder = mkdtempSync(join(tmpdir(), "ipsieve-arrow-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly cidr: string | null;
  readonly cbs_ids: readonly string[];
}

/** The result of a stream. */
async function identified(bytes: Uint8Array, options: Partial<IdentifyArrowOptions> = {}) {
  const input = join(folder, "in.arrows");
  writeFileSync(input, bytes);
  const parts: Buffer[] = [];
  const output = new Writable({
    write(part: Buffer, _, done) {
      parts.push(Buffer.from(part));
      done();
    },
  });
  const result = await identifyArrow({
    snapshot,
    columns: catalogueColumns(catalogue),
    input,
    output,
    address: "first",
    engine: "auto",
    now: -Infinity,
    signal: new AbortController().signal,
    ...options,
  });
  return { ...result, bytes: Buffer.concat(parts) };
}

function resultRows(table: Table): Row[] {
  const cidrs = table.getChild("cidr") as Vector<Utf8>;
  const ids = table.getChild("cbs_ids")!;
  return Array.from({ length: table.numRows }, (_, row) => ({
    cidr: cidrs.get(row),
    cbs_ids: [...(ids.get(row) as Iterable<string>)],
  }));
}

/** The library's results for single addresses. */
function expectedRow(text: string | null): Row {
  const document = text === null || text === "no address" ? null : identifyText(catalogue, text);
  return { cidr: document?.cidr ?? null, cbs_ids: document?.cbs_ids ?? [] };
}

/** Addresses of both families, some repeated, some of which match, plus nulls and other texts. */
function someAddresses(count: number): (string | null)[] {
  let state = 12_345;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: count }, () => {
    const kind = next(20);
    if (kind === 0) return null;
    if (kind === 1) return "no address";
    if (kind < 8) return `2606:4700::${next(65_536).toString(16)}`;
    return [1 + next(223), next(256), next(256), next(256)].join(".");
  });
}

const ADDRESSES = someAddresses(rounds({ short: 2_000, long: 8_000 }));

function streamOf(type: DataType, texts: readonly (string | null)[] = ADDRESSES): Uint8Array {
  const ip = vectorFromArray(texts, type);
  const row = vectorFromArray(
    texts.map((_, index) => index),
    new Int32(),
  );
  return tableToIPC(new Table({ row, ip }), "stream");
}

const TYPES: readonly [name: string, type: DataType][] = [
  ["strings", new Utf8()],
  ["large strings", new LargeUtf8()],
  ["string views", new Utf8View()],
  ["a dictionary of strings", new Dictionary(new Utf8(), new Int32())],
];

for (const [name, type] of TYPES) {
  for (const engine of ["auto", "typescript"] as const) {
    test(`${name}, engine ${engine}: every row equals the library's result, the other columns are unchanged`, async () => {
      const found = await identified(streamOf(type), { field: "ip", engine });
      const table = tableFromIPC(found.bytes);
      const expected = ADDRESSES.map(expectedRow);
      assert.deepEqual(resultRows(table), expected);
      assert.deepEqual([...table.getChild("ip")!], ADDRESSES);
      assert.deepEqual([...table.getChild("row")!], [...ADDRESSES.keys()]);
      const matched = expected.filter(({ cidr }) => cidr !== null).length;
      assert.deepEqual([found.rows, found.matched], [ADDRESSES.length, matched]);
      assert.ok(matched > ADDRESSES.length / 3 && matched < ADDRESSES.length);
    });
  }
}

test("several batches: one result for each, even without rows, and a dictionary that grows and is replaced", async () => {
  const tables = [["1.1.1.1", "8.8.8.8"], [], ["8.8.8.8", null, "1.1.1.1", "9.9.9.9"]].map(
    (texts) => new Table({ ip: vectorFromArray(texts, new Dictionary(new Utf8(), new Int32(), 1)) }),
  );
  const writer = new RecordBatchStreamWriter({ autoDestroy: false });
  for (const table of tables) for (const batch of table.batches) writer.write(batch);
  writer.finish();
  const found = tableFromIPC((await identified(writer.toUint8Array(true))).bytes);
  assert.deepEqual(resultRows(found), ["1.1.1.1", "8.8.8.8", "8.8.8.8", null, "1.1.1.1", "9.9.9.9"].map(expectedRow));
  assert.deepEqual([...found.getChild("ip")!], ["1.1.1.1", "8.8.8.8", "8.8.8.8", null, "1.1.1.1", "9.9.9.9"]);
});

test("batches of all sizes, written by an output that keeps what it was given until the end", async () => {
  const batches = [700, 3, 0, 1_200, 1, 400].map((size, index) => ADDRESSES.slice(100 * index, 100 * index + size));
  const writer = new RecordBatchStreamWriter({ autoDestroy: false });
  for (const texts of batches)
    for (const batch of new Table({ ip: vectorFromArray(texts, new Utf8()) }).batches) writer.write(batch);
  writer.finish();
  const kept: Buffer[] = [];
  const output = new Writable({ write: (part: Buffer, _, done) => void (kept.push(part), setImmediate(done)) });
  await identified(writer.toUint8Array(true), { output });
  const found = tableFromIPC(Buffer.concat(kept));
  assert.deepEqual(resultRows(found), batches.flat().map(expectedRow));
  assert.deepEqual(
    found.batches.map(({ numRows }) => numRows).filter((rows) => rows > 0),
    batches.map(({ length }) => length).filter((rows) => rows > 0),
  );
});

test("a field is read as in tables of text", async () => {
  const texts = ["1.1.1.1:443", " [2606:4700::1]:80", "10.0.0.1, 1.1.1.1", "seen 1.1.1.1", ""];
  const rows = async (address: "first" | "last" | "first-public") =>
    resultRows(tableFromIPC((await identified(streamOf(new Utf8(), texts), { address })).bytes)).map(
      ({ cidr }) => cidr,
    );
  assert.deepEqual(await rows("first"), ["1.1.1.0/24", "2606:4700::/32", null, null, null]);
  assert.deepEqual(await rows("last"), ["1.1.1.0/24", "2606:4700::/32", "1.1.1.0/24", null, null]);
  assert.deepEqual(await rows("first-public"), await rows("last"));
});

test("a column of only nulls, and a stream without batches", async () => {
  const nulls = await identified(streamOf(new Null(), [null, null]), { field: "ip" });
  assert.deepEqual(resultRows(tableFromIPC(nulls.bytes)), [expectedRow(null), expectedRow(null)]);
  const none = await identified(streamOf(new Utf8(), []), { field: 2 });
  assert.equal(tableFromIPC(none.bytes).numRows, 0);
  assert.deepEqual([none.rows, none.matched], [0, 0]);
});

const STREAM = Buffer.from(streamOf(new Utf8(), ["1.1.1.1", "8.8.8.8"]));
const END_BYTES = 8;

/** The stream with a schema that declares this many columns (FlatBuffers: Schema.fbs, Message.fbs). */
function withColumns(count: number): Buffer {
  const bytes = Buffer.from(STREAM);
  const target = (at: number) => at + bytes.readUInt32LE(at);
  const member = (table: number, place: number) =>
    table + bytes.readUInt16LE(table - bytes.readInt32LE(table) + 4 + 2 * place);
  const schema = target(member(target(8), 2));
  const columns = target(member(schema, 1));
  assert.equal(bytes.readUInt32LE(columns), 2);
  bytes.writeUInt32LE(count, columns);
  return bytes;
}

const BAD: readonly [name: string, bytes: Uint8Array, code: string, message: RegExp][] = [
  ["nothing", Buffer.alloc(0), "stream-truncated", /this is empty, not an Arrow IPC stream; check/],
  ["text", Buffer.from("1.1.1.1\n8.8.8.8\n"), "stream-corrupt", /this is not an Arrow IPC stream; for text/],
  ["an Arrow file", tableToIPC(tableFromIPC(STREAM), "file"), "stream-corrupt", /an Arrow file.*as an IPC stream/],
  ["cut in a message", STREAM.subarray(0, 100), "stream-truncated", /ends at byte 100 without its end/],
  ["cut between messages", STREAM.subarray(0, -END_BYTES), "stream-truncated", /without its end/],
  ["two streams", Buffer.concat([STREAM, STREAM]), "stream-corrupt", /data follows the end of the stream/],
  [
    "more columns than there is room for",
    withColumns(0xffff_ffff),
    "stream-corrupt",
    /the message that ends at byte \d+ is corrupt; write/,
  ],
  [
    "another message than announced",
    Buffer.concat([STREAM.subarray(0, -END_BYTES), Buffer.from("no message")]),
    "stream-corrupt",
    /the message at byte \d+ is corrupt/,
  ],
];

for (const [name, bytes, code, message] of BAD) {
  test(`a bad stream: ${name}`, async () => {
    await assert.rejects(identified(bytes, { field: "ip" }), (error) => {
      assert.ok(error instanceof BatchError);
      assert.match(error.message, message);
      return error.code === code && error.file === join(folder, "in.arrows");
    });
  });
}

test("random changes of a stream: a result with as many rows, or a BatchError", async (t) => {
  let errors = 0;
  const count = rounds({ short: 150, long: 800 });
  for (let round = 0; round < count; round++) {
    const bytes = Buffer.from(STREAM);
    bytes[(round * 7919) % bytes.length]! ^= 1 << (round % 8);
    try {
      const { rows, matched } = await identified(bytes, { field: "ip" });
      assert.ok(matched <= rows && rows <= 8);
    } catch (error) {
      assert.ok(error instanceof BatchError, String((error as Error).stack));
      errors++;
    }
  }
  t.diagnostic(`${count} streams, ${errors} errors`);
  assert.ok(errors > count / 20 && errors < count);
});

const COLUMNS: readonly [name: string, field: string | number | undefined, table: Table, code: string, what: RegExp][] =
  [
    ["no such name", "address", tableFromIPC(STREAM), "field-missing", /"address"; the columns are "row", "ip"$/],
    ["no such number", 3, tableFromIPC(STREAM), "field-missing", /no column 3; the columns are "row", "ip"$/],
    ["a number", "row", tableFromIPC(STREAM), "field-unusable", /column "row" is Int32, not text; write addresses as/],
    ["no text", undefined, tableFromIPC(STREAM).select(["row"]), "field-unusable", /no column is text.*: "row"$/],
    [
      "several texts",
      undefined,
      new Table({ a: vectorFromArray(["1.1.1.1"]), b: vectorFromArray(["x"]) }),
      "field-unusable",
      /several columns are text; name the one with addresses by --field: "a", "b"$/,
    ],
    [
      "a column of the same name",
      "ip",
      new Table({ ip: vectorFromArray(["1.1.1.1"]), cidr: vectorFromArray([1]) }),
      "member-exists",
      /already has a column "cidr".*rename it$/,
    ],
  ];

for (const [name, field, table, code, message] of COLUMNS) {
  test(`a bad column: ${name}`, async () => {
    const options = field === undefined ? {} : { field };
    await assert.rejects(identified(tableToIPC(table, "stream"), options), (error) => {
      assert.ok(error instanceof BatchError);
      assert.match(error.message, message);
      return error.code === code;
    });
  });
}

test("the negative control: the result of another row is detected", async () => {
  const table = tableFromIPC((await identified(streamOf(new Utf8()), { field: "ip" })).bytes);
  const shifted = ADDRESSES.map((_, row) => expectedRow(ADDRESSES[(row + 1) % ADDRESSES.length]!));
  assert.throws(() => assert.deepEqual(resultRows(table), shifted), assert.AssertionError);
  assert.ok(readFileSync(join(folder, "in.arrows")).length > STREAM.length);
});

/** The schemas of streams with a column of a type that apache-arrow does not know, as pyarrow writes them. */
const UNSUPPORTED: Record<string, string> = {
  ListView:
    "/////9AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAAB4AAAABAAAAKD///8AAAEZFAAAABgAAAAEAAAAAQAAABAAAAABAAAAeAAAAJT////I////AAABAhAAAAAgAAAABAAAAAAAAAAEAAAAaXRlbQAAAAAIAAwACAAHAAgAAAAAAAABCAAAABAAFAAIAAYABwAMAAAAEAAQAAAAAAABBRAAAAAYAAAABAAAAAAAAAACAAAAaXAAAAQABAAEAAAA",
  LargeListView:
    "/////9AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAAB4AAAABAAAAKD///8AAAEaFAAAABgAAAAEAAAAAQAAABAAAAABAAAAeAAAAJT////I////AAABAhAAAAAgAAAABAAAAAAAAAAEAAAAaXRlbQAAAAAIAAwACAAHAAgAAAAAAAABCAAAABAAFAAIAAYABwAMAAAAEAAQAAAAAAABBRAAAAAYAAAABAAAAAAAAAACAAAAaXAAAAQABAAEAAAA",
  RunEndEncoded:
    "/////xABAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAAC4AAAABAAAAGD///8AAAEWGAAAABwAAAAEAAAAAgAAAEwAAAAQAAAAAQAAAHgAAABY////jP///wAAAQUQAAAAGAAAAAQAAAAAAAAABgAAAHZhbHVlcwAAgP///xAAFAAIAAAABwAMAAAAEAAQAAAAAAAAAhAAAAAkAAAABAAAAAAAAAAIAAAAcnVuX2VuZHMAAAAACAAMAAgABwAIAAAAAAAAASAAAAAQABQACAAGAAcADAAAABAAEAAAAAAAAQUQAAAAGAAAAAQAAAAAAAAAAgAAAGlwAAAEAAQABAAAAA==",
};

test("a column of an unknown type is called that, not a corrupt stream", async () => {
  for (const [type, schema] of Object.entries(UNSUPPORTED))
    await assert.rejects(
      identified(Buffer.from(schema, "base64")),
      (error) => error instanceof BatchError && error.code === "field-unusable" && error.message.includes(type),
    );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonErrorAt, repeatedKey } from "../../src/json/json-positions.ts";
import { JsonListError, JsonListReader } from "../../src/json/json-list.ts";
import { codePoint } from "../code-points.ts";

const OPTIONS = { member: "ips", isBareAllowed: true, maxItems: 10_000, maxDepth: 16 };

interface Read {
  readonly document: unknown;
  readonly batches: number;
}

/** Reads a document that arrives in pieces of these lengths, repeated. */
function read(bytes: Uint8Array, lengths: readonly number[], options: Partial<typeof OPTIONS> = {}): Read {
  const reader = new JsonListReader({ ...OPTIONS, ...options });
  const items: unknown[] = [];
  let batches = 0;
  for (let at = 0, i = 0; at < bytes.length; at += lengths[i++ % lengths.length]!) {
    for (const batch of reader.write(bytes.subarray(at, at + lengths[i % lengths.length]!))) {
      items.push(...batch);
      batches++;
    }
  }
  const document = reader.end();
  if (Array.isArray(document)) return { document: items.length === 0 ? document : items, batches };
  return { document: items.length === 0 ? document : { ...(document as object), ips: items }, batches };
}

const readText = (text: string, lengths: readonly number[] = [7], options?: Partial<typeof OPTIONS>): Read =>
  read(Buffer.from(text), lengths, options);

/** The error's text; undefined for a document that is accepted. */
function errorOf(text: string, lengths?: readonly number[], options?: Partial<typeof OPTIONS>): string | undefined {
  try {
    readText(text, lengths, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonListError)) throw error;
    return error.message;
  }
}

/** What is wrong with a text, according to the parser of whole texts. */
function expectedError(text: string): string | undefined {
  if (text.trim() === "") return "is empty; a JSON document is required";
  const at = jsonErrorAt(text);
  if (at >= 0)
    return `invalid JSON: unexpected ${at >= text.length ? "end" : JSON.stringify(text[at])} at position ${at}`;
  const repeated = repeatedKey(text, JSON.parse(text));
  return repeated < 0 ? undefined : `duplicate property at position ${repeated}; send it once`;
}

const item = fc.oneof(
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.integer(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({ ip: fc.ipV4(), name: fc.string() }),
);
const document = fc.oneof(
  fc.record({ ips: fc.array(item, { maxLength: 60 }) }),
  fc.record({
    atomic: fc.boolean(),
    note: fc.string(),
    ips: fc.array(item, { maxLength: 60 }),
    more: fc.jsonValue({ maxDepth: 2 }),
  }),
  fc.array(item, { maxLength: 60 }),
  fc.jsonValue({ maxDepth: 3 }),
);
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test("documents in pieces of any length are read like whole ones by JSON.parse", () => {
  fc.assert(
    fc.property(document, lengths, fc.constantFrom(undefined, 1, "\t"), (value, pieces, space) => {
      const text = JSON.stringify(value, null, space);
      assert.deepEqual(readText(text, pieces).document, JSON.parse(text));
    }),
    { numRuns: 2000 },
  );
});

const MARKS = ["[", "]", "{", "}", ",", ":", '"', "\\", " ", "1", "x", '"ips":', '"ips":[', "é", "\\u0041"];

test("corrupt documents: the same first error at the same position as for the whole text", () => {
  let wrong = 0;
  fc.assert(
    fc.property(
      document,
      lengths,
      fc.nat(),
      fc.nat(3),
      fc.constantFrom(...MARKS),
      (value, pieces, place, gone, mark) => {
        const whole = JSON.stringify(value);
        const at = place % (whole.length + 1);
        const text = (whole.slice(0, at) + mark + whole.slice(at + gone)).toWellFormed();
        const expected = expectedError(text);
        if (expected !== undefined) wrong++;
        assert.equal(errorOf(text, pieces), expected, text);
      },
    ),
    { numRuns: 5000 },
  );
  assert.ok(wrong > 1000, String(wrong));
});

test("a long list is returned in batches, and any error in its middle has its position in the whole document", () => {
  const ips = Array.from({ length: 9000 }, (_, i) => `203.0.${i >> 8}.${i & 255}`);
  const text = JSON.stringify({ note: "é", ips });
  const { document: found, batches } = readText(text, [65_536, 1000]);
  assert.deepEqual(found, { note: "é", ips });
  assert.ok(batches > 5, String(batches));
  const middle = text.indexOf("203.0.20.0") - 1;
  for (const broken of [
    `${text.slice(0, middle)},${text.slice(middle)}`,
    `${text.slice(0, middle)}x${text.slice(middle)}`,
    text.slice(0, middle + 3),
    `${text}]`,
    `${text.slice(0, middle)}{"a":1,"a":2},${text.slice(middle)}`,
  ]) {
    assert.equal(errorOf(broken, [65_536, 1000]), expectedError(broken));
  }
});

test("valid JSON that is rejected: too many items, too deep, too long, not UTF-8; each as soon as it arrives", () => {
  assert.equal(errorOf('{"ips":[1,2,3,4', [3], { maxItems: 3 }), "must not have more than 3 items");
  assert.equal(errorOf('{"ips":[1,2,3]}', [3], { maxItems: 3 }), undefined);
  assert.equal(errorOf('{"ips":[1]}', [3], { maxItems: 0 }), "must not have more than 0 items");
  assert.equal(errorOf('{"ips":[ ]}', [3], { maxItems: 0 }), undefined);
  assert.equal(errorOf(`{"ips":[${"[".repeat(15)}`), "is nested deeper than 16 levels");
  assert.equal(errorOf(`{"ips":[${"[".repeat(14)}${"]".repeat(14)}]}`), undefined);
  assert.equal(errorOf(`{"ips":["${"x".repeat(70_000)}`, [1000]), "item 0 is longer than 65536 bytes");
  assert.equal(errorOf(`{"ips":["a","${"x".repeat(70_000)}"]}`, [100_000]), "item 1 is longer than 65536 bytes");
  assert.equal(
    errorOf(`{"note":"${"x".repeat(20_000)}`, [100_000]),
    "has more than 16384 bytes besides the items of ips",
  );
  assert.equal(
    errorOf(`[${"1,".repeat(20_000)}`, [100_000], { isBareAllowed: false }),
    "has more than 16384 bytes besides the items of ips",
  );
  for (const bad of [
    [0x7b, 0xff, 0x7d],
    [...Buffer.from('{"ips":["'), 0xc3, 0x28, ...Buffer.from('"]}')],
    [...Buffer.from('{"ips":["a"]'), 0xe2, 0x82],
  ]) {
    assert.throws(() => read(Uint8Array.from(bad), [2]), { message: "is not valid UTF-8" });
  }
});

test("a list whose name is written with escapes, or also occurs elsewhere, is read correctly", () => {
  for (const text of [
    '{"\\u0069ps":["1.1.1.1"]}',
    '{"other":["1.1.1.1"],"ips":[]}',
    '{"a":{"ips":[1]},"ips":[2]}',
    '{"a":"\\"ips\\":[","ips":[2]}',
    '{"ips":7}',
  ]) {
    assert.deepEqual(readText(text, [1]).document, JSON.parse(text), text);
  }
});

test("brackets outside the list cost no more than other bytes: none causes the preceding text to be read again", (t) => {
  let bytesRead = 0;
  const decode = TextDecoder.prototype.decode;
  t.mock.method(
    TextDecoder.prototype,
    "decode",
    function (this: InstanceType<typeof TextDecoder>, ...[bytes, options]: Parameters<typeof decode>) {
      bytesRead += (bytes as Uint8Array | undefined)?.byteLength ?? 0;
      return decode.call(this, bytes, options);
    },
  );
  const concat = Buffer.concat.bind(Buffer);
  t.mock.method(Buffer, "concat", (parts: readonly Uint8Array[]) => {
    const all = concat(parts);
    bytesRead += all.length;
    return all;
  });
  for (const repeated of ['"a":[],', "[],", '"":[],', 'x"ips":[],', "{}{", '"ips":1[],', " [ "]) {
    bytesRead = 0;
    const text = `{${repeated.repeat(1000)}"ips":[]}`;
    errorOf(text, [1 << 16]);
    errorOf(`1${text}`, [1 << 16]);
    assert.ok(bytesRead <= 10 * text.length, `${repeated}: ${bytesRead} bytes of ${text.length} were read`);
  }
});

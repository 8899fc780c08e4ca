import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ObjectReader } from "../../../../src/batch/engine/typescript/_json-object.ts";

const SEED = 20261122;
const NAME = "cbs_ids";

/** The result by JSON.parse and the parsed object. */
function expected(text: string): { isObject: boolean; hasMembers: boolean; hasName: boolean } {
  const none = { isObject: false, hasMembers: false, hasName: false };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return none;
    return { isObject: true, hasMembers: Object.keys(value).length > 0, hasName: Object.hasOwn(value, NAME) };
  } catch {
    return none;
  }
}

function actual(text: string): { isObject: boolean; hasMembers: boolean; hasName: boolean; end: number } {
  const bytes = Buffer.from(`x{"${text}}\n{"a":1}\n`);
  const start = 3;
  const reader = new ObjectReader(NAME);
  const isObject = reader.read(bytes, start, start + Buffer.byteLength(text));
  return {
    isObject,
    hasMembers: isObject && reader.hasMembers,
    hasName: isObject && reader.hasName,
    end: reader.end - start,
  };
}

function check(text: string): boolean {
  const { end, ...found } = actual(text);
  assert.deepEqual(found, expected(text), text);
  if (found.isObject) assert.equal(Buffer.from(text)[end], 0x7d, text);
  return found.isObject;
}

test("objects, and lines that only look like objects", () => {
  const texts = [
    "{}",
    " { } \t",
    '{"a":1}',
    '{"a":[]}',
    '{"a":[1,{}, [ ]]}',
    '{"cbs_ids":1}',
    '{"cbs\\u005fids":1}',
    '{"a":{"cbs_ids":1}}',
    '{"a":"cbs_ids"}',
    '{"\\u0063bs_ids" : null}',
    "",
    " ",
    "[]",
    "1",
    '"a"',
    "null",
    "{",
    "}",
    "{}}",
    "{} x",
    "{},",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1 "b":2}',
    '{"a":1,,"b":2}',
    "{a:1}",
    "{'a':1}",
    '{"a":01}',
    '{"a":-}',
    '{"a":-0}',
    '{"a":0.}',
    '{"a":.5}',
    '{"a":1.5e+3}',
    '{"a":1e}',
    '{"a":1e-}',
    '{"a":+1}',
    '{"a":0x1}',
    '{"a":NaN}',
    '{"a":1.e3}',
    '{"a":-01}',
    '{"a":1_0}',
    '{"a":tru}',
    '{"a":true}',
    '{"a":truex}',
    '{"a":nul',
    '{"a":"',
    '{"a":"\\',
    '{"a":"\\u12',
    '{"a":"\\u12g4"}',
    '{"a":"\\x"}',
    '{"a":"\t"}',
    '{"a":"\\t\\u00e9é😀"}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1}',
    '{"a":{]}',
    '{"a":[}]}',
    "\u00a0{}",
    "\ufeff{}",
    '{"a":"\\""}',
    '{"a":"\\\\"}',
    '{"__proto__":1}',
    '{"a":1}{"b":2}',
    "{\r}",
    '{"a":\u000b1}',
  ];
  for (const text of texts) check(text);
});

test("generated JSON, intact and with bytes changed, removed and inserted, is accepted exactly if JSON.parse accepts it", (t) => {
  const key = fc.constantFrom(NAME, "a", "é", 'q"', "\\", "", "__proto__");
  const { object } = fc.letrec<{ object: Record<string, unknown>; value: unknown }>((tie) => ({
    object: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, false, 0, -0),
      tie("object"),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  const change = fc.record({
    at: fc.nat(),
    remove: fc.nat(2),
    insert: fc.constantFrom("", "", ...'{}[]",:\\\u00010.e-+ntu1 '),
  });
  const counts = { objects: 0, others: 0 };
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1), fc.array(change, { maxLength: 2 }), (value, space, changes) => {
      let text = JSON.stringify(value, null, space).replaceAll("\n", " ");
      for (const { at, remove, insert } of changes) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + insert + text.slice(place + remove);
      }
      counts[check(text) ? "objects" : "others"]++;
    }),
    { seed: SEED, numRuns: 30_000 },
  );
  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`);
  assert.ok(counts.objects > 5000 && counts.others > 5000, JSON.stringify(counts));
});

test("a line of any depth is read without recursion", () => {
  const depth = 300_000;
  const text = `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.equal(actual(text).isObject, true);
  assert.equal(actual(text.slice(0, -2)).isObject, false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type JsonLayout, jsonLayout, recordLines } from "../../../src/batch/input/json-records.ts";
import type { FieldSpec } from "../../../src/batch/lines/fields/field-spec.ts";
import { rounds } from "../../rounds.ts";

const SEED = 20261127;
const IP: FieldSpec = { syntax: "jsonl", member: "ip" };

/** The lines that a text becomes, given in pieces of these lengths. */
async function linesOf(text: string, layout: JsonLayout, lengths: readonly number[]): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0, index = 0; at < bytes.length; index++) {
      const end = at + lengths[index % lengths.length]!;
      yield bytes.subarray(at, end);
      at = end;
    }
  }
  const parts: Buffer[] = [];
  for await (const part of recordLines(pieces(), layout, "f")) parts.push(part);
  const lines = Buffer.concat(parts).toString().split("\n");
  assert.equal(lines.pop(), "", "each line ends");
  return lines;
}

function layoutOf(text: string, field: FieldSpec | null = IP): JsonLayout | null {
  const head = Buffer.from(text);
  const start = head.findIndex((byte) => byte > 0x20);
  const end = head.indexOf(0x0a, start);
  return jsonLayout(head, start, end < 0 ? head.length : end, field);
}

const value = fc.jsonValue({ maxDepth: 2 });
const record = fc
  .tuple(fc.ipV4(), fc.dictionary(fc.string({ maxLength: 4 }), value, { maxKeys: 3 }), fc.boolean())
  .map(([ip, others, isLast]) => (isLast ? { ...others, ip } : { ip, ...others }));
const records = fc.array(record, { minLength: 2, maxLength: 6 });
const space = fc.constantFrom(undefined, 1, "\t");

/** Ways to write records that are not one a line. */
const WRITTEN: Record<string, (all: readonly object[], indent: number | string | undefined) => string> = {
  "an array": (all, indent) => JSON.stringify(all, undefined, indent),
  "an array and a line break": (all) => `[\n${all.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`,
  "objects of several lines": (all) => all.map((one) => JSON.stringify(one, undefined, 2)).join("\n"),
  "objects with blanks between them": (all) => all.map((one) => JSON.stringify(one)).join(" "),
  "an array in a member": (all, indent) =>
    JSON.stringify({ owner: "a]}", Records: all, more: [{}] }, undefined, indent),
  "several of them": (all, indent) =>
    [
      JSON.stringify({ Records: all.slice(1) }, undefined, indent),
      JSON.stringify({ v: [1], Records: all.slice(0, 1) }),
    ].join("\n"),
};

for (const [name, write] of Object.entries(WRITTEN)) {
  test(`records are read from ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        space,
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        async (all, indent, lengths) => {
          const text = write(all, indent);
          const layout = layoutOf(text);
          assert.ok(layout !== null, text);
          const expected = name === "several of them" ? [...all.slice(1), all[0]] : all;
          const read = (await linesOf(text, layout, lengths)).map((line) => JSON.parse(line) as unknown);
          assert.deepEqual(read, JSON.parse(JSON.stringify(expected)));
        },
      ),
      { seed: SEED, numRuns: rounds({ short: 100, long: 1200 }) },
    );
  });
}

test("an object a line is left as it is, whatever arrays it has", () => {
  for (const text of [
    '{"ip":"1.2.3.4"}\n{"ip":"1.2.3.5"}\n',
    '{"ip":"1.2.3.4","answers":[{"ip":"8.8.8.8"}]}\n',
    '{"ip":"1.2.3.4"}{"ip":"1.2.3.5"}\n', // taken apart line by line
    '{"a":1',
    ' \n{"a":1}\n',
    '[1.2.3.4]\n{"a":1}\n',
    "[]\n",
    '{"ip":"1.2.3.4","x":\n{"ip":"1.2.3.5"}\n',
  ])
    assert.equal(layoutOf(text), null, text);
  assert.equal(layoutOf('{"a":"1.2.3.4","answers":[{"b":"8.8.8.8"}]}\n', null), null);
  assert.deepEqual(layoutOf('{"Records":[{"b":"8.8.8.8"}]}', null), { member: "Records" });
});

test("what is no record becomes a line that is reported, and nothing is lost", async () => {
  const read = (text: string, member: string | null = null): Promise<string[]> => linesOf(text, { member }, [3]);
  assert.deepEqual(await read('[{"a":1},7,{"a":2}] x\n{"a":3}'), ['{"a":1}', "7", '{"a":2}', "x", '{"a":3}']);
  assert.deepEqual(await read('{"a":"}{"} {"b'), ['{"a":"}{"}', '{"b']);
  assert.deepEqual(await read('{"no":1}{"Records":[{"a":1}]}{"a":', "Records"), ['{"no":1}', '{"a":1}', '{"a":']);
  assert.deepEqual(await read('{"Rec\\u006frds":[{"a":1}]}', "Records"), ['{"a":1}']);
});

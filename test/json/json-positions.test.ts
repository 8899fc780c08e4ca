import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { jsonErrorAt, repeatedKey, valueOffset } from "../../src/json/json-positions.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const cases: [text: string, fault: number][] = [
  ["", 0],
  ["  ", 2],
  ["{}", -1],
  [" [ ] ", -1],
  ['{"a": [1, -0.5e+3, true, false, null, "\\u00e9\\n"]}', -1],
  ['{"a": x}', 6],
  ['{"a" 1}', 5],
  ['{"a": 1,}', 8],
  ['{"a": 1 "b": 2}', 8],
  ["[1, 2", 5],
  ["[1, ]", 4],
  ["[,1]", 1],
  ["[1}", 2],
  ["{]", 1],
  ["{1: 2}", 1],
  ["[] []", 3],
  ["]", 0],
  ["01", 1],
  ["[.5]", 1],
  ['["a\nb"]', 1],
  ['["a\\x"]', 1],
  ['["open]', 1],
  ["['a']", 1],
  ["tru", 0],
  ["\ufeff{}", 0],
];
for (const [text, fault] of cases) {
  test(`the error in ${JSON.stringify(text)}`, () => {
    assert.equal(jsonErrorAt(text), fault);
    assert.equal(isJson(text), fault < 0);
  });
}

test("agrees with the engine about corrupt JSON", (context) => {
  let corrupt = 0;
  const texts = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", "x", '"', ",", "]", "}", ":", "0", "\\", "\n", "-"))
    .map(([text, at, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + 1);
    });
  fc.assert(
    fc.property(texts, (text) => {
      const fault = jsonErrorAt(text);
      assert.equal(fault < 0, isJson(text), text);
      assert.ok(fault <= text.length);
      corrupt += Number(fault >= 0);
    }),
    { numRuns: 3000, seed: 20261121 },
  );
  context.diagnostic(`3000 texts, ${corrupt} corrupt, seed 20261121`);
  assert.ok(corrupt > 500 && corrupt < 2900);
});

test("long and deep texts", () => {
  assert.equal(jsonErrorAt(`["${"a".repeat(1e6)}"]`), -1);
  assert.equal(jsonErrorAt(`["${"\\n".repeat(5e5)}"`), 1e6 + 3);
  // The parser on the error path calls itself for every level.
  assert.equal(jsonErrorAt("[".repeat(1000)), 1000);
  assert.equal(jsonErrorAt("[".repeat(1e5)), 1000);
  assert.equal(valueOffset(` {"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`, ["a"]), 1);
  assert.equal(repeatedKey(`${"[".repeat(1e5)}{"a":1,"a":2}${"]".repeat(1e5)}`, {}), 1e5 + 7);
});

const repeats: [text: string, at: number][] = [
  ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', -1],
  ['{"a": 1, "a": 2}', 9],
  ['{"b": [{}, {"a": [], "c": 1, "a": []}]}', 29],
  ['{"a": {"x": 1}, "a": {"y": 2}}', 16],
  ['{"caf\\u00e9": 1, "café": 2}', 17],
  ['{"a:b": ":", "c\\"": "::\\""}', -1],
  ['{"__proto__": 1, "__proto__": 2}', 17],
  ['{"__proto__": 1, "constructor": 2}', -1],
  ['["a", "a"]', -1],
  ["7", -1],
];
for (const [text, at] of repeats) {
  test(`the repeated key of ${text}`, () => assert.equal(repeatedKey(text, JSON.parse(text)), at));
}

test("JSON written by the engine has no repeated key, and a repeated one is found", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value);
      assert.equal(repeatedKey(text, JSON.parse(text)), -1);
      const [key] = Object.keys(JSON.parse(text) as object);
      const doubled = `${text.slice(0, -1)},${JSON.stringify(key)}:0}`;
      assert.equal(repeatedKey(doubled, JSON.parse(doubled)), text.length);
    }),
    { numRuns: 500, seed: 20261121 },
  );
});

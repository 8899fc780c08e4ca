import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { valueOffset } from "../../src/json/json-positions.ts";

test("the value at a path, and the innermost existing one if the path does not exist", () => {
  const text = ' {"a": {"b":[1, "x", {"c":true}]}, "d":[ ], "\\u0065" : 3, "f":{}}';
  const cases: [path: (string | number)[], rest: string][] = [
    [[], '{"a"'],
    [["a"], '{"b"'],
    [["a", "b"], "[1,"],
    [["a", "b", 1], '"x"'],
    [["a", "b", 2, "c"], "true"],
    [["d"], "[ ]"],
    [["e"], "3,"],
    [["d", 0], "[ ]"],
    [["a", "x"], '{"b"'],
    [["a", 0], '{"b"'],
    [["f", "g"], "{}"],
    [["a", "b", 7], "[1,"],
  ];
  for (const [path, rest] of cases)
    assert.ok(text.slice(valueOffset(text, path)).startsWith(rest), JSON.stringify(path));
});

/** Every path in a value, with the value at that path. */
function* pathsIn(
  value: unknown,
  path: (string | number)[] = [],
): Generator<[path: (string | number)[], value: unknown]> {
  yield [path, value];
  if (Array.isArray(value)) for (const [i, element] of value.entries()) yield* pathsIn(element, [...path, i]);
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) yield* pathsIn(member, [...path, name]);
}

test("in any document, the found value is at the offset", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 2 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      for (const [path, found] of pathsIn(JSON.parse(text))) {
        const written = JSON.stringify(found, null, indent).replaceAll(/\s/g, "");
        assert.ok(text.slice(valueOffset(text, path)).replaceAll(/\s/g, "").startsWith(written));
      }
    }),
    { numRuns: 300 },
  );
});

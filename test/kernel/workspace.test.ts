import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as workspace from "../../src/kernel/workspace.ts";

interface Region {
  readonly name: string;
  readonly at: number;
  readonly bytes: number;
}

const numbers: Readonly<Record<string, number>> = workspace;
const VECTOR_BYTES = 16;
/** Vectors in addition to those whose names say so. */
const VECTORS = new Set([
  "OFFSETS",
  "OFFSET_STEP",
  "WIDE_KIND",
  "LIST_KIND",
  "TREE_KIND",
  "POINTS_KIND",
  "HASHED_KIND",
  "BITMAP_LIMIT",
]);

/** Every offset of the workspace with the number of bytes there, in order. */
function regionsOf(constants: Readonly<Record<string, number>>): Region[] {
  return Object.entries(constants)
    .filter(([name]) => `${name}_BYTES` in constants || name.startsWith("VECTOR_") || VECTORS.has(name))
    .map(([name, at]) => ({ name, at, bytes: constants[`${name}_BYTES`] ?? VECTOR_BYTES }))
    .sort((a, b) => a.at - b.at);
}

/** What is wrong with a layout: regions that overlap the one before or pass the end, or are not aligned. */
function errorsOf(regions: readonly Region[], end: number): string[] {
  const errors: string[] = [];
  let free = 0;
  for (const { name, at, bytes } of regions) {
    if (at < free) errors.push(`${name} begins at ${at}, in a region up to ${free}`);
    if (at % VECTOR_BYTES !== 0 && bytes >= VECTOR_BYTES) errors.push(`${name} at ${at} is not aligned`);
    free = at + bytes;
  }
  if (free > end) errors.push(`the last region ends at ${free}, beyond ${end}`);
  return errors;
}

test("the regions of a workspace do not overlap, are aligned and fit into it", (t) => {
  const regions = regionsOf(numbers);
  t.diagnostic(`${regions.length} regions`);
  assert.equal(regions.length, 66);
  assert.deepEqual(errorsOf(regions, workspace.WORKSPACE_BYTES), []);
});

test("the negative control: an overlap, a misaligned offset and a workspace that is too small are detected", () => {
  const moved = { ...numbers, MATCHES: numbers["MATCHES"]! - 4 };
  assert.deepEqual(errorsOf(regionsOf(moved), workspace.KEYS), [
    "MATCHES begins at 43900, in a region up to 43904",
    "MATCHES at 43900 is not aligned",
    "the last region ends at 113600, beyond 87424",
  ]);
});

test("the drawing shows the positions of the regions", () => {
  const source = readFileSync(new URL("../../src/kernel/workspace.ts", import.meta.url), "utf8");
  const drawn = [...source.matchAll(/^ \* +(\d+) {2}([A-Z_\d]+|vectors)\b/gm)].map(
    ([, at, name]) => [name === "vectors" ? "VECTOR_TO_FRONT" : name!, Number(at)] as const,
  );
  assert.equal(drawn.length, 34);
  for (const [name, at] of drawn) assert.equal(at, numbers[name], name);
  const shown = new Set(drawn.map(([name]) => name));
  const missing = Object.keys(numbers).filter((name) => `${name}_BYTES` in numbers && !shown.has(name));
  assert.deepEqual(missing, []);
});

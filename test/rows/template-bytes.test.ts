import assert from "node:assert/strict";
import { test } from "node:test";
import { HOLE } from "../../src/rows/holes.ts";
import { hole, templateBytes } from "../../src/rows/template-bytes.ts";
import { seededRandom } from "../table/differential.ts";

/** Pieces of rows: their text, and the bytes that they become. */
const PIECES: readonly (readonly [text: string, bytes: Uint8Array])[] = [
  ...["", "a", "/cloud/aws\t", '{"name":"x"}\n', "~", "é", "名前", "😀", "x".repeat(700), "ü".repeat(700)].map(
    (text) => [text, new TextEncoder().encode(text)] as const,
  ),
  ...[0, 8, 32, 128, 255].map((what) => [hole(what), Uint8Array.of(HOLE, what)] as const),
];

test("rows of ASCII, other characters and holes become the right bytes, even after longer and shorter ones", () => {
  const random = seededRandom(3);
  let longest = 0;
  for (let round = 0; round < 5000; round++) {
    const pieces = Array.from({ length: random() % 9 }, () => PIECES[random() % PIECES.length]!);
    const expected = Buffer.concat(pieces.map(([, bytes]) => bytes));
    assert.deepEqual(Buffer.from(templateBytes(pieces.map(([text]) => text).join(""))), expected, `round ${round}`);
    longest = Math.max(longest, expected.length);
  }
  assert.ok(longest > 4000);
});

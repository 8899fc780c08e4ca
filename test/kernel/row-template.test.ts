import assert from "node:assert/strict";
import { test } from "node:test";
import { templateRoom, TemplateWriter } from "../../src/kernel/row-template.ts";
import { TEMPLATE_HOLES, TEMPLATE_MAX, TEMPLATE_PARTS } from "../../src/kernel/workspace.ts";
import { HOLE, HOLE_BYTES } from "../../src/rows/holes.ts";
import { seededRandom } from "../table/differential.ts";

/** A text, or what a hole stands for. */
type Part = string | number;

const AT = 4096;
const USED = 0xa5;

/** Memory that was used before: what is not written shows. */
function usedMemory(): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(16_384);
  new Uint8Array(buffer).fill(USED);
  return buffer;
}

function bytesOf(parts: readonly Part[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(HOLE, part))));
}

/** Reads a template as the kernel does: the lengths of its texts between its holes, then its texts. */
function readParts(buffer: SharedArrayBuffer): Part[] {
  const view = new DataView(buffer);
  const holes = view.getUint32(AT + TEMPLATE_HOLES, true);
  let text = AT + TEMPLATE_PARTS + 8 * holes + 4;
  const parts: Part[] = [];
  for (let hole = 0; hole <= holes; hole++) {
    const place = AT + TEMPLATE_PARTS + 8 * hole;
    const length = view.getUint32(place, true);
    assert.ok(length <= 4096, `part ${hole} is ${length} bytes long`);
    parts.push(Buffer.from(buffer, text, length).toString());
    text += length;
    if (hole < holes) parts.push(view.getUint32(place + 4, true));
  }
  return parts;
}

/** With a text before, between and after all holes. */
function separated(parts: readonly Part[]): Part[] {
  const found: Part[] = [""];
  for (const part of parts) {
    if (typeof part === "number") found.push(part, "");
    else found.push(`${String(found.pop())}${part}`);
  }
  return found;
}

function check(parts: readonly Part[]): void {
  const buffer = usedMemory();
  const template = bytesOf(parts);
  const next = new TemplateWriter(buffer).write(AT, template);
  assert.deepEqual(readParts(buffer), separated(parts), JSON.stringify(parts));
  const holes = parts.filter((part) => typeof part === "number").length;
  const view = new DataView(buffer);
  assert.equal(view.getUint32(AT + TEMPLATE_MAX, true), template.length + holes * HOLE_BYTES);
  const end = AT + TEMPLATE_PARTS + 8 * holes + 4 + template.length - 2 * holes;
  assert.equal(next, end + ((4 - (end % 4)) % 4), "the next multiple of 4");
  assert.ok(next - AT <= templateRoom(template));
  assert.equal(new Uint8Array(buffer)[next], USED, "nothing is written beyond it");
}

test("templates that begin or end in a hole, have none or nothing else, short and long", () => {
  for (const text of ["x", "xyz", "x".repeat(45), "x".repeat(46), "x".repeat(47), "x".repeat(48), "x".repeat(500)])
    for (const parts of [[], [text], [8], [text, 8], [8, text], [8, 255], [text, 0, text, 1], [8, text, 9, 10]])
      check(parts);
});

test("random templates are read back as they were written", () => {
  const random = seededRandom(5);
  for (let round = 0; round < 2000; round++)
    check(
      Array.from({ length: random() % 8 }, () => (random() % 2 === 0 ? random() % 256 : "t".repeat(random() % 60))),
    );
});

test("a text after the front of a template ends with one LF, whether it has one or not", () => {
  for (const from of [0, 2, 40])
    for (const text of ["", "\n", "a", "a\n", "abc\n", "\n\n", "b".repeat(47), `${"b".repeat(60)}\n`]) {
      const buffer = usedMemory();
      const template = Buffer.from("f".repeat(from) + text);
      const next = new TemplateWriter(buffer).writeText(AT, template, from);
      const expected = text.endsWith("\n") ? text : `${text}\n`;
      assert.equal(Buffer.from(buffer, AT, expected.length).toString(), expected);
      assert.equal(next, AT + Math.ceil(expected.length / 4) * 4);
      assert.equal(new Uint8Array(buffer)[AT + expected.length], USED);
    }
});

test("texts are written one after the other, each at a multiple of 4", () => {
  const buffer = usedMemory();
  const writer = new TemplateWriter(buffer);
  assert.deepEqual(
    ["a\n", "abc\n", "abcd\n"].map((text) => writer.writeTexts(AT, Buffer.from(text)) - AT),
    [4, 4, 8],
  );
  assert.equal(Buffer.from(buffer, AT, 5).toString(), "abcd\n");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { giveBack, isReused, keepBytes } from "../../../src/api/http/kept-bytes.ts";

const LONGEST = 64 << 10;

test("kept bytes are a copy until they are released; then the buffer is used again", () => {
  const read = Buffer.alloc(LONGEST, "a");
  const kept = keepBytes(read);
  read.fill("b");
  assert.deepEqual([kept.length, kept.every((byte) => byte === 0x61), isReused(kept)], [LONGEST, true, true]);
  giveBack(kept);
  assert.equal(isReused(kept), false);
  giveBack(kept);
  const [again, another] = [keepBytes(read), keepBytes(read)];
  assert.equal(again.buffer, kept.buffer);
  assert.notEqual(another.buffer, kept.buffer, "given back twice, used once");
  for (const each of [again, another]) giveBack(each);
});

test("few bytes, and more than one read returns, are not copied", () => {
  for (const length of [0, 1, 4095, LONGEST + 1]) {
    const read = Buffer.alloc(length);
    assert.equal(keepBytes(read), read);
    assert.equal(isReused(read), false);
    giveBack(read);
  }
});

test("a short part of kept bytes is copied, so that the buffer can be used again", () => {
  const kept = keepBytes(Buffer.alloc(LONGEST, "a"));
  const part = keepBytes(kept.subarray(-100));
  giveBack(kept);
  const next = keepBytes(Buffer.alloc(LONGEST, "b"));
  assert.equal(next.buffer, kept.buffer);
  assert.ok(part.every((byte) => byte === 0x61));
  giveBack(next);
});

test("10,000 random steps: kept bytes never change, and no more buffers are made than are kept at a time", () => {
  const random = new Random(1);
  const held: { readonly kept: Buffer; readonly byte: number }[] = [];
  const buffers = new Set<ArrayBufferLike>();
  let most = 0;
  for (let step = 0; step < 10_000; step++) {
    if (random.below(2) === 0) {
      const [byte, length] = [step & 255, 4096 + random.below(LONGEST - 4096)];
      const kept = keepBytes(Buffer.alloc(length, byte));
      buffers.add(kept.buffer);
      held.push({ kept, byte });
    } else if (held.length > 0) {
      const [{ kept, byte }] = held.splice(random.below(held.length), 1) as [(typeof held)[number]];
      assert.ok(kept[0] === byte && kept.at(-1) === byte && kept[kept.length >> 1] === byte);
      giveBack(kept);
    }
    most = Math.max(most, held.length);
  }
  for (const { kept } of held) giveBack(kept);
  // Two remain from earlier.
  assert.ok(buffers.size <= most + 2, `${buffers.size} buffers for ${most}`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ActiveSlots } from "../../../src/rulesets/index/_active-slots.ts";
import { seededRandom } from "../../table/differential.ts";

/** Few times, so that many slots share one and `now` is often one of them. */
function someTime(random: () => number): number {
  const kind = random() % 10;
  if (kind === 0) return Infinity;
  return kind === 1 ? -Infinity : random() % 40;
}

test("a slot is active exactly before its expiry, while expiries change and now goes forward and back", () => {
  for (const slots of [1, 31, 512, 513, 2000]) {
    const random = seededRandom(slots);
    const expiresAt = Float64Array.from({ length: slots }, () => someTime(random));
    const active = new ActiveSlots(expiresAt);
    const [answers, missed] = [new Set<boolean>(), new Set<number>()];
    const before = expiresAt.slice();
    for (let round = 0; round < 20_000; round++) {
      const slot = random() % slots;
      if (random() % 4 === 0) {
        expiresAt[slot] = someTime(random);
        active.changed(slot);
      }
      const asked = random() % slots;
      const now = random() % 50 === 0 ? -Infinity : random() % 42;
      const isActive = now < expiresAt[asked]!;
      assert.equal(active.has(asked, now), isActive, `${slots} slots, round ${round}, slot ${asked}, ${now}`);
      answers.add(isActive);
      if (now < before[asked]! !== isActive) missed.add(round);
    }
    assert.equal(answers.size, 2);
    // The negative control: the original times give other answers.
    assert.ok(missed.size > 100);
  }
});

test("negative control: an expiry that is written without `changed` is not noticed", () => {
  const expiresAt = new Float64Array(600).fill(10);
  const active = new ActiveSlots(expiresAt);
  assert.equal(active.has(599, 5), true);
  expiresAt[599] = 3;
  assert.equal(active.has(599, 5), true);
  active.changed(599);
  assert.equal(active.has(599, 5), false);
  assert.equal(active.has(599, 2), true, "back in time");
  assert.equal(active.has(598, 10), false, "in the millisecond of its expiry");
});

test("a nonexistent slot is never active", () => {
  const active = new ActiveSlots(new Float64Array(16).fill(Infinity));
  for (const slot of [16, 511, 512, 1 << 20]) assert.equal(active.has(slot, 0), false);
});

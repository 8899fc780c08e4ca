import assert from "node:assert/strict";
import { test } from "node:test";
import { MatchCounts, rowOfThread } from "../../../src/batch/pipeline/_match-counts.ts";
import { RunMemory } from "../../../src/batch/pipeline/_run-memory.ts";

test("each thread has a row of its own for all ids, and the sums are over all rows", () => {
  const [maxId, threads] = [4, 3];
  const counts = new MatchCounts(new RunMemory(null), maxId, threads);
  assert.equal(counts.maxId, maxId);
  const rows = Array.from({ length: threads }, (_, thread) => rowOfThread(counts.block, thread, maxId));
  const views = rows.map(({ buffer, at, byteLength }) => new Float64Array(buffer!, at, byteLength / 8));
  for (const [thread, view] of views.entries()) {
    assert.equal(view.length, maxId + 1);
    assert.ok(view.every((count) => count === 0));
    for (let id = 0; id <= maxId; id++) view[id] = 10 ** thread * (id + 1);
  }
  const sums = [111, 222, 333, 444, 555];
  assert.deepEqual([...counts.sums()], sums);
  counts.freeze();
  views[0]!.fill(0); // the memory is another run's
  assert.deepEqual([...counts.sums()], sums);
});

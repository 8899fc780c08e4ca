import assert from "node:assert/strict";
import { test } from "node:test";
import { SeenHistory } from "../../src/store/postgres/_seen-history.ts";

test("a write that reuses a known number in a restored database does not hide the restore", () => {
  const seen = new SeenHistory();
  seen.add({ sequence: 7, transaction: "before the restore" });
  seen.add({ sequence: 7, transaction: "after the restore" });
  assert.deepEqual([...seen.all()], [[7, "before the restore"]]);
  seen.forget();
  seen.add({ sequence: 7, transaction: "after the restore" });
  assert.deepEqual([...seen.all()], [[7, "after the restore"]], "once all has been loaded again");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { BatchError } from "../../../src/batch/batch-error.ts";
import { errorOf, failureOf } from "../../../src/batch/threads/thread-failure.ts";
import { SnapshotError } from "../../../src/snapshot/snapshot-error.ts";
import { TableError } from "../../../src/table/table-error.ts";

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not throw");
}

test("errors cross threads with class, message, stack and properties", () => {
  const errors = [
    thrownBy(() => parseAddress("1.2.3.256")),
    new SnapshotError("section-checksum", "a.ipsieve", "section nodes4 is corrupt", { section: "nodes4" }),
    new TableError("bad-node", "nodes6", "a lookup led out of them"),
    new BatchError("line-too-long", "this line is too long", { file: "access.log", line: 7 }),
    new RangeError("threads is 0"),
    new TypeError("an address must be a string"),
    Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" }),
  ];
  for (const error of errors) {
    const posted = structuredClone(failureOf(error));
    const again = errorOf(posted);
    assert.equal(again.constructor, error.constructor);
    assert.deepEqual([again.name, again.message, again.stack], [error.name, error.message, error.stack]);
    assert.deepEqual({ ...again }, { ...error });
  }
  assert.equal(errorOf(structuredClone(failureOf("a text"))).message, "a text");
});

test("negative control: posted as it is, an error loses its class", () => {
  const clone = structuredClone(thrownBy(() => parseAddress("1.2.3.256")));
  assert.equal(clone.constructor, Error);
});

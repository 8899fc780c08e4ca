import assert from "node:assert/strict";
import { UpdateError, type UpdateErrorCode } from "../../src/update/update-error.ts";

/** Asserts that a download fails with this error. */
export async function assertFails(found: Promise<unknown>, code: UpdateErrorCode, message: RegExp): Promise<void> {
  await assert.rejects(found, (error: unknown) => {
    assert.ok(error instanceof UpdateError, String((error as Error).stack));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

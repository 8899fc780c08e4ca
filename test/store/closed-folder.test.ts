import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../cli/run-command.ts";
import { closedFolder } from "./harness/postgres.ts";

test("the folder that keeps another user from the programs of PostgreSQL is found, the innermost first", () => {
  const folder = temporaryFolder();
  const outer = join(folder.path, "outer");
  const inner = join(outer, "inner");
  mkdirSync(inner, { recursive: true });
  const file = join(inner, "postgres");
  for (const [outerMode, innerMode, expected] of [
    [0o755, 0o711, undefined],
    [0o750, 0o755, outer],
    [0o755, 0o770, inner],
    [0o700, 0o700, inner],
  ] as const) {
    chmodSync(folder.path, 0o755);
    chmodSync(outer, outerMode);
    chmodSync(inner, innerMode);
    assert.equal(closedFolder(file), expected);
  }
  folder.remove();
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../src/files/make-folder.ts";

test("a folder is made with its parents, or found; where none can be made, the system's error says why", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "make-folder-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const deep = join(folder, "a", "b", "c");
  assert.deepEqual([makeFolder(deep, 0o700), makeFolder(deep, 0o700)], [true, false]);
  assert.ok(statSync(deep).isDirectory());
  writeFileSync(join(folder, "file"), "");
  assert.throws(() => makeFolder(join(folder, "file"), 0o700), { code: "EEXIST" });
  assert.throws(() => makeFolder(join(folder, "file", "b"), 0o700), { code: "ENOTDIR" });
  // The parent exists, and the system says that it does not.
  if (process.platform === "linux") assert.throws(() => makeFolder("/proc/x/y", 0o700), { code: "ENOENT" });
});

import assert from "node:assert/strict";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const BUILT = join(import.meta.dirname, "../../dist/dashboard");
/** Bytes of all files of the dashboard together, compressed by gzip. */
const MOST = 90_000;

test(`the dashboard is not longer than ${MOST} bytes compressed`, (t) => {
  const sizes = globSync("**/*.gz", { cwd: BUILT }).map((path) => statSync(join(BUILT, path)).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  t.diagnostic(`${sizes.length} files, ${total} bytes`);
  assert.equal(sizes.length, 4);
  assert.ok(total <= MOST);
});

test("every file that is sent stands beside both of its compressed forms", () => {
  const files = globSync("**/*.{html,js,css,svg}", { cwd: BUILT });
  const compressed = globSync("**/*.{gz,br}", { cwd: BUILT });
  assert.deepEqual(compressed.sort(), files.flatMap((path) => [`${path}.br`, `${path}.gz`]).sort());
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const LIMIT = fileURLToPath(new URL("time-limit.ts", import.meta.url));

test("a test file that does not end fails and names what keeps it alive; one that ends passes", () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-limit-"));
  try {
    const heading = `import { test } from "node:test";\ntest("one", () => {});\n`;
    writeFileSync(join(folder, "ends.test.ts"), heading);
    writeFileSync(join(folder, "hangs.test.ts"), `${heading}setInterval(() => {}, 1000);\n`);
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    const run = (name: string) =>
      spawnSync(process.execPath, ["--import", LIMIT, "--test", join(folder, name)], {
        encoding: "utf8",
        env: { ...environment, TEST_MINUTES: "0.02" },
      });
    assert.equal(run("ends.test.ts").status, 0);
    const { status, stdout } = run("hangs.test.ts");
    assert.equal(status, 1);
    assert.match(stdout, /hangs\.test\.ts has not ended after 0\.02 minutes; kept alive by: .*\b1 Timeout/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

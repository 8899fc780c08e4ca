/** A folder of feeds that cannot be used: what is said of it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FeedFolder } from "../../../src/service/deployments/feed-folder.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";

test("a folder of feeds that is a file, or in one, is no folder; another failure says only its code", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-feeds-"));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), "");
  const rows = [
    ["file", "not a folder (EEXIST)"],
    ["file/feeds", "not a folder (ENOTDIR)"],
    ["x".repeat(300), "cannot be made or used (ENAMETOOLONG)"],
  ] as const;
  for (const [name, what] of rows) {
    const path = join(folder, name);
    const feeds = new FeedFolder(path, { memory: new ServiceMemory(), lists: { served: () => undefined } }, console);
    const message = `--feeds-dir ${path}: ${what}; name a folder of the server's user`;
    assert.throws(() => feeds.start(), { name: "FeedFolderError", message });
  }
});

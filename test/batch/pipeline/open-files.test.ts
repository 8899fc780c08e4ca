import assert from "node:assert/strict";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test } from "node:test";
import { identify } from "../../../src/batch/identify.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";

const folder = temporaryFolder();

/** How many of the logs this process has open. */
function openLogs(): number {
  const links = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ""; // it was that of the folder
    }
  });
  return links.filter((link) => link.startsWith(join(folder, "log"))).length;
}

test(
  "a file is closed when its rows are written, not at the end of the run",
  { skip: process.platform !== "linux" && "reads /proc" },
  async () => {
    const snapshot = await makeSnapshot(folder);
    const inputs = Array.from({ length: 60 }, (_, at) => join(folder, `log${at}`));
    for (const path of inputs) writeFileSync(path, "1.2.3.4\n".repeat(2000));
    let most = 0;
    const output = new Writable({ write: (_chunk, _, done) => ((most = Math.max(most, openLogs())), done()) });
    const limits = { shardBytes: 4096 };
    await identify({ inputs, snapshot, format: "tsv", renderer: RENDERER, engine: ENGINE, threads: 1, limits, output });
    assert.ok(most > 0 && most < 10, `${most} of 60`);
    assert.equal(openLogs(), 0);
  },
);

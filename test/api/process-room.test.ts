import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lackOfCores, lackOfMemory, roomHere } from "../../src/api/processes/process-room.ts";
import { serveArguments } from "./harness/service-process.ts";

const TWO_CORES = { cores: 2, memory: 4_000_000_000 };

test("as many processes as the memory has room for may start", () => {
  assert.equal(lackOfMemory(40, TWO_CORES), undefined);
  assert.equal(
    lackOfMemory(41, TWO_CORES),
    "--processes: 41 processes need at least 4.1 GB of memory (100 MB each, and more with rules), but this machine has 4.0 GB; --processes 0 starts one per core (2 here)",
  );
});

test("more processes than cores are a warning", () => {
  assert.equal(lackOfCores(2, TWO_CORES), undefined);
  assert.match(lackOfCores(3, TWO_CORES)!, /^3 processes share 2 cores: /);
  assert.match(lackOfCores(2, { ...TWO_CORES, cores: 1 })!, /^2 processes share 1 core: /);
});

test("the room of this machine is a number of cores, and bytes", () => {
  const { cores, memory } = roomHere();
  assert.ok(Number.isSafeInteger(cores) && cores > 0);
  assert.ok(Number.isSafeInteger(memory) && memory > 1e8, String(memory));
});

test("too many processes end the start with the reason", (t) => {
  const { memory } = roomHere();
  if (memory > 1024 * 100_000_000) return t.skip("this machine has room for the maximum of 1,024 processes");
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-room-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const args = serveArguments(join(folder, "store.db"), ["--processes", "1024"]);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^ipsieve: --processes: 1024 processes need at least 102.4 GB of memory/);
});

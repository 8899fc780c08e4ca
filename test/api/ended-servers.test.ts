import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { EndedServer } from "./harness/ended-servers.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-ended-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const AREAS = ["Access", "Rules", "Publishing", "Events", "Logs", "Data"];
/** What has been opened last is closed first, but for what requests wait for, which ends before them. */
const CLOSED = ["Data", "Logs", "Events", "Publishing", "Rules", "Access", "Store"];

/** What a process of servers prints that have ended, once it has ended by itself. */
function endedServers(method: "start" | "close" | "leak"): EndedServer[] {
  const script = join(import.meta.dirname, "harness/ended-servers.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, script, method], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: folder },
    timeout: 120_000,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as EndedServer[];
}

test("a server of which one area cannot be started closes everything, and leaves nothing running", () => {
  const servers = endedServers("start");
  assert.deepEqual(
    servers.map(({ failing }) => failing),
    [...AREAS, "listening"],
  );
  for (const { failing, error, closed, timers } of servers) {
    if (failing === "listening") assert.match(error, /the port is in use/);
    else assert.equal(error, `${failing} fails`);
    assert.deepEqual(closed, CLOSED, failing);
    assert.deepEqual(timers, [], failing);
  }
});

test("a server of which one area cannot be closed closes everything else, and says why", () => {
  const servers = endedServers("close");
  assert.deepEqual(
    servers.map(({ failing, error }) => [failing, error]),
    AREAS.map((name) => [name, `${name} fails`]),
  );
  for (const { failing, closed, timers } of servers) {
    assert.deepEqual(closed, CLOSED, failing);
    assert.deepEqual(timers, [], failing);
  }
});

test("the negative control: an area that is not closed leaves timers", () => {
  const [{ timers }] = endedServers("leak") as [EndedServer];
  assert.ok(timers.length > 0);
});

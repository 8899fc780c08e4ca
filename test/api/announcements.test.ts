/**
 * A server that checks for events without a write stops soon, whatever is pending, and does not wait for a failing
 * store.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Announcements } from "../../src/service/changes/announcements.ts";
import type { AnnouncementCommand } from "../../src/store/command.ts";
import { openStore } from "../../src/store/open-store.ts";
import { makeFastFolder } from "../store/harness/fast-folder.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, startServer, type TestServer } from "./start-server.ts";

const HOUR = 3_600_000;

let t: TestServer;
before(async () => {
  t = await startServer();
  const organisation = await addOrganisation(t, "announcements");
  for (let count = 0; count < 3; count++) await addKey(t, organisation, "read", t.clock.now + 4 * HOUR);
  t.clock.now += 3.5 * HOUR;
});
after(() => t.close());

/** Announces with writes of `write`, which gets the number of earlier writes. */
function announcing(write: (command: AnnouncementCommand, writes: number) => Promise<unknown>) {
  const { memory } = t.server.services;
  const { pulls } = t.server.services.publishing;
  const counted = { writes: 0 };
  const store = { write: (command: AnnouncementCommand) => write(command, ++counted.writes) } as never;
  const announcements = new Announcements({ store, memory, pulls, now: () => t.clock.now }, 1e9);
  announcements.start();
  return { announcements, counted };
}

test("a server that is stopped leaves pending announcements to the next one", async () => {
  let stopped: Promise<void> | undefined;
  const { announcements, counted } = announcing((command) => {
    stopped ??= announcements.stop();
    return t.server.store.write(command);
  });
  await until("the first key is being announced", () => stopped !== undefined);
  await stopped;
  assert.equal(counted.writes, 1);
  const next = announcing((command) => t.server.store.write(command));
  await until("the next server has announced all", () => next.counted.writes === 3);
  await next.announcements.stop();
});

test("after a failure of the store, the other keys wait for the next check", async () => {
  const folder = makeFastFolder();
  const closed = await openStore({ file: join(folder, "closed.db") });
  await closed.close();
  const { announcements, counted } = announcing((command) => closed.write(command));
  await until("the store has failed", () => counted.writes > 0);
  // A stop before the next key would hide that it is left out.
  await new Promise((resolve) => setImmediate(resolve));
  await announcements.stop();
  assert.equal(counted.writes, 1);
  rmSync(folder, { recursive: true });
});

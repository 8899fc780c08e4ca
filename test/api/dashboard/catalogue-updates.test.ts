/**
 * The catalogue is updated in the dashboard: by the command itself, in a process of its own, from a folder of lists.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { ChildCommand } from "../../../src/service/datasets/child-command.ts";
import type { Settings } from "../../../src/service/settings.ts";
import { SMALL_CATALOGUE } from "../harness/small-catalogue.ts";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "../start-server.ts";
import { addUser, visit } from "./browser.ts";
import { until } from "../../until.ts";
import { COMMAND_FILE } from "../../command-file.ts";
import { onlyLong } from "../../rounds.ts";

/** Lists are layered over a few lines; in the first test, over the bundled catalogue. */
const SMALL_BASE = new URL("../../update/small-base.ts", import.meta.url);
SMALL_BASE.searchParams.set("path", SMALL_CATALOGUE);

let folder: string;
let home: string;
let servers: TestServer[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ipsieve-updates-"));
  home = join(folder, "home");
  servers = [];
  mkdirSync(join(folder, "lists/telegram"), { recursive: true });
  offer("30.0.0.0/24\n2600::/32\n");
});
afterEach(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true });
});

function offer(list: string): void {
  writeFileSync(join(folder, "lists/telegram/cidr.txt"), list);
}

function command(from: readonly string[], base = SMALL_CATALOGUE): ChildCommand {
  return {
    program: process.execPath,
    args: [
      ...(base === BUNDLED ? [] : ["--import", SMALL_BASE.href]),
      COMMAND_FILE,
      "cbs",
      "update",
      "--json",
      "--progress",
      "json",
      "--home",
      home,
      ...from,
    ],
    environment: process.env,
  };
}

async function start(settings: Partial<Settings> = {}, base = SMALL_CATALOGUE): Promise<TestServer> {
  const update = command(["--from", join(folder, "lists")], base);
  const t = await startServer(settings, [join(home, "catalogue.ipsieve"), base], null, update);
  servers.push(t);
  return t;
}

async function admin(t: TestServer, name: string): Promise<string> {
  return (await addUser(t, await addOrganisation(t, name), "admin")).token;
}

async function ended(t: TestServer, token: string): Promise<any> {
  let last: any;
  await until("the update has ended", async () => {
    ({ last } = (await visit(t, "GET", "/catalogue/update", { token })).body);
    return last.state !== "running";
  });
  return last;
}

const startUpdate = (t: TestServer, token: string) => visit(t, "POST", "/catalogue/update", { token });
const sourceOf = async (t: TestServer, token: string, ip: string) =>
  (await visit(t, "GET", `/cbs/lookup?ip=${ip}`, { token })).body.matches.map(
    ({ source }: { source: string }) => source,
  );

test("an update: one at a time, reported list by list, in use when it has ended and after a restart", async () => {
  // To merge lists with the bundled catalogue takes five seconds, and is tested with the command.
  const t = await start({}, onlyLong() === false ? BUNDLED : SMALL_CATALOGUE);
  const token = await admin(t, "only");
  assert.deepEqual((await visit(t, "GET", "/catalogue/update", { token })).body, {
    can_update: true,
    reason: null,
    last: null,
  });
  assert.ok(!(await sourceOf(t, token, "30.0.0.1")).includes("telegram"));
  const [first, second] = [await startUpdate(t, token), await startUpdate(t, token)];
  assert.deepEqual([first.status, first.body.last.state, second.status], [202, "running", 409]);
  assert.match(second.body.detail, /already running/);
  const done = await ended(t, token);
  assert.deepEqual(
    [done.state, done.error, done.done, done.counts.new, done.started_by],
    ["done", null, done.total, 1, `admin of ${t.server.services.memory.onlyOrganisation!.id}`],
  );
  assert.ok(done.total > 50 && done.counts.absent === done.total - 1);
  assert.deepEqual(
    done.lists,
    [
      {
        source: "telegram",
        path: "telegram/cidr.txt",
        outcome: "new",
        problem: null,
        prefixes: 2,
        added: null,
        removed: null,
      },
    ].map((list) => ({ ...list, added: done.lists[0].added, removed: done.lists[0].removed })),
  );
  assert.deepEqual([done.catalogue.sources, done.catalogue.is_changed], [1, true]);
  assert.ok((await sourceOf(t, token, "30.0.0.1")).includes("telegram"), "the updated catalogue answers");
  assert.match(
    t.logged(),
    /"user":"[0-9a-f-]{36}".*an update of the catalogue was started[^]*"new":1.*the update of the catalogue has ended/,
  );
  const { items } = (await visit(t, "GET", "/audit?limit=1", { token })).body;
  assert.deepEqual(
    items.map(({ kind, sha256, new: now }: any) => [kind, sha256, now.prefixes, now.source]),
    [
      [
        "update-catalogue",
        createHash("sha256")
          .update(readFileSync(join(home, "catalogue.ipsieve")))
          .digest("hex"),
        done.catalogue.ipv4_prefixes + done.catalogue.ipv6_prefixes,
        "1 new, 0 changed, 0 failed lists",
      ],
    ],
  );
  const { text: key } = await addKey(t, t.server.services.memory.onlyOrganisation!.id);
  const { changes } = (await ask(t, "GET", "/v1/changes?after=0", { key })).body;
  assert.deepEqual(
    changes.flatMap(({ type, catalogue }: any) => (type === "catalogue.updated" ? [catalogue.prefixes] : [])),
    [done.catalogue.ipv4_prefixes + done.catalogue.ipv6_prefixes],
    "one change of the organisation",
  );
  await t.restart();
  assert.ok((await sourceOf(t, token, "30.0.0.1")).includes("telegram"), "after a restart too");
});

test(
  "refused lists are reported with the reason; without any list there is no new catalogue",
  { skip: onlyLong() },
  async () => {
    const t = await start();
    const token = await admin(t, "only");
    offer("<html>\n");
    await startUpdate(t, token);
    const failed = await ended(t, token);
    assert.deepEqual([failed.state, failed.catalogue, failed.counts.refused], ["failed", null, 1]);
    assert.match(failed.error, /contains no list to build a catalogue from/);
    assert.ok(!existsSync(join(home, "catalogue.ipsieve")));
    assert.deepEqual(
      [
        (await visit(t, "GET", "/cbs/lookup?ip=1.1.1.1", { token })).status,
        t.server.services.data.catalogue.generation,
      ],
      [200, 1],
    );
    offer("30.0.0.0/24\n");
    await startUpdate(t, token);
    assert.equal((await ended(t, token)).state, "done");
    offer("<html>\n");
    await startUpdate(t, token);
    const partly = await ended(t, token);
    assert.deepEqual(
      [partly.state, partly.lists.length, partly.lists[0].outcome, partly.catalogue.is_changed],
      ["done", 1, "refused", false],
    );
    assert.match(partly.lists[0].problem, /^line 1: /);
    assert.ok((await sourceOf(t, token, "30.0.0.1")).includes("telegram"), "the last good list stays");
  },
);

test(
  "permission: admins of the only organisation, otherwise of the one that the setting names; others learn nothing",
  { skip: onlyLong() },
  async () => {
    const t = await start();
    const one = await admin(t, "one");
    await startUpdate(t, one);
    await ended(t, one);
    const two = await admin(t, "two");
    for (const token of [one, two]) {
      const { body } = await visit(t, "GET", "/catalogue/update", { token });
      assert.deepEqual([body.can_update, body.last], [false, null]);
      assert.match(
        body.reason,
        /start the server with --dataset-organisation or IPSIEVE_DATASET_ORGANISATION and the name/,
      );
      const { status, body: problem } = await startUpdate(t, token);
      assert.deepEqual([status, problem.type, problem.detail], [403, "/problems/permission-denied", body.reason]);
    }
    const named = await start({ datasetOrganisation: "two" });
    const [other, own] = [await admin(named, "one"), await admin(named, "two")];
    const { body } = await visit(named, "GET", "/catalogue/update", { token: other });
    assert.match(
      body.reason,
      /only admins of the one that --dataset-organisation or IPSIEVE_DATASET_ORGANISATION names/,
    );
    assert.ok(!JSON.stringify(body).includes("two"), "no other organisation is named");
    assert.equal((await startUpdate(named, other)).status, 403);
    assert.equal((await startUpdate(named, own)).status, 202);
    assert.equal((await ended(named, own)).state, "done");
  },
);

test("a server with a catalogue of its own says why it cannot be updated here", async () => {
  const t = await startServer({}, SMALL_CATALOGUE);
  servers.push(t);
  const token = await admin(t, "only");
  const { body } = await visit(t, "GET", "/catalogue/update", { token });
  assert.deepEqual([body.can_update, body.last], [false, null]);
  assert.match(body.reason, /--catalogue/);
  assert.equal((await startUpdate(t, token)).status, 409);
});

test("a closing server ends the update, which publishes nothing; the next update works", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve));
  const mirror = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const t = await startServer(
    {},
    [join(home, "catalogue.ipsieve"), SMALL_CATALOGUE],
    null,
    command(["--mirror", mirror, "--allow-address", "127.0.0.0/8"]),
  );
  try {
    const token = await admin(t, "only");
    await startUpdate(t, token);
    const lock = join(home, "update.lock");
    await until("the update has its lock", () => existsSync(lock));
    const { pid } = JSON.parse(readFileSync(lock, "utf8")) as { pid: number };
    assert.doesNotThrow(() => process.kill(pid, 0));
    await t.close();
    assert.throws(() => process.kill(pid, 0), /ESRCH/);
    assert.match(t.logged(), /the update was ended by SIGTERM/);
    assert.ok(!existsSync(join(home, "catalogue.ipsieve")));
  } finally {
    silent.close();
  }
  const next = await start();
  const token = await admin(next, "only");
  await startUpdate(next, token);
  assert.equal((await ended(next, token)).state, "done");
});

test("an update on the command line is used as well, even by a server that began with the bundled catalogue", async () => {
  const t = await start();
  const token = await admin(t, "only");
  const { spawnSync } = await import("node:child_process");
  const { program, args } = command(["--from", join(folder, "lists")]);
  assert.equal(spawnSync(program, args).status, 0);
  await until("the server has the new catalogue", () => t.server.services.data.catalogue.generation > 1);
  assert.ok((await sourceOf(t, token, "30.0.0.1")).includes("telegram"));
});

import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CatalogueMetadata } from "../../src/cbs/catalogue.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { outcomeOf, run, start, temporaryFolder } from "../cli/run-command.ts";
import { SMALL_CATALOGUE } from "../api/harness/small-catalogue.ts";
import { publicPrefixes } from "./lists.ts";
import { rounds } from "../rounds.ts";
import { until } from "../until.ts";

const ROUNDS = Number(process.env["IPSIEVE_KILLS"] ?? rounds({ short: 5, long: 20 }));
const folder = temporaryFolder();
after(() => folder.remove());
const home = join(folder.path, "home");
const lock = join(home, "update.lock");

/** Two editions of two lists: an update goes from one to the other. */
const EDITIONS = [
  ["even", 0],
  ["odd", 200],
] as const;
for (const [edition, first] of EDITIONS) {
  mkdirSync(join(folder.path, edition, "cloudflare"), { recursive: true });
  mkdirSync(join(folder.path, edition, "telegram"), { recursive: true });
  writeFileSync(join(folder.path, edition, "cloudflare/ips-v4"), publicPrefixes(first, first + 300).join("\n"));
  writeFileSync(join(folder.path, edition, "telegram/cidr.txt"), publicPrefixes(1000 + first, 1300 + first).join("\n"));
}
/** Lists are layered over a few lines. */
const SMALL_BASE = new URL("small-base.ts", import.meta.url);
SMALL_BASE.searchParams.set("path", SMALL_CATALOGUE);
const COMMAND = { cwd: folder.path, env: { NODE_OPTIONS: `--import=${SMALL_BASE.href}` } };
const commandLine = (edition: string): string[] => [
  "cbs",
  "update",
  "--from",
  edition,
  "--home",
  home,
  "--max-change",
  "100",
  "--keep",
  "5",
];

/** Its lock may be removed at any moment. */
function holdsLock({ pid }: ChildProcess): boolean {
  try {
    return readFileSync(lock, "utf8").includes(`"pid":${pid},`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The milliseconds for which an update that is not killed holds the lock. */
async function whileAtWork(): Promise<number> {
  const child = start(commandLine("odd"), COMMAND);
  const outcome = outcomeOf(child);
  await until("the update holds the lock, or has ended", () => holdsLock(child) || child.exitCode !== null);
  const began = performance.now();
  assert.equal((await outcome).code, 0);
  return performance.now() - began;
}

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Opens everything that is there, as a reader would at this moment. */
async function checkHome(): Promise<void> {
  const current = await openSnapshot(join(home, "catalogue.ipsieve"));
  assert.ok(current.info.prefixCount4 >= 600, "a part of a catalogue");
  for (const name of readdirSync(join(home, "history")).filter((name) => !name.startsWith("."))) {
    const { metadata } = await openSnapshot(join(home, "history", name));
    assert.equal(name, `${(metadata as CatalogueMetadata).createdAt.replaceAll(/[-:]/g, "")}.ipsieve`);
  }
  JSON.parse(readFileSync(join(home, "lists/state.json"), "utf8"));
}

test("killed at any moment, an update leaves each file in its old or new state", async (t) => {
  assert.equal((await run(commandLine("even"), COMMAND)).code, 0);
  const atWork = await whileAtWork();
  const next = random(20261121);
  let killed = 0;
  let locks = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = start(commandLine(EDITIONS[round % 2]![0]), COMMAND);
    const closed = new Promise<NodeJS.Signals | null>((resolve) => child.once("close", (_, signal) => resolve(signal)));
    await until("the update holds the lock, or has ended", () => holdsLock(child) || child.exitCode !== null);
    // At a random moment of each part of what follows.
    await sleep(atWork * ((1.1 * (round + next())) / ROUNDS));
    child.kill("SIGKILL");
    if ((await closed) === "SIGKILL") killed++;
    if (existsSync(lock)) locks++;
    await checkHome();
  }
  t.diagnostic(`${ROUNDS} updates, ${killed} killed, ${locks} of them while they held the lock`);
  assert.ok(locks > 0, "none was killed at work");
  for (const [edition] of EDITIONS) {
    const { code, stderr } = await run(commandLine(edition), COMMAND);
    assert.deepEqual([code, stderr], [0, ""]);
    await checkHome();
    for (const path of ["cloudflare/ips-v4", "telegram/cidr.txt"]) {
      assert.equal(
        readFileSync(join(home, "lists", path), "utf8"),
        readFileSync(join(folder.path, edition, path), "utf8"),
      );
    }
  }
  assert.equal(existsSync(lock), false);
  assert.deepEqual(
    readdirSync(join(home, "history")).filter((name) => !name.endsWith("Z.ipsieve")),
    [],
    "what was not finished is gone",
  );
});

test("negative control: a catalogue that is written in place is seen half written", async () => {
  const path = join(home, "catalogue.ipsieve");
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, whole.length >> 1));
  await assert.rejects(checkHome(), { name: "SnapshotError", code: "truncated" });
  writeFileSync(path, whole);
  await checkHome();
});

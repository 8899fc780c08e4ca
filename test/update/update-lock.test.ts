import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { UpdateError } from "../../src/update/update-error.ts";
import { takeLock } from "../../src/update/update-lock.ts";
import { temporaryFolder } from "../cli/run-command.ts";

const LOCK = new URL("../../src/update/update-lock.ts", import.meta.url).href;
let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "update.lock");
});
afterEach(() => folder.remove());

const locked =
  (message: RegExp) =>
  (error: unknown): boolean =>
    error instanceof UpdateError && error.code === "locked" && message.test(error.message);

/** A process that takes the lock, reports it, and does what `then` says. */
function start(then: string): ChildProcess {
  const code = `import { takeLock } from ${JSON.stringify(LOCK)}; const release = await takeLock(${JSON.stringify(path)}); console.log("taken"); ${then}`;
  return spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "pipe"] });
}

function firstWords(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.stdout!.once("data", (text: Buffer) => resolve(text.toString().trim())));
}

function end(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

test("a lock has one holder, is released, and leaves nothing behind", async () => {
  const release = await takeLock(path);
  await assert.rejects(
    takeLock(path),
    locked(new RegExp(`^another update is running: process ${process.pid} on ${hostname()}; wait until it is done$`)),
  );
  await release();
  await (
    await takeLock(path)
  )();
  assert.deepEqual(readdirSync(folder.path), []);
});

test("releasing a lock that was removed by hand does not affect its new holder", async () => {
  const release = await takeLock(path);
  unlinkSync(path);
  const other = await takeLock(path);
  await release();
  await assert.rejects(takeLock(path), locked(/another update is running/));
  await other();
  const lost = await takeLock(path);
  unlinkSync(path);
  await lost();
});

test("leftovers of processes killed while taking the lock are removed, but not those of running ones", async () => {
  const [old, young] = [`${path}.0123456789abcdef.tmp`, `${path}.fedcba9876543210.tmp`];
  for (const name of [old, young]) writeFileSync(name, "");
  utimesSync(old, 0, 0);
  await (
    await takeLock(path)
  )();
  assert.deepEqual([existsSync(old), existsSync(young)], [false, true]);
});

test("the lock of a running process is respected, and that of a killed one is taken over", async () => {
  const child = start("setInterval(() => {}, 1000);");
  assert.equal(await firstWords(child), "taken");
  await assert.rejects(takeLock(path), locked(new RegExp(`process ${child.pid} `)));
  const closed = end(child);
  child.kill("SIGKILL");
  await closed;
  await (
    await takeLock(path)
  )();
  assert.deepEqual(readdirSync(folder.path), []);
});

test(
  "a reused process id is not a holder; a holder on another machine may be alive",
  { skip: process.platform === "linux" ? false : "the start of a process is read from /proc" },
  async () => {
    const token = "0123456789abcdef";
    const other = start("setInterval(() => {}, 1000);");
    await firstWords(other);
    const { processStart } = JSON.parse(readFileSync(path, "utf8"));
    assert.match(processStart, /^\d+$/);
    writeFileSync(path, JSON.stringify({ token, pid: other.pid, host: hostname(), processStart: "1" }));
    await (
      await takeLock(path)
    )();
    writeFileSync(path, JSON.stringify({ token, pid: 1, host: "elsewhere.example", processStart: "1" }));
    await assert.rejects(
      takeLock(path),
      locked(/on elsewhere\.example; wait until it is done, or remove .*update\.lock if that machine is gone$/),
    );
    writeFileSync(path, "something else");
    await assert.rejects(takeLock(path), locked(/is not a lock file of ipsieve cbs update; remove it/));
    other.kill("SIGKILL");
  },
);

test("of many processes that find a dead process's lock at once, one at a time gets it", async (t) => {
  // Processes that compete for one lock after the other; one that gets a lock writes its number into a file next to it,
  // waits, and checks whether another one did so meanwhile.
  const paths = Array.from({ length: 40 }, (_, i) => `${path}-${i}`);
  for (const [i, lock] of paths.entries()) {
    writeFileSync(
      lock,
      JSON.stringify({ token: String(i).padStart(16, "0"), pid: 2 ** 22 + 1, host: hostname(), processStart: null }),
    );
  }
  const body = `
    import { readFileSync, writeFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { takeLock } from ${JSON.stringify(LOCK)};
    let taken = 0;
    for (const [i, path] of ${JSON.stringify(paths)}.entries()) {
      while (Date.now() < ${Date.now() + 1500} + i * 40) {}
      const release = await takeLock(path).catch((error) => { if (error.code !== "locked") throw error; });
      if (release === undefined) continue;
      taken++;
      writeFileSync(path + "-proof", String(process.pid));
      await sleep(15);
      if (readFileSync(path + "-proof", "utf8") !== String(process.pid)) process.exit(9);
      await release();
    }
    console.log(taken);`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", body], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const ends = children.map(end);
  const counts = children.map(firstWords);
  assert.deepEqual(await Promise.all(ends), [0, 0, 0, 0], "two had it at once");
  const taken = (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0);
  assert.ok(taken >= paths.length, "a lock that nobody took over");
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => !name.endsWith("-proof")),
    [],
  );
  t.diagnostic(
    `${paths.length} locks of dead processes, wanted by 4 at once: taken ${taken} times, one after the other`,
  );
});

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createLog } from "../../src/api/plugins/logging.ts";
import { cluster } from "../../src/api/processes/cluster.ts";
import { StartFailure, Supervisor } from "../../src/api/processes/supervisor.ts";
import { until } from "../until.ts";

const SMALL_PROCESS = fileURLToPath(new URL("./harness/small-process.ts", import.meta.url));
/** Milliseconds: longer than a test may take, so that one that waits for it fails. */
const LONG = 600_000;
const LIMITED = { timeout: 60_000 };

/** The processes that have not ended: one that has stays among `workers` until its connection has ended, too. */
const pids = (): number[] =>
  Object.values(cluster().workers ?? {}).flatMap((worker) => (worker!.isDead() ? [] : [worker!.process.pid!]));
after(() => pids().forEach((pid) => process.kill(pid, "SIGKILL")));

type Line = Readonly<Record<string, unknown>>;

function supervisorOf(mode: string, slowStart?: number): { supervisor: Supervisor; lines: Line[] } {
  cluster().setupPrimary({ exec: SMALL_PROCESS, args: [mode] });
  const lines: Line[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  return {
    supervisor: new Supervisor({ processes: 2, log, writer: undefined, ...(slowStart && { slowStart }) }),
    lines,
  };
}

/** Asserts that the start fails with an exit code, and that no process is left. */
async function failsWith(supervisor: Supervisor, exitCode: number): Promise<void> {
  await assert.rejects(supervisor.start(), (error) => {
    assert.ok(error instanceof StartFailure);
    assert.equal(error.exitCode, exitCode);
    return true;
  });
  assert.deepEqual(pids(), []);
}

test("a process that cannot start has written why; the exit code is its own", async () => {
  const { supervisor, lines } = supervisorOf("cannot start");
  await failsWith(supervisor, 2);
  assert.deepEqual(lines, []);
});

test("a process that is killed before it is ready is in the log; the exit code is that of the signal", async () => {
  const { supervisor, lines } = supervisorOf("is killed");
  await failsWith(supervisor, 128 + 9);
  assert.equal(lines.length, 1);
  assert.deepEqual([lines[0]!["level"], lines[0]!["process"], lines[0]!["end"]], [50, 1, "SIGKILL"]);
});

test("a process that the system cannot start ends the start, too", LIMITED, async (t) => {
  const { execPath } = process;
  process.execPath = `${SMALL_PROCESS}/is-no-folder`;
  t.after(() => (process.execPath = execPath));
  assert.ok(!existsSync(process.execPath));
  const { supervisor, lines } = supervisorOf("serves");
  await failsWith(supervisor, 2);
  assert.equal(lines.length, 1);
  assert.match(String(lines[0]!["end"]), /^spawn /);
});

test("a process that does not become ready is in the log again and again", LIMITED, async () => {
  const { supervisor, lines } = supervisorOf("never ready", 1000);
  const failing = failsWith(supervisor, 128 + 9);
  await until("more lines say so than of a process that hangs", () => lines.length >= 5);
  for (const { level, process: number, pid, msg } of lines)
    assert.deepEqual([level, number, pid, msg], [40, 1, pids()[0], "a process is still starting"]);
  process.kill(pids()[0]!, "SIGKILL");
  await failing;
  const { length } = lines;
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.equal(lines.length, length, "none after its end");
});

// Milliseconds between lines. A process takes longer than 1 to end, so that some would be logged after it is killed.
for (const slowStart of [20, 1])
  test(
    `a process that gives no sign of life for ${slowStart} ms four times is killed once, which ends the start`,
    LIMITED,
    async () => {
      const { supervisor, lines } = supervisorOf("hangs", slowStart);
      await failsWith(supervisor, 128 + 9);
      assert.deepEqual(
        lines.map(({ level, msg }) => [level, msg]),
        [
          ...Array.from({ length: 3 }, () => [40, "a process is still starting"]),
          [50, "a process hangs while starting: it did not respond and was killed"],
          [50, "a process ended before it was ready; the server cannot start"],
        ],
      );
    },
  );

test(
  "of a process that is told to end, nothing more is logged: not that it still starts, nor that it hangs",
  LIMITED,
  async () => {
    const { supervisor, lines } = supervisorOf("hangs", 1);
    const starting = assert.rejects(supervisor.start(), StartFailure);
    const ended = supervisor.end("SIGTERM", LONG);
    await Promise.all([ended, starting]);
    assert.deepEqual([lines, pids()], [[], []]);
  },
);

test("the end of the server does not wait for a process that hangs at its start", LIMITED, async () => {
  const { supervisor } = supervisorOf("hangs");
  const starting = assert.rejects(supervisor.start(), StartFailure);
  await supervisor.end("SIGTERM", LONG);
  await starting;
  assert.deepEqual(pids(), []);
});

test("the end of the server while the first process starts starts no other", LIMITED, async () => {
  const { supervisor, lines } = supervisorOf("ready at the end");
  const starting = supervisor.start();
  await until("it has started", () => pids().length === 1);
  await supervisor.end("SIGTERM", LONG);
  assert.equal(await starting, "ready");
  assert.deepEqual([pids(), lines], [[], []]);
});

test("the end of the server does not wait for processes that are to be started again", LIMITED, async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers(); // those of the process that runs the tests
  const { supervisor, lines } = supervisorOf("ends soon");
  assert.equal(await supervisor.start(), "ready");
  const waits = () => lines.filter(({ restart_after: seconds }) => Number(seconds) >= 0.8);
  await until("the next start of one is not soon", () => waits().length > 0);
  assert.ok(timers() > before);
  await supervisor.end("SIGTERM", LONG);
  assert.equal(timers(), before);
  assert.deepEqual(pids(), []);
});

test("a second signal ends a process that does not end", LIMITED, async () => {
  const { supervisor } = supervisorOf("ignores the end");
  assert.equal(await supervisor.start(), "ready");
  assert.equal(pids().length, 2);
  const ended = supervisor.end("SIGTERM", LONG);
  supervisor.endAtOnce("SIGTERM");
  await ended;
  assert.deepEqual(pids(), []);
});

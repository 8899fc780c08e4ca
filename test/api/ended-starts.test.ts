/** Signals to a server of several processes that is still starting them. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoreLocation } from "../../src/store/open-store.ts";
import { onlyLong, sampled } from "../rounds.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { until } from "../until.ts";
import { type Cleaning, childrenOf } from "./harness/clustered-service.ts";
import { serveArguments } from "./harness/service-process.ts";

type EndSignal = "SIGTERM" | "SIGINT";

/** What a server has done at some time of its start: the output of its log, and the processes that it has started. */
interface Progress {
  readonly log: string;
  readonly pids: readonly number[];
}

/** Times of a start, in their order. A server that is ready has printed where it listens. */
const TIMES: Readonly<Record<string, (progress: Progress) => boolean>> = {
  "the first process has been started": ({ pids }) => pids.length === 1,
  "it has read all rules": ({ log }) => /read all rules/.test(log),
  "it listens, and the others start": ({ log, pids }) => /Server listening/.test(log) && pids.length > 1,
};
/** Milliseconds after that. */
const LATER = sampled([0, 50, 200], 3);

/** Resolves with all that there is to see of a server that is sent a signal at that time. */
async function endedAt(
  t: Cleaning,
  location: StoreLocation,
  { signal, isTime, later }: { signal: EndSignal; isTime: (progress: Progress) => boolean; later: number },
) {
  const args = serveArguments(location, ["--processes", "2", "--log-level", "info"]);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const output = { log: "", printed: "" };
  child.stderr.on("data", (chunk) => (output.log += String(chunk)));
  child.stdout.on("data", (chunk) => (output.printed += String(chunk)));
  const pids = new Set<number>();
  const closed = once(child, "close");
  await until(
    "it is time for the signal",
    () => {
      for (const pid of childrenOf(child.pid!)) pids.add(pid);
      assert.equal(child.exitCode, null, output.log);
      return isTime({ log: output.log, pids: [...pids] });
    },
    { every: 5 },
  );
  await sleep(later);
  for (const pid of childrenOf(child.pid!)) pids.add(pid);
  child.kill(signal);
  const [code, endedBy] = await closed;
  return { ...output, end: code ?? endedBy, left: [...pids].filter(isThere) };
}

/** A start that takes long, as on a busy machine, is said so. */
function isExpected({ level, msg }: { level: number; msg: string }): boolean {
  return level === 30 || msg === "a process is still starting";
}

function addTests(makeLocation: (folder: string) => Promise<StoreLocation>): void {
  for (const signal of sampled(["SIGTERM", "SIGINT"] as const, 2, 1))
    for (const [name, isTime] of Object.entries(TIMES))
      test(`${signal} when ${name}: exit code 0, no process left, nothing in the log but what it did`, async (t) => {
        for (const later of LATER) {
          const folder = mkdtempSync(join(tmpdir(), "ipsieve-starts-"));
          t.after(() => rmSync(folder, { recursive: true, force: true }));
          const { log, end, left, printed } = await endedAt(t, await makeLocation(folder), { signal, isTime, later });
          assert.equal(end, 0, log);
          assert.deepEqual(left, []);
          assert.match(printed, /^$|^ipsieve listens/);
          for (const line of log.split("\n").slice(0, -1))
            assert.ok(line.startsWith("{") && isExpected(JSON.parse(line)), line);
        }
      });
}

describe("on SQLite", () => {
  addTests(async (folder) => ({ file: join(folder, "store.db") }));

  test("negative control: the end of a server that is killed is not that of one that ends by itself", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "ipsieve-starts-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const isTime = TIMES["it has read all rules"]!;
    const signal = "SIGKILL" as EndSignal;
    assert.equal((await endedAt(t, { file: join(folder, "store.db") }, { signal, isTime, later: 0 })).end, signal);
  });
});

describe("on PostgreSQL", { skip: onlyLong() || (await whyNoPostgres()) }, () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());
  addTests(async () => ({ url: await postgres.database() }));
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The server, started and started again by the rules of its systemd unit: what may pass ends no service. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { temporaryFolder } from "../cli/run-command.ts";
import { freePort } from "../free-port.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { serveArguments } from "../api/harness/service-process.ts";
import { onlyLong, rounds, sampled } from "../rounds.ts";
import { until } from "../until.ts";

const UNIT = readFileSync(join(import.meta.dirname, "../../packaging/systemd/ipsieve.service"), "utf8");

/** What the unit says of the end of a process (systemd.service(5), systemd.unit(5)). */
interface RestartRules {
  readonly restart: string;
  readonly prevented: readonly number[];
  /** How many starts in `interval` seconds are too many; none if that is 0. */
  readonly interval: number;
  readonly burst: number;
  readonly pause: number;
}

function rulesOf(unit: string): RestartRules {
  const valueOf = (name: string, initial: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? initial;
  return {
    restart: valueOf("Restart", "no"),
    prevented: valueOf("RestartPreventExitStatus", "").split(" ").filter(Boolean).map(Number),
    interval: Number(valueOf("StartLimitIntervalSec", "10")),
    burst: Number(valueOf("StartLimitBurst", "5")),
    pause: Number(valueOf("RestartSec", "0.1")),
  };
}

/** Whether a process that ended with this code is started again, after so many starts one after the other. */
function isStartedAgain(rules: RestartRules, code: number, starts: number): boolean {
  const { restart, prevented, interval, burst, pause } = rules;
  if (restart !== "on-failure" || code === 0 || prevented.includes(code)) return false;
  return interval === 0 || starts < burst || starts * pause > interval;
}

/** Runs the server by these rules until it is ready, or is not started again. */
class Supervised {
  readonly codes: number[] = [];
  state: "starting" | "ready" | "failed" = "starting";
  #child: ReturnType<typeof spawn> | undefined;
  readonly #args: readonly string[];
  readonly #rules: RestartRules;
  log = "";

  constructor(args: readonly string[], rules = rulesOf(UNIT)) {
    this.#args = args;
    this.#rules = rules;
    this.#start();
  }

  #start(): void {
    const child = spawn(process.execPath, this.#args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    child.stderr.on("data", (chunk) => (this.log += String(chunk)));
    child.stdout.once("data", () => (this.state = "ready"));
    child.once("close", (code) => {
      if (this.state !== "starting") return;
      this.codes.push(code ?? -1);
      if (isStartedAgain(this.#rules, code ?? -1, this.codes.length)) this.#start();
      else this.state = "failed";
    });
  }

  async end(): Promise<void> {
    if (this.state !== "ready") this.state = "failed";
    const child = this.#child!;
    if ((child.exitCode ?? child.signalCode) !== null) return;
    child.kill("SIGTERM");
    await once(child, "close");
  }
}

/** In the long form, more than a unit has by default. */
const STARTS = rounds({ short: 1, long: 6 });

const folder = temporaryFolder();
after(() => folder.remove());

test("a port that is in use for a while is waited for, however often that takes a start", async (t) => {
  const port = await freePort();
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  const server = new Supervised(serveArguments(join(folder.path, "port.db"), ["--port", String(port)]));
  t.after(() => server.end());
  await until("some starts have ended", () => server.codes.length >= STARTS || server.state !== "starting");
  assert.deepEqual([server.state, new Set(server.codes)], ["starting", new Set([75])], server.log);
  other.close();
  await until("the server is ready", () => server.state === "ready");
});

test("a wrong setting ends the service at once", async () => {
  const wrong = new Supervised(serveArguments(join(folder.path, "wrong.db"), ["--port", "70000"]));
  await until("it has ended", () => wrong.state === "failed");
  assert.deepEqual(wrong.codes, [2], wrong.log);
});

test(
  "negative control: with the limit of starts that a unit has by default, it is given up",
  { skip: onlyLong() },
  async (t) => {
    const rules = rulesOf(UNIT.replace(/^StartLimitIntervalSec=.*$/m, ""));
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    t.after(() => other.close());
    await once(other, "listening");
    const server = new Supervised(serveArguments(join(folder.path, "port.db"), ["--port", String(port)]), rules);
    await until("it is given up", () => server.state === "failed");
    assert.equal(server.codes.length, 5);
  },
);

describe("PostgreSQL", { skip: await whyNoPostgres() }, () => {
  let postgres: PostgresServer;
  before(async () => void (postgres = await startPostgres()));
  after(() => postgres[Symbol.asyncDispose]());

  for (const processes of sampled(["1", "2"], 2))
    test(`a database that is away longer than a start waits ends no service, ${processes} processes`, async (t) => {
      const url = await postgres.database();
      await postgres.stop();
      const options = ["--database-wait", "1", "--processes", processes];
      const server = new Supervised(serveArguments({ url }, options));
      t.after(() => server.end());
      await until("a start has ended", () => server.codes.length >= 1 || server.state !== "starting");
      assert.deepEqual([server.state, new Set(server.codes)], ["starting", new Set([75])], server.log);
      await postgres.start();
      await until("the server is ready", () => server.state !== "starting");
      assert.equal(server.state, "ready", server.log);
    });
});

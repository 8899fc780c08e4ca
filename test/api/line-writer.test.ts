import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { temporaryFolder } from "../cli/run-command.ts";
import { freePort } from "../free-port.ts";
import { serveArguments } from "./harness/service-process.ts";
import { until } from "../until.ts";
import { onlyLong } from "../rounds.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder();
});
after(() => folder.remove());

/** A named pipe with a descriptor to write to, for a process, and one to read from. */
function makePipe(name: string): { readonly writer: number; readonly path: string; reader: number } {
  const path = join(folder.path, name);
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  const reader = openReader(path);
  return { path, reader, writer: openSync(path, constants.O_WRONLY) };
}

const openReader = (path: string): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);

/** A server whose standard output and standard error are these descriptors; both are closed here. */
class Server {
  readonly child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(name: string, stdout: number | "ignore", stderr: number): Promise<Server> {
    const port = await freePort();
    const args = serveArguments(join(folder.path, `${name}.db`), ["--port", String(port), "--log-level", "info"]);
    const server = new Server(spawn(process.execPath, args, { stdio: ["ignore", stdout, stderr] }), port);
    for (const descriptor of new Set([stdout, stderr])) if (typeof descriptor === "number") closeSync(descriptor);
    await until("the server answers", () => server.#isUp());
    return server;
  }

  async #isUp(): Promise<boolean> {
    assert.deepEqual([this.child.exitCode, this.child.signalCode], [null, null], "the server has ended");
    return isUp(this.url);
  }

  /** Requests this many pages that do not exist: each makes a log line of some 7 kB. */
  async fillLog(requests: number): Promise<void> {
    for (let sent = 0; sent < requests; sent += 20)
      await Promise.all(Array.from({ length: 20 }, () => this.askForNone()));
  }

  async askForNone(): Promise<void> {
    assert.equal((await fetch(`${this.url}/${"x".repeat(7000)}`)).status, 404);
  }

  async lost(): Promise<number> {
    return Number(/^ipsieve_log_lines_lost_total (\d+)$/m.exec(await (await fetch(`${this.url}/metrics`)).text())![1]);
  }

  async end(): Promise<number | string> {
    const exit = once(this.child, "exit");
    this.child.kill("SIGTERM");
    const [code, signal] = await exit;
    return code ?? signal;
  }
}

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );

/** More than fits into a pipe and the server's queue: 400 lines of 7 kB. */
const MANY = 400;

test("negative control: a process that writes plainly to standard error ends when the disk is full", async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, ["-e", 'process.stderr.write("line\\n"); setTimeout(() => {}, 5000)'], {
    stdio: ["ignore", "ignore", full],
  });
  closeSync(full);
  assert.equal((await once(child, "exit"))[0], 1);
});

describe(
  "a log that cannot be written",
  { skip: existsSync("/dev/full") ? false : "there is no /dev/full here" },
  () => {
    test("a full disk: the server continues, counts the lines, and ends normally", async () => {
      const server = await Server.start("full", openSync("/dev/full", "w"), openSync("/dev/full", "w"));
      await server.fillLog(MANY);
      assert.ok((await server.lost()) > MANY / 4);
      assert.equal(await server.end(), 0);
    });

    test("a reader of both streams that closes them", async () => {
      const { reader, writer } = makePipe("gone");
      closeSync(reader);
      const server = await Server.start("gone", writer, writer);
      await server.fillLog(MANY);
      assert.ok((await server.lost()) > MANY / 4);
      assert.equal(await server.end(), 0);
    });

    test("a reader that pauses and resumes: every line arrives or is counted", { skip: onlyLong() }, async () => {
      const { reader, writer } = makePipe("still");
      const server = await Server.start("still", "ignore", writer);
      await server.fillLog(MANY);
      const lost = await server.lost();
      assert.ok(lost > 0);
      const text = await readUntil(reader, /log lines? (was|were) lost/);
      const lines = text.split("\n").filter((line) => line.includes('"path":"/xxx'));
      assert.equal(lines.length + lost, MANY, "each line once, and nothing else lost");
      const about = JSON.parse(text.split("\n").find((line) => line.includes("lost"))!);
      assert.deepEqual(
        [about.lost, about.reason, about.msg],
        [lost, "the reader is too slow", `${lost} log lines were lost`],
      );
      assert.ok(about.first <= about.last);
      assert.equal(await server.end(), 0);
      assert.match(await readUntil(reader, /"shut down/), /"msg":"shut down; every request was answered"/);
      closeSync(reader);
    });

    test("a reader that never reads does not delay the end of the server", { skip: onlyLong() }, async () => {
      const { reader, writer } = makePipe("never");
      const server = await Server.start("never", writer, openSync("/dev/null", "w"));
      await server.end();
      const both = makePipe("never-both");
      const other = await Server.start("never-both", both.writer, both.writer);
      await other.fillLog(MANY);
      assert.equal(await other.end(), 0);
      for (const descriptor of [reader, both.reader]) closeSync(descriptor);
    });

    test("another reader of a named pipe continues where the last one stopped", { skip: onlyLong() }, async () => {
      const { reader, writer, path } = makePipe("again");
      const server = await Server.start("again", "ignore", writer);
      closeSync(reader);
      await server.askForNone();
      const next = openReader(path);
      assert.match(await readUntil(next, /"path":"\/xxx/), /^\{/m);
      assert.equal(await server.end(), 0);
      closeSync(next);
    });

    test("a disk that has space again", { skip: onlyLong() }, async (t) => {
      const disk = join(folder.path, "disk");
      mkdirSync(disk);
      if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", disk]).status !== 0)
        return t.skip("a small disk cannot be mounted here");
      try {
        const log = join(disk, "log");
        writeFileSync(join(disk, "other"), Buffer.alloc(40_000));
        const server = await Server.start("disk", "ignore", openSync(log, "a"));
        await server.fillLog(MANY);
        const lost = await server.lost();
        assert.ok(lost > 0);
        const seen = () => readFileSync(log, "utf8");
        const first = seen();
        assert.equal(spawnSync("mount", ["-o", "remount,size=16m", disk]).status, 0);
        await until("the log says how many lines were lost", () => /were lost"/.test(seen()));
        const lines = seen().split("\n");
        assert.ok(seen().startsWith(first));
        assert.equal(
          lines.filter((line) => line.includes('"path":"/xxx')).map((line) => JSON.parse(line)).length + lost,
          MANY,
        );
        assert.match(seen(), new RegExp(`"lost":${lost},.*"reason":"ENOSPC: no space left on device, write"`));
        assert.equal(await server.end(), 0);
        assert.match(seen(), /"msg":"shut down; every request was answered"\}\n$/);
      } finally {
        spawnSync("umount", [disk]);
      }
    });

    test(
      "a terminal that has been stopped",
      {
        skip:
          onlyLong() ||
          (spawnSync("script", ["--version"]).status === 0
            ? false
            : "script is not installed; Debian's package is bsdutils"),
      },
      async () => {
        const port = await freePort();
        const args = serveArguments(join(folder.path, "terminal.db"), ["--port", String(port), "--log-level", "info"]);
        // Whatever is written to the terminal is copied to a pipe that is not read.
        const command = ["exec", process.execPath, ...args]
          .map((word) => `'${word}'`)
          .join(" ")
          .replace("'exec'", "exec");
        const script = spawn("script", ["-qfec", `echo $$; ${command}`, "/dev/null"], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        const [first] = await once(script.stdout!, "data");
        const pid = Number(/^\d+/.exec(String(first))![0]);
        script.stdout!.pause();
        const url = `http://127.0.0.1:${port}`;
        await until("the server answers", async () => {
          assert.ok(!hasEnded(pid), "the server has ended");
          return isUp(url);
        });
        for (let sent = 0; sent < MANY; sent++) assert.equal((await fetch(`${url}/${"x".repeat(7000)}`)).status, 404);
        assert.ok(
          Number(/^ipsieve_log_lines_lost_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())![1]) > 0,
        );
        process.kill(pid, "SIGTERM");
        await until("the server has ended, whatever the terminal does", () => hasEnded(pid));
        script.stdout!.resume();
        assert.equal((await once(script, "exit"))[0], 0);
      },
    );
  },
);

/** Includes a process whose exit its parent has not collected yet. */
function hasEnded(pid: number): boolean {
  return !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** The output of a pipe, up to the first match. */
async function readUntil(reader: number, pattern: RegExp): Promise<string> {
  let text = "";
  const bytes = Buffer.alloc(1 << 16);
  await until(`${String(pattern)} comes`, () => {
    try {
      text += bytes.toString("latin1", 0, readSync(reader, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
    return pattern.test(text) && text.endsWith("\n");
  });
  return text;
}

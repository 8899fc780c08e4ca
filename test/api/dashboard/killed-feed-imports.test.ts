/** A server that is killed while a threat feed is compiled: the compiling process publishes nothing. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { addOrganisation, type TestServer } from "../start-server.ts";
import { addUser } from "./browser.ts";
import { until } from "../../until.ts";
import { COMMAND_FILE } from "../../command-file.ts";

/** It takes several seconds to compile. */
const FEED = Array.from({ length: 400_000 }, (_, i) => `31.${i >> 16}.${(i >> 8) & 255}.${i & 255}\n`).join("");
const skip = existsSync("/proc/self/task") ? false : "the children of a process are in /proc on Linux only";

const isRunning = (pid: number): boolean => {
  try {
    // A process that has ended but was not waited for is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-killed-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The command; it is killed with the test context if it still runs then. */
function start(context: TestContext, args: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "pipe", "ignore"] });
  context.after(() => child.kill("SIGKILL"));
  return child;
}

test("SIGKILL of a server that compiles a feed ends the compilation before it publishes", { skip }, async (context) => {
  const home = folderOf(context);
  const file = join(home, "ipsieve.db");
  const store = await openStore({ file });
  const made = { server: { store }, clock: { now: Date.now() } } as unknown as TestServer;
  const { token } = await addUser(made, await addOrganisation(made, "only"), "admin");
  await store.close();
  const environment = { PATH: process.env["PATH"], IPSIEVE_HOME: home, IPSIEVE_LOG_LEVEL: "silent" };
  const server = start(context, [COMMAND_FILE, "serve", "--port", "0", "--db", file], environment);
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: server.stdout! }).on("line", (line) => {
      const found = /http:\/\/[^ ]*:\d+/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  const headers = { Cookie: `${PLAIN_NAME}=${token}`, Origin: url, "Content-Type": "text/plain" };
  const imports = `${url}/dashboard/api/threats/import`;
  const answer = fetch(`${imports}?name=killed`, { method: "POST", headers, body: FEED }).then(
    ({ status }) => status,
    () => "cut off",
  );
  await until("the feed is being compiled", async () => {
    const { last } = (await (await fetch(imports, { headers })).json()) as { last: { phase: string } | null };
    return last?.phase === "compiling";
  });
  const compiling = childrenOf(server.pid!);
  assert.equal(compiling.length, 1);
  server.kill("SIGKILL");
  assert.equal(await answer, "cut off");
  await until("the compile has ended", () => !isRunning(compiling[0]!));
  assert.deepEqual(
    readdirSync(home).filter((name) => name.includes("cti")),
    [],
    "neither a dataset nor a draft of one",
  );
});

test(
  "negative control: a compilation that does not know its parent publishes after the parent was killed",
  { skip },
  async (context) => {
    const folder = folderOf(context);
    const [feed, output] = [join(folder, "feed.txt"), join(folder, "cti.ipsieve")];
    writeFileSync(feed, FEED);
    const command = JSON.stringify([COMMAND_FILE, "cti", "import", feed, "-o", output]);
    const script = `require("node:child_process").spawn(process.execPath,${command},{stdio:"ignore"}).once("spawn",()=>console.log("runs"));setInterval(()=>{},1e6)`;
    const parent = start(context, ["-e", script], { PATH: process.env["PATH"] });
    await new Promise((resolve) => parent.stdout!.once("data", resolve));
    const [compiling] = childrenOf(parent.pid!);
    context.after(() => isRunning(compiling!) && process.kill(compiling!, "SIGKILL"));
    parent.kill("SIGKILL");
    await until("the compile has ended", () => !isRunning(compiling!));
    assert.ok(existsSync(output));
  },
);

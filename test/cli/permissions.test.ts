import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createInterface } from "node:readline";
import { outcomeOf, type Outcome, run, start, temporaryFolder } from "./run-command.ts";
import { SMALL_CATALOGUE } from "../api/harness/small-catalogue.ts";
import { COMMAND_FILE } from "../command-file.ts";

let folder: ReturnType<typeof temporaryFolder>;
let umask: number;
before(() => {
  folder = temporaryFolder();
  umask = process.umask(0); // inherited by the commands: only what they do themselves restricts access
});
after(() => {
  process.umask(umask);
  folder.remove();
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
/** Lists are laid over a few lines: what is in the catalogue does not matter here. */
const SMALL_BASE = `--import=${new URL(`../update/small-base.ts?path=${SMALL_CATALOGUE}`, import.meta.url).href}`;
const environment = (home: string): NodeJS.ProcessEnv => ({ IPSIEVE_HOME: home, IPSIEVE_DB: "", DATABASE_URL: "" });
const call = (home: string, ...args: string[]) => run(args, { cwd: folder.path, env: environment(home) });

/** Runs a command as a user who owns nothing; only root can do this. */
function runAsOther(args: readonly string[], cwd: string): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, NODE_TEST_CONTEXT: "", ...environment(cwd) };
  return spawnSync(
    "setpriv",
    ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, COMMAND_FILE, ...args],
    {
      cwd,
      env,
      encoding: "utf8",
    },
  );
}

const whyNoOther =
  process.getuid?.() === 0 && runAsOther(["--version"], "/").status === 0
    ? false
    : "no command can be run as another user here: that needs root, setpriv, and sources that all may read";

/** Runs a server until it listens, calls `look`, and ends the server. */
async function serve(home: string, look: () => void, ...args: string[]): Promise<Outcome> {
  const child = start(["serve", "--port", "0", "--catalogue", SMALL_CATALOGUE, ...args], {
    cwd: folder.path,
    env: environment(home),
  });
  const outcome = outcomeOf(child);
  const listening = new Promise<boolean>((resolve) =>
    createInterface({ input: child.stdout! }).once("line", () => resolve(true)),
  );
  if (await Promise.race([listening, outcome.then(() => false)])) look();
  child.kill("SIGTERM");
  return outcome;
}

/** The warnings about permissions in a log. */
function warnings({ stderr }: Outcome): string[] {
  return stderr
    .split("\n")
    .filter((line) => line.includes("chmod"))
    .map((line) => JSON.parse(line).msg);
}

describe(
  "files with users' data are accessible only to their owner, whatever the umask",
  { skip: process.platform === "win32" ? "Windows keeps permissions elsewhere" : false },
  () => {
    test("a server's folder, file, log and index; its backup; the restored file", async () => {
      const home = join(folder.path, "served/home");
      const quiet = await serve(home, () => {
        assert.deepEqual([modeOf(join(folder.path, "served")), modeOf(home)], ["700", "700"]);
        assert.deepEqual(
          readdirSync(home)
            .sort()
            .map((name) => [name, modeOf(join(home, name))]),
          [
            ["ipsieve.db", "600"],
            ["ipsieve.db-shm", "600"],
            ["ipsieve.db-wal", "600"],
          ],
        );
      });
      assert.deepEqual([quiet.code, warnings(quiet)], [0, []]);
      assert.equal((await call(home, "db", "backup", "copy.db")).code, 0);
      assert.equal(modeOf(join(folder.path, "copy.db")), "600");
      chmodSync(join(folder.path, "copy.db"), 0o644);
      assert.equal((await call(home, "db", "restore", "copy.db", "--db", "restored/new.db")).code, 0);
      assert.deepEqual(
        [modeOf(join(folder.path, "restored")), modeOf(join(folder.path, "restored/new.db"))],
        ["700", "600"],
      );
      // Whoever could read the old one can read the new one.
      chmodSync(join(folder.path, "restored/new.db"), 0o640);
      assert.equal((await call(home, "db", "restore", "copy.db", "--force", "--db", "restored/new.db")).code, 0);
      assert.equal(modeOf(join(folder.path, "restored/new.db")), "640");
    });

    test("files of other commands", async () => {
      const home = join(folder.path, "other");
      assert.equal((await call(home, "org", "create", "Example")).code, 0);
      assert.deepEqual([modeOf(home), modeOf(join(home, "ipsieve.db"))], ["700", "600"]);
      mkdirSync(join(folder.path, "lists/tor"), { recursive: true });
      writeFileSync(join(folder.path, "lists/tor/exit-addresses.txt"), "");
      const updated = join(folder.path, "updated");
      const env = { ...environment(updated), NODE_OPTIONS: SMALL_BASE };
      await run(["cbs", "update", "--from", "lists", "--progress", "none"], { cwd: folder.path, env });
      assert.equal(modeOf(updated), "700");
    });

    test(
      "another user gets an error with the remedy from every command, and no file",
      { skip: whyNoOther },
      async () => {
        const place = join(folder.path, "foreign");
        mkdirSync(place);
        chmodSync(folder.path, 0o711);
        const database = join(place, "own.db");
        assert.equal((await call(place, "db", "migrate", "--db", database)).code, 0);
        for (const [args, message] of [
          [
            ["db", "backup", "copy.db"],
            /own\.db: unable to open database file .*check the permissions of the file and its folder/,
          ],
          [["db", "check"], /own\.db: unable to open database file/],
          [["org", "create", "x"], /own\.db: unable to open database file/],
          [["serve", "--port", "0"], /own\.db: unable to open database file/],
        ] as const) {
          const { status, stdout, stderr } = runAsOther([...args, "--db", database], place);
          assert.match(stderr, message);
          assert.doesNotMatch(stderr, /\n {4}at /);
          assert.deepEqual([status, stdout, readdirSync(place)], [2, "", ["own.db"]]);
        }
      },
    );

    test("a file that others can read causes a warning at the start, with the command that fixes it", async () => {
      const home = join(folder.path, "it's wide");
      const database = join(home, "ipsieve.db");
      assert.equal((await call(home, "db", "migrate")).code, 0);
      chmodSync(database, 0o644);
      chmodSync(home, 0o755);
      const wide = await serve(home, () => {
        assert.deepEqual([modeOf(home), modeOf(database)], ["755", "644"], "nothing is changed");
      });
      const quoted = (path: string): string => `'${path.replace("'", `'\\''`)}'`;
      assert.deepEqual(warnings(wide), [
        `${database}: other users of this machine may read or change it; run: chmod 600 ${quoted(database)}`,
        `${home}: other users of this machine may read or change it; run: chmod 700 ${quoted(home)}`,
      ]);
      // The permissions of a folder that is not the command's own are its administrator's business.
      const elsewhere = join(folder.path, "shared.db");
      writeFileSync(elsewhere, "", { mode: 0o644 });
      assert.deepEqual(warnings(await serve(home, () => {}, "--db", elsewhere)), [
        `${elsewhere}: other users of this machine may read or change it; run: chmod 600 ${elsewhere}`,
      ]);
    });
  },
);

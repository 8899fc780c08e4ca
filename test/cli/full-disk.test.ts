import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "../store/harness/small-disk.ts";
import { run, temporaryFolder } from "./run-command.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
const OLD = "what was there before\n";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  const addresses = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  folder = temporaryFolder({ "list.csv": addresses.map((ip, i) => `${ip},label-${i % 500}\n`).join(""), "feed.txt": `${addresses.join("\n")}\n` });
  mkdirSync(join(folder.path, "lists/tor"), { recursive: true });
  writeFileSync(join(folder.path, "lists/tor/exit-addresses.txt"), "8.8.8.8\n");
  assert.equal((await run(["org", "create", "Example", "--db", "source.db"], { cwd: folder.path })).code, 0);
});
after(() => folder.remove());

describe("on a full disk a command says which file cannot be written and why, leaves the old file as it is, and nothing else", { skip: whyNoSmallDisk }, () => {
  let disk: SmallDisk;
  before(() => {
    disk = mountSmallDisk(4 << 20);
    for (const name of ["old.ipsieve", "old.tsv", "old.gz", "old.csv", "old.db"]) writeFileSync(join(disk.path, name), OLD);
    mkdirSync(join(disk.path, "home"));
    disk.fill();
  });
  after(() => disk[Symbol.dispose]());

  const full = (file: string) => new RegExp(`${file}:? .*(?:ENOSPC|disk is full).*(?:space|room|path)`);
  const cases: [args: string[], message: RegExp][] = [
    [["build", "list.csv", "-o", "DISK/old.ipsieve"], full("/old\\.ipsieve")],
    [["build", "list.csv", "-o", "DISK/new.ipsieve"], full("/new\\.ipsieve")],
    [["cti", "import", "--format", "list", "--progress", "none", "feed.txt", "-o", "DISK/old.ipsieve"], full("/old\\.ipsieve")],
    [["identify", "feed.txt", "-o", "DISK/old.tsv"], full("/old\\.tsv")],
    [["identify", "feed.txt", "-o", "DISK/old.gz"], full("/old\\.gz")],
    [["identify", "--threads", "2", "feed.txt", "-o", "DISK/new.tsv"], full("/new\\.tsv")],
    [["cbs", "export", "--format", "csv", "-o", "DISK/old.csv"], full("/old\\.csv")],
    [["cbs", "export", "--format", "mmdb", "-o", "DISK/new.mmdb"], full("/new\\.mmdb")],
    [["cbs", "update", "--from", "lists", "--home", "DISK/home", "--progress", "none"], full("/home/update\\.lock")],
    [["db", "backup", "DISK/copy.db", "--db", "source.db"], full("/copy\\.db")],
    [["db", "restore", "source.db", "--db", "DISK/new.db"], full("/new\\.db")],
    [["db", "restore", "source.db", "--force", "--db", "DISK/old.db"], full("/old\\.db")],
    [["db", "migrate", "--db", "DISK/new.db"], full("/new\\.db")],
    [["org", "create", "Example", "--db", "DISK/new.db"], full("/new\\.db")],
    [["serve", "--port", "0", "--db", "DISK/new.db"], full("/new\\.db")],
  ];
  for (const [args, message] of cases) {
    test(args.join(" "), async () => {
      const names = readdirSync(disk.path, { recursive: true }).sort();
      const { code, stdout, stderr } = await run(args.map((word) => word.replace("DISK", disk.path)), { cwd: folder.path });
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n {4}at |defect of ipsieve/);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.deepEqual(readdirSync(disk.path, { recursive: true }).sort(), names);
      for (const name of names.map(String).filter((each) => each.startsWith("old."))) assert.equal(readFileSync(join(disk.path, name), "utf8"), OLD);
    });
  }

  test("negative control: with space the same commands succeed", async () => {
    disk.free();
    const { code, stderr } = await run(["identify", "feed.txt", "-o", join(disk.path, "old.tsv")], { cwd: folder.path });
    assert.ok(code === 0 || code === 1, stderr);
    assert.notEqual(readFileSync(join(disk.path, "old.tsv"), "utf8"), OLD);
  });
});

test("standard output that takes nothing is an error with a message, whatever the command", { skip: existsSync("/dev/full") ? false : "this system has no /dev/full" }, () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  for (const args of ["--version", "help", "lookup 1.1.1.1", "identify feed.txt", "cbs stats", "cbs export --format csv", "org list --db source.db", "db check --db source.db", "info"]) {
    const { status, stderr } = spawnSync("sh", ["-c", `exec "$0" "$@" > /dev/full`, process.execPath, MAIN, ...args.split(" ")], { cwd: folder.path, env, encoding: "utf8" });
    assert.deepEqual([status, stderr], [2, "ipsieve: standard output: ENOSPC: no space left on device, write\n"], args);
  }
});

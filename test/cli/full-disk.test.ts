import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { saveRuleset } from "../../src/datasets/ruleset-files.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "../store/harness/small-disk.ts";
import { NO_HOME, outcomeOf, run, temporaryFolder } from "./run-command.ts";
import { COMMAND_FILE } from "../command-file.ts";
import { sampled } from "../rounds.ts";

const OLD = "what was there before\n";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  const addresses = Array.from({ length: 20_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  folder = temporaryFolder({
    "list.csv": addresses.map((ip, i) => `${ip},label-${i % 500}\n`).join(""),
    "feed.txt": `${addresses.join("\n")}\n8.8.8.8\n`,
  });
  mkdirSync(join(folder.path, "lists/tor"), { recursive: true });
  writeFileSync(join(folder.path, "lists/tor/exit-addresses.txt"), "8.8.8.8\n");
  assert.equal((await run(["org", "create", "Example", "--db", "source.db"], { cwd: folder.path })).code, 0);
});
after(() => folder.remove());

describe(
  "on a full disk a command says which file cannot be written and why, and leaves only the unchanged old file",
  { skip: whyNoSmallDisk },
  () => {
    let disk: SmallDisk;
    before(async () => {
      disk = mountSmallDisk(4 << 20);
      for (const name of ["old.ipsieve", "old.tsv", "old.gz", "old.csv", "old.db"])
        writeFileSync(join(disk.path, name), OLD);
      mkdirSync(join(disk.path, "home"));
      await saveRuleset(join(disk.path, "rules.ipsieve"), new Ruleset());
      disk.fill();
    });
    after(() => disk[Symbol.dispose]());

    const full = (file: string) => new RegExp(`${file}:? .*(?:ENOSPC|disk is full).*(?:space|room|path)`);
    const cases: [args: string[], message: RegExp][] = [
      [["build", "list.csv", "-o", "DISK/old.ipsieve"], full("/old\\.ipsieve")],
      [["build", "list.csv", "-o", "DISK/new.ipsieve"], full("/new\\.ipsieve")],
      [["ruleset", "create", "DISK/new.ipsieve"], full("/new\\.ipsieve")],
      [["ruleset", "add", "DISK/rules.ipsieve", "20.0.0.1"], full("/rules\\.ipsieve")],
      [
        ["cti", "import", "--format", "list", "--progress", "none", "feed.txt", "-o", "DISK/old.ipsieve"],
        full("/old\\.ipsieve"),
      ],
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
    for (const [args, message] of sampled(cases, 3)) {
      test(args.join(" "), async () => {
        const names = readdirSync(disk.path, { recursive: true }).sort();
        const { code, stdout, stderr } = await run(
          args.map((word) => word.replace("DISK", disk.path)),
          { cwd: folder.path },
        );
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n {4}at |defect of ipsieve/);
        assert.deepEqual([code, stdout], [2, ""]);
        assert.deepEqual(readdirSync(disk.path, { recursive: true }).sort(), names);
        for (const name of names.map(String).filter((each) => each.startsWith("old.")))
          assert.equal(readFileSync(join(disk.path, name), "utf8"), OLD);
      });
    }

    test("negative control: with space the same commands succeed", async () => {
      disk.free();
      const { code, stderr } = await run(["identify", "feed.txt", "-o", join(disk.path, "old.tsv")], {
        cwd: folder.path,
      });
      assert.ok(code === 0 || code === 1, stderr);
      assert.notEqual(readFileSync(join(disk.path, "old.tsv"), "utf8"), OLD);
    });
  },
);

test(
  "standard output that accepts nothing is an error with a message, for every command",
  { skip: existsSync("/dev/full") ? false : "this system has no /dev/full" },
  () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const commands = [
      "--version",
      "help",
      "lookup 1.1.1.1",
      "identify feed.txt",
      "cbs stats",
      "cbs export --format csv",
      "org list --db source.db",
      "db check --db source.db",
      "info",
    ];
    for (const args of sampled(commands, 3)) {
      const { status, stderr } = spawnSync(
        "sh",
        ["-c", `exec "$0" "$@" > /dev/full`, process.execPath, COMMAND_FILE, ...args.split(" ")],
        { cwd: folder.path, env, encoding: "utf8" },
      );
      const withoutNotice = stderr.replace(/^ipsieve: the bundled catalogue is \d+ days old .*\n/, "");
      assert.deepEqual(
        [status, withoutNotice],
        [2, "ipsieve: standard output: ENOSPC: no space left on device, write\n"],
        args,
      );
    }
  },
);

describe(
  "standard error that accepts nothing changes neither the result nor the exit code",
  { skip: existsSync("/dev/full") ? false : "this system has no /dev/full" },
  () => {
    const OUTPUT = "written.out";
    const commands = [
      "identify --progress bar feed.txt",
      "identify --progress json feed.txt",
      `identify --progress json feed.txt -o ${OUTPUT}`,
      "identify --progress json --threads 2 feed.txt",
      "identify missing.txt",
      `build list.csv -o ${OUTPUT}`,
      `cti import --format list --progress json feed.txt -o ${OUTPUT}`,
      `cbs export --format csv -o ${OUTPUT}`,
      "cbs update --from lists --home home --progress json",
      "key create --db source.db --org Example --access read label",
    ];
    const without = (text: string): string => text.replace(/ips_\S+/, "KEY");

    /**
     * The outcome of the command: its exit code and how much it has written where. The files contain the time at which
     * they were made.
     */
    async function outcome(command: string, standardError: "kept" | "full" | "closed") {
      rmSync(join(folder.path, OUTPUT), { force: true });
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const words = standardError === "full" ? ["sh", "-c", `exec "$0" "$@" 2> /dev/full`] : [];
      const [program, ...args] = [...words, process.execPath, COMMAND_FILE, ...command.split(" ")];
      const child = spawn(program!, args, { cwd: folder.path, env: { ...env, IPSIEVE_HOME: NO_HOME } });
      if (standardError === "closed") child.stderr.destroy();
      const { code, stdout } = await outcomeOf(child);
      return {
        code,
        stdout: without(stdout).length,
        file: statSync(join(folder.path, OUTPUT), { throwIfNoEntry: false })?.size,
      };
    }

    for (const command of sampled(commands, 3)) {
      test(command, async () => {
        const expected = await outcome(command, "kept");
        assert.equal(
          expected.code,
          /missing|update/.test(command) ? 2 : 0,
          "as it is where nothing is wrong with standard error",
        );
        assert.deepEqual(await outcome(command, "full"), expected);
        assert.deepEqual(await outcome(command, "closed"), expected);
      });
    }
  },
);

import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Ruleset } from "../../../src/rulesets/ruleset.ts";
import { RulesetFile } from "../../../src/cli/rulesets/ruleset-file.ts";
import { RulesetInFile } from "../../../src/cli/rulesets/ruleset-in-file.ts";
import { openRuleset, saveRuleset } from "../../../src/datasets/ruleset-files.ts";
import { outcomeOf, run, start, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(() => (folder = temporaryFolder({ "list.txt": "20.0.0.1\n20.0.0.2\n", "text.ipsieve": "20.0.0.1\n" })));
after(() => folder.remove());

const at = (name: string): string => join(folder.path, name);
const ruleset = (...args: string[]) => run(["ruleset", ...args], { cwd: folder.path });
const rulesIn = async (name: string): Promise<number> => (await openRuleset(at(name))).count;

async function assertRefused(message: RegExp, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await ruleset(...args);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at |IPSIEVE_API_KEY/);
  assert.deepEqual([code, stdout], [2, ""], args.join(" "));
}

test("a ruleset is created, filled, listed and used by identify, without a server", async () => {
  const created = await ruleset("create", "office.ipsieve", "--purpose", "allowlist", "--name", "Büro");
  assert.deepEqual([created.code, created.stdout], [0, 'office.ipsieve: allowlist "Büro", no rules yet\n']);
  await assertRefused(/office\.ipsieve: the file already exists/, "create", "office.ipsieve");
  await assertRefused(/--description is for rulesets on a server/, "create", "x.ipsieve", "--description", "x");
  await assertRefused(/--name is for rulesets in files, and Office is not a path/, "create", "Office", "--name", "x");
  assert.equal((await ruleset("import", "office.ipsieve", "list.txt")).code, 0);
  const { stdout } = await ruleset("list", "office.ipsieve");
  assert.match(stdout, /^ {2}file +name +purpose +rules {2}active\n {2}office\.ipsieve {2}Büro {2}allowlist +2 +2\n$/);
  const rows = await run(["identify", "--snapshot", "office.ipsieve", "list.txt"], { cwd: folder.path });
  assert.equal(rows.stdout, "20.0.0.1\t20.0.0.1\t\t\n20.0.0.2\t20.0.0.2\t\t\n");
});

test("a file that is not a ruleset, or cannot be written, is an error with the reason, and stays unchanged", async () => {
  const catalogue = join(import.meta.dirname, "../../../data/catalogue.ipsieve");
  await saveRuleset(at("sound.ipsieve"), new Ruleset({ name: "sound" }));
  const bytes = readFileSync(at("sound.ipsieve"));
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(at("corrupt.ipsieve"), bytes);
  copyFileSync(at("sound.ipsieve"), at("read-only.ipsieve"));
  chmodSync(at("read-only.ipsieve"), 0o444);
  for (const command of ["add", "check"]) {
    await assertRefused(/absent\.ipsieve: no such file; check the path/, command, "absent.ipsieve", "20.0.0.1");
    await assertRefused(/its kind is "catalogue", not "ruleset"/, command, catalogue, "20.0.0.1");
    await assertRefused(/corrupt\.ipsieve: .*checksum/, command, "corrupt.ipsieve", "20.0.0.1");
  }
  await assertRefused(/text\.ipsieve: .*not a snapshot|text\.ipsieve: .*too short/i, "export", "text.ipsieve");
  await assertRefused(
    /read-only\.ipsieve: the file is read-only; .*chmod u\+w/,
    "add",
    "read-only.ipsieve",
    "20.0.0.1",
  );
  await assertRefused(/cannot be written \(ENOENT\); check the folder/, "create", "no/x.ipsieve");
  await assertRefused(/--keep "-1": give a whole number/, "add", "sound.ipsieve", "20.0.0.1", "--keep=-1");
  assert.deepEqual([await rulesIn("read-only.ipsieve"), await rulesIn("sound.ipsieve")], [0, 0]);
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => /\.lock|\.tmp|versions/.test(name) && !name.startsWith("office")),
    [],
  );
});

test("a change is made to the target of a symbolic link; if the target is missing, no file is written", async () => {
  await saveRuleset(at("real.ipsieve"), new Ruleset({ name: "real" }));
  symlinkSync("real.ipsieve", at("link.ipsieve"));
  const link = new RulesetInFile(at("link.ipsieve"), 3);
  assert.deepEqual(
    (await link.change([{ op: "add", ip: "20.0.0.1" }])).results.map(({ action }) => action),
    ["created"],
  );
  symlinkSync("nowhere.ipsieve", at("dangling.ipsieve"));
  await assertRefused(/dangling\.ipsieve: a symbolic link to a file that does not exist/, "create", "dangling.ipsieve");
  await assertRefused(/link\.ipsieve: the file already exists/, "create", "link.ipsieve");
  for (const name of ["link.ipsieve", "dangling.ipsieve"]) assert.ok(lstatSync(at(name)).isSymbolicLink());
  assert.ok(!existsSync(at("nowhere.ipsieve")));
  assert.equal(await rulesIn("real.ipsieve"), 1);
  const tag = await link.tag();
  assert.deepEqual(
    (await link.change([{ op: "delete", ip: "20.0.0.9" }])).results.map(({ action }) => action),
    ["absent"],
  );
  assert.equal(await new RulesetInFile(at("link.ipsieve"), 3).tag(), tag);
});

test("an outdated plan is not executed", async () => {
  await saveRuleset(at("plan.ipsieve"), new Ruleset());
  const target = new RulesetInFile(at("plan.ipsieve"), 3);
  const tag = await target.tag();
  await target.change([{ op: "add", ip: "20.0.0.1" }]);
  const list = { name: "list", format: "text", chunks: async function* () {}, close: () => {} } as const;
  await assert.rejects(
    target.replace(list, { allow_empty: true }, tag),
    /the rules have changed in the meantime; nothing was/,
  );
  assert.equal(await rulesIn("plan.ipsieve"), 1);
  assert.equal((await target.replace(list, { allow_empty: true }, await target.tag())).removed, 1);
});

test("earlier versions are listed, and restored after their plan was shown; the requested number is kept", async () => {
  await saveRuleset(at("versions.ipsieve"), new Ruleset());
  const target = new RulesetInFile(at("versions.ipsieve"), 3);
  await target.change([{ op: "add", ip: "20.0.0.1", name: "first", expires_at: "2999-01-01T00:00:00Z" }]);
  await target.change([{ op: "add", ip: "20.0.0.2" }]);
  await target.change([
    { op: "delete", ip: "20.0.0.1" },
    { op: "add", ip: "20.0.0.3" },
  ]);
  const listed = await ruleset("versions", "versions.ipsieve");
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(
    listed.stdout,
    /^ {2}version +saved +rules\n {8}4 .*Z {6}2\n {8}2 .*Z {6}2\n {8}1 .*Z {6}1\n {8}0 .*Z {6}0\n$/,
  );
  await assertRefused(/version 3 is not kept; there are 2, 1, 0$/m, "restore", "versions.ipsieve", "3");
  await assertRefused(/x: a version is a number/, "restore", "versions.ipsieve", "x");
  const plan = "- 20.0.0.3\t\t\n+ 20.0.0.1\tfirst\t2999-01-01T00:00:00.000Z\n";
  const asked = await ruleset("restore", "versions.ipsieve", "2");
  assert.deepEqual([asked.code, asked.stdout.slice(0, plan.length)], [2, plan]);
  assert.match(
    asked.stderr,
    /nothing was written: there is no terminal to confirm at\. If the plan is right, add --yes/,
  );
  const restored = await ruleset("restore", "versions.ipsieve", "2", "--yes", "--keep", "2");
  assert.deepEqual([restored.code, restored.stderr], [0, ""]);
  const rules = [...(await openRuleset(at("versions.ipsieve")))].map(({ name, expiresAt }) => [name, expiresAt]);
  assert.deepEqual(rules, [
    ["first", Date.UTC(2999, 0)],
    [null, null],
  ]);
  assert.deepEqual(readdirSync(at("versions.ipsieve.versions")).sort(), ["2.ipsieve", "4.ipsieve"]);
  const emptied = await ruleset("restore", "versions.ipsieve", "4", "--yes", "--max-shrink", "10");
  assert.deepEqual([emptied.code, emptied.stderr.includes("add --max-shrink 50")], [1, true], emptied.stderr);
});

test("a file that is created again keeps its own versions, not those of the previous file", async () => {
  const path = at("again.ipsieve");
  const filled = async (last: number): Promise<void> => {
    await saveRuleset(path, new Ruleset());
    const target = new RulesetInFile(path, 3);
    for (let number = 1; number <= last; number++) await target.change([{ op: "add", ip: `20.0.0.${number}` }]);
  };
  await filled(8);
  assert.deepEqual(readdirSync(`${path}.versions`).sort(), ["5.ipsieve", "6.ipsieve", "7.ipsieve"]);
  rmSync(path);
  await filled(4);
  assert.deepEqual(readdirSync(`${path}.versions`).sort(), ["1.ipsieve", "2.ipsieve", "3.ipsieve"]);
});

test("a kept version that cannot be read is reported, and the others are listed and restored", async () => {
  const path = at("part.ipsieve");
  await saveRuleset(path, new Ruleset());
  const target = new RulesetInFile(path, 3);
  for (const ip of ["20.0.0.1", "20.0.0.2"]) await target.change([{ op: "add", ip }]);
  writeFileSync(`${path}.versions/1.ipsieve`, "damaged");
  mkdirSync(`${path}.versions/9.ipsieve`);
  const { code, stdout, stderr } = await ruleset("versions", "part.ipsieve");
  assert.deepEqual([code, stdout.match(/^ +\d/gm)?.map(Number)], [0, [2, 0]]);
  assert.match(stderr, /^ipsieve: version 1 cannot be restored: .*1\.ipsieve/);
  assert.equal((await ruleset("restore", "part.ipsieve", "0", "--yes", "--allow-empty")).code, 0);
});

test("an export does not replace a ruleset file", async () => {
  await saveRuleset(at("source.ipsieve"), new Ruleset());
  await assertRefused(
    /a name that ends in \.ipsieve is a ruleset file/,
    "export",
    "source.ipsieve",
    "-o",
    "source.ipsieve",
  );
  assert.equal(await rulesIn("source.ipsieve"), 0);
});

describe("two writers at once", () => {
  const ROUNDS = 25;
  /** A process that waits for a word, and then adds this many rules, each as a change of its own. */
  function writer(path: string, net: number, isLocked: boolean): ChildProcessByStdio<Writable, Readable, null> {
    const from = (room: string): string => JSON.stringify(join(import.meta.dirname, "../../../src", room));
    const program = isLocked
      ? `import { RulesetInFile } from ${from("cli/rulesets/ruleset-in-file.ts")};
         for (let at = 0; at < ${ROUNDS}; at++)
           await new RulesetInFile(${JSON.stringify(path)}, 0).change([{ op: "add", ip: "20.${net}.0." + at }]);`
      : `import { openRuleset, saveRuleset } from ${from("datasets/ruleset-files.ts")};
         for (let at = 0; at < ${ROUNDS}; at++) {
           const ruleset = await openRuleset(${JSON.stringify(path)});
           ruleset.add("20.${net}.0." + at);
           await saveRuleset(${JSON.stringify(path)}, ruleset);
         }`;
    const waiting = `console.log("ready"); for await (const word of process.stdin) break;\n`;
    return spawn(process.execPath, ["--input-type=module", "-e", waiting + program], {
      stdio: ["pipe", "pipe", "inherit"],
    });
  }
  const together = async (name: string, isLocked: boolean): Promise<number> => {
    await saveRuleset(at(name), new Ruleset());
    const writers = [1, 2].map((net) => writer(at(name), net, isLocked));
    const ended = writers.map((each) => once(each, "close"));
    await Promise.all(writers.map((each) => once(each.stdout, "data")));
    for (const each of writers) each.stdin.end("go");
    assert.deepEqual(await Promise.all(ended), [
      [0, null],
      [0, null],
    ]);
    return rulesIn(name);
  };

  test("no rule of either is lost", async () => assert.equal(await together("both.ipsieve", true), 2 * ROUNDS));

  test("negative control: without the lock rules are lost", async () => {
    let rules = 2 * ROUNDS;
    for (let tries = 0; tries < 10 && rules === 2 * ROUNDS; tries++) rules = await together("lost.ipsieve", false);
    assert.ok(rules < 2 * ROUNDS);
  });

  test("a program that saves the file without the lock is detected before anything is lost", async () => {
    const [mine, other] = [at("mine.ipsieve"), at("other.ipsieve")];
    await saveRuleset(mine, new Ruleset());
    const saved = new Ruleset({ name: "other" });
    saved.add("20.9.0.1");
    await saveRuleset(other, saved);
    const change = (target: Ruleset) => {
      renameSync(other, mine);
      target.add("20.0.0.1");
      return { result: null };
    };
    await assert.rejects(new RulesetFile(mine, 3).change(change, undefined), /the rules have changed in the meantime/);
    assert.equal((await openRuleset(mine)).name, "other");
    assert.equal(existsSync(`${mine}.lock`), false);
  });
});

test("kill -9 at any moment leaves the file as before or after a change, and the next command can change it", async (t) => {
  const path = at("killed.ipsieve");
  const big = new Ruleset();
  for (let net = 0; net < 5000; net++)
    big.add({ family: 4, w0: 0x14000000 + net * 256, w1: 0, w2: 0, w3: 0, length: 24 });
  await saveRuleset(path, big);
  const program = `
    import { RulesetInFile } from ${JSON.stringify(join(import.meta.dirname, "../../../src/cli/rulesets/ruleset-in-file.ts"))};
    for (let at = 0; ; at++) {
      await new RulesetInFile(${JSON.stringify(path)}, 2).change([{ op: "add", ip: "30.0." + (at >> 8) + "." + (at & 255), mode: "override" }]);
      console.log(at);
    }`;
  const ahead: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = (await openRuleset(path)).sequence;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let done = 0;
    child.stdout.on("data", (data: Buffer) => (done += data.toString().split("\n").length - 1));
    await once(child.stdout, "data");
    await delay(3 + 7 * round);
    child.kill("SIGKILL");
    await once(child, "close");
    const { sequence } = await openRuleset(path);
    ahead.push(sequence - before - done);
    assert.ok(ahead.at(-1) === 0 || ahead.at(-1) === 1, `${sequence} after ${before} and ${done} changes`);
  }
  t.diagnostic(`ahead of what was reported: ${ahead.join()}; locks left: ${existsSync(`${path}.lock`)}`);
  const [result] = (await new RulesetInFile(path, 2).change([{ op: "add", ip: "40.0.0.1" }])).results;
  assert.equal(result!.action, "created");
  assert.equal(readdirSync(`${path}.versions`).length, 2);
});

test("a command that waits for another process says so, and continues afterwards", async () => {
  await saveRuleset(at("busy.ipsieve"), new Ruleset());
  const { takeLock } = await import("../../../src/files/file-lock.ts");
  const release = await takeLock(`${at("busy.ipsieve")}.lock`);
  const child = start(["ruleset", "add", "busy.ipsieve", "20.0.0.1"], { cwd: folder.path });
  const outcome = outcomeOf(child);
  const [told] = (await once(child.stderr!, "data")) as [Buffer];
  assert.match(told.toString(), new RegExp(`busy\\.ipsieve: waiting for process ${process.pid} on `));
  await release();
  assert.equal((await outcome).code, 0);
});

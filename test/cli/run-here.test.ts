import assert from "node:assert/strict";
import { test } from "node:test";
import { type Outcome, outcomeOf, run, type RunOptions, start, temporaryFolder } from "./run-command.ts";
import { canRunHere } from "./run-here.ts";
import { COMMAND_TABLE } from "../../src/cli/command-table.ts";
import { sampled } from "../rounds.ts";

async function inOwnProcess(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = start(args, options);
  child.stdin!.end();
  return outcomeOf(child);
}

test("a command has the same outcome in this process as in one of its own", async (t) => {
  const folder = temporaryFolder({ "list.txt": "20.0.0.0/24\n" });
  t.after(() => folder.remove());
  const commands: [args: string[], env?: NodeJS.ProcessEnv][] = [
    [["cbs", "stats"]],
    [["cbs", "stats"], { FORCE_COLOR: "1" }],
    [["cbs", "stats", "--no-such-option"]],
    [["org", "list", "--db", "missing.db"]],
    [["org", "list"], { IPSIEVE_DB: "other.db" }],
    [["sets", "union", "list.txt", "10.0.0.0/8"]],
    [["sets", "union", "missing.txt"]],
    [["no-such-command"]],
    [["help", "org", "list"]],
  ];
  for (const [args, env = {}] of commands) {
    const options: RunOptions = { cwd: folder.path, env };
    assert.ok(canRunHere(args, options));
    assert.deepEqual(await run(args, options), await inOwnProcess(args, options), args.join(" "));
  }
});

test("every command loads, fails and ends in a process of its own as in this one", async () => {
  for (const name of sampled(Object.keys(COMMAND_TABLE.commands), 6)) {
    const args = [...name.split(" "), "--no-such-option"];
    if (!canRunHere(args, {})) continue;
    const outcome = await inOwnProcess(args);
    assert.equal(outcome.code, 2, name);
    assert.match(outcome.stderr, /--no-such-option/);
    assert.deepEqual(await run(args), outcome, name);
  }
});

test("running commands in this process leaves it as it was, and they take turns", async (t) => {
  const folder = temporaryFolder({ "list.txt": "20.0.0.0/24\n" });
  t.after(() => folder.remove());
  const before = [process.cwd(), { ...process.env }, process.stdout, process.stderr] as const;
  const args = ["sets", "union", "list.txt"];
  const options = { cwd: folder.path, env: { IPSIEVE_DB: "other.db" } };
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => run(args, options)));
  assert.deepEqual(first, { code: 0, signal: null, stdout: "20.0.0.0/24\n", stderr: "" });
  for (const other of others) assert.deepEqual(other, first);
  assert.deepEqual([process.cwd(), { ...process.env }, process.stdout, process.stderr], before);
});

test("commands that use descriptors, standard input or Node's variables have a process of their own", () => {
  for (const name of ["identify", "lookup", "serve"]) for (const _ of [1, 2]) assert.ok(!canRunHere([name], {}), name);
  const args = ["verify", "file"];
  assert.ok(canRunHere(args, {}));
  assert.ok(!canRunHere(args, { input: "" }));
  assert.ok(!canRunHere(["verify", "-"], {}));
  assert.ok(!canRunHere(args, { env: { NODE_OPTIONS: "" } }));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf, run, type RunOptions, start, temporaryFolder } from "./run-command.ts";
import { canRunHere } from "./run-here.ts";

test("a command has the same outcome in this process as in one of its own, which its first run has", async (t) => {
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
    const child = start(args, options);
    child.stdin!.end();
    const expected = await outcomeOf(child);
    canRunHere(args, options); // counts as its first run
    assert.ok(canRunHere(args, options));
    assert.deepEqual(await run(args, options), expected, args.join(" "));
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
  assert.deepEqual([canRunHere(args, {}), canRunHere(args, {})], [false, true]);
  assert.ok(!canRunHere(args, { input: "" }));
  assert.ok(!canRunHere(["verify", "-"], {}));
  assert.ok(!canRunHere(args, { env: { NODE_OPTIONS: "" } }));
});

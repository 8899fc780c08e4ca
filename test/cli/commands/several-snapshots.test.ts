import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { saveRuleset } from "../../../src/datasets/ruleset-files.ts";
import { finished } from "../../../src/turns/finished.ts";
import { Ruleset } from "../../../src/rulesets/ruleset.ts";
import { storingRuleset } from "../../../src/rulesets/stored-ruleset.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;

const files = {
  "offices.csv": "10.0.0.0/8,berlin\n10.1.0.0/16,lab\n",
  "bad.csv": "10.1.1.0/24,spam,2026-06-01T00:00:00Z\n192.0.2.0/24,scanner\n",
  "log.txt": "10.1.1.1\n10.2.0.1\n192.0.2.1\n203.0.113.9\nnone\n",
};

const build = (...args: string[]) => run(["build", "--expiry-column", "3", ...args], { cwd: folder.path });
const identify = (...args: string[]) => run(["identify", ...args, "log.txt"], { cwd: folder.path });
const BOTH = ["--snapshot", "offices.ipsieve", "--snapshot", "bad.ipsieve"];

before(async () => {
  folder = temporaryFolder(files);
  mkdirSync(join(folder.path, "other"));
  for (const name of ["offices", "bad", "other/bad"])
    assert.equal((await build(`${name.replace("other/", "")}.csv`, "-o", `${name}.ipsieve`)).code, 0);
});
after(() => folder.remove());

test("rows have the columns of each snapshot, as of one moment", async () => {
  const { stdout, code } = await identify(...BOTH, "--now", "2026-05-31");
  assert.equal(code, 0);
  assert.deepEqual(stdout.split("\n").slice(0, -1), [
    "10.1.1.1\t10.1.0.0/16\tberlin,lab\t10.1.1.0/24\tspam",
    "10.2.0.1\t10.0.0.0/8\tberlin\t\t",
    "192.0.2.1\t\t\t192.0.2.0/24\tscanner",
    "203.0.113.9\t\t\t\t",
    "\t\t\t\t",
  ]);
  const later = await identify(...BOTH, "--now", "2026-06-01T00:00:00Z");
  assert.equal(later.stdout.split("\n")[0], "10.1.1.1\t10.1.0.0/16\tberlin,lab\t\t");
  const json = await identify(...BOTH, "--format", "jsonl", "--now", "2026-05-31");
  const [first] = json.stdout.split("\n").map((line) => line && JSON.parse(line));
  assert.deepEqual(
    [first.ip, first.offices.cbs_ids, first.bad.cbs_ids, first.line],
    ["10.1.1.1", ["berlin", "lab"], ["spam"], 1],
  );
});

test("--only keeps the lines that match in one of them; -c counts them", async () => {
  const count = async (...args: string[]) => (await identify(...BOTH, "--now", "2026-05-31", "-c", ...args)).stdout;
  assert.equal(await count(), "3\n");
  assert.equal(await count("--only", "bad"), "2\n");
  assert.equal(await count("--only", "offices"), "2\n");
  assert.equal(await count("-v"), "2\n");
  const { stdout } = await identify(...BOTH, "--now", "2026-05-31", "--only", "bad");
  assert.deepEqual(
    stdout
      .split("\n")
      .slice(0, -1)
      .map((row) => row.split("\t")[0]),
    ["10.1.1.1", "192.0.2.1"],
  );
  const known = await identify("--snapshot", "default", "--snapshot", "bad.ipsieve", "--only", "bad");
  assert.equal(known.stdout, "192.0.2.1\t\t\t192.0.2.0/24\tscanner\n");
});

test("a ruleset names the rule that decides, alone and beside a catalogue, in both engines", async () => {
  const rules = new Ruleset({ allowSpecialPurpose: true });
  rules.add("10.1.1.0/24", { name: "spam, again", expiresAt: Date.UTC(2026, 5, 1) });
  rules.add("10.0.0.0/8", { name: "ours" });
  rules.add("192.0.2.0/24");
  await saveRuleset(join(folder.path, "rules.ipsieve"), rules);
  const rowsAt = async (now: string, ...args: string[]): Promise<string[]> => {
    const both = [];
    for (const engine of ["webassembly", "typescript"]) {
      const { stdout, stderr } = await identify("--now", now, "--engine", engine, ...args);
      assert.equal(stderr, "");
      both.push(stdout);
    }
    assert.equal(both[0], both[1]);
    return both[0]!.split("\n").slice(0, -1);
  };
  const one = ["--snapshot", "rules.ipsieve"];
  assert.deepEqual(await rowsAt("2026-05-31", ...one), [
    "10.1.1.1\t10.1.1.0/24\tspam, again\t2026-06-01T00:00:00.000Z",
    "10.2.0.1\t10.0.0.0/8\tours\t",
    "192.0.2.1\t192.0.2.0/24\t\t",
    "203.0.113.9\t\t\t",
    "\t\t\t",
  ]);
  assert.equal((await rowsAt("2026-06-01T00:00:00Z", ...one))[0], "10.1.1.1\t10.0.0.0/8\tours\t");
  assert.equal(
    (await rowsAt("2026-05-31", ...one, "--format", "csv"))[0],
    '10.1.1.1,10.1.1.0/24,"spam, again",2026-06-01T00:00:00.000Z',
  );
  assert.equal((await rowsAt("2026-05-31", ...one, "--format", "append"))[0], "10.1.1.1\t10.1.1.0/24");
  const two = ["--snapshot", "offices.ipsieve", ...one, "--only", "rules"];
  assert.deepEqual(await rowsAt("2026-05-31", ...two), [
    "10.1.1.1\t10.1.0.0/16\tberlin,lab\t10.1.1.0/24\tspam, again\t2026-06-01T00:00:00.000Z",
    "10.2.0.1\t10.0.0.0/8\tberlin\t10.0.0.0/8\tours\t",
    "192.0.2.1\t\t\t192.0.2.0/24\t\t",
  ]);
  const [json] = (await rowsAt("2026-05-31", ...two, "--format", "jsonl")).map((row) => JSON.parse(row));
  assert.deepEqual(json.rules, {
    ip: "10.1.1.1",
    found: true,
    cidr: "10.1.1.0/24",
    name: "spam, again",
    expires_at: "2026-06-01T00:00:00.000Z",
  });
  const table = await run(["identify", ...one, "--now", "2026-05-31", "--field", "ip", "--input", "csv", "-"], {
    cwd: folder.path,
    input: "ip\n10.2.0.1\n",
  });
  assert.equal(table.stdout, "ip\tcidr\tname\texpires_at\n10.2.0.1\t10.0.0.0/8\tours\t\n");
  const summary = await identify(...one, "--summary");
  assert.match(summary.stderr, /a ruleset has no services; count its lines with -c/);
});

test("snapshots can be named: two of one file name, columns, and what --only chooses", async () => {
  const named = ["--snapshot", "spam=bad.ipsieve", "--snapshot", "old=other/bad.ipsieve"];
  const { stdout } = await run(
    ["identify", ...named, "--now", "2026-05-31", "--only", "old", "--format", "append", "-"],
    {
      cwd: folder.path,
      input: "ip,port\n192.0.2.1,22\n",
    },
  );
  assert.equal(stdout, "ip,port,spam,old\n192.0.2.1,22,scanner,scanner\n");
  const { stderr } = await identify(...named, "--only", "bad");
  assert.match(stderr, /no snapshot has this name; choose from spam, old/);
});

test("a ruleset whose rules cannot be read is an error that names the file", async () => {
  const rules = new Ruleset({ allowSpecialPurpose: true });
  rules.add("10.0.0.0/8", { name: "ours" });
  const { table, metadata } = finished(storingRuleset(rules));
  const names = { ...metadata.names, numbers: new Uint8Array([9, 0, 0, 0]) };
  await writeSnapshot(join(folder.path, "unreadable.ipsieve"), {
    table,
    metadata: { ...metadata, names },
    kind: "ruleset",
  });
  const { code, stderr } = await identify("--snapshot", "unreadable.ipsieve");
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^ipsieve: unreadable\.ipsieve: the ruleset's names cannot be used: .*save the ruleset again\n$/,
  );
});

test("what cannot be is an error that says how it can", async () => {
  const refused = async (message: RegExp, ...args: string[]): Promise<void> => {
    const { code, stderr } = await identify(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  };
  await refused(/have the same name, "bad"; rename one/, "--snapshot", "bad.ipsieve", "--snapshot", "bad.ipsieve");
  await refused(
    /have the same name, "bad"; rename one/,
    "--snapshot",
    "bad.ipsieve",
    "--snapshot",
    "other/bad.ipsieve",
  );
  await refused(/--only "x": no snapshot has this name; choose from offices, bad/, ...BOTH, "--only", "x");
  await refused(/--only chooses one of several/, "--snapshot", "bad.ipsieve", "--only", "bad");
  await refused(/--only and --invert-match/, ...BOTH, "--only", "bad", "-v");
  for (const option of ["--summary", "--top=3", "--as-of=2026-01-01"])
    await refused(/takes one snapshot: /, ...BOTH, option);
  await refused(/name them with --snapshot NAME=FILE/, ...BOTH, "--format", "append", "--append-as", "x");
  const cti = join(import.meta.dirname, "../../../data/cti-sample.ipsieve");
  await refused(/its kind is "cti"/, "--snapshot", "bad.ipsieve", "--snapshot", cti);
});

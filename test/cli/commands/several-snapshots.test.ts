import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
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

test("what cannot be is an error that says how it can", async () => {
  const refused = async (message: RegExp, ...args: string[]): Promise<void> => {
    const { code, stderr } = await identify(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  };
  await refused(/both called "bad"; give each once/, "--snapshot", "bad.ipsieve", "--snapshot", "bad.ipsieve");
  await refused(/both called "bad"; give each once/, "--snapshot", "bad.ipsieve", "--snapshot", "other/bad.ipsieve");
  await refused(/--only "x": no snapshot is called so; give one of offices, bad/, ...BOTH, "--only", "x");
  await refused(/--only chooses one of several/, "--snapshot", "bad.ipsieve", "--only", "bad");
  await refused(/--only and --invert-match/, ...BOTH, "--only", "bad", "-v");
  for (const option of ["--summary", "--top=3", "--as-of=2026-01-01"])
    await refused(/takes one snapshot/, ...BOTH, option);
  await refused(/takes one snapshot/, ...BOTH, "--format", "append", "--append-as", "x");
  const cti = join(import.meta.dirname, "../../../data/cti-sample.ipsieve");
  await refused(/its kind is "cti"/, "--snapshot", "bad.ipsieve", "--snapshot", cti);
});

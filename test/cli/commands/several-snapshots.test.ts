import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { CtiMetadata } from "../../../src/cti/dataset.ts";
import { openCtiSnapshot } from "../../../src/datasets/open-cti-dataset.ts";
import { saveRuleset } from "../../../src/datasets/ruleset-files.ts";
import { finished } from "../../../src/turns/finished.ts";
import { Ruleset } from "../../../src/rulesets/ruleset.ts";
import { storingRuleset } from "../../../src/rulesets/stored/stored-ruleset.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import { PrefixTrie } from "../../../src/trie/prefix-trie.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;

const files = {
  "offices.csv": "10.0.0.0/8,berlin\n10.1.0.0/16,lab\n",
  "bad.csv": "10.1.1.0/24,spam,2026-06-01T00:00:00Z\n192.0.2.0/24,scanner\n",
  "feed.ndjson": [
    { ip: "10.1.1.1", classification: "malicious", actor: "A team", tags: ["ssh", "tor"] },
    { ip: "192.0.2.0/24", tags: ["tor"] },
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join(""),
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

test("rows have the columns of each snapshot, as of one time", async () => {
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

test("--only keeps the lines that match in one snapshot; -c counts them", async () => {
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
});

const CTI = ["--snapshot", "cti.ipsieve"];
const EVERYTHING = ["--snapshot", "offices.ipsieve", "--snapshot", "block.ipsieve", ...CTI, "--now", "2026-05-31"];

async function makeEverything(): Promise<void> {
  const imported = await run(["cti", "import", "feed.ndjson", "-o", "cti.ipsieve"], { cwd: folder.path });
  assert.equal(imported.code, 0, imported.stderr);
  const rules = new Ruleset({ allowSpecialPurpose: true });
  rules.add("10.1.1.0/24", { name: "ssh scan", expiresAt: Date.UTC(2026, 5, 1) });
  rules.add("203.0.113.0/24");
  rules.add("2001:db8::/32", { name: "never hit" });
  await saveRuleset(join(folder.path, "block.ipsieve"), rules);
}

test("rows of threat intelligence have the prefix, classification, actor and tags, in both engines", async () => {
  await makeEverything();
  const rowsOf = async (...args: string[]): Promise<string[]> => {
    const [native, plain] = await Promise.all(
      ["webassembly", "typescript"].map(async (engine) => (await identify("--engine", engine, ...args)).stdout),
    );
    assert.equal(native, plain);
    return native!.split("\n").slice(0, -1);
  };
  assert.deepEqual(await rowsOf(...CTI), [
    "10.1.1.1\t10.1.1.1\tmalicious\tA team\tssh,tor",
    "10.2.0.1\t\t\t\t",
    "192.0.2.1\t192.0.2.0/24\tunknown\t\ttor",
    "203.0.113.9\t\t\t\t",
    "\t\t\t\t",
  ]);
  assert.deepEqual((await rowsOf(...CTI, "--format", "csv")).slice(0, 3), [
    '10.1.1.1,10.1.1.1,malicious,A team,"ssh,tor"',
    "10.2.0.1,,,,",
    "192.0.2.1,192.0.2.0/24,unknown,,tor",
  ]);
  assert.deepEqual((await rowsOf(...CTI, "--format", "append")).slice(0, 2), ["10.1.1.1\tmalicious", "10.2.0.1\t"]);
  const [seen, unseen, , , none] = (await rowsOf(...CTI, "--format", "jsonl")).map((row) => JSON.parse(row));
  const known = {
    cidr: "10.1.1.1",
    spoofable: null,
    classification: "malicious",
    actor: "A team",
    tags: ["ssh", "tor"],
  };
  assert.deepEqual(seen, { ip: "10.1.1.1", seen: true, ...known, line: 1 });
  const unknown = { seen: false, cidr: null, spoofable: null, classification: "unknown", actor: "", tags: [] };
  assert.deepEqual(unseen, { ip: "10.2.0.1", ...unknown, line: 2 });
  assert.deepEqual(none, { ip: null, ...unknown, line: 5 });
  assert.equal(
    (await rowsOf(...EVERYTHING))[0],
    `10.1.1.1\t${[
      "10.1.0.0/16\tberlin,lab",
      "10.1.1.0/24\tssh scan\t2026-06-01T00:00:00.000Z",
      "10.1.1.1\tmalicious\tA team\tssh,tor",
    ].join("\t")}`,
  );
  const appended = await run(["identify", "--format", "append", ...CTI, "-"], {
    cwd: folder.path,
    input: '{"ip":"10.1.1.1"}\n{"ip":"10.2.0.1"}\n',
  });
  assert.deepEqual(
    appended.stdout
      .split("\n")
      .slice(0, -1)
      .map((row) => JSON.parse(row).threat),
    [known, null],
  );
  const table = await run(["identify", ...CTI, "--field", "ip", "--input", "csv", "-"], {
    cwd: folder.path,
    input: "ip\n10.1.1.1\n",
  });
  assert.match(table.stdout, /^ip\tcidr\tclassification\tactor\ttags\n10\.1\.1\.1\t/);
});

test("one run counts the owners of the addresses, the rules that list them, and the intelligence about them", async () => {
  await makeEverything();
  const counting = ["--summary", "--top", "2"];
  const json = JSON.parse((await identify(...EVERYTHING, ...counting, "--format", "json")).stdout);
  const rule = { cidr: "10.1.1.0/24", name: "ssh scan", expires_at: "2026-06-01T00:00:00.000Z" };
  const { types, ...offices } = json.snapshots.offices;
  assert.deepEqual([json.lines, json.matched, json.unmatched, json.no_address], [5, 4, 0, 1]);
  assert.deepEqual([offices.matched, types.length > 0], [2, true]);
  assert.deepEqual(json.snapshots.block, {
    matched: 2,
    rules: [
      { ...rule, lines: 1 },
      { cidr: "203.0.113.0/24", name: null, expires_at: null, lines: 1 },
    ],
  });
  assert.deepEqual(json.snapshots.cti, {
    matched: 2,
    classifications: [
      { classification: "malicious", lines: 1 },
      { classification: "unknown", lines: 1 },
    ],
    actors: [{ actor: "A team", lines: 1 }],
    tags: [
      { tag: "tor", lines: 2 },
      { tag: "ssh", lines: 1 },
    ],
  });
  const [first] = json.top.matched.addresses;
  assert.deepEqual([first.ip, first.lines, first.snapshots.offices.cbs_ids], ["10.1.1.1", 1, ["berlin", "lab"]]);
  assert.deepEqual(first.snapshots.block, rule);
  assert.deepEqual([first.snapshots.cti.classification, first.snapshots.cti.cidr], ["malicious", "10.1.1.1"]);
  const csv = (await identify(...EVERYTHING, ...counting, "--format", "csv")).stdout.split("\n");
  for (const row of [
    "offices.matched,,,2",
    "block.rule,10.1.1.0/24,ssh scan,1",
    "block.rule,203.0.113.0/24,,1",
    "cti.tag,tor,,2",
  ])
    assert.ok(csv.includes(row), row);
  const text = (await identify(...EVERYTHING, ...counting)).stdout;
  for (const line of [
    /^matched in\n {2}offices +2 /m,
    /^block, by rule\n {2}10\.1\.1\.0\/24 {2}ssh scan +1 /m,
    /^cti, by tag\n {2}tor +2 /m,
    /^top addresses, matched\n {2}10\.1\.1\.1 +offices: berlin, /m,
  ])
    assert.match(text, line);
});

test("counts with --only include the lines that match in that snapshot; a single list is counted without its name", async () => {
  await makeEverything();
  const countsOf = async (...args: string[]) =>
    JSON.parse((await identify(...args, "--summary", "--format", "json")).stdout);
  const only = await countsOf(...EVERYTHING, "--only", "block");
  assert.deepEqual([only.matched, only.unmatched, only.snapshots.offices.matched], [2, 2, 1]);
  assert.deepEqual(
    only.snapshots.cti.tags.map(({ tag }: { tag: string }) => tag),
    ["ssh", "tor"],
  );
  const later = await countsOf("--snapshot", "block.ipsieve", "--now", "2026-06-02");
  assert.deepEqual([later.matched, later.rules.length, later.rules[0].cidr], [1, 1, "203.0.113.0/24"]);
  assert.deepEqual((await countsOf(...CTI)).actors, [{ actor: "A team", lines: 1 }]);
  const top = await identify("--snapshot", "block.ipsieve", "--top", "1", "--now", "2026-06-02", "--format", "json");
  assert.deepEqual(JSON.parse(top.stdout).top.matched, {
    distinct: 1,
    addresses: [{ ip: "203.0.113.9", lines: 1, cidr: "203.0.113.0/24", name: null, expires_at: null }],
  });
});

test("snapshots can be named: two with the same file name, columns, and the choice of --only", async () => {
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

test("threat intelligence with a bad document is an error that names the file, whatever reads the document", async () => {
  await makeEverything();
  const { table, metadata } = await openCtiSnapshot(join(folder.path, "cti.ipsieve"));
  const { documents } = metadata as CtiMetadata;
  // The first byte of a document says whether its addresses can be spoofed, which is checked when a file is opened.
  const bytes = documents.bytes.map((byte, at) => (at === 0 ? byte : 0xff));
  const path = join(folder.path, "bad-documents.ipsieve");
  await writeSnapshot(path, {
    table,
    metadata: { ...(metadata as CtiMetadata), documents: { ...documents, bytes } },
    kind: "cti",
  });
  const bad = ["--snapshot", "bad-documents.ipsieve"];
  const both = ["--snapshot", "offices.ipsieve", ...bad];
  for (const args of [bad, both, [...both, "--summary"], [...bad, "--top", "1"]]) {
    const { code, stderr } = await identify(...args);
    assert.match(stderr, /^ipsieve: bad-documents\.ipsieve: .*import its feeds again\n$/, args.join(" "));
    assert.equal(code, 2);
  }
  const whole = await identify("--snapshot", "offices.ipsieve", "--snapshot", "cti.ipsieve");
  assert.equal(whole.code, 0, "the same dataset as it was");
});

test("an impossible combination is an error with the remedy", async () => {
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
  await refused(
    /--only chooses one of several snapshots, or a set, and "bad" is none/,
    "--snapshot",
    "bad.ipsieve",
    "--only",
    "bad",
  );
  await refused(/--only and --invert-match/, ...BOTH, "--only", "bad", "-v");
  await refused(/takes one snapshot: /, ...BOTH, "--as-of=2026-01-01");
  await refused(/name them with --snapshot NAME=FILE/, ...BOTH, "--format", "append", "--append-as", "x");
  await writeSnapshot(join(folder.path, "other.ipsieve"), {
    table: freeze(new PrefixTrie()),
    metadata: {},
    kind: "other",
  });
  await refused(/its kind is "other"/, "--snapshot", "bad.ipsieve", "--snapshot", "other.ipsieve");
});

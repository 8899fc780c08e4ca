import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;

const files = {
  "seen.csv": [
    "10.0.0.0/8,office",
    "10.1.0.0/16,spam,2026-06-01T00:00:00Z",
    "10.1.1.0/24,scanner,2026-05-01T02:00:00+02:00,again",
    "10.1.1.0/24,spam,2026-06-01T00:00:00Z,again",
    // The later expiry wins, in whichever order they come.
    "192.0.2.0/24,twice,2026-05-01T00:00:00Z",
    "192.0.2.0/24,twice,2026-06-01T00:00:00Z",
    "192.0.2.0/24,twice,2026-04-01T00:00:00Z",
    "2001:db8::/32,six,2026-06-01T00:00:00.001Z",
    "198.51.100.0/24,for-good,2026-05-01T00:00:00Z",
    "198.51.100.0/24,for-good,,",
  ].join("\n"),
  "bad.csv": [
    "192.0.2.1,a,2026-06-01",
    "192.0.2.2,a,tomorrow",
    "192.0.2.3,a,2026-02-30T00:00:00Z",
    "192.0.2.4,a,2026-06-01T00:00:00Z",
    "192.0.2.5,a,1969-12-31T23:59:59Z",
  ].join("\n"),
  "log.txt": "10.1.1.1\n10.1.2.3\n192.0.2.9\n2001:db8::1\n198.51.100.1\nnone\n",
};

const build = (...args: string[]) => run(["build", ...args], { cwd: folder.path });
const identify = (...args: string[]) =>
  run(["identify", "--snapshot", "seen.ipsieve", ...args, "log.txt"], { cwd: folder.path });

before(async () => {
  folder = temporaryFolder(files);
  const { code, stderr } = await build("--expiry-column", "3", "seen.csv", "-o", "seen.ipsieve");
  assert.equal(code, 0, stderr);
  assert.match(stderr, /ipsieve: 8 lines already expired/);
});
after(() => folder.remove());

/** The ids of each line. */
const AT: Record<string, readonly string[]> = {
  "2026-04-30T23:59:59.999Z": ["again,office,scanner,spam", "office,spam", "twice", "six", "for-good", ""],
  "2026-05-01T00:00:00Z": ["again,office,spam", "office,spam", "twice", "six", "for-good", ""],
  "2026-05-31": ["again,office,spam", "office,spam", "twice", "six", "for-good", ""],
  "2026-06-01T00:00:00Z": ["office", "office", "", "six", "for-good", ""],
  "2026-06-01T00:00:00.001Z": ["office", "office", "", "", "for-good", ""],
};
const CIDRS: Record<string, readonly string[]> = {
  "2026-05-31": ["10.1.1.0/24", "10.1.0.0/16", "192.0.2.0/24", "2001:db8::/32", "198.51.100.0/24", ""],
  "2026-06-01T00:00:00.001Z": ["10.0.0.0/8", "10.0.0.0/8", "", "", "198.51.100.0/24", ""],
};

test("lines of a list expire to the millisecond, in both engines and in lookup", async () => {
  for (const [now, ids] of Object.entries(AT)) {
    const rows = new Set<string>();
    for (const engine of ["webassembly", "typescript"]) {
      const { stdout, code } = await identify("--now", now, "--engine", engine);
      assert.equal(code, 0);
      rows.add(stdout);
    }
    assert.equal(rows.size, 1);
    const cells = [...rows][0]!
      .split("\n")
      .slice(0, -1)
      .map((row) => row.split("\t"));
    assert.deepEqual(
      cells.map((row) => row[2]),
      ids,
      now,
    );
    if (now in CIDRS)
      assert.deepEqual(
        cells.map((row) => row[1]),
        CIDRS[now],
      );
    const lookup = await run(
      ["lookup", "--json", "--snapshot", "seen.ipsieve", "--now", now, "10.1.1.1", "192.0.2.9"],
      {
        cwd: folder.path,
      },
    );
    const documents = lookup.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      documents.map(({ cbs_ids }) => cbs_ids.join(",")),
      [ids[0], ids[2]],
    );
    assert.deepEqual(
      documents.map(({ cidr }) => cidr ?? ""),
      [cells[0]![1], cells[2]![1]],
    );
  }
});

test("counts and top addresses leave out expired lines; the current time is the default", async () => {
  assert.equal((await identify("-c", "--now", "2026-05-31")).stdout, "5\n");
  assert.equal((await identify("-c")).stdout, "3\n");
  const { stdout } = await identify("--summary", "--top", "9", "--format", "json", "--now", "2026-06-01T00:00:00Z");
  const { providers, top, matched } = JSON.parse(stdout);
  assert.equal(matched, 4);
  assert.deepEqual(
    providers.map(({ provider, lines }: Record<string, unknown>) => [provider, lines]),
    [
      ["office", 2],
      ["for-good", 1],
      ["six", 1],
    ],
  );
  assert.deepEqual(
    top.unmatched.addresses.map(({ ip }: { ip: string }) => ip),
    ["192.0.2.9"],
  );
  const card = await run(["lookup", "--snapshot", "seen.ipsieve", "10.1.1.1"], { cwd: folder.path });
  assert.doesNotMatch(card.stdout, /10\.1\.\d+\.0\/|spam/);
});

test("--expires-in counts from now, and a column takes precedence", async () => {
  const { code } = await build("--expires-in", "2h", "--expiry-column", "3", "seen.csv", "-o", "soon.ipsieve");
  assert.equal(code, 0);
  const at = async (hours: number): Promise<string> => {
    const now = new Date(Date.now() + hours * 3_600_000).toISOString();
    const args = ["identify", "--snapshot", "soon.ipsieve", "--now", now, "log.txt"];
    const { stdout } = await run(args, { cwd: folder.path });
    return stdout
      .split("\n")
      .map((row) => row.split("\t")[2])
      .join(" ")
      .trim();
  };
  assert.equal(await at(1.9), "office office   for-good");
  assert.equal(await at(2.1), "");
});

test("--name-column names labels, with expiries too; a conflicting name is an error with its line", async () => {
  const list = [
    "203.0.113.0/24,/saas/acme/api,Acme API,2999-01-01T00:00:00Z",
    "203.0.113.7,scanner,,",
    "198.51.100.0/24,/saas/acme/api,Another name",
    "198.51.100.1,a,Two labels,,b",
    '192.0.2.0/24,,"The rest"',
  ];
  const options = ["--skip-invalid", "--name-column", "3", "--expiry-column", "4"];
  const input = `${list.join("\n")}\n`;
  const built = await run(["build", ...options, "-", "-o", "named.ipsieve"], { cwd: folder.path, input });
  assert.equal(built.code, 0);
  assert.match(built.stderr, /^-:3: \/saas\/acme\/api is named both "Acme API" and "Another name"; settle on one$/m);
  assert.match(
    built.stderr,
    /^-:4: "Two labels" names only one label, but the line has several \(a, b\); write a line for each$/m,
  );
  const { stdout } = await run(["lookup", "--snapshot", "named.ipsieve", "203.0.113.7", "192.0.2.1"], {
    cwd: folder.path,
  });
  assert.match(stdout, /Acme API {2}\/saas\/acme\/api(.|\n)*The rest {2}stdin/);
  const same = await build("--name-column", "3", "--expiry-column", "3", "seen.csv", "-o", "x.ipsieve");
  assert.match(same.stderr, /--name-column and --expiry-column are both 3/);
});

test("bad times, durations and columns are errors with their position and remedy", async () => {
  const { code, stderr } = await build("--skip-invalid", "--expiry-column", "3", "bad.csv", "-o", "bad.ipsieve");
  assert.equal(code, 0);
  assert.match(stderr, /^bad\.csv:1: "2026-06-01": the time zone is missing; did you mean "2026-06-01T00:00:00Z"\?$/m);
  assert.match(stderr, /^bad\.csv:2: "tomorrow": /m);
  assert.match(stderr, /^bad\.csv:3: "2026-02-30T00:00:00Z": /m);
  assert.match(stderr, /^bad\.csv:5: "1969-12-31T23:59:59Z": /m);
  assert.match(stderr, /4 lines left out/);
  assert.equal((await build("--expiry-column", "3", "bad.csv", "-o", "strict.ipsieve")).code, 2);
  for (const duration of ["7", "0d", "-1d", "1.5h", "7 d", "7D", "999999999w"]) {
    const refused = await build(`--expires-in=${duration}`, "seen.csv", "-o", "x.ipsieve");
    assert.equal(refused.code, 2, duration);
    assert.match(refused.stderr, /--expires-in ".*": give a whole number of minutes/);
  }
  for (const column of ["0", "1", "x", "1001"])
    assert.equal((await build("--expiry-column", column, "seen.csv", "-o", "x.ipsieve")).code, 2, column);
  assert.match(
    (await build("--expires-in", "7d", "-o", "x.ipsieve", "--source", "aws=x.json")).stderr,
    /applies to LISTs/,
  );
  for (const [now, problem] of [
    ["yesterday", /not an ISO 8601 time.* as in 2026-11-21/],
    ["12", /not an ISO 8601 time.* as in 2026-11-21/],
    ["2026-02-30", /there is no such day/],
    ["2026-06-01T12:00", /the zone is missing; add Z/],
  ] as const) {
    const refused = await identify(`--now=${now}`);
    assert.equal(refused.code, 2, now);
    assert.ok(refused.stderr.includes(`--now "${now}": `), refused.stderr);
    assert.match(refused.stderr, problem);
  }
});

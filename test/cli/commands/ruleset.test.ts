import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { Reader } from "mmdb-lib";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { freePort } from "../../free-port.ts";
import { ServiceProcess } from "../../api/harness/service-process.ts";
import { type Outcome, outcomeOf, run, type RunOptions, start, temporaryFolder } from "../run-command.ts";
import { until } from "../../until.ts";
import { COMMAND_FILE } from "../../command-file.ts";

const ALLOWLIST = "My Allowlist rules";
const BLOCKLIST = "My Blocklist rules";

let folder: ReturnType<typeof temporaryFolder>;
let service: ServiceProcess;
let key = "";
let ids: Record<string, string> = {};

/** Runs the command in the folder, whose database is the server's. */
const call = (args: readonly string[], { env, ...options }: RunOptions = {}): Promise<Outcome> =>
  run(args, {
    cwd: folder.path,
    env: {
      IPSIEVE_HOME: folder.path,
      IPSIEVE_DB: "",
      DATABASE_URL: "",
      IPSIEVE_SERVER: service === undefined ? "" : `http://127.0.0.1:${service.port}`,
      IPSIEVE_API_KEY: key,
      ...env,
    },
    ...options,
  });
const ruleset = (...args: string[]): Promise<Outcome> => call(["ruleset", ...args]);
const done = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await ruleset(...args);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
};
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder.path, name), content);
  return name;
};

/** The command exits with 2 and prints nothing to stdout, no stack and no key. */
function assertRefused({ code, stdout, stderr }: Outcome, message: RegExp): void {
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /defect of ipsieve|\n {4}at /);
  assert.ok(key === "" || !stderr.includes(key.slice(8)));
  assert.deepEqual([code, stdout], [2, ""]);
}

const newKey = async (...args: string[]): Promise<string> =>
  (await call(["key", "create", "test", ...args])).stdout.trim();
const statusOf = async (text: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/`, { headers: { "X-API-Key": text } })).status;

/** A running server notices new keys within about a second. */
async function knownAs(text: string, isSo: (status: number) => boolean): Promise<string> {
  await until("the server has learned of the key", async () => isSo(await statusOf(text)), { every: 100 });
  return text;
}

const knownKey = async (...args: string[]): Promise<string> =>
  knownAs(await newKey(...args), (status) => status !== 401);

before(async () => {
  folder = temporaryFolder();
  await call(["org", "create", "Example"]);
  await call(["plan", "set", "edl", "--per-minute", "100000"]);
  key = await newKey("--access", "read_write");
  service = await ServiceProcess.start(join(folder.path, "ipsieve.db"), [
    "--bulk-body-limit",
    "4000000",
    "--rules-per-ruleset",
    "200000",
  ]);
  ids = Object.fromEntries(
    JSON.parse(await done("list", "--json")).map(({ id, name }: { id: string; name: string }) => [name, id]),
  );
});
after(async () => {
  await service.end("SIGTERM");
  folder.remove();
});

/** Empties both lists: entries in the allowlist cause warnings. */
const empty = async (): Promise<void> => {
  for (const name of [BLOCKLIST, ALLOWLIST]) {
    const url = `http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/${ids[name]}/rules?allow_empty=true&max_shrink=100`;
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const { status } = await fetch(url, { method: "PUT", headers, body: '{"rules":[]}' });
    assert.equal(status, 200);
  }
};
const lines = async (...args: string[]): Promise<string[]> =>
  (await done("export", BLOCKLIST, ...args)).trimEnd().split("\n");

/** This many addresses of 20.0.0.0/8. */
const addresses = (count: number, first = 0): string =>
  Array.from(
    { length: count },
    (_, at) => `20.${((at + first) >> 16) & 255}.${((at + first) >> 8) & 255}.${(at + first) & 255}\n`,
  ).join("");

describe("list", () => {
  test("is a table or JSON, with the key in the environment or in a file; --server takes precedence over IPSIEVE_SERVER", async () => {
    assert.match(
      await done("list"),
      /^ {2}id +name +purpose +rules {2}active\n {2}[0-9a-f-]{36} {2}My Allowlist rules {2}allowlist +0 +0\n {2}[0-9a-f-]{36} {2}My Blocklist rules {2}blocklist +0 +0\n$/,
    );
    file("key.txt", `${key}\n`);
    const { code, stdout } = await call(
      ["ruleset", "list", "--json", "--key-file", "key.txt", "--server", `http://127.0.0.1:${service.port}/`],
      { env: { IPSIEVE_API_KEY: "", IPSIEVE_SERVER: "http://127.0.0.1:9/" } },
    );
    assert.deepEqual([code, JSON.parse(stdout).length], [0, 2]);
  });

  test("of an organisation without rulesets has exit code 1", async () => {
    await call(["org", "create", "Other"]);
    await call(["plan", "set", "edl", "--org", "Other"]);
    const env = { IPSIEVE_API_KEY: await knownKey("--org", "Other", "--access", "read_write") };
    const own = JSON.parse((await call(["ruleset", "list", "--json"], { env })).stdout) as { id: string }[];
    for (const { id } of own)
      await fetch(`http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/${id}`, {
        method: "DELETE",
        headers: { "X-API-Key": env.IPSIEVE_API_KEY },
      });
    const { code, stdout, stderr } = await call(["ruleset", "list", "--json"], { env });
    assert.deepEqual([code, stdout, stderr], [1, "[]\n", ""]);
  });
});

describe("create", () => {
  test("a ruleset is created with its guard, or as an allowlist of the own networks", async () => {
    assert.equal((await ruleset("create", "Careful", "--guard", "refuse")).code, 0);
    assert.equal((await ruleset("create", "Offices", "--purpose", "allowlist", "--never-block")).code, 0);
    assert.equal((await ruleset("add", "Offices", "31.200.77.0/24")).code, 0);
    assertRefused(await ruleset("add", "Careful", "31.200.77.1"), /would block 1 address.*own network.*"Offices"/s);
    await done("remove", "Offices", "31.200.77.0/24");
    assertRefused(await ruleset("create", "Wrong", "--never-block"), /--never-block: a blocklist blocks what it lists/);
    assertRefused(await ruleset("create", "x.ipsieve", "--guard", "warn"), /--guard is for rulesets on a server/);
  });

  test("names errors of the name, which is not an option, and of the options", async () => {
    const long = "x".repeat(300);
    assertRefused(await ruleset("create", long), /^ipsieve: RULESET: use at most 255 characters/m);
    assertRefused(
      await ruleset("create", "two\nlines"),
      /^ipsieve: RULESET: "two\\nlines": the control character U\+000A/m,
    );
    const both = await ruleset("create", "x".repeat(300), "--description", "x".repeat(2000));
    assertRefused(both, /^ipsieve: RULESET: .*; --description: /m);
    assert.doesNotMatch(both.stderr, /--name/);
  });
});

describe("import", () => {
  test("text, CSV, NDJSON and JSON by their extensions, compressed and not, by name and by id", async () => {
    const rows = {
      "a.txt": "20.0.0.1 # a\n",
      "b.csv": "ip,name\n20.0.0.2,b\n",
      "c.ndjson": '{"ip":"20.0.0.3"}\n',
      "d.JSONL": '{"ip":"20.0.0.4"}\n',
      "e.json": '{"rules":[{"ip":"20.0.0.5"}]}',
      "f.netset": "20.0.0.6\n",
    };
    await empty();
    for (const [name, text] of Object.entries(rows))
      assert.equal(
        await done("import", BLOCKLIST, file(name, text)),
        `${BLOCKLIST}: 1 rule added, 0 changed, 0 unchanged\n`,
      );
    await empty();
    for (const [name, text] of Object.entries(rows))
      assert.match(
        await done("import", ids[BLOCKLIST]!.toUpperCase(), file(`${name}.gz`, gzipSync(text))),
        /: 1 rule added/,
      );
    assert.match(
      await done("import", BLOCKLIST, file("g.csv.zst", zstdCompressSync("ip\n20.0.0.7\n"))),
      /: 1 rule added/,
    );
    const { stdout } = await call(["ruleset", "import", BLOCKLIST, "-", "--format", "csv"], {
      input: "ip\n20.0.0.8\n",
    });
    assert.match(stdout, /: 1 rule added/);
    assert.deepEqual(
      await lines(),
      [1, 2, 3, 4, 5, 6, 7, 8].map((last) => `20.0.0.${last}`),
    );
  });

  test("every mode of conflicts, names and expiries of a whole list, and the server's answer as JSON", async () => {
    await empty();
    await done(
      "import",
      BLOCKLIST,
      file("one.txt", "20.0.0.1\n"),
      "--name",
      "first",
      "--expires-at",
      "2999-01-01T00:00:00Z",
    );
    assert.match((await lines("--format", "csv"))[1]!, /^20\.0\.0\.1,first,2999-01-01T00:00:00\S*Z$/);
    assert.match(
      await done("import", BLOCKLIST, "one.txt", "--expires-in-days", "1"),
      /: 0 rules added, 0 changed, 1 unchanged\n$/,
    );
    assert.match(
      await done("import", BLOCKLIST, "one.txt", "--conflict", "skip", "--name", "x"),
      /0 changed, 1 unchanged/,
    );
    assert.deepEqual(
      JSON.parse(await done("import", BLOCKLIST, "one.txt", "--conflict", "override", "--name", "second", "--json")),
      { created: 0, updated: 1, skipped: 0, can_undo: true },
    );
    assert.match((await lines("--format", "csv"))[1]!, /^20\.0\.0\.1,second,$/);
    assertRefused(
      await ruleset("import", BLOCKLIST, "one.txt", "--conflict", "fail"),
      /: Conflict: a rule for 20\.0\.0\.1 already exists, so nothing was written\n$/,
    );
  });

  test("invalid lines are reported as FILE:LINE, and nothing is written; with --skip-invalid they are left out", async () => {
    await empty();
    const bad = file("bad.txt", "20.0.0.1\n300.1.1.1\n# fine\n20.0.0.0/33\n20.0.0.1\n");
    const refused = await ruleset("import", BLOCKLIST, bad);
    assertRefused(
      refused,
      /^bad\.txt:2: column 1: "300\.1\.1\.1": .*\nbad\.txt:4: column \d+: "20\.0\.0\.0\/33": .*\nipsieve: bad\.txt: nothing was written; correct 2 lines, or leave such lines out with --skip-invalid\n$/,
    );
    assert.equal(await done("export", BLOCKLIST), "");
    const { code, stdout, stderr } = await ruleset("import", BLOCKLIST, bad, "--skip-invalid");
    assert.deepEqual(
      [code, stdout],
      [0, `${BLOCKLIST}: 1 rule added, 0 changed, 0 unchanged; 2 lines left out; 1 line repeats another\n`],
    );
    assert.match(stderr, /^bad\.txt:2: .*\nbad\.txt:4: .*\n$/);
  });

  test("a line that says what another says counts once; one that says something else is an error that names both", async () => {
    await empty();
    const again = file("again.txt", "8.8.4.4\n9.9.9.9\n8.8.4.4\n");
    assert.equal(
      await done("import", BLOCKLIST, again),
      `${BLOCKLIST}: 2 rules added, 0 changed, 0 unchanged; 1 line repeats another\n`,
    );
    assert.equal(JSON.parse(await done("replace", BLOCKLIST, again, "--json")).repeated, 1);
    const json = file("again.json", '{"rules":[{"ip":"8.8.4.4"},{"ip":"9.9.9.9"},{"ip":"8.8.4.4/32","name":null}]}');
    assert.match(await done("import", BLOCKLIST, json), /2 unchanged; 1 line repeats another\n$/);
    assertRefused(
      await ruleset("import", BLOCKLIST, file("other.csv", "ip,name\n8.8.4.4,a\n9.9.9.9,a\n8.8.4.4,b\n")),
      /^other\.csv:4: column 1: "8\.8\.4\.4": the prefix is already on line 2, with another name or expiry; /,
    );
  });

  test("rules of JSON are named by position; standard input by name", async () => {
    const json = file("bad.json", '{"rules":[{"ip":"20.0.0.1"},{"ip":"x"}]}');
    assertRefused(
      await ruleset("import", BLOCKLIST, json),
      /^bad\.json: rules\[1\]\.ip: "x".*\nipsieve: bad\.json: nothing was written/,
    );
    assert.match(
      (await ruleset("import", BLOCKLIST, json, "--skip-invalid")).stderr,
      /^bad\.json: rules\[1\]: ip: "x".*\n$/,
    );
    assertRefused(
      await call(["ruleset", "import", BLOCKLIST, "-"], { input: "x\n" }),
      /^standard input:1: column 1: "x": .*\nipsieve: standard input: nothing was written/,
    );
  });

  test("the first 20 lines that are left out, or that keep a list from being read, are reported, and how many more", async () => {
    const { code, stdout, stderr } = await ruleset(
      "import",
      BLOCKLIST,
      file("many.txt", "20.0.0.1\nx\n".repeat(1000)),
      "--skip-invalid",
    );
    assert.deepEqual(
      [code, stderr.split("\n").length, stderr.split("\n")[20]],
      [0, 22, "many.txt: ... and 980 more lines like these, 1,000 in all"],
    );
    assert.match(stdout, /; 1,000 lines left out; 999 lines repeat another\n$/);
    const refused = await ruleset("import", BLOCKLIST, "many.txt");
    assert.deepEqual([refused.code, refused.stderr.split("\n").length], [2, 23]);
    assert.match(refused.stderr.split("\n")[20]!, /^many\.txt: \.\.\. and [\d,]+ more lines like these$/);
  });
});

describe("replace", () => {
  test("replaces; a dry run only says what would change", async () => {
    await empty();
    await done("import", BLOCKLIST, file("ten.txt", addresses(10)));
    const next = file("next.txt", addresses(10, 5));
    assert.equal(
      await done("replace", BLOCKLIST, next, "--dry-run"),
      `${BLOCKLIST}: 5 rules would be added, 0 changed, 5 removed, 5 unchanged\n`,
    );
    assert.equal((await lines())[0], "20.0.0.0");
    assert.equal(JSON.parse(await done("replace", BLOCKLIST, next, "--dry-run", "--json")).plan.removed.length, 5);
    assert.equal(
      await done("replace", BLOCKLIST, next),
      `${BLOCKLIST}: 5 rules added, 0 changed, 5 removed, 5 unchanged\n`,
    );
    assert.equal((await lines())[0], "20.0.0.5");
  });

  test("a list that removes too much is rejected with its numbers, and the option in the message allows it", async () => {
    await empty();
    await done("import", BLOCKLIST, file("hundred.txt", addresses(100)));
    const short = file("short.txt", addresses(27));
    const text =
      "short.txt: the list would remove 73 of 100 rules (73 %), and at most 50 % may be removed; nothing was written. If the list is right, add --max-shrink 73\n";
    assertRefused(
      await ruleset("replace", BLOCKLIST, short),
      new RegExp(`^ipsieve: ${text.replaceAll(/[.()]/g, String.raw`\$&`)}$`),
    );
    const dry = await ruleset("replace", BLOCKLIST, short, "--dry-run");
    assert.deepEqual(
      [dry.code, dry.stdout, dry.stderr],
      [1, `${BLOCKLIST}: 0 rules would be added, 0 changed, 73 removed, 27 unchanged\n`, `ipsieve: ${text}`],
    );
    assertRefused(await ruleset("replace", BLOCKLIST, short, "--max-shrink", "72"), /at most 72 % may be removed/);
    assert.match(await done("replace", BLOCKLIST, short, "--max-shrink", "73"), /73 removed, 27 unchanged/);
    assertRefused(
      await ruleset("replace", BLOCKLIST, file("none.txt", "# none\n"), "--max-shrink", "100"),
      /^ipsieve: none\.txt: the list has no rules and would remove all 27 rules; nothing was written\. To empty the ruleset, add --allow-empty\n$/,
    );
    assert.match(await done("replace", BLOCKLIST, "none.txt", "--allow-empty"), /27 removed, 0 unchanged/);
  });

  test("bad lines are treated as in an import", async () => {
    assertRefused(
      await ruleset("replace", BLOCKLIST, file("worse.csv", "ip,name\nx,y\n")),
      /^worse\.csv:2: column 1: "x": /,
    );
    const { code, stdout, stderr } = await ruleset(
      "replace",
      BLOCKLIST,
      file("worse.csv", "ip,name\nx,y\n20.0.0.1,a\n"),
      "--skip-invalid",
      "--expires-in-days",
      "9",
    );
    assert.deepEqual(
      [code, stdout],
      [0, `${BLOCKLIST}: 1 rule added, 0 changed, 0 removed, 0 unchanged; 1 line left out\n`],
    );
    assert.match(stderr, /^worse\.csv:2: /);
  });
});

describe("export", () => {
  test("every format to standard output; by the extension to a file, which another ruleset can import", async () => {
    await empty();
    await done(
      "import",
      BLOCKLIST,
      file("named.csv", "ip,name,expires_at\n20.0.0.1,old,2020-01-01T00:00:00Z\n20.0.0.2,new,\n"),
    );
    assert.deepEqual(await lines(), ["20.0.0.2"]);
    assert.deepEqual((await lines("--format", "csv", "--all")).length, 3);
    assert.match(await done("export", BLOCKLIST, "--format", "nftables", "--set-name", "bad"), /bad_4/);
    for (const [name, start] of [
      ["out.csv", "ip,name,expires_at\n20.0.0.2,new,\n"],
      ["out.ndjson", '{"ip":"20.0.0.2"'],
      ["out.list", "20.0.0.2\n"],
    ] as const) {
      const { code, stdout, stderr } = await ruleset("export", BLOCKLIST, "-o", name);
      assert.deepEqual([code, stdout], [0, ""]);
      assert.match(stderr, new RegExp(`^${name}: \\d+ B\n$`));
      assert.ok(readFileSync(join(folder.path, name), "utf8").startsWith(start));
      assert.match(await done("replace", ALLOWLIST, name, "--allow-empty"), /: \d rules? added|1 unchanged/);
    }
    assert.equal((await ruleset("export", BLOCKLIST, "-o", "out.mmdb")).code, 0);
    const { names, prefix_length } = new Reader<any>(readFileSync(join(folder.path, "out.mmdb"))).get("20.0.0.2");
    assert.deepEqual([names, prefix_length], [["new"], 32]);
  });

  test("unwritable exports are rejected", async () => {
    assertRefused(await ruleset("export", BLOCKLIST, "-o", "x.json"), /no export format has the extension \.json/);
    assertRefused(await ruleset("export", BLOCKLIST, "-o", "no/x.csv"), /no\/x\.csv: cannot be written \(ENOENT\)/);
    assertRefused(
      await ruleset("export", BLOCKLIST, "--set-name", "x"),
      /^ipsieve: --set-name: the format text cannot contain a name/,
    );
  });
});

describe("check, add and remove", () => {
  test("single rules: added with a name and an expiry, found, removed", async () => {
    await empty();
    const expiry = ["--expires-at", "2999-01-01T00:00:00Z"];
    assert.equal(
      await done("add", BLOCKLIST, "20.0.0.0/24", "2001:470::/32", "--name", "scan", ...expiry),
      `${BLOCKLIST}: 2 rules added, 0 changed, 0 unchanged\n`,
    );
    assert.equal(
      await done("add", BLOCKLIST, "20.0.0.7", "20.0.0.0/24"),
      `${BLOCKLIST}: 1 rule added, 1 changed, 0 unchanged\n`,
    );
    assert.equal(
      await done("check", BLOCKLIST, "20.0.0.7", "20.0.0.8", "20.0.1.0/24", "2001:470::1"),
      "20.0.0.7\t20.0.0.7\t\t\n20.0.0.8\t20.0.0.0/24\tscan\t\n20.0.1.0/24\t\t\t\n2001:470::1\t2001:470::/32\tscan\t2999-01-01T00:00:00.000Z\n",
    );
    assert.equal(
      await done("check", BLOCKLIST, "--all", "20.0.0.7"),
      "20.0.0.7\t20.0.0.7\t\t\n20.0.0.7\t20.0.0.0/24\tscan\t\n",
    );
    const { matched, rule, covering } = JSON.parse(await done("check", BLOCKLIST, "--json", "20.0.0.7"));
    assert.deepEqual([matched, rule.ip, covering.length], [true, "20.0.0.7", 2]);
    assert.equal(
      await done("remove", BLOCKLIST, "20.0.0.7", "20.0.0.9"),
      `${BLOCKLIST}: 1 rule removed, 1 not in the ruleset\n`,
    );
    assert.deepEqual(await lines(), ["20.0.0.0/24", "2001:470::/32"]);
    assert.equal((await ruleset("remove", BLOCKLIST, "20.0.0.7")).code, 1);
    assert.equal((await ruleset("check", BLOCKLIST, "20.0.1.1")).code, 1);
  });

  test("many, from standard input; unreadable ones are named by line, and then nothing is changed", async () => {
    await empty();
    const call2 = (input: string, ...args: string[]) => call(["ruleset", ...args], { input });
    assert.match((await call2(addresses(2500), "add", BLOCKLIST, "-")).stdout, /: 2,500 rules added/);
    const { stdout } = await call2(`# those\n${addresses(3000)}`, "check", BLOCKLIST, "-");
    const answers = stdout.trimEnd().split("\n");
    assert.deepEqual(
      [answers.length, answers.filter((line) => !/^(\S+)\t\1$/.test(line.trimEnd())).length],
      [3000, 500],
    );
    const bad = await call2("20.0.0.1\n20.0.0.256\n", "remove", BLOCKLIST, "-");
    assertRefused(bad, /standard input:2: .*20\.0\.0\.256.*\n.*1 address cannot be read; nothing was changed/s);
    assert.equal((await lines()).length, 2500);
    const checked = await call2("20.0.0.256\n20.0.0.1\n", "check", BLOCKLIST, "-");
    assert.deepEqual([checked.code, checked.stdout], [2, "20.0.0.1\t20.0.0.1\t\t\n"]);
    assertRefused(await call2(addresses(10_001), "add", BLOCKLIST, "-"), /10,001 rules.*ipsieve ruleset import/);
  });

  test("a rejected rule is named, and nothing is changed", async () => {
    await empty();
    await done("add", BLOCKLIST, "20.0.0.1");
    const conflict = await ruleset("add", BLOCKLIST, "20.0.0.2", "20.0.0.1", "--conflict", "fail");
    assertRefused(conflict, /20\.0\.0\.1: .*\n.*1 rule rejected; nothing was changed/s);
    assertRefused(
      await ruleset("add", BLOCKLIST, "20.0.0.3", "10.0.0.1"),
      /^ipsieve: "10\.0\.0\.1": it is in the special-purpose block 10\.0\.0\.0\/8.*; nothing was changed$/m,
    );
    const soon = await ruleset("add", BLOCKLIST, "20.0.0.3", "20.0.0.4", "--expires-at", "soon");
    assertRefused(soon, /^ipsieve: --expires-at: [^;]*soon.*; nothing was changed$/m);
    assert.equal(soon.stderr.match(/--expires-at/g)!.length, 1, "once for all rules");
    assert.deepEqual(await lines(), ["20.0.0.1"]);
  });

  test("a typed address is answered before the next one", async () => {
    await empty();
    await done("add", BLOCKLIST, "20.0.0.1");
    const child = start(["ruleset", "check", BLOCKLIST, "-"], {
      cwd: folder.path,
      env: { IPSIEVE_HOME: folder.path, IPSIEVE_SERVER: `http://127.0.0.1:${service.port}`, IPSIEVE_API_KEY: key },
    });
    child.stdin!.write("20.0.0.1\n");
    const [answer] = (await once(child.stdout!, "data")) as [Buffer];
    assert.equal(answer.toString(), "20.0.0.1\t20.0.0.1\t\t\n");
    child.stdin!.end();
    assert.deepEqual(await once(child, "close"), [0, null]);
  });
});

describe("what a blocklist should not block", () => {
  test("is named on standard error by every command that writes, unless the JSON output has it", async () => {
    await empty();
    await done("add", ALLOWLIST, "20.0.1.0/24", "--name", "partner");
    const line = (count: string): string =>
      `${BLOCKLIST}: warning: blocks ${count} that the allowlist "${ALLOWLIST}" allows\n`;
    const list = file("collateral.txt", "20.0.1.0/30\n20.0.2.1\n");
    for (const [args, count] of [
      [["add", BLOCKLIST, "20.0.1.7", "20.0.9.9"], "1 address"],
      [["add", BLOCKLIST, "20.0.1.7", "--json"], "1 address"],
      [["import", BLOCKLIST, list], "4 addresses"],
      [["replace", BLOCKLIST, list], "4 addresses"],
      [["apply", BLOCKLIST, list, "--yes", "--expires-in-days", "9"], "4 addresses"],
    ] as const) {
      const { code, stderr } = await ruleset(...args);
      assert.deepEqual([code, stderr], [0, line(count)], args.join(" "));
    }
    const inJson = await done("import", BLOCKLIST, list, "--json");
    assert.equal(JSON.parse(inJson).warnings.length, 1);
    await empty();
  });

  test("explain shows the rules of all rulesets of a server, which one decides, and what is decided", async () => {
    await empty();
    const server = ["--server", `http://127.0.0.1:${service.port}`];
    await done("add", BLOCKLIST, "20.0.0.0/16", "--name", "wide", "--expires-at", "2999-01-01T00:00:00Z");
    await done("add", ALLOWLIST, "20.0.1.0/24", "--name", "partner");
    const text = await call(["explain", "20.0.2.1", "20.0.1.1", "20.9.9.9", "0020.1", ...server]);
    assert.equal(
      text.stdout,
      [
        "20.0.2.1: blocked; another rule decides, or none, from 2999-01-01T00:00:00.000Z",
        `  ${BLOCKLIST} (blocklist)  20.0.0.0/16 "wide": decides: the most specific active rule; expires 2999-01-01T00:00:00.000Z`,
        "20.0.1.1: allowed",
        `  ${ALLOWLIST} (allowlist)  20.0.1.0/24 "partner": decides: the most specific active rule`,
        `  ${BLOCKLIST} (blocklist)  20.0.0.0/16 "wide": overridden by ${ALLOWLIST}, which allows; expires 2999-01-01T00:00:00.000Z`,
        "20.9.9.9: not covered by any active rule\n",
      ].join("\n"),
    );
    assert.match(text.stderr, /0020\.1/);
    assert.equal(text.code, 2);
    // The same members as for rules in files, plus the deployments.
    const { stdout, code } = await call(["explain", "-", "--json"], { input: "20.0.1.1/32\n" });
    assert.deepEqual(
      [code, Object.keys(JSON.parse(stdout))],
      [0, ["ip", "verdict", "next_change_at", "services", "network", "lists", "deployments", "contradicted_by"]],
    );
    const [allow] = JSON.parse(stdout).lists;
    assert.deepEqual(allow, {
      list: ALLOWLIST,
      purpose: "allowlist",
      next_change_at: null,
      covered_until: null,
      rules: [{ ip: "20.0.1.0/24", name: "partner", expires_at: null, role: "decides" }],
    });
    assert.equal((await call(["explain", "20.9.9.9", ...server])).code, 1);
    // A list of devices that does the opposite comes first, with what ends that, which then does.
    const deployment = (...args: string[]) => call(["deployment", ...args, ...server]);
    assert.equal((await deployment("create", "Edge", "--include", `ruleset:${BLOCKLIST}`)).code, 0);
    assert.equal((await deployment("create", "It's $HOME", "--include", "20.0.1.0/24")).code, 0);
    const [heading, contradiction, ...cures] = (await call(["explain", "20.0.1.1", ...server])).stdout.split("\n");
    assert.match(heading!, /^20\.0\.1\.1: allowed/);
    assert.equal(
      contradiction,
      "  but blocked by 2 deployments: Edge, It's $HOME. To end that (each shows the change and asks; scripts add --yes):",
    );
    for (const [index, cure] of cures.slice(0, 2).entries()) {
      // As a shell reads it.
      const words = spawnSync("sh", ["-c", `printf '%s\\0' ${cure}`], { encoding: "utf8" })
        .stdout.split("\0")
        .slice(0, -1);
      const name = ["Edge", "It's $HOME"][index]!;
      const advised = ["deployment", "update", name, "--add-exclude", `ruleset:${ALLOWLIST}`, ...server];
      assert.deepEqual(words, ["ipsieve", ...advised]);
      assert.equal((await call([...words.slice(1), "--yes"])).code, 0, cure);
    }
    const after = (await call(["explain", "20.0.1.1", ...server])).stdout;
    assert.doesNotMatch(after, /but blocked/);
    assert.match(after, /deployment Edge \(blocklist\): does not contain it; an exclude decides/);
    for (const name of ["Edge", "It's $HOME"]) await deployment("delete", name, "--yes");
    // A log against a draft and the rules of the server, by name and by id.
    file("access.log", "20.0.2.1 a\n20.0.2.1 b\n20.0.1.1 c\n20.9.9.9 d\n");
    file("draft.csv", "ip\n20.9.9.9\n20.0.2.1\n");
    const log = join(folder.path, "access.log");
    const draft = join(folder.path, "draft.csv");
    const replay = ["replay", log, "--json", "--rules"];
    const replayed = JSON.parse((await call([...replay, draft, "--against", `ruleset:${BLOCKLIST}`])).stdout);
    assert.deepEqual(
      [replayed.hit.lines, replayed.only_rules.lines, replayed.only_against.lines, replayed.only_against.addresses],
      [3, 1, 1, 1],
    );
    const { id } = JSON.parse(await done("list", "--json")).find(({ name }: any) => name === BLOCKLIST);
    const live = JSON.parse((await call([...replay, `ruleset:${id}`])).stdout);
    assert.deepEqual(live.top_rules, [{ ip: "20.0.0.0/16", name: "wide", lines: 3, addresses: 2 }]);
    assertRefused(
      await call([...replay, "ruleset:Nowhere"]),
      /^ipsieve: there is no ruleset "Nowhere"; "ipsieve ruleset list" lists them$/m,
    );
    assertRefused(
      await call(["explain", "20.0.0.1", "--rules", "x.txt", ...server]),
      /^ipsieve: --rules is for rules in files; leave it out, or leave out --server$/m,
    );
    await empty();
  });
});

describe("versions", () => {
  test("are listed, and restored after their plan was shown", async () => {
    await done("create", "Versions");
    await done("add", "Versions", "20.0.0.1", "--name", "first", "--expires-at", "2999-01-01T00:00:00Z");
    file("many.txt", addresses(4100));
    await done("replace", "Versions", "many.txt");
    const table = await done("versions", "Versions");
    assert.match(table, /^ {2}version +created +change +changed rules\n {2,}\d+ .*Z {2}replace-rules +4,100\n/);
    const listed = JSON.parse(await done("versions", "Versions", "--json")) as { version: number; change: string }[];
    assert.deepEqual(
      listed.map(({ change }) => change),
      ["replace-rules", "batch-rules", "create-ruleset"],
    );
    assert.deepEqual(Object.keys(listed[0]!), ["version", "created_at", "change", "changed_rules"]);
    const version = String(listed[1]!.version);
    const few = await ruleset("restore", "Versions", version, "--yes");
    assert.deepEqual([few.code, /add --max-shrink 100/.test(few.stderr)], [1, true], few.stderr);
    const asked = await ruleset("restore", "Versions", version, "--max-shrink", "100");
    assert.equal(asked.code, 2);
    assert.match(asked.stdout, /^- 20\.0\.0\.0\t\t$/m);
    assert.match(asked.stdout, /^~ 20\.0\.0\.1\t.*first\t.*2999-01-01T00:00:00\.000Z/m);
    await done("restore", "Versions", version, "--yes", "--max-shrink", "100");
    const rule = JSON.parse(await done("export", "Versions", "--format", "ndjson"));
    assert.deepEqual([rule.ip, rule.name, rule.expires_at], ["20.0.0.1", "first", "2999-01-01T00:00:00.000Z"]);
    await done("restore", "Versions", String(listed[0]!.version), "--yes");
    assert.equal(
      (await done("export", "Versions")).split("\n").length,
      4101,
      "restoring can be undone in the same way",
    );
    await done("create", "Unchanged");
    assert.equal((await ruleset("versions", "Unchanged")).code, 1);
  });

  test("that are not kept are named together with those that are", async () => {
    const kept = JSON.parse(await done("versions", "Versions", "--json")).slice(1) as { version: number }[];
    const list = kept.map(({ version }) => version).join(", ");
    assertRefused(
      await ruleset("restore", "Versions", "1"),
      new RegExp(`version 1 is not kept; there are ${list}$`, "m"),
    );
    assertRefused(await ruleset("restore", "Versions", "1.5"), /1\.5: a version is a number/);
    assertRefused(await ruleset("restore", "Versoins", "1"), /did you mean "Versions"\?/);
  });
});

describe("a file", () => {
  test("yields the same results, line errors, rejections and exit codes as a server", async () => {
    await empty();
    await done("create", "same.ipsieve");
    file("two.csv", "ip,name,expires_at\n20.0.0.1,old,2020-01-01T00:00:00Z\n2001:470::/32,new,2999-01-01T00:00:00Z\n");
    file("faulty.txt", "20.0.0.7\n300.1.1.1\n20.0.0.0/33\n20.0.0.7\n10.0.0.1\n");
    file(
      "faulty.json",
      '{"rules":[{"ip":"20.0.0.8"},{"ip":"x"},{"ip":"20.0.0.8"},{"ip":"20.0.0.9","expires_at":"soon"}]}',
    );
    file("latin.txt", Buffer.from("20.0.0.1 # caf\u00e9\n", "latin1"));
    file("many.txt", addresses(40));
    file("few.txt", addresses(5));
    file("none.txt", "# none\n");
    file(
      "redundant.csv",
      "ip,name,expires_at\n30.0.0.0/9,,\n30.128.0.0/9,,\n30.1.2.3,inside,\n31.0.0.0/8,,2999-01-01T00:00:00Z\n31.0.0.7,longer,\n",
    );
    const steps = [
      ["import", "two.csv", "--json"],
      ["add", "20.0.0.0/24", "20.0.0.1", "--name", "scan", "--json"],
      ["add", "20.0.0.9", "20.0.0.1", "--conflict", "fail"],
      ["add", "20.0.0.9", "10.0.0.1", "--expires-at", "soon"],
      ["check", "20.0.0.1", "2001:470::7", "20.0.1.0/24", "--all"],
      ["import", "faulty.txt"],
      ["import", "faulty.txt", "--skip-invalid", "--json"],
      ["import", "faulty.json"],
      ["import", "faulty.json", "--skip-invalid", "--expires-in-days", "0"],
      ["import", "faulty.json", "--skip-invalid"],
      ["import", "latin.txt"],
      ["remove", "20.0.0.0/24", "20.0.0.77"],
      ["export", "--format", "csv", "--all"],
      ["export", "--set-name", "x"],
      ["replace", "many.txt"],
      ["replace", "few.txt"],
      ["replace", "few.txt", "--dry-run", "--json"],
      ["apply", "few.txt", "--max-shrink", "90", "--yes"],
      ["apply", "none.txt", "--yes"],
      ["check", "--json", "20.0.0.3"],
      ["replace", "redundant.csv", "--max-shrink", "100"],
      ["compact"],
      ["compact", "--yes"],
      ["export", "--format", "csv", "--all"],
      ["compact", "--ignore-names"],
    ];
    const PROBLEM = ["type", "title", "status", "detail", "instance", "request_id"];
    /**
     * Without what rightly differs: names, times, the order of members, what only a problem document has, and warnings
     * about other rulesets of the server, which a file does not have.
     */
    const comparable = ({ code, stdout, stderr }: Outcome, name: string): object => ({
      code,
      stderr: stderr
        .replaceAll(name, "RULESET")
        .replace("http://127.0.0.1:" + service.port + ": Conflict: ", "RULESET: "),
      stdout: stdout
        .replaceAll(name, "RULESET")
        .split("\n")
        .map((line) =>
          line.startsWith("{")
            ? JSON.parse(line, (key, value) =>
                /^((created|updated)_at|warnings)$/.test(key) || PROBLEM.includes(key) ? undefined : value,
              )
            : line,
        ),
    });
    for (const [command, ...rest] of steps) {
      const [onServer, inFile] = await Promise.all(
        [BLOCKLIST, "same.ipsieve"].map(async (name) => comparable(await ruleset(command!, name, ...rest), name)),
      );
      assert.deepEqual(inFile, onServer, `${command} ${rest.join(" ")}`);
    }
  });
});

describe("diff", () => {
  test("lists and rulesets, in the order of prefixes, as lines, JSON and counts", async () => {
    await empty();
    const old = file("old.csv", "ip,name\n20.0.0.1,a\n20.0.0.2,b\n20.0.0.3,\n");
    await done("import", BLOCKLIST, old);
    const next = file("next.csv", "ip,name,expires_at\n20.0.0.0/24,,\n20.0.0.2,c,2999-01-01T00:00:00Z\n20.0.0.3,,\n");
    const wanted = "+ 20.0.0.0/24\t\t\n- 20.0.0.1\ta\t\n~ 20.0.0.2\tb\t\t->\tc\t2999-01-01T00:00:00.000Z\n";
    assert.equal(await done("diff", old, next), wanted);
    assert.equal(await done("diff", BLOCKLIST, next), wanted);
    assert.equal(await done("diff", BLOCKLIST, next, "--summary"), "1 rule added, 1 changed, 1 removed\n");
    assert.deepEqual(
      (await done("diff", next, BLOCKLIST, "--json"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [
        { before: { ip: "20.0.0.0/24", name: null, expires_at: null }, after: null },
        { before: null, after: { ip: "20.0.0.1", name: "a", expires_at: null } },
        {
          before: { ip: "20.0.0.2", name: "c", expires_at: "2999-01-01T00:00:00.000Z" },
          after: { ip: "20.0.0.2", name: "b", expires_at: null },
        },
      ],
    );
    const same = await ruleset("diff", BLOCKLIST, old);
    assert.deepEqual([same.code, same.stdout, same.stderr], [1, "", ""]);
  });

  test("two lists need no server, and an unreadable line is an error with its position", async () => {
    const [left, right] = [file("left.txt", "20.0.0.1\n"), file("right.txt", "20.0.0.1\nx\n")];
    const offline = { env: { IPSIEVE_SERVER: "", IPSIEVE_API_KEY: "" } };
    assertRefused(
      await call(["ruleset", "diff", left, right], offline),
      /right\.txt:2: column 1: "x".*\n.*1 line cannot/s,
    );
    assertRefused(await call(["ruleset", "diff", left, "nothing"], offline), /IPSIEVE_API_KEY/);
    assertRefused(await ruleset("diff", left, "nothing"), /there is no ruleset "nothing"/);
    assertRefused(await ruleset("diff", left, file("bad.txt", Buffer.from([0x31, 0xff, 0x0a]))), /not UTF-8/);
  });
});

describe("apply", () => {
  const terminal = (
    command: string,
    answer: string,
    before = async (): Promise<unknown> => undefined,
  ): Promise<Outcome> => {
    const child = spawn("script", ["-qfec", command, "/dev/null"], {
      cwd: folder.path,
      env: { ...process.env, IPSIEVE_SERVER: `http://127.0.0.1:${service.port}`, IPSIEVE_API_KEY: key, NO_COLOR: "1" },
    });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes("[y/N]")) return;
      text = "";
      void before().then(() => child.stdin.write(answer));
    });
    return outcomeOf(child);
  };
  const command = (list: string): string =>
    `'${process.execPath}' '${COMMAND_FILE}' ruleset apply '${BLOCKLIST}' ${list}`;

  test("shows the plan, and replaces with --yes; without a terminal nothing is written", async () => {
    await empty();
    await done("import", BLOCKLIST, file("was.csv", "ip,name\n20.0.0.1,a\n20.0.0.2,b\n"));
    const list = file("will.csv", "ip,name\n20.0.0.2,c\n20.0.0.3,\n");
    const plan = "- 20.0.0.1\ta\t\n~ 20.0.0.2\tb\t\t->\tc\t\n+ 20.0.0.3\t\t\n";
    const refused = await ruleset("apply", BLOCKLIST, list);
    assert.deepEqual(
      [refused.code, refused.stdout],
      [2, `${plan}${BLOCKLIST}: 1 rule would be added, 1 changed, 1 removed, 0 unchanged\n`],
    );
    assert.match(
      refused.stderr,
      /nothing was written: there is no terminal to confirm at\. If the plan is right, add --yes/,
    );
    assert.deepEqual(await lines(), ["20.0.0.1", "20.0.0.2"]);
    assert.match(await done("apply", BLOCKLIST, list, "--yes"), /: 1 rule added, 1 changed, 1 removed, 0 unchanged/);
    assert.deepEqual(await lines(), ["20.0.0.2", "20.0.0.3"]);
    assert.match(await done("apply", BLOCKLIST, list), /0 rules would be added, 0 changed, 0 removed, 2 unchanged/);
    assertRefused(await ruleset("apply", BLOCKLIST, "-"), /save it to a file/);
    const emptied = await ruleset("apply", BLOCKLIST, file("none.txt", "# none\n"), "--yes");
    assert.equal(emptied.code, 1);
    assert.match(
      emptied.stderr,
      /would remove all 2 rules; nothing was written\. To empty the ruleset, add --allow-empty/,
    );
    assert.equal((await lines()).length, 2);
  });

  test(
    "asks at a terminal: y replaces, anything else does not, nor if the rules have changed meanwhile",
    { skip: spawnSync("script", ["--version"]).status === 0 ? false : "no script (util-linux) for a terminal" },
    async () => {
      await empty();
      await done("add", BLOCKLIST, "20.0.0.1");
      const list = file("asked.txt", "20.0.0.2\n");
      for (const answer of ["n\n", "\n", "\x04"]) {
        const { code, stdout } = await terminal(command(list), answer);
        assert.equal(code, 1, stdout);
        assert.deepEqual(await lines(), ["20.0.0.1"]);
      }
      const changed = await terminal(command(list), "y\n", () => done("add", BLOCKLIST, "20.0.0.9"));
      assert.equal(changed.code, 2);
      assert.match(changed.stdout, /have changed since/);
      assert.deepEqual(await lines(), ["20.0.0.1", "20.0.0.9"]);
      assert.equal((await terminal(command(list), "y\n")).code, 0);
      assert.deepEqual(await lines(), ["20.0.0.2"]);
    },
  );
});

describe("errors say what, where and the remedy", () => {
  test("missing rulesets, and ambiguous names", async () => {
    assertRefused(await ruleset("export", "My Blocklst rules"), /did you mean "My Blocklist rules"\?\n$/);
    assertRefused(await ruleset("export", "xyzzy"), /"ipsieve ruleset list" lists them\n$/);
    const body = JSON.stringify({ name: BLOCKLIST, purpose: "allowlist" });
    const twin = (await (
      await fetch(`http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/`, {
        method: "POST",
        headers: { "X-API-Key": key, "Content-Type": "application/json" },
        body,
      })
    ).json()) as { id: string };
    assertRefused(
      await ruleset("export", BLOCKLIST),
      new RegExp(
        `several rulesets are named "${BLOCKLIST}"; give the id of one: ${ids[BLOCKLIST]} \\(blocklist\\), ${twin.id} \\(allowlist\\)\n$`,
      ),
    );
    await done("export", ids[BLOCKLIST]!);
    await fetch(`http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/${twin.id}`, {
      method: "DELETE",
      headers: { "X-API-Key": key },
    });
  });

  test("unreadable files, before or while they are sent: nothing is written", async () => {
    const count = (await lines()).length;
    const packed = gzipSync(Buffer.from(addresses(50_000)));
    file("whole.txt", addresses(1));
    for (const [name, content, message] of [
      ["cut.gz", packed.subarray(0, packed.length - 100), /cut\.gz: the compressed data ends too early/],
      ["binary.txt", Buffer.from("\0\u0001"), /binary\.txt: not text/],
      [
        "latin.txt",
        Buffer.from("20.0.0.1 # caf\u00e9\n20.0.0.2\u00e9\n", "latin1"),
        /^latin\.txt:2: column 9: .*: the line is not UTF-8; convert the file\nipsieve: latin\.txt: nothing was written; /,
      ],
      [
        "latin.csv",
        Buffer.from("ip,name\n20.0.0.1,caf\u00e9\n", "latin1"),
        /latin\.csv: is not valid UTF-8; nothing was written\n$/,
      ],
      ["empty.json", "", /^ipsieve: empty\.json: is empty; a JSON document is required; nothing was written\n$/],
      ["object.json", "{}", /object\.json: /],
      ["large.txt", `# ${"x".repeat(98)}\n`.repeat(50_000), /Content Too Large: .*4000000 bytes.*--bulk-body-limit/],
      ["long.txt", addresses(200_001), /long\.txt:200001: .*more than 200000 rules/],
    ] as const) {
      assertRefused(await ruleset("import", BLOCKLIST, file(name, content)), message);
    }
    assertRefused(await ruleset("import", BLOCKLIST, "absent.txt"), /absent\.txt: no such file/);
    assertRefused(await ruleset("import", BLOCKLIST, "."), /this is a folder/);
    assert.equal((await lines()).length, count);
  });

  test("options", async () => {
    file("one.txt", "20.0.0.1\n");
    for (const [args, message] of [
      [
        ["import", BLOCKLIST, "one.txt", "--expires-in-days", "1", "--expires-at", "2999-01-01T00:00:00Z"],
        /give one of them/,
      ],
      [["import", BLOCKLIST, "one.txt", "--expires-in-days", "0"], /whole number from 1 to 2900000/],
      [["import", BLOCKLIST, "one.txt", "--expires-at", "tomorrow"], /^ipsieve: --expires-at: "tomorrow": /],
      [["import", BLOCKLIST, "one.txt", "--name", "a\u0007"], /^ipsieve: --name: /],
      [["import", BLOCKLIST, "one.txt", "--conflict", "merge"], /Choose from extend, override, skip, fail/i],
      [["replace", BLOCKLIST, "one.txt", "--max-shrink", "101"], /whole number from 0 to 100/],
      [["list", "--server", "lists.example.org"], /^ipsieve: --server: write http:\/\/HOST:PORT/],
      [["list", "--server", "https://user:secret@lists.example.org"], /^ipsieve: --server: write (?!.*secret)/],
      [["list", "--key-file", "none"], /--key-file none: cannot be read \(ENOENT\)/],
      [["list", "--key-file", "one.txt"], /one\.txt: this is not an API key/],
    ] as const)
      assertRefused(await ruleset(...args), message);
  });

  test("keys: none, a mistyped one, a read-only one, one without a plan, a revoked one", async () => {
    const as = (text: string): Promise<Outcome> =>
      call(["ruleset", "import", BLOCKLIST, file("one.txt", "20.0.0.1\n")], { env: { IPSIEVE_API_KEY: text } });
    assertRefused(await as(""), /set IPSIEVE_API_KEY, or name a file that holds one with --key-file/);
    assertRefused(
      await as(`${key.slice(0, -1)}é`),
      /^ipsieve: IPSIEVE_API_KEY: this is not an API key; copy the whole/,
    );
    assertRefused(await as(await knownKey("--org", "Example")), /Permission Denied: /);
    await call(["org", "create", "Poor"]);
    assertRefused(await as(await knownKey("--org", "Poor", "--access", "read_write")), /Permission Denied: .*plan/);
    const revoked = await knownKey("--org", "Example");
    await call(["key", "revoke", revoked.slice(0, 8)]);
    assertRefused(await as(await knownAs(revoked, (status) => status === 401)), /the server does not accept the key/);
  });
});

/** Gives an answer that no ipsieve server gives. */
async function withServer(answer: RequestListener, use: (url: string, server: Server) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("invalid server URLs", () => {
  test("no server listens", async () => {
    const port = await freePort();
    assertRefused(
      await ruleset("list", "--server", `http://127.0.0.1:${port}`),
      new RegExp(
        `^ipsieve: no response from http://127\\.0\\.0\\.1:${port} \\(ECONNREFUSED\\); nothing listens there: check that the service is running`,
      ),
    );
  });

  test("a redirect is not followed, so the key is not sent elsewhere", async () => {
    const seen: string[] = [];
    await withServer(
      (request, response) =>
        void (seen.push(request.url!), response.writeHead(301, { location: "https://lists.example.org/" }).end()),
      async (url) => {
        assertRefused(
          await ruleset("list", "--server", url),
          /the server redirects to https:\/\/lists\.example\.org\/; give the server's own address with --server\n$/,
        );
      },
    );
    assert.equal(seen.length, 1);
  });

  test("responses of other programs", async () => {
    await withServer(
      (_request, response) => void response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not Found</h1>"),
      async (url) => {
        assertRefused(
          await ruleset("list", "--server", url),
          /the service answered 404 Not Found; check that this is the address of an ipsieve server\n$/,
        );
      },
    );
  });

  test("an interrupted export leaves the old file", async () => {
    const page = {
      items: [{ id: "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11", name: BLOCKLIST, purpose: "blocklist" }],
      next: null,
    };
    await withServer(
      (request, response) => {
        if (!request.url!.includes("export"))
          return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page));
        response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" }).write("20.0.0.1/32\n");
        setTimeout(() => response.destroy(), 200);
      },
      async (url) => {
        file("kept.txt", "old\n");
        assertRefused(
          await ruleset("export", BLOCKLIST, "-o", "kept.txt", "--server", url),
          /no response from .*the connection was closed early/,
        );
        assert.equal(readFileSync(join(folder.path, "kept.txt"), "utf8"), "old\n");
      },
    );
  });
});

/** Blocklists as published: see test/cti/importers/published-lists.test.ts. */
const published = resolve(
  process.env.IPSIEVE_LISTS ?? join(import.meta.dirname, "../../../../shared/data/cbs"),
  "../blocklists",
);
const PUBLISHED: readonly [path: string, entries: number, special: number][] = [
  ["firehol/stopforumspam_30d.ipset", 45_642, 5],
  ["tor/tor-nodes.lst", 8054, 1],
  ["firehol/firehol_level1.netset", 4491, 13],
  ["x4bnet/datacenter-ipv6.txt", 8752, 0],
];
for (const [path, entries, special] of PUBLISHED) {
  const list = join(published, path);
  test(
    `the published list ${path}: every line counted, special-purpose addresses left out, exported unchanged`,
    { skip: existsSync(list) ? false : `no ${list}; name the folder beside the blocklists in IPSIEVE_LISTS` },
    async () => {
      await empty();
      const { code, stdout, stderr } = await ruleset(
        "replace",
        BLOCKLIST,
        list,
        "--skip-invalid",
        "--json",
        "--max-shrink",
        "100",
      );
      assert.deepEqual(
        [code, JSON.parse(stdout).added, JSON.parse(stdout).invalid, stderr.split("\n").length - 1],
        [0, entries - special, special, special],
        stderr,
      );
      assert.equal((await lines()).length, entries - special);
    },
  );
}

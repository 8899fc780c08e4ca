/** Lists in the spirit of public reports, whose meaning used to be read by half. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SMALL_CATALOGUE } from "../api/harness/small-catalogue.ts";
import { run, temporaryFolder } from "../cli/run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder({
    "dbip.csv": "203.0.113.0,203.0.113.255,AU\n198.51.100.0,198.51.100.255,US\n",
    "dshield.txt": "203.0.113.0\t203.0.113.255\t24\t1234\tSOMENET\tUS\tabuse@example.net\n",
    "spaced.txt": "203.0.113.1 - 203.0.113.10\n",
    "comma.txt": "192.0.2.0/24,198.51.100.0/24\n",
    "asn.csv": '1.0.0.0/24,13335,"Cloudflare, Inc."\n1.0.4.0/22,56203,Gtelecom\n',
    "mixed.txt": "8.8.8.8\n9.9.9.9\n2600:1::/32\n",
    "bogons6.txt": "::/8\n100::/64\n::ffff:0:0/96\nfc00::/7\nfe80::/10\n",
    "otx.txt": "203.0.113.4#4#2#Malicious Host#CN##39.9,116.4#3\n203.0.113.5;x\n203.0.113.6 # y\n",
    "p2p.txt": "203.000.113.000 - 203.000.113.255 , 000 , Bogon\nSome Org, Inc:192.0.2.1-192.0.2.10\n",
    "mask.txt": "203.0.113.0 255.255.255.0\n",
    "own.txt": "5.6.7.10-5.6.7.20\n9.9.9.9/24\n1.2.4.0/24\n8.8.8.8\n",
    "twice.txt": "8.8.4.4\n9.9.9.9\n8.8.4.4\n",
    "private.txt": "10.0.0.0/8\n8.8.8.8\n",
    "comments.txt": "# our networks\n; none yet\n",
    "ipsum.txt": "# IP\tnumber\n77.90.185.20\t10\n2.57.122.1\t9\n",
    "log.txt": `${"::1 - - [27/Nov/2026] GET /\n".repeat(3000)}`,
    "feed.txt": "64.0.0.0/3\n",
  });
  copyFileSync(SMALL_CATALOGUE, join(folder.path, "catalogue.ipsieve"));
});
after(() => folder.remove());

const ipsieve = (...args: string[]) => run(args, { cwd: folder.path, env: { IPSIEVE_HOME: folder.path } });
async function printed(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await ipsieve(...args);
  assert.ok(code !== 2, stderr);
  return stdout.split("\n").filter((line) => line !== "");
}
async function refused(message: RegExp, ...args: string[]): Promise<void> {
  const { code, stderr } = await ipsieve(...args);
  assert.equal(code, 2);
  assert.match(stderr, message);
}
async function labelsOf(snapshot: string, ...addresses: string[]): Promise<string[]> {
  const lines = await printed("lookup", "--json", "--snapshot", snapshot, ...addresses);
  return lines.map((line) => JSON.parse(line).cbs_ids.join());
}

test("country tables with first,last,country are no two addresses", async () => {
  const cure = /^dbip\.csv:1: column 13: .*203\.0\.113\.0-203\.0\.113\.255, or each address on a line of its own$/m;
  await refused(cure, "build", "dbip.csv", "-o", "dbip.ipsieve");
  await refused(cure, "sets", "union", "dbip.csv");
});

test("first TAB last TAB 24, and an address with its mask, are not their first address; the advice keeps the network", async () => {
  await refused(
    /^dshield\.txt:1:13: .*203\.0\.113\.0-203\.0\.113\.255/m,
    "cti",
    "import",
    "dshield.txt",
    "-o",
    "c.ipsieve",
  );
  await refused(
    /^dshield\.txt:1: column 13: .*203\.0\.113\.0-203\.0\.113\.255/m,
    "build",
    "dshield.txt",
    "-o",
    "c.ipsieve",
  );
  await refused(/^mask\.txt:1: column 13: .*write 203\.0\.113\.0\/24, /m, "build", "mask.txt", "-o", "c.ipsieve");
});

test("a range with blanks is a range in a feed", async () => {
  await printed("cti", "import", "spaced.txt", "-o", "spaced.ipsieve");
  const seen = await printed("cti", "lookup", "--json", "--snapshot", "spaced.ipsieve", "203.0.113.5", "203.0.113.11");
  assert.deepEqual(
    seen.map((line) => JSON.parse(line).seen),
    [true, false],
  );
});

test("all networks of a line count, in a list that protects and in one that labels", async () => {
  const sets = ["--include", "198.51.100.0/25", "--include", "9.9.9.9", "--exclude", "comma.txt"];
  assert.deepEqual(await printed("deployment", "render", ...sets), ["9.9.9.9"]);
  await printed("build", "comma.txt", "-o", "comma.ipsieve");
  assert.deepEqual(await labelsOf("comma.ipsieve", "192.0.2.1", "198.51.100.1"), ["comma", "comma"]);
});

test("a quoted name may have a comma", async () => {
  await printed("build", "asn.csv", "--name-column", "3", "-o", "asn.ipsieve");
  assert.deepEqual(await labelsOf("asn.ipsieve", "1.0.0.1", "1.0.4.1"), ["13335", "56203"]);
  assert.match((await printed("lookup", "--snapshot", "asn.ipsieve", "1.0.0.1")).join(), /Cloudflare, Inc\./);
});

test("the IPv4-mapped block among bogons never means all of IPv4", async () => {
  await refused(
    /^bogons6\.txt:1: .*\nbogons6\.txt:3: column 1: "::ffff:0:0\/96": /m,
    "sets",
    "subtract",
    "mixed.txt",
    "bogons6.txt",
  );
  await refused(/^bogons6\.txt:3: /m, "explain", "8.8.8.8", "--rules", "bogons6.txt");
  await refused(/^bogons6\.txt:3: /m, "build", "bogons6.txt", "-o", "bogons6.ipsieve");
  const { code, stderr } = await ipsieve("build", "--skip-invalid", "bogons6.txt", "-o", "bogons6.ipsieve");
  assert.deepEqual([code, /2 lines left out/.test(stderr)], [0, true]);
  assert.deepEqual(await labelsOf("bogons6.ipsieve", "8.8.8.8", "fe80::1"), ["", "bogons6"]);
});

test("comments glued to an entry; a count behind it", async () => {
  assert.deepEqual(await printed("sets", "union", "otx.txt"), ["203.0.113.4/31", "203.0.113.6"]);
  assert.deepEqual(await printed("sets", "union", "ipsum.txt"), ["2.57.122.1", "77.90.185.20"]);
});

test("lists for peer-to-peer programs are refused with the line that says the same", async () => {
  await refused(
    /^p2p\.txt:1: .*write 203\.0\.113\.0-203\.0\.113\.255\np2p\.txt:2: .*write 192\.0\.2\.1-192\.0\.2\.10$/m,
    "sets",
    "union",
    "p2p.txt",
  );
});

test("a mapped prefix with the length of IPv4", () =>
  refused(/did you mean 198\.51\.100\.0\/24 or ::ffff:198\.51\.100\.0\/120\?\n$/, "lookup", "::ffff:198.51.100.0/24"));

test("a list with a line twice is imported; addresses that are not permitted are called that", async () => {
  await printed("ruleset", "create", "r.ipsieve");
  assert.match(
    (await printed("ruleset", "import", "r.ipsieve", "twice.txt"))[0]!,
    /2 rules added, .*; 1 line repeats another$/,
  );
  await refused(
    /^private\.txt:1: column 1: .*not permitted; .*--allow-special-purpose$/m,
    "ruleset",
    "import",
    "r.ipsieve",
    "private.txt",
  );
});

test("a list that protects is whole and not empty, or nothing is done", async () => {
  const render = ["deployment", "render", "--include", "9.9.9.0/24", "--exclude"];
  await refused(/^own\.txt:2: column 9: .*did you mean 9\.9\.9\.0\/24\?$/m, ...render, "own.txt");
  await refused(
    /comments\.txt: the list has no entries, so it protects nothing; .*--allow-empty$/m,
    ...render,
    "comments.txt",
  );
  assert.deepEqual(await printed(...render, "comments.txt", "--allow-empty"), ["9.9.9.0/24"]);
  const allow = ["deployment", "render", "--include", "9.9.9.9", "--include", "comments.txt"];
  assert.deepEqual(await printed(...allow), ["9.9.9.9"]);
  await refused(/comments\.txt: the list has no entries/, ...allow, "--purpose", "allowlist");
  await printed("ruleset", "create", "n.ipsieve");
  const guarded = ["ruleset", "import", "n.ipsieve", "feed.txt", "--guard", "warn", "--never"];
  await refused(/comments\.txt: the list has no entries/, ...guarded, "comments.txt");
  await refused(/^own\.txt:2: /m, ...guarded, "own.txt");
  assert.match((await printed(...guarded, "comments.txt", "--allow-empty"))[0]!, /1 rule added/);
  const explain = ["explain", "9.9.9.9", "--rules", "feed.txt", "--allow", "comments.txt"];
  await refused(/comments\.txt: the list has no entries/, ...explain);
  await printed(...explain, "--allow-empty");
  const fit = ["sets", "fit", "feed.txt", "--entries", "1", "--loss", "add", "--never"];
  await refused(/comments\.txt: the list has no entries/, ...fit, "comments.txt");
  assert.deepEqual(await printed(...fit, "comments.txt", "--allow-empty"), ["64.0.0.0/3"]);
});

test("of a file that is no list, every command reports 20 lines and the number of all", async () => {
  for (const args of [
    ["sets", "compare", "log.txt", "feed.txt"],
    ["deployment", "render", "--include", "log.txt"],
    ["explain", "192.0.2.1", "--rules", "log.txt"],
    ["ruleset", "import", "n.ipsieve", "log.txt"],
    ["ruleset", "diff", "log.txt", "feed.txt"],
    ["cti", "import", "log.txt", "-o", "x.ipsieve"],
    ["build", "log.txt", "-o", "x.ipsieve"],
  ]) {
    const { code, stderr } = await ipsieve(...args);
    assert.equal(code, 2, stderr);
    const lines = stderr.split("\n");
    assert.equal(lines.filter((line) => /^log\.txt:\d+:/.test(line)).length, 20, args.join(" "));
    assert.match(lines[20]!, /^log\.txt: \.\.\. and 2,980 more lines like these/, args.join(" "));
  }
});

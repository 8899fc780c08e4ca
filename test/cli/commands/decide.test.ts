/** Explaining addresses and replaying logs without a server. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { saveRuleset } from "../../../src/datasets/ruleset-files.ts";
import { Ruleset } from "../../../src/rulesets/ruleset.ts";
import { run, temporaryFolder } from "../run-command.ts";

let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  folder = temporaryFolder({
    "feed.csv":
      "ip,name,expires_at\n20.0.0.0/8,all,\n20.1.0.0/16,a part,2100-01-01T00:00:00Z\n9.9.9.9,never seen,\n1.1.1.0/24,dns,\n",
    "allow.txt": "20.1.2.3\n",
    "bad.txt": "20.0.0.1\n20.0.0.300\n",
    "escape.txt": "\u001b[31mred\n",
    "binary.txt": "20.0.0.1\0\n",
    "access.log":
      "20.1.2.3 GET /\n20.1.2.3 GET /\n20.1.2.4 GET /\n20.9.0.1 GET /\n1.1.1.1 GET /\n5.5.5.5 GET /\nno address\n2001:db8::7 GET /\n",
  });
  const rules = new Ruleset({ purpose: "blocklist" });
  rules.add("20.1.2.4");
  rules.add("5.5.5.0/24");
  await saveRuleset(join(folder.path, "live.ipsieve"), rules);
});
after(() => folder.remove());

const command = (...args: string[]) => run(args, { cwd: folder.path });

test("each address is explained: which rules cover it, which decides, until when, and its owner", async () => {
  const lists = ["--rules", "feed.csv", "--rules", "live.ipsieve", "--allow", "allow.txt"];
  const { code, stdout } = await command("explain", "20.1.2.3", "20.1.2.4", "1.1.1.1", "8.8.8.8", ...lists, "--json");
  const [allowed, blocked, dns, none] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([code, allowed.verdict, blocked.verdict, none.verdict], [0, "allowed", "blocked", "none"]);
  assert.deepEqual(blocked.lists[0].rules, [
    { ip: "20.1.0.0/16", name: "a part", expires_at: "2100-01-01T00:00:00.000Z", role: "decides" },
    { ip: "20.0.0.0/8", name: "all", expires_at: null, role: "less-specific" },
  ]);
  assert.equal(blocked.next_change_at, "2100-01-01T00:00:00.000Z");
  // The rule that expires is overridden by the allowlist, before and after.
  assert.deepEqual([allowed.next_change_at, allowed.lists[0].next_change_at], [null, "2100-01-01T00:00:00.000Z"]);
  assert.deepEqual(
    allowed.lists.map(({ purpose }: { purpose: string }) => purpose),
    ["blocklist", "blocklist", "allowlist"],
  );
  assert.ok(dns.services.some((id: string) => id.includes("cloudflare")));
  const later = await command("explain", "20.1.2.9", "--rules", "feed.csv", "--now", "2100-01-02");
  assert.ok(
    later.stdout.startsWith(
      '20.1.2.9: blocked\n  feed.csv (blocklist)  20.1.0.0/16 "a part": expired at 2100-01-01T00:00:00.000Z\n  feed.csv (blocklist)  20.0.0.0/8 "all": decides: the most specific active rule\n',
    ),
    later.stdout,
  );
});

test("a log is replayed: hits by rule, address and service, rules without hits, and the hits of another list", async () => {
  const { code, stdout } = await command(
    "replay",
    "access.log",
    "--rules",
    "feed.csv",
    "--against",
    "live.ipsieve",
    "--json",
  );
  const found = JSON.parse(stdout);
  assert.equal(code, 0);
  assert.deepEqual(found.log, { lines: 8, with_address: 7, without_address: 1 });
  assert.deepEqual(
    [found.hit, found.rules],
    [
      { lines: 5, addresses: 4 },
      { hit: 3, never_hit: 1 },
    ],
  );
  assert.deepEqual(found.unused_rules, [{ ip: "9.9.9.9", name: "never seen" }]);
  assert.deepEqual(found.top_rules[0], { ip: "20.1.0.0/16", name: "a part", lines: 3, addresses: 2 });
  assert.deepEqual(found.top_addresses[0], { ip: "20.1.2.3", lines: 2 });
  assert.ok(found.services.some(({ cbs_id: id }: { cbs_id: string }) => id.includes("cloudflare")));
  assert.deepEqual(
    [found.only_rules, found.only_against],
    [
      { lines: 4, addresses: 3 },
      { lines: 1, addresses: 1 },
    ],
  );
  const unused = await command("replay", "access.log", "--rules", "feed.csv");
  assert.match(unused.stdout, /\n {2}never hit\n {2}9\.9\.9\.9 "never seen"\n/);
  const text = await command("replay", "access.log", "--rules", "live.ipsieve", "--top", "1");
  assert.match(
    text.stdout,
    /^hit: 2 lines of 2 addresses, of 7 lines with an address\nrules: 2 hit, 0 active ones never hit\n/,
  );
});

test("unreadable input is named with its line, without control characters for a terminal", async () => {
  for (const [args, message] of [
    [["explain", "20.0.0.1"], /give --rules RULES at least once/],
    [["explain", "20.0.0.1", "--rules", "bad.txt"], /^bad\.txt:2: .*\nipsieve: bad\.txt: 1 line cannot be read/],
    [["explain", "20.0.0.1", "--rules", "escape.txt"], /^escape\.txt:1: column 1: "\\u001b\[31mred": /],
    [["replay", "bad.txt", "--rules", "binary.txt"], /^ipsieve: binary\.txt: not text/],
    [["explain", "20.0.0.300", "--rules", "allow.txt"], /20\.0\.0\.300/],
    [["replay", "missing.log", "--rules", "allow.txt"], /missing\.log/],
  ] as const) {
    const { code, stderr } = await command(...args);
    assert.match(stderr, message);
    assert.equal(code, 2);
  }
});

test("a log without addresses, and a list without rules, hit nothing", async () => {
  writeFileSync(join(folder.path, "words.log"), "hello\nworld\n");
  writeFileSync(join(folder.path, "none.txt"), "");
  const words = await command("replay", "words.log", "--rules", "allow.txt");
  assert.equal(
    words.stdout,
    "hit: 0 lines of 0 addresses, of 0 lines with an address\nrules: 0 hit, 1 active ones never hit\n  never hit\n  20.1.2.3\n",
  );
  const none = await command("replay", "access.log", "--rules", "none.txt");
  assert.match(none.stdout, /\nrules: 0 hit, 0 active ones never hit\n$/);
  assert.deepEqual([words.code, none.code], [1, 1]);
});

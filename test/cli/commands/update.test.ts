import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { SOURCES } from "../../../src/cbs/importers/sources.ts";
import { homeFolder } from "../../../src/cli/snapshots/home.ts";
import { ageText } from "../../../src/cli/output/ages.ts";
import { SMALL_CATALOGUE } from "../../api/harness/small-catalogue.ts";
import { publicPrefixes } from "../../update/lists.ts";
import { CA_FILE, page, type Publisher, startPublisher, status } from "../../update/publisher.ts";
import { type Outcome, run, temporaryFolder } from "../run-command.ts";
import { onlyLong } from "../../rounds.ts";

let publisher: Publisher;
let folder: ReturnType<typeof temporaryFolder>;
before(async () => {
  publisher = await startPublisher();
});
after(() => publisher.close());
beforeEach(() => {
  folder = temporaryFolder();
  publisher.pages.clear();
});
afterEach(() => folder.remove());

const LISTS = SOURCES.flatMap(({ files }) => files).length;

const ipsieve = (...args: string[]): Promise<Outcome> =>
  run(args, {
    cwd: folder.path,
    env: {
      IPSIEVE_HOME: join(folder.path, "home"),
      ...(args.includes("--mirror") && { NODE_EXTRA_CA_CERTS: CA_FILE }),
      ...(base !== "" && args[1] === "update" && { NODE_OPTIONS: base }),
    },
  });

/** Lists are layered over a few lines, unless a test requests the bundled catalogue. */
const SMALL_BASE = new URL("../../update/small-base.ts", import.meta.url);
SMALL_BASE.searchParams.set("path", SMALL_CATALOGUE);
const SMALL = `--import=${SMALL_BASE.href}`;
let base = SMALL;
beforeEach(() => {
  base = SMALL;
});

function write(path: string, text: string): void {
  mkdirSync(join(folder.path, path, ".."), { recursive: true });
  writeFileSync(join(folder.path, path), text);
}

const hundred = publicPrefixes(0, 100).join("\n");

describe("cbs update", () => {
  test("from a folder: a table on stdout, problems on stderr, and an exit code", async () => {
    write("lists/cloudflare/ips-v4", hundred);
    write("lists/telegram/cidr.txt", "30.0.0.0/24\n2600::/32\n");
    const first = await ipsieve("cbs", "update", "--from", "lists");
    assert.deepEqual([first.code, first.stderr], [0, ""]);
    assert.ok(first.stdout.includes(`\n  ${LISTS} lists: 2 new, ${LISTS - 2} absent\n`));
    assert.match(
      first.stdout,
      /^ {2}list +prefixes +added +removed\n {2}cloudflare\/ips-v4 +new +100\n {2}telegram\/cidr\.txt +new +2\n\n {2}.*\n {2}\S+home\/catalogue\.ipsieve: 2 official sources, 13 nodes, 104 IPv4 prefixes, 2 IPv6 prefixes\n {2}merged with the prefixes known by AS number on \d{4}-\d\d-\d\d\n {2}kept as \S+home\/history\/\d{8}T\d{6}\.\d{3}Z\.ipsieve\n$/,
    );
    write("lists/cloudflare/ips-v4", publicPrefixes(1, 110).join("\n"));
    write("lists/telegram/cidr.txt", "<html>\n");
    const second = await ipsieve("cbs", "update", "--from", "lists", "--progress", "json");
    assert.equal(second.code, 1);
    assert.match(second.stdout, /cloudflare\/ips-v4 +changed +109 +\+10 +-1\n {2}telegram\/cidr\.txt +refused\n/);
    const lines = second.stderr.trimEnd().split("\n");
    assert.deepEqual(
      lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).done),
      Array.from({ length: LISTS }, (_, i) => i + 1),
    );
    assert.match(lines.at(-1)!, /^ipsieve: telegram\/cidr\.txt: refused: line 1: /);
    const report = JSON.parse((await ipsieve("cbs", "update", "--from", "lists", "--json")).stdout);
    assert.deepEqual([report.files.length, report.sources, report.generation], [LISTS, 2, null]);
  });

  test("--skip leaves a source out, which keeps its current lists", async () => {
    write("lists/telegram/cidr.txt", "91.108.4.0/22\n");
    write("lists/cloudflare/ips-v4", hundred);
    assert.equal((await ipsieve("cbs", "update", "--from", "lists")).code, 0);
    write("lists/cloudflare/ips-v4", "<html>moved</html>");
    const update = (...args: string[]) => ipsieve("cbs", "update", "--from", "lists", "--json", ...args);
    assert.equal((await update()).code, 1);
    const { code, stdout, stderr } = await update("--skip", "cloudflare", "--skip", "aws");
    assert.deepEqual([code, stderr], [0, ""]);
    const { files, sources } = JSON.parse(stdout);
    assert.deepEqual([files.length, sources], [LISTS - 3, 2]);
    assert.equal(JSON.parse((await update("--only", "aws", "--only", "tor", "--skip", "tor")).stdout).files.length, 1);
  });

  test("from a mirror over https; internal addresses only if they are named", async () => {
    const mirror = `https://localhost:${publisher.port}/lists`;
    publisher.pages.set("/lists/cloudflare/ips-v4", page(hundred));
    publisher.pages.set("/lists/cloudflare/ips-v6", status(404));
    const args = ["cbs", "update", "--only", "cloudflare", "--mirror", mirror];
    const refused = await ipsieve(...args);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /127\.0\.0\.1.*Loopback.*--allow-address 127\.0\.0\.1 allows it/s);
    const { code, stdout, stderr } = await ipsieve(...args, "--allow-address", "127.0.0.0/8", "--allow-address", "::1");
    assert.equal(code, 1);
    assert.match(stdout, / {2}2 lists: 1 new, 1 failed\n/);
    assert.match(
      stderr,
      /^ipsieve: cloudflare\/ips-v6: failed: https:\/\/localhost:\d+\/lists\/cloudflare\/ips-v6 responds with status 404\n$/,
    );
    assert.match(publisher.requests.at(-1)!.headers["user-agent"]!, /^ipsieve\/\d+\.\d+\.\d+$/);
    const untrusted = await run([...args, "--allow-address", "127.0.0.0/8"], {
      env: { IPSIEVE_HOME: join(folder.path, "home"), NODE_OPTIONS: SMALL },
    });
    assert.match(untrusted.stderr, /the certificate is not trusted/);
  });

  test("a refused change is accepted with --accept, or with another --max-change", { skip: onlyLong() }, async () => {
    write("lists/cloudflare/ips-v4", hundred);
    await ipsieve("cbs", "update", "--from", "lists");
    write("lists/cloudflare/ips-v4", publicPrefixes(60, 160).join("\n"));
    const { code, stderr } = await ipsieve("cbs", "update", "--from", "lists");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /75 % of it has changed .*accept it with --accept cloudflare; it is kept as \S+refused\/cloudflare\/ips-v4\n$/,
    );
    assert.equal((await ipsieve("cbs", "update", "--from", "lists", "--max-change", "74")).code, 1);
    assert.equal((await ipsieve("cbs", "update", "--from", "lists", "--accept", "cloudflare")).code, 0);
    write("lists/cloudflare/ips-v4", hundred);
    assert.equal((await ipsieve("cbs", "update", "--from", "lists", "--max-change", "75")).code, 0);
    assert.equal(readdirSync(join(folder.path, "home/history")).length, 3);
    await ipsieve("cbs", "update", "--from", "lists", "--keep", "2");
  });

  /** What an update says that has begun. */
  const BEGIN = [/only https URLs are fetched/, /home contains no list to build a catalogue from/];
  const REFUSED: readonly [args: readonly string[], message: RegExp][] = [
    [["--skip", "cloudflar"], /^ipsieve: there is no source "cloudflar"; did you mean cloudflare\?\n$/],
    [["--only", "tor", "--skip", "tor"], /^ipsieve: --skip leaves no source to fetch\n$/],
    [["--only", "cloudflar"], /^ipsieve: there is no source "cloudflar"; did you mean cloudflare\?\n$/],
    [["--accept", "frobnicate"], /there is no source "frobnicate"; "ipsieve cbs sources" lists them/],
    [["--from", "nowhere"], /--from nowhere: there is no such folder/],
    [["--from", ".", "--mirror", "https://x.example"], /cannot be combined/],
    [["--from", ".", "--allow-address", "10.0.0.0/8"], /--allow-address is only for fetching/],
    [["--allow-address", "10.1.0.0/8"], /did you mean 10\.0\.0\.0\/8/],
    [["--mirror", "http://mirror.example/", "--only", "aws"], BEGIN[0]!],
    [
      ["--mirror", "mirror.example/lists"],
      /^ipsieve: --mirror "mirror\.example\/lists": give a URL such as https:\/\/mirror\.example\/lists\n$/,
    ],
    [["--mirror", "file:///lists"], /give a URL such as/],
    [["--max-change", "0"], /--max-change "0": give a whole number from 1 to 100/],
    [["--keep", "none"], /--keep "none": give a whole number/],
    [["--from", "."], BEGIN[1]!],
  ];
  for (const [args, message] of REFUSED) {
    test(`refuses ${args.join(" ")}`, async () => {
      if (!BEGIN.includes(message)) base = "";
      const { code, stdout, stderr } = await ipsieve("cbs", "update", ...args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
    });
  }
});

describe("the updated catalogue", () => {
  test("is used by the commands from then on", async () => {
    base = "";
    assert.equal((await ipsieve("lookup", "1.1.1.1")).code, 0);
    assert.match((await ipsieve("info")).stdout, /data\/catalogue\.ipsieve\n/);
    write("lists/telegram/cidr.txt", "30.0.0.0/24\n");
    assert.match(
      (await ipsieve("cbs", "update", "--from", "lists")).stdout,
      /: 26 official sources, 9,\d{3} nodes, \d+,\d+ IPv4 prefixes, \d+,\d+ IPv6 prefixes\n/,
    );
    const updated = join(folder.path, "home/catalogue.ipsieve");
    assert.match(
      (await ipsieve("lookup", "1.1.1.1")).stdout,
      /\/cdn\/cloudflare {2}by asn, \d{4}-/,
      "what AS numbers show is still known",
    );
    assert.match((await ipsieve("lookup", "30.0.0.1")).stdout, /\/saas\/telegram {2}by telegram, /);
    assert.match(
      (await ipsieve("info")).stdout,
      /\n {2}official +\d+ sources?, newest from \S+, just now\n {2}AS numbers +1 source, newest from \d{4}-\d\d-\d\d, \d+ days ago/,
    );
    assert.match(
      (await ipsieve("info")).stdout,
      new RegExp(`^${updated}\n[^]*source +Telegram, [^]*fetched just now, changed just now`),
    );
    assert.match((await ipsieve("verify")).stdout, new RegExp(`^${updated}: intact`));
    assert.equal(
      (await ipsieve("cbs", "search", "telegram", "--networks", "none")).stdout,
      "/saas/telegram  SaaS > Telegram\n",
    );
    assert.equal((await ipsieve("cbs", "ranges", "/saas/telegram", "--source", "telegram")).stdout, "30.0.0.0/24\n");
    assert.ok((await ipsieve("cbs", "ranges", "/saas/telegram")).stdout.split("\n").length > 2);
    assert.match(
      (await ipsieve("cbs", "ranges", "/saas/telegram", "--source", "telegramm")).stderr,
      /no source "telegramm"; it has telegram, .*, asn/,
    );
    assert.match(
      (await ipsieve("cbs", "stats")).stdout,
      /^Publishers' official lists and prefixes known by AS number\n/,
    );
    const identified = await run(["identify"], {
      input: "30.0.0.1\n1.1.1.1\n",
      env: { IPSIEVE_HOME: join(folder.path, "home") },
    });
    assert.equal(identified.stdout, "30.0.0.1\t30.0.0.0/24\t/saas/telegram\n1.1.1.1\t1.1.1.0/24\t/cdn/cloudflare\n");
    assert.equal(
      (await ipsieve("lookup", "1.1.1.1", "--snapshot", join(import.meta.dirname, "../../../data/catalogue.ipsieve")))
        .code,
      0,
    );
    assert.equal((await ipsieve("cbs", "export", "--format", "csv", "-o", "home/catalogue.ipsieve")).code, 2);
  });

  test("--home stores it elsewhere", async () => {
    write("lists/telegram/cidr.txt", "30.0.0.0/24\n");
    assert.equal((await ipsieve("cbs", "update", "--from", "lists", "--home", "there")).code, 0);
    assert.deepEqual(readdirSync(join(folder.path, "there")).sort(), ["catalogue.ipsieve", "history", "lists"]);
    assert.match((await ipsieve("info")).stdout, /data\/catalogue\.ipsieve\n/);
  });

  test("the home folder follows the environment", () => {
    assert.equal(
      homeFolder({ IPSIEVE_HOME: "/srv/ipsieve", XDG_DATA_HOME: "/data", HOME: "/home/me" }),
      "/srv/ipsieve",
    );
    assert.equal(homeFolder({ IPSIEVE_HOME: "", XDG_DATA_HOME: "/data", HOME: "/home/me" }), "/data/ipsieve");
    assert.equal(homeFolder({ XDG_DATA_HOME: "data", HOME: "/home/me" }), "/home/me/.local/share/ipsieve");
    assert.ok(homeFolder({}).endsWith("/.local/share/ipsieve"));
  });
});

describe("cbs sources", () => {
  test("all of them, some of them, as documents; stale ones set the exit code", async () => {
    const bundled = await ipsieve("cbs", "sources");
    assert.equal(bundled.code, 0);
    assert.match(
      bundled.stdout,
      /data\/catalogue\.ipsieve: 25 of \d+ sources\n {2}id +type +updates +IPv4 +IPv6 +published +changed +fetched\n {2}aws +cloud +hourly +\d+,\d+ +\d,\d+ +\d+ \S+ ago +- +-\n/,
    );
    write("lists/telegram/cidr.txt", "30.0.0.0/24\n2600::/32\n");
    write("lists/tor/exits.txt", "30.0.1.1\n");
    const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
    utimesSync(join(folder.path, "lists/tor/exits.txt"), days(3), days(3));
    await ipsieve("cbs", "update", "--from", "lists");
    const all = await ipsieve("cbs", "sources");
    assert.equal(all.code, 1);
    assert.match(all.stdout, /home\/catalogue\.ipsieve: 2 of \d+ sources\n/);
    assert.match(all.stdout, /\n {2}telegram +saas +daily +1 +1 +- +just now +just now\n/);
    assert.match(all.stdout, /\n {2}tor +security +hourly +1 +0 +- +3 days ago +3 days ago, stale\n/);
    assert.equal((await ipsieve("cbs", "sources", "telegram")).code, 0);
    assert.equal(
      (await ipsieve("cbs", "sources", "tor")).stdout,
      `Tor  tor, /security/tor
  1 IPv4 prefix, 0 IPv6 prefixes; fetched 3 days ago, changed 3 days ago; stale
  updates hourly; https://www.torproject.org
  CC0-1.0 (The Tor Project).
  tor/exits.txt  https://check.torproject.org/torbulkexitlist
`,
    );
    const documents = (await ipsieve("cbs", "sources", "--json")).stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      [documents.length, documents.filter(({ stale }) => stale).map(({ id }) => id)],
      [SOURCES.length, ["tor"]],
    );
    assert.match((await ipsieve("cbs", "sources", "telegrm")).stderr, /did you mean telegram\?/);
  });

  test("ages are shown in words", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    const ages = [
      "2026-11-21T11:59:30Z",
      "2026-11-21T11:59:00Z",
      "2026-11-21T10:30:00Z",
      "2026-11-20T00:00:00Z",
      "2026-11-19T12:00:00Z",
      "2026-11-22T00:00:00Z",
      null,
    ].map((time) => ageText(time, now));
    assert.deepEqual(ages, [
      "just now",
      "1 minute ago",
      "1 hour ago",
      "36 hours ago",
      "2 days ago",
      "in the future",
      "-",
    ]);
  });
});

test("an unreadable state of the lists is an error JSON", async () => {
  write("lists/telegram/cidr.txt", "30.0.0.0/24\n");
  await ipsieve("cbs", "update", "--from", "lists");
  const { format, lists } = JSON.parse(readFileSync(join(folder.path, "home/lists/state.json"), "utf8"));
  assert.deepEqual([format, Object.keys(lists)], [1, ["telegram/cidr.txt"]]);
});

/** Logs that fail2ban, goaccess and CrowdSec read as well: each line names the same client to them and to us. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { sampled } from "../rounds.ts";
import { missingCommand } from "../tools.ts";
import { clientsIn, randomClient } from "./clients-in.ts";
import { missingParsers, sourcesIn } from "./crowdsec-parsers.ts";
import { temporaryFolder } from "./fixture.ts";

const SEED = 20261128;
const LINES = 100;

/** A log, with `?` for the client, and `#` for a number that differs from line to line. */
interface ProgramLog {
  /** fail2ban's filter, goaccess' format, or the type of CrowdSec's acquisition. */
  readonly reader: string;
  readonly head?: string;
  readonly line: string;
  readonly field?: string;
  /** The program reads clients of this family alone. */
  readonly family?: 4;
}

const REQUEST = '"GET /a.html?b=1 HTTP/1.1" 200 612 "https://example.net/" "Mozilla/5.0 Chrome/120.0.0.0"';

const FAIL2BAN: readonly ProgramLog[] = [
  { reader: "sshd", line: "Nov 27 12:34:56 host sshd[#]: Failed password for invalid user a from ? port 22 ssh2" },
  { reader: "dropbear", line: "Feb 11 15:23:17 dropbear[#]: login attempt for nonexistent user from ?:60495" },
  {
    reader: "postfix",
    line: "Nov 27 12:34:56 mx postfix/smtpd[#]: NOQUEUE: reject: RCPT from unknown[?]: 554 5.7.1 <a@example.net>: Relay access denied; from=<b@example.net> to=<a@example.net> proto=ESMTP helo=<[10.0.0.9]>",
  },
  {
    reader: "dovecot",
    line: "Nov 27 12:34:56 mx dovecot: imap-login: Disconnected (auth failed, 1 attempts): user=<a>, method=PLAIN, rip=?, lip=10.0.0.1",
  },
  {
    reader: "named-refused",
    line: "27-Nov-2026 12:34:56.789 client @0x7f9 ?#53123 (example.com): query (cache) 'example.com/A/IN' denied",
  },
  {
    reader: "nginx-http-auth",
    line: '2026/11/27 12:34:56 [error] 1#1: *1 user "a" was not found in "/etc/passwords", client: ?, server: _, request: "GET / HTTP/1.1", host: "10.0.0.1"',
  },
  {
    reader: "apache-auth",
    line: '[Sat Nov 27 06:55:43.631808 2026] [auth_basic:error] [pid 96528] [client ?:60040] AH01617: user a: authentication failure for "/": Password Mismatch, referer: http://198.51.100.9/',
  },
  {
    reader: "haproxy-http-auth",
    line: 'Nov 14 22:45:11 lb haproxy[#]: ?:58430 [14/Nov/2026:22:45:11.608] main main/<NOSRV> -1/-1/-1/-1/7 401 206 - - PR-- 33/15/1/0/0 0/0 "GET / HTTP/1.1"',
  },
  { reader: "vsftpd", line: 'Fri Nov 27 12:34:56 2026 [pid 12] [a] FAIL LOGIN: Client "?"' },
  {
    reader: "exim",
    line: "2026-11-27 12:34:56 login authenticator failed for (a) [?]: 535 Incorrect authentication data (set_id=a)",
  },
  { reader: "recidive", line: "2026-11-27 12:34:56,789 fail2ban.actions [#]: NOTICE  [sshd] Ban ?" },
  {
    reader: "traefik-auth",
    line: '? - a [27/Nov/2026:12:34:56 +0000] "GET / HTTP/1.1" 401 17 "-" "curl/8" 1 "x@docker" "http://10.0.0.2:80" 0ms',
  },
  {
    reader: "mysqld-auth",
    line: "2026-11-27T12:34:56.000000Z # [Note] Access denied for user 'a'@'?' (using password: YES)",
  },
];

const LOAD_BALANCER =
  'h2 2026-11-27T12:34:56.186641Z app/web/50dc6c ?:50718 10.0.0.1:80 0.000 0.003 0.000 401 401 29 805 "GET https://api.example:443/ HTTP/2.0" "x/1.0" ECDHE-RSA TLSv1.2 arn:aws:tg "Root=1-5" "example.com" "arn:aws:acm" 0';

const GOACCESS: readonly ProgramLog[] = [
  { reader: "COMBINED", line: `? - - [27/Nov/2026:12:34:56 +0000] ${REQUEST}` },
  { reader: "VCOMBINED", line: `www.example.net:443 ? - frank [27/Nov/2026:12:34:56 +0000] ${REQUEST}` },
  {
    reader: "AWSS3",
    line: '79a59df900b949e5 bucket [06/Feb/2026:00:00:38 +0000] ? 79a59df900b949e5 3E57 REST.GET.OBJECT - "GET /a HTTP/1.1" 200 - 113 113 7 6 "-" "S3Console/0.4" -',
  },
  {
    reader: "CADDY",
    line: '{"level":"info","ts":1764246896.1,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"?","remote_port":"43210","client_ip":"?","proto":"HTTP/2.0","method":"GET","host":"example.net","uri":"/a","headers":{"User-Agent":["curl/8"]}},"duration":0.001,"size":10,"status":200}',
  },
  {
    reader: "W3C",
    head: "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\n",
    line: "2026-11-27 00:00:06 10.18.21.9 GET /x - 443 - ? Mozilla/5.0 - 200 0 0 31",
    field: "c-ip",
  },
  { reader: "COMMON", line: '? - - [27/Nov/2026:12:34:56 +0000] "GET /a HTTP/1.1" 200 612' },
  {
    reader: "VCOMMON",
    line: 'www.example.net:443 ? - - [27/Nov/2026:12:34:56 +0000] "GET /a HTTP/1.1" 200 612',
  },
  {
    reader: "SQUID",
    line: "Nov 27 12:34:56 host squid[#]: 1764246896.123    120 ? TCP_MISS/200 6185 GET http://203.0.113.9/a - HIER_DIRECT/203.0.113.9 text/html",
  },
  { reader: "AWSELB", line: LOAD_BALANCER, family: 4 },
  { reader: "AWSALB", line: LOAD_BALANCER, family: 4 },
  {
    reader: "CLOUDFRONT",
    head: "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status\n",
    line: "2026-12-04\t21:02:31\tLAX1\t392\t?\tGET\thost.example\t/index.html\t200\t-\tMozilla/5.0\t-\t-\tHit\tid\thost\thttps\t23\t0.001\t10.0.0.9\tTLSv1.2\tECDHE\tHit\tHTTP/2.0\t-",
    field: "c-ip",
  },
  {
    reader: "CLOUDSTORAGE",
    line: '"1764246896","?","1","","GET","/a","200","8","64","11","host","https://example.net/","curl/8"',
  },
];

const CROWDSEC: readonly ProgramLog[] = [
  { reader: "nginx", line: `? - - [27/Nov/2026:12:34:56 +0000] ${REQUEST}` },
  {
    reader: "nginx",
    line: '2026/11/27 12:34:56 [error] 1#1: *1 user "a" was not found in "/etc/passwords", client: ?, server: _, request: "GET / HTTP/1.1", host: "10.0.0.1"',
  },
  { reader: "apache2", line: `? - frank [27/Nov/2026:12:34:56 +0000] ${REQUEST}` },
  { reader: "syslog", line: "Nov 27 12:34:56 host sshd[#]: Failed password for invalid user a from ? port 22 ssh2" },
];

const folder = temporaryFolder();
const path = join(folder, "program.log");

function randomLog({ head = "", line, family }: ProgramLog): { text: string; clients: string[] } {
  const random = new Random(SEED);
  const clients = Array.from({ length: LINES }, (_, i) => randomClient(random, family ?? (i % 2 === 0 ? 4 : 6)));
  const lines = clients.map(
    (client, at) =>
      `${line.replaceAll("?", client).replace(/\[#\]| # /, (mark) => mark.replace("#", String(1000 + at)))}\n`,
  );
  return { text: head + lines.join(""), clients };
}

/** The client that fail2ban names for each line that its filter matches. */
function bannedIn(text: string, filter: string): string[] {
  writeFileSync(path, text);
  const args = ["--raw", "--out", "<ip>", path, `/etc/fail2ban/filter.d/${filter}.conf`];
  const { stdout, stderr } = spawnSync("fail2ban-regex", args, { encoding: "utf8" });
  assert.equal(stderr, "");
  return stdout.split("\n").filter((line) => line !== "");
}

/** The clients that goaccess counts, and in how many lines. */
function visitorsIn(text: string, format: string): Map<string, number> {
  writeFileSync(path, text);
  const output = join(folder, "report.json");
  rmSync(output, { force: true });
  const args = [
    path,
    `--log-format=${format}`,
    "--no-global-config",
    "--no-progress",
    "--max-items=1000",
    "-o",
    output,
  ];
  const { stderr } = spawnSync("goaccess", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const report = JSON.parse(readFileSync(output, "utf8")) as {
    readonly general: { readonly failed_requests: number };
    readonly hosts: { readonly data: readonly { readonly data: string; readonly hits: { readonly count: number } }[] };
  };
  assert.equal(report.general.failed_requests, 0, stderr);
  return new Map(report.hosts.data.map(({ data, hits }) => [data, hits.count]));
}

function counted(clients: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const client of clients) counts.set(client, (counts.get(client) ?? 0) + 1);
  return counts;
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

describe("fail2ban", { skip: missingCommand("fail2ban-regex", "--version", "fail2ban") }, () => {
  for (const log of sampled(FAIL2BAN, 4))
    test(`${log.reader}: each line names the client that fail2ban would ban`, async () => {
      const { text, clients } = randomLog(log);
      const banned = bannedIn(text, log.reader);
      assert.deepEqual(banned, clients);
      assert.deepEqual(await clientsIn(text, log.field), banned);
    });

  test("negative control: a log whose lines begin with the server's address", async () => {
    const line =
      "Nov 27 12:34:56 ftp proftpd[#]: 10.0.0.1 (x[?]) - USER a: no such user found from x [?] to 10.0.0.1:21";
    const { text, clients } = randomLog({ reader: "proftpd", line });
    assert.deepEqual(bannedIn(text, "proftpd"), clients);
    assert.notDeepEqual(await clientsIn(text, undefined), clients);
  });
});

describe("goaccess", { skip: missingCommand("goaccess", "--version", "goaccess") }, () => {
  for (const log of sampled(GOACCESS, 3))
    test(`${log.reader}: the clients are those that goaccess counts`, async () => {
      const { text, clients } = randomLog(log);
      const visitors = visitorsIn(text, log.reader);
      assert.deepEqual(sorted(visitors), sorted(counted(clients)));
      assert.deepEqual(sorted(counted(await clientsIn(text, log.field))), sorted(visitors));
    });

  test("negative control: a W3C log without the name of its field", async () => {
    const { text } = randomLog(GOACCESS.find(({ reader }) => reader === "W3C")!);
    assert.notDeepEqual(sorted(counted(await clientsIn(text, undefined))), sorted(visitorsIn(text, "W3C")));
  });
});

describe("CrowdSec", { skip: missingParsers }, () => {
  for (const [at, log] of sampled([...CROWDSEC.entries()], 4))
    test(`${log.reader}, log ${at + 1}: each line names the client that CrowdSec reads`, async () => {
      const { text, clients } = randomLog(log);
      const sources = await sourcesIn(text, log.reader, temporaryFolder());
      assert.deepEqual(sources, clients);
      assert.deepEqual(await clientsIn(text, log.field), sources);
    });

  test("negative control: a log with the server's address before the client's", async () => {
    const { text } = randomLog(CROWDSEC.at(-1)!);
    const relayed = text.replaceAll(" host sshd", " 10.0.0.1 sshd");
    assert.notDeepEqual(await clientsIn(relayed, undefined), await sourcesIn(relayed, "syslog", temporaryFolder()));
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Prefix } from "../../src/address/address.ts";
import { coversMapped, formatPrefix, parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { mergePrefixes } from "../../src/address/range.ts";
import {
  exportRules,
  NAMED_FORMATS,
  type RuleExportFormat,
  RULE_EXPORT_FORMATS,
} from "../../src/rulesets/export-rules.ts";
import { type ImportFormat, RuleImport } from "../../src/rulesets/importers/import-rules.ts";
import { activeRules, type Rule } from "../../src/rulesets/rule.ts";
import { anyRules } from "./hostile-rules.ts";
import { isVendorFormat, type VendorFormat } from "./vendor-readers.ts";
import { rounds } from "../rounds.ts";

const NOW = Date.UTC(2026, 5, 1);

function rule(text: string, name: string | null = null, expiresAt: number | null = null): Rule {
  return { prefix: parsePrefix(text), name, expiresAt, createdAt: NOW, updatedAt: NOW + 1 };
}

function textOf(rules: Iterable<Rule>, format: RuleExportFormat): string {
  return [...exportRules(rules, format, { setName: "list", now: NOW })].join("");
}

const rules = [
  rule("0.0.0.0/0"),
  rule("8.8.8.8", 'a "quoted", name', NOW),
  rule("9.9.9.0/24", "=1+1"),
  rule("9.9.9.128/25", "", NOW + 59_001),
  rule("::/0", "'"),
  rule("2001:db8::1"),
];

const halves = (family: 4 | 6): readonly string[] =>
  family === 4 ? ["0.0.0.0/1", "128.0.0.0/1"] : ["::/1", "8000::/1"];

/** All of IPv6 but ::ffff:0:0/96: what is beside it at each length, in order. */
function aroundMapped(): string[] {
  const beside = Array.from({ length: 96 }, (_, bit) => {
    const shift = BigInt(127 - bit);
    return { value: ((0xffff_0000_0000n >> shift) ^ 1n) << shift, length: bit + 1 };
  });
  return beside
    .sort((one, other) => (one.value < other.value ? -1 : 1))
    .map(({ value, length }) => {
      const groups = value.toString(16).padStart(32, "0").match(/.{4}/g)!;
      return formatPrefix(parsePrefix(`${groups.join(":")}/${length}`));
    });
}

/** Other tests read the formats of vendors and the binary one. */
type TextFormat = Exclude<RuleExportFormat, "mmdb" | VendorFormat>;

function isTextOfOurs(format: RuleExportFormat): format is TextFormat {
  return format !== "mmdb" && !isVendorFormat(format);
}

test("every format, by example", () => {
  const formats = RULE_EXPORT_FORMATS.filter(isTextOfOurs);
  const told = Object.fromEntries(formats.map((format) => [format, textOf(rules, format).split("\n")]));
  const all = ["0.0.0.0/0", "8.8.8.8", "9.9.9.0/24", "9.9.9.128/25", "::/0", "2001:db8::1"];
  assert.deepEqual(told, {
    apache: [
      ...[...halves(4), ...all.slice(1, 4), ...halves(6), ...all.slice(5)].map((ip) => `Require not ip ${ip}`),
      "",
    ],
    bird: `protocol static list_4 {
ipv4;
route 0.0.0.0/0 blackhole;
route 8.8.8.8/32 blackhole;
route 9.9.9.0/24 blackhole;
route 9.9.9.128/25 blackhole;
}
protocol static list_6 {
ipv6;
route ::/0 blackhole;
route 2001:db8::1/128 blackhole;
}
`.split("\n"),
    caddy: `@list {
remote_ip 0.0.0.0/0
remote_ip 8.8.8.8
remote_ip 9.9.9.0/24
remote_ip 9.9.9.128/25
remote_ip ::/0
remote_ip 2001:db8::1
}
`.split("\n"),
    cilium: `apiVersion: cilium.io/v2alpha1
kind: CiliumCIDRGroup
metadata:
  name: list
spec:
  externalCIDRs:
  - "0.0.0.0/0"
  - "8.8.8.8/32"
  - "9.9.9.0/24"
  - "9.9.9.128/25"
  - "::/0"
  - "2001:db8::1/128"
`.split("\n"),
    "crowdsec-csv": `duration,scope,value,type,reason
31536000s,range,0.0.0.0/0,ban,list
31536000s,ip,8.8.8.8,ban,list
31536000s,range,9.9.9.0/24,ban,list
60s,range,9.9.9.128/25,ban,list
31536000s,range,::/0,ban,list
31536000s,ip,2001:db8::1,ban,list
`.split("\n"),
    dnsbl: `$DATASET ip4trie @
:127.0.0.2:$ is listed
0.0.0.0/0
8.8.8.8/32
9.9.9.0/24
9.9.9.128/25
$DATASET ip6trie @
:127.0.0.2:$ is listed
::/0
2001:db8::1/128
`.split("\n"),
    f5: `0.0.0.0,0,bl,
8.8.8.8,32,bl,
9.9.9.0,24,bl,
9.9.9.128,25,bl,
::,0,bl,
2001:db8::1,128,bl,
`.split("\n"),
    haproxy: [...all.slice(0, 4), ...aroundMapped(), all[5], ""],
    iptables: `*filter
:list - [0:0]
-4 -A list -s 0.0.0.0/0 -j DROP
-4 -A list -s 8.8.8.8 -j DROP
-4 -A list -s 9.9.9.0/24 -j DROP
-4 -A list -s 9.9.9.128/25 -j DROP
-6 -A list -s ::/0 -j DROP
-6 -A list -s 2001:db8::1 -j DROP
COMMIT
`.split("\n"),
    kubernetes: `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: list
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress: []
`.split("\n"),
    mikrotik: `/ip firewall address-list
remove [find list="list"]
add list="list" address=0.0.0.0/0
add list="list" address=8.8.8.8
add list="list" address=9.9.9.0/24
add list="list" address=9.9.9.128/25
/ipv6 firewall address-list
remove [find list="list"]
add list="list" address=::/0
add list="list" address=2001:db8::1
`.split("\n"),
    postfix: [...all.map((ip) => `${ip} REJECT`), ""],
    rpz: `$TTL 300
@ SOA localhost. root.localhost. ${NOW / 1000} 300 60 604800 300
@ NS localhost.
1.0.0.0.0.rpz-ip CNAME .
1.0.0.0.128.rpz-ip CNAME .
32.8.8.8.8.rpz-ip CNAME .
24.0.9.9.9.rpz-ip CNAME .
25.128.9.9.9.rpz-ip CNAME .
1.zz.rpz-ip CNAME .
1.zz.8000.rpz-ip CNAME .
128.1.zz.db8.2001.rpz-ip CNAME .
`.split("\n"),
    squid: [...halves(4), ...aroundMapped(), ""],
    "suricata-iprep": [...all.map((ip) => `${ip},1,127`), ""],
    varnish: `acl list {
"0.0.0.0"/0;
"8.8.8.8"/32;
"9.9.9.0"/24;
"9.9.9.128"/25;
"::"/0;
"2001:db8::1"/128;
}
`.split("\n"),
    "zeek-intel": [
      "#fields\tindicator\tindicator_type\tmeta.source",
      ...all.map((ip) => `${ip}\tIntel::${ip.includes("/") ? "SUBNET" : "ADDR"}\tlist`),
      "",
    ],
    text: ["0.0.0.0/0", "8.8.8.8", "9.9.9.0/24", "9.9.9.128/25", "::/0", "2001:db8::1", ""],
    csv: [
      "ip,name,expires_at",
      "0.0.0.0/0,,",
      '8.8.8.8,"a ""quoted"", name",2026-06-01T00:00:00.000Z',
      "9.9.9.0/24,'=1+1,",
      '9.9.9.128/25,"",2026-06-01T00:00:59.001Z',
      "::/0,',",
      "2001:db8::1,,",
      "",
    ],
    ndjson: [
      ...[
        ["0.0.0.0/0", null, null],
        ["8.8.8.8", 'a "quoted", name', "2026-06-01T00:00:00.000Z"],
        ["9.9.9.0/24", "=1+1", null],
        ["9.9.9.128/25", "", "2026-06-01T00:00:59.001Z"],
        ["::/0", "'", null],
        ["2001:db8::1", null, null],
      ].map(([ip, name, expires_at]) =>
        JSON.stringify({
          ip,
          name,
          expires_at,
          created_at: "2026-06-01T00:00:00.000Z",
          updated_at: "2026-06-01T00:00:00.001Z",
        }),
      ),
      "",
    ],
    nginx: ["0.0.0.0/0 1;", "8.8.8.8 1;", "9.9.9.0/24 1;", "9.9.9.128/25 1;", "::/0 1;", "2001:db8::1 1;", ""],
    ipset: [
      "create list_4 hash:net family inet maxelem 16777216 timeout 0 -exist",
      "create list_4_new hash:net family inet maxelem 16777216 timeout 0 -exist",
      "flush list_4_new",
      ...["0.0.0.0/1", "128.0.0.0/1"].map((ip) => `add list_4_new ${ip} -exist`),
      ...["8.8.8.8", "9.9.9.0/24", "9.9.9.128/25 timeout 60"].map((ip) => `add list_4_new ${ip} -exist`),
      "create list_6 hash:net family inet6 maxelem 16777216 timeout 0 -exist",
      "create list_6_new hash:net family inet6 maxelem 16777216 timeout 0 -exist",
      "flush list_6_new",
      ...["::/1", "8000::/1", "2001:db8::1"].map((ip) => `add list_6_new ${ip} -exist`),
      "swap list_4 list_4_new",
      "swap list_6 list_6_new",
      "destroy list_4_new",
      "destroy list_6_new",
      "",
    ],
    nftables: [
      "add table inet ipsieve",
      "add set inet ipsieve list_4 { type ipv4_addr; flags interval, timeout; }",
      "flush set inet ipsieve list_4",
      "add element inet ipsieve list_4 {",
      "0.0.0.0/0",
      "}",
      "add set inet ipsieve list_6 { type ipv6_addr; flags interval, timeout; }",
      "flush set inet ipsieve list_6",
      "add element inet ipsieve list_6 {",
      "::/0",
      "}",
      "",
    ],
  });
});

test("an allowlist admits what a blocklist rejects", () => {
  const list = [rule("9.9.9.0/24"), rule("2001:db8::/32")];
  const allowed = (format: RuleExportFormat): string[] =>
    [...exportRules(list, format, { setName: "list", purpose: "allowlist", now: NOW })].join("").split("\n");
  assert.deepEqual(allowed("apache"), ["Require ip 9.9.9.0/24", "Require ip 2001:db8::/32", ""]);
  assert.deepEqual(allowed("postfix"), ["9.9.9.0/24 OK", "2001:db8::/32 OK", ""]);
  assert.deepEqual(allowed("f5").slice(0, 2), ["9.9.9.0,24,wl,", "2001:db8::,32,wl,"]);
  assert.ok(allowed("iptables").includes("-4 -A list -s 9.9.9.0/24 -j ACCEPT"));
  assert.ok(allowed("rpz").includes("24.0.9.9.9.rpz-ip CNAME rpz-passthru."));
  assert.deepEqual(allowed("kubernetes").slice(7), [
    "  ingress:",
    "  - from:",
    '    - ipBlock: { cidr: "9.9.9.0/24" }',
    '    - ipBlock: { cidr: "2001:db8::/32" }',
    "",
  ]);
  assert.throws(() => allowed("crowdsec-csv"), /CrowdSec's decisions only block/);
});

test("a NetworkPolicy admits everything except a blocklist", () => {
  assert.deepEqual(
    textOf([rule("9.9.9.0/24"), rule("9.9.9.128/25")], "kubernetes")
      .split("\n")
      .slice(7),
    [
      "  ingress:",
      "  - from:",
      "    - ipBlock:",
      '        cidr: "0.0.0.0/0"',
      "        except:",
      '        - "9.9.9.0/24"',
      '    - ipBlock: { cidr: "::/0" }',
      "",
    ],
  );
});

test("without rules, sets are emptied", () => {
  assert.equal(textOf([], "csv"), "ip,name,expires_at\n");
  assert.equal(textOf([], "text"), "");
  assert.doesNotMatch(textOf([], "nftables"), /element/);
  assert.match(textOf([], "nftables"), /flush set inet ipsieve list_4\n.*\nflush set inet ipsieve list_6\n/s);
  assert.match(
    textOf([], "ipset"),
    /flush list_4_new\n.*\nflush list_6_new\n.*swap list_4 list_4_new\nswap list_6 list_6_new\n/s,
  );
});

test("expired rules are left out if only active ones are requested", () => {
  assert.doesNotMatch(textOf(activeRules(rules, NOW), "text"), /8\.8\.8\.8/);
  assert.match(textOf(activeRules(rules, NOW - 1), "text"), /8\.8\.8\.8/);
});

test("a set that is not named is called ipsieve", () => {
  for (const format of NAMED_FORMATS) {
    const named = [...exportRules(rules.slice(1, 3), format, { setName: "ipsieve", now: NOW })].join("");
    assert.equal([...exportRules(rules.slice(1, 3), format, { now: NOW })].join(""), named, format);
  }
});

test("RouterOS gets timeouts if it is asked for, of what expires", () => {
  const list = [rule("9.9.9.9"), rule("9.9.9.10", null, NOW + 59_001), rule("9.9.9.11", null, NOW + 1e15)];
  const text = [...exportRules(list, "mikrotik", { setName: "list", now: NOW, hasTimeouts: true })].join("");
  assert.deepEqual(
    text.split("\n").flatMap((line) => (line.startsWith("add") ? [line.replace('add list="list" address=', "")] : [])),
    ["9.9.9.9", "9.9.9.10 timeout=60s", "9.9.9.11"],
  );
});

test("in a response policy zone, zz stands where an address has two colons", () => {
  const group = fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { arbitrary: fc.integer({ min: 1, max: 0xffff }), weight: 2 },
  );
  fc.assert(
    fc.property(fc.array(group, { minLength: 7, maxLength: 7 }), (rest) => {
      const prefix = parsePrefix([0x2001, ...rest].map((each) => each.toString(16)).join(":"));
      const parts = formatPrefix(prefix).replace("::", ":zz:").replace(/:$/, "").split(":").toReversed();
      const trigger = `${prefix.length}.${parts.join(".")}.rpz-ip CNAME .\n`;
      assert.equal(
        textOf([{ ...rules[0]!, prefix }], "rpz")
          .split("\n")
          .slice(3)
          .join("\n"),
        trigger,
      );
    }),
    { seed: 20_261_128, numRuns: 300 },
  );
});

for (const name of ["", "a b", "a;b", "a\nb", "1a", "a".repeat(26), "a\n", "-exist", "é"]) {
  test(`${JSON.stringify(name)} is not a valid name of a set`, () => {
    for (const format of NAMED_FORMATS)
      assert.throws(() => [...exportRules(rules, format, { setName: name })], /the name of a set must be a letter/);
  });
}

for (const format of ["csv", "ndjson", "text"] as const satisfies ImportFormat[]) {
  test(`${format}: exported and imported, the rules are the same`, () => {
    fc.assert(
      fc.property(anyRules, (all) => {
        // No list may have the IPv4-mapped block, which means all of IPv4 in one reading.
        const list = all.filter(({ prefix }) => !coversMapped(prefix));
        const reader = new RuleImport(format, { allowSpecialPurpose: true });
        for (const chunk of exportRules(list, format)) reader.write(chunk);
        const { rules: read, errors } = reader.end();
        assert.deepEqual(errors, []);
        const expected = list.map(({ prefix, name, expiresAt }) =>
          format === "text" ? { prefix, name: null, expiresAt: null } : { prefix, name, expiresAt },
        );
        assert.deepEqual(
          read.map(({ prefix, name, expiresAt }) => ({ prefix, name, expiresAt })),
          expected,
        );
      }),
      { seed: 20_260_601, numRuns: rounds({ short: 300, long: 1000 }) },
    );
  });
}

/** The cells of a CSV line as RFC 4180 defines them and a spreadsheet sees them; shares no code with the importer. */
function cells(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
  );
}

/** What a line of each format may look like. */
const IP = "[0-9a-f.:]+(?:/\\d+)?";
const LINES: Record<Exclude<TextFormat, "csv" | "ndjson">, RegExp> = {
  apache: new RegExp(`^Require not ip ${IP}$`),
  bird: new RegExp(`^(?:protocol static list_[46] \\{|ipv[46];|route ${IP} blackhole;|\\})$`),
  caddy: new RegExp(`^(?:@list \\{|remote_ip ${IP}|expression false|\\})$`),
  cilium: new RegExp(
    `^(?:apiVersion: cilium\\.io/v2alpha1|kind: CiliumCIDRGroup|metadata:|  name: list|spec:|  externalCIDRs:(?: \\[\\])?|  - "${IP}")$`,
  ),
  "crowdsec-csv": new RegExp(`^(?:duration,scope,value,type,reason|\\d+s,(?:ip|range),${IP},ban,list)$`),
  dnsbl: new RegExp(`^(?:\\$DATASET ip[46]trie @|:127\\.0\\.0\\.2:\\$ is listed|${IP})$`),
  f5: new RegExp(`^[0-9a-f.:]+,\\d+,bl,$`),
  haproxy: new RegExp(`^${IP}$`),
  iptables: new RegExp(`^(?:\\*filter|:list - \\[0:0\\]|-[46] -A list -s ${IP} -j DROP|COMMIT)$`),
  kubernetes: new RegExp(
    `^(?:apiVersion: networking\\.k8s\\.io/v1|kind: NetworkPolicy|metadata:|  name: list|spec:|  podSelector: \\{\\}|  policyTypes: \\[Ingress\\]|  ingress:(?: \\[\\])?|  - from:|    - ipBlock:(?: \\{ cidr: "${IP}" \\})?|        cidr: "${IP}"|        except:|        - "${IP}")$`,
  ),
  mikrotik: new RegExp(
    `^(?:/(?:ip|ipv6) firewall address-list|remove \\[find list="list"\\]|add list="list" address=${IP})$`,
  ),
  postfix: new RegExp(`^${IP} REJECT$`),
  rpz: /^(?:\$TTL 300|@ SOA localhost\. root\.localhost\. \d+ 300 60 604800 300|@ NS localhost\.|\d+\.[0-9a-fz.]+\.rpz-ip CNAME \.)$/,
  squid: new RegExp(`^${IP}$`),
  "suricata-iprep": new RegExp(`^${IP},1,127$`),
  varnish: /^(?:acl list \{|"[0-9a-f.:]+"\/\d+;|\})$/,
  "zeek-intel": new RegExp(
    `^(?:#fields\tindicator\tindicator_type\tmeta\\.source|${IP}\tIntel::(?:ADDR|SUBNET)\tlist)$`,
  ),
  text: new RegExp(`^${IP}$`),
  nginx: new RegExp(`^${IP} 1;$`),
  ipset: new RegExp(
    `^(?:create list_[46](?:_new)? hash:net family inet6? maxelem 16777216 timeout 0 -exist|flush list_[46]_new|add list_[46]_new ${IP}(?: timeout \\d+)? -exist|swap list_([46]) list_\\1_new|destroy list_[46]_new)$`,
  ),
  nftables: new RegExp(
    `^(?:add table inet ipsieve|add set inet ipsieve list_[46] \\{ type ipv[46]_addr; flags interval, timeout; \\}|flush set inet ipsieve list_[46]|add element inet ipsieve list_[46] \\{|${IP}(?: timeout \\d+s)?,?|\\})$`,
  ),
};

describe("no name becomes a line, a directive or a formula", () => {
  for (const format of RULE_EXPORT_FORMATS) {
    // vendor-formats.test.ts reads the whole lists of vendor formats, with the same names.
    if (!isTextOfOurs(format)) continue;
    test(format, () => {
      fc.assert(
        fc.property(anyRules, (list) => {
          const lines = textOf(list, format).split("\n");
          assert.equal(lines.pop(), "");
          if (format === "csv") {
            assert.equal(lines.length, list.length + 1);
            for (const line of lines) {
              assert.equal(cells(line).length, 3, line);
              for (const cell of cells(line))
                assert.doesNotMatch(cell, /^[\s\u200b\u2060\u202e\ufeff]*[=+\-@＝＋－＠]/, line);
            }
          } else if (format === "ndjson") {
            assert.deepEqual(
              lines.map((line) => JSON.parse(line).name),
              list.map(({ name }) => name),
            );
          } else {
            for (const line of lines) assert.match(line, LINES[format]);
          }
        }),
        { seed: 20_260_601, numRuns: rounds({ short: 200, long: 500 }) },
      );
    });
  }
});

/** The prefixes that a firewall's file puts into a set. */
function elements(text: string): Prefix[] {
  return [...text.matchAll(/^(?:add list_[46]_new )?([0-9a-f.:/]+)(?: timeout \d+s?)?(?:,| -exist)?$/gm)].map(
    ([, ip]) => parsePrefix(ip!),
  );
}

test("firewalls get the same addresses: nftables without overlaps, ipset without /0", () => {
  fc.assert(
    fc.property(anyRules, (list) => {
      const expected = mergePrefixes(list.map(({ prefix }) => prefix));
      const ipset = elements(textOf(list, "ipset"));
      assert.ok(ipset.every(({ length }) => length > 0));
      assert.deepEqual(mergePrefixes(ipset), expected);
      const nftables = elements(textOf(list, "nftables"));
      assert.deepEqual(mergePrefixes(nftables), expected);
      for (const [at, prefix] of nftables.entries())
        for (const other of nftables.slice(at + 1))
          assert.ok(!prefixContains(prefix, other) && !prefixContains(other, prefix));
      assert.deepEqual(
        elements(textOf(list, "text")),
        list.map(({ prefix }) => prefix),
      );
    }),
    { seed: 20_260_601, numRuns: rounds({ short: 200, long: 500 }) },
  );
});

test("a long list is written in chunks, and its rules are read on demand", () => {
  let read = 0;
  const many = function* (): Generator<Rule> {
    for (let i = 0; i < 100_000; i++) {
      read++;
      yield { ...rules[0]!, prefix: { family: 4, w0: i, w1: 0, w2: 0, w3: 0, length: 32 } };
    }
  };
  const chunks = exportRules(many(), "csv");
  assert.ok(chunks.next().value!.length >= 1 << 16);
  assert.ok(read < 10_000);
  let last = "";
  for (const chunk of chunks) last = chunk;
  assert.ok(last.endsWith("0.1.134.159,,\n"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { addressBits } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import { lastAddress } from "../../src/address/range.ts";
import { specialPurpose } from "../../src/address/special-purpose.ts";
import { addressOf, valueOf } from "./address-numbers.ts";

/** query, the deciding block, its name, globally reachable */
const DECISIONS: readonly (readonly [string, string, string, boolean])[] = [
  ["0.0.0.0", "0.0.0.0", "This host on this network", false],
  ["0.0.0.1", "0.0.0.0/8", "This network", false],
  ["10.1.2.3", "10.0.0.0/8", "Private-Use", false],
  ["10.0.0.0/8", "10.0.0.0/8", "Private-Use", false],
  ["100.127.255.255", "100.64.0.0/10", "Shared Address Space", false],
  ["127.0.0.1", "127.0.0.0/8", "Loopback", false],
  ["169.254.169.254", "169.254.0.0/16", "Link Local", false],
  ["172.31.255.255", "172.16.0.0/12", "Private-Use", false],
  ["192.168.1.0/24", "192.168.0.0/16", "Private-Use", false],
  ["::ffff:192.168.1.1", "192.168.0.0/16", "Private-Use", false],
  ["198.19.0.1", "198.18.0.0/15", "Benchmarking", false],
  ["203.0.113.9", "203.0.113.0/24", "Documentation (TEST-NET-3)", false],
  ["239.255.255.255", "224.0.0.0/4", "Multicast", false],
  ["255.255.255.254", "240.0.0.0/4", "Reserved", false],
  ["255.255.255.255", "255.255.255.255", "Limited Broadcast", false],
  ["fe80::1", "fe80::/10", "Link-Local Unicast", false],
  ["fd00::/8", "fc00::/7", "Unique-Local", false],
  ["ff02::1", "ff00::/8", "Multicast", false],
  ["3fff:fff::1", "3fff::/20", "Documentation", false],
  ["64:ff9b::808:808", "64:ff9b::/96", "IPv4-IPv6 Translation", true],
  // The more specific entry overrides, in both directions.
  ["192.0.0.9", "192.0.0.9", "Port Control Protocol Anycast", true],
  ["192.0.0.11", "192.0.0.0/24", "IETF Protocol Assignments", false],
  ["192.88.99.2", "192.88.99.2", "6a44-relay anycast address", false],
  ["2001:1::1", "2001:1::1", "Port Control Protocol Anycast", true],
  ["2001:1::4", "2001::/23", "IETF Protocol Assignments", false],
  ["2001:20::1", "2001:20::/28", "ORCHIDv2", true],
  // One entry covers the whole prefix, even where others are inside it.
  ["192.0.0.8/30", "192.0.0.0/24", "IETF Protocol Assignments", false],
  // A prefix that no entry covers: the result is the first entry inside it.
  ["10.0.0.0/7", "10.0.0.0/8", "Private-Use", false],
  ["0.0.0.0/0", "0.0.0.0/8", "This network", false],
  ["192.0.0.0/16", "192.0.0.0/24", "IETF Protocol Assignments", false],
  ["::fffe:0:0/95", "::ffff:0.0.0.0/96", "IPv4-mapped Address", false],
  ["::/0", "::", "Unspecified Address", false],
];

test("the most specific covering entry decides, otherwise the first one inside", () => {
  for (const [question, block, name, globallyReachable] of DECISIONS) {
    const entry = specialPurpose(parsePrefix(question));
    assert.ok(entry !== undefined, question);
    assert.deepEqual(
      [formatPrefix(entry.prefix), entry.name, entry.globallyReachable],
      [block, name, globallyReachable],
      question,
    );
    assert.match(entry.reference, /^RFC \d+/);
  }
});

test("ordinary addresses up to the edges of each block are not special-purpose", () => {
  const ordinary = [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
  ];
  const edges = [
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "11.0.0.0/8",
    "2606:4700::1111",
    "2001:200::",
    "2003::",
    "fbff::",
    "fec0::",
    "::2",
  ];
  for (const text of [...ordinary, ...edges]) assert.equal(specialPurpose(parsePrefix(text)), undefined, text);
});

/** The address blocks of the two registries and of multicast, as published. */
const LISTED = [
  "0.0.0.0/8 0.0.0.0 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29 192.0.0.8 192.0.0.9",
  "192.0.0.10 192.0.0.170 192.0.0.171 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.88.99.2 192.168.0.0/16",
  "192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255",
  ":: ::1 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1 2001:1::2 2001:1::3 2001:2::/48 2001:3::/32",
  "2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7",
  "fe80::/10 ff00::/8",
].flatMap((line) => line.split(" ").map((text) => parsePrefix(text)));

test("each published block decides about itself, and at its edges the most specific block that contains the address decides", () => {
  let questions = 0;
  for (const listed of LISTED) {
    assert.deepEqual(specialPurpose(listed)?.prefix, listed);
    const bits = addressBits(listed.family);
    const first = valueOf(listed);
    const last = valueOf(lastAddress(listed));
    for (const value of [first - 1n, first, first + 1n, last - 1n, last, last + 1n]) {
      if (value < 0n || value >> BigInt(bits) !== 0n) continue;
      const question = prefixOf(addressOf(listed.family, value), bits);
      const holding = LISTED.filter(
        (block) => block.family === listed.family && valueOf(block) <= value && value <= valueOf(lastAddress(block)),
      );
      const longest = holding.sort((a, b) => b.length - a.length)[0];
      assert.deepEqual(specialPurpose(question)?.prefix, longest, formatPrefix(question));
      questions++;
    }
  }
  assert.ok(questions > 200);
});

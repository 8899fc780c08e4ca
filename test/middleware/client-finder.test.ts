import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAddress } from "../../src/address/format-address.ts";
import { ClientFinder } from "../../src/middleware/client-finder.ts";
import type { ProxyHeader } from "../../src/middleware/forwarded-for.ts";

const PROXIES = ["10.0.0.0/8", "2001:db8:ffff::/48"];

const FINDERS: Readonly<Record<ProxyHeader, ClientFinder>> = {
  "x-forwarded-for": new ClientFinder(PROXIES, "x-forwarded-for"),
  forwarded: new ClientFinder(PROXIES, "forwarded"),
};

function clientOf(
  remote: string | undefined,
  headers: Partial<Record<ProxyHeader, string>>,
  header: ProxyHeader = "x-forwarded-for",
  proxies: readonly string[] = PROXIES,
): string | null {
  const finder = proxies === PROXIES ? FINDERS[header] : new ClientFinder(proxies, header);
  const client = finder.find(remote, (name) => headers[name]);
  return client && formatAddress(client);
}

type Case = readonly [name: string, remote: string | undefined, header: string | undefined, client: string | null];

const X_FORWARDED_FOR: readonly Case[] = [
  ["no header", "203.0.113.5", undefined, "203.0.113.5"],
  ["a header from anyone is not believed", "203.0.113.5", "198.51.100.1", "203.0.113.5"],
  ["a proxy's header", "10.0.0.1", "203.0.113.5", "203.0.113.5"],
  ["what the client wrote stands left", "10.0.0.1", "198.51.100.1, 203.0.113.5", "203.0.113.5"],
  ["a client that names our proxies", "10.0.0.1", "198.51.100.1, 10.0.0.9, 203.0.113.5", "203.0.113.5"],
  ["two proxies", "10.0.0.1", "198.51.100.1, 203.0.113.5, 10.0.0.2", "203.0.113.5"],
  ["proxies alone: the first of them asks", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["a proxy that asks for itself", "10.0.0.1", undefined, "10.0.0.1"],
  ["an empty header", "10.0.0.1", "", "10.0.0.1"],
  ["empty items", "10.0.0.1", ", 203.0.113.5 , ,", "203.0.113.5"],
  ["a port", "10.0.0.1", "203.0.113.5:51234", "203.0.113.5"],
  ["IPv6 with brackets and port", "10.0.0.1", "[2001:db8::5]:443", "2001:db8::5"],
  ["IPv6 with brackets", "10.0.0.1", "[2001:DB8::5]", "2001:db8::5"],
  ["IPv6 without brackets", "10.0.0.1", "2001:db8::5", "2001:db8::5"],
  ["an IPv4-mapped item", "10.0.0.1", "::ffff:203.0.113.5", "203.0.113.5"],
  ["an IPv4-mapped item in words, with brackets and port", "10.0.0.1", "[::ffff:cb00:7105]:80", "203.0.113.5"],
  ["an IPv4-mapped peer", "::ffff:10.0.0.1", "203.0.113.5", "203.0.113.5"],
  ["an IPv4-mapped peer that is no proxy", "::ffff:203.0.113.5", "198.51.100.1", "203.0.113.5"],
  ["an IPv4-mapped proxy in the header", "10.0.0.1", "203.0.113.5, ::ffff:10.0.0.2", "203.0.113.5"],
  ["an IPv6 proxy", "2001:db8:ffff::1", "203.0.113.5", "203.0.113.5"],
  ["a peer with a zone", "fe80::1%eth0", "198.51.100.1", "fe80::1"],
  ["an item with a zone", "10.0.0.1", "fe80::1%eth0", "fe80::1"],
  ["a zone after an IPv4 address", "10.0.0.1", "203.0.113.5%eth0", null],
  ["a zone without a name", "10.0.0.1", "fe80::1%", null],
  ["malformed where the client should be", "10.0.0.1", "203.0.113.5, 10.0.0.256", null],
  ["malformed behind a proxy of ours", "10.0.0.1", "garbage, 10.0.0.2", null],
  ["malformed left of the client", "10.0.0.1", "garbage, ;\"', 203.0.113.5", "203.0.113.5"],
  ["leading zeros", "10.0.0.1", "010.0.0.1", null],
  ["a short form", "10.0.0.1", "203.5", null],
  ["a number", "10.0.0.1", "3405803781", null],
  ["a prefix", "10.0.0.1", "203.0.113.5/32", null],
  ["unknown", "10.0.0.1", "unknown", null],
  ["brackets around IPv4", "10.0.0.1", "[203.0.113.5]", null],
  ["a bracket that stays open", "10.0.0.1", "[2001:db8::5", null],
  ["text after the bracket", "10.0.0.1", "[2001:db8::5]x", null],
  ["a port that is none", "10.0.0.1", "203.0.113.5:http", null],
  ["two addresses without a comma", "10.0.0.1", "203.0.113.5 198.51.100.1", null],
  ["no peer", undefined, "198.51.100.1", null],
  ["a peer that is no address", "/run/socket", "198.51.100.1", null],
];

for (const [name, remote, header, client] of X_FORWARDED_FOR) {
  test(`X-Forwarded-For: ${name}`, () =>
    assert.equal(clientOf(remote, header === undefined ? {} : { "x-forwarded-for": header }), client));
}

const FORWARDED: readonly Case[] = [
  ["the form of the RFC", "10.0.0.1", "for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"],
  ["the name in capitals", "10.0.0.1", 'For="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::17"],
  ["several items", "10.0.0.1", "for=198.51.100.1, for=203.0.113.5;by=x, for=10.0.0.2", "203.0.113.5"],
  ["a comma and a semicolon in quotes", "10.0.0.1", 'for=203.0.113.5;by="a, for=198.51.100.1; b"', "203.0.113.5"],
  ["an escaped quote", "10.0.0.1", 'by="a\\", for=198.51.100.1";for=203.0.113.5', "203.0.113.5"],
  ["unknown", "10.0.0.1", "for=198.51.100.1, for=unknown", null],
  ["an obfuscated name", "10.0.0.1", "for=_hidden", null],
  ["an obfuscated port", "10.0.0.1", 'for="203.0.113.5:_p"', "203.0.113.5"],
  ["an item that says nothing of the client", "10.0.0.1", "for=198.51.100.1, proto=https", null],
  ["two clients in an item", "10.0.0.1", "for=198.51.100.1;for=203.0.113.5", null],
  ["a quote of the client's that stays open", "10.0.0.1", 'for="198.51.100.1, for=203.0.113.5', null],
  ["a quote of the client's that a proxy's closes", "10.0.0.1", 'for="a, for="[2001:db8::5]"', null],
  ["an escape of the client's before a proxy's item", "10.0.0.1", 'for="\\, for="[2001:db8::5]"', null],
  ["a semicolon of the client's before a proxy's item", "10.0.0.1", "for=198.51.100.1;, for=203.0.113.5", null],
  ["no equals sign", "10.0.0.1", "203.0.113.5", null],
  ["empty items", "10.0.0.1", " , for=203.0.113.5 ,, ", "203.0.113.5"],
  ["an empty header", "10.0.0.1", "", "10.0.0.1"],
  ["from anyone", "203.0.113.5", "for=198.51.100.1", "203.0.113.5"],
];

for (const [name, remote, header, client] of FORWARDED) {
  test(`Forwarded: ${name}`, () =>
    assert.equal(clientOf(remote, header === undefined ? {} : { forwarded: header }, "forwarded"), client));
}

test("the header that the proxies do not write is ignored", () => {
  assert.equal(clientOf("10.0.0.1", { forwarded: "for=198.51.100.1" }), "10.0.0.1");
  assert.equal(clientOf("10.0.0.1", { "x-forwarded-for": "198.51.100.1" }, "forwarded"), "10.0.0.1");
});

test("Unix sockets are trusted only if configured, and never because a peer's address is malformed", () => {
  const headers = { "x-forwarded-for": "203.0.113.5" };
  assert.equal(clientOf(undefined, headers, "x-forwarded-for", ["unix"]), "203.0.113.5");
  assert.equal(clientOf(undefined, {}, "x-forwarded-for", ["unix"]), null);
  assert.equal(clientOf("nonsense", headers, "x-forwarded-for", ["unix"]), null);
});

test("an invalid trusted proxy is rejected when the server starts", () => {
  const make = (proxy: string) => (): unknown => new ClientFinder([proxy], "x-forwarded-for");
  assert.throws(make("10.0.0.1/8"), { code: "host-bits-set" });
  assert.throws(make("loopback"), { name: "AddressError" });
  assert.throws(make("0.0.0.0/0"), /trusts everyone/);
  assert.throws(make("::/0"), /trusts everyone/);
});

test("whatever a client writes before a proxy's item, the proxy's item counts", () => {
  // Pieces that both headers are made of; the proxy appends what nginx and HAProxy would.
  const pieces = [
    "for=",
    "198.51.100.1",
    "10.0.0.2",
    ",",
    ";",
    '"',
    "\\",
    " ",
    "[",
    "]",
    ":",
    "=",
    "_",
    "by=x",
    "%",
    "é",
  ];
  let seed = 7;
  const next = (limit: number): number => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % limit;
  let found = 0;
  for (let round = 0; round < 50_000; round++) {
    const own = Array.from({ length: next(9) }, () => pieces[next(pieces.length)]).join("");
    assert.equal(clientOf("10.0.0.1", { "x-forwarded-for": `${own}, 203.0.113.5` }), "203.0.113.5", own);
    for (const appended of ["for=203.0.113.5", 'for="[2001:db8::5]:80"', 'for="203.0.113.5:80"']) {
      const client = clientOf("10.0.0.1", { forwarded: `${own}, ${appended}` }, "forwarded");
      const expected = appended.includes("[") ? "2001:db8::5" : "203.0.113.5";
      if (client !== null) assert.equal(client, expected, own);
      found += client === null ? 0 : 1;
    }
  }
  assert.ok(found > 5000, `only ${found} headers could be read`);
});

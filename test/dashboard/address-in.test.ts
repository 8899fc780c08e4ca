/** What people paste into the box of the dashboard, and what it asks about. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addressIn } from "../../src/dashboard/lookup/address-in.ts";

for (const [pasted, wanted] of [
  [" 1.1.1.1 ", "1.1.1.1"],
  ["10.0.0.0/8", "10.0.0.0/8"],
  ["192.0.2.310", "192.0.2.310"],
  ["2001:db8::/32", "2001:db8::/32"],
  ["https://203.0.113.7/24/path?x=10.0.0.1", "203.0.113.7"],
  ["http://user:pass@203.0.113.7:8080/", "203.0.113.7"],
  ["https://[2001:db8::1]:8443/", "2001:db8::1"],
  ["203.0.113.7:443", "203.0.113.7"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["203.0.113[.]7", "203.0.113.7"],
  ["hxxps://203[.]0[.]113[.]7/login", "203.0.113.7"],
  ['203.0.113.7 - - [21/Nov/2026:12:00:01 +0000] "GET / HTTP/1.1" 200 12', "203.0.113.7"],
  ["Nov 21 12:00:01 host sshd[1]: Failed password for root from 2001:db8::7 port 22 ssh2", "2001:db8::7"],
  ["2026-11-21T12:00:01Z deny 203.0.113.0/24", "203.0.113.0/24"],
  ["SRC=198.51.100.9 DST=192.0.2.1", "198.51.100.9"],
  ['{"client":{"ip":"2001:db8:0:0:0:0:0:1"}}', "2001:db8:0:0:0:0:0:1"],
  ["version 1.2.3.4.5 of 12:00:01", "version 1.2.3.4.5 of 12:00:01"],
  ["example.org", "example.org"],
  ["https://example.org/", "https://example.org/"],
] as const)
  test(`${pasted} asks about ${wanted}`, () => assert.equal(addressIn(pasted), wanted));

test("any address is found in a URL, before a port, in quotes and among words; an address alone stays", () => {
  const v4 = fc.ipV4();
  const v6 = fc.ipV6().filter((text) => !text.includes("."));
  fc.assert(
    fc.property(fc.oneof(v4, v6), (address) => {
      const host = address.includes(":") ? `[${address}]` : address;
      assert.equal(addressIn(address), address);
      assert.equal(addressIn(`https://${host}:8443/a/b`), address);
      assert.equal(addressIn(`${host}:443`), address);
      assert.equal(addressIn(`12:00:01 "${address}" said 12:00:02 hello`), address);
    }),
  );
});

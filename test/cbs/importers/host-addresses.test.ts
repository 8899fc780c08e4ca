import assert from "node:assert/strict";
import { test } from "node:test";
import { hostAddresses } from "../../../src/cbs/importers/host-addresses.ts";
import { assertRefused, type BadList, entriesOf } from "./lists.ts";

test("a host name and one address per line (NodePing), with any white space", () => {
  assert.deepEqual(
    entriesOf(hostAddresses("a.example.net 192.0.2.1\r\na.example.net\t2001:db8::1\n\n b  192.0.2.2 ")),
    ["192.0.2.1 -", "2001:db8::1 -", "192.0.2.2 -"],
  );
});

const bad: BadList[] = [
  ["nothing", "", "empty", "line 1"],
  ["a web page", "<html>", "web-page", "line 1"],
  ["an address alone", "a 192.0.2.1\n192.0.2.2\n", "bad-shape", "line 2"],
  ["two addresses", "a 192.0.2.1 192.0.2.2\n", "bad-shape", "line 1"],
  ["two addresses without a name", "192.0.2.1 192.0.2.2\n", "bad-shape", "line 1"],
  ["two IPv6 addresses without a name", "a 192.0.2.1\n2001:db8::a 2001:db8::b\n", "bad-shape", "line 2"],
  ["a line that is commented out", "# 192.0.2.1\n", "bad-shape", "line 1"],
  ["the address first", "192.0.2.1 a\n", "bad-shape", "line 1"],
  ["a name instead of the address", "a b\n", "bad-prefix", "line 1"],
];
for (const list of bad)
  test(`host names with addresses rejected: ${list[0]}`, () => assertRefused(hostAddresses, list));

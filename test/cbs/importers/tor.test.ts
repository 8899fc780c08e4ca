import assert from "node:assert/strict";
import { test } from "node:test";
import { torExits } from "../../../src/cbs/importers/tor.ts";
import { assertRefused, type BadList, entriesOf } from "./lists.ts";

test("Tor: one address a line", () => {
  assert.deepEqual(entriesOf(torExits("192.0.2.1\n2001:db8::1\n")), ["192.0.2.1 exits", "2001:db8::1 exits"]);
});

test("Tor: the exit list, a relay with two addresses, with and without its head", () => {
  const relays = `ExitNode 0011BD2485AD45D984EC4159C88FC066E5E3300E
Published 2026-01-28 20:05:02
LastStatus 2026-01-29 09:00:00
ExitAddress 192.0.2.1 2026-01-29 09:10:11
ExitAddress 198.51.100.7 2026-01-29 09:10:12
ExitNode 0020D6D1A9F2D8A3B8F9E2F4A5B6C7D8E9F0A1B2
Published 2026-01-29 01:02:03
LastStatus 2026-01-29 09:00:00
ExitAddress 203.0.113.5 2026-01-29 08:00:00
`;
  const expected = ["192.0.2.1 exits", "198.51.100.7 exits", "203.0.113.5 exits"];
  assert.deepEqual(entriesOf(torExits(relays)), expected);
  const list = torExits(`@type tor-exit-list 1.0\nDownloaded 2026-01-29 10:02:00\n${relays.replaceAll("\n", "\r\n")}`);
  assert.deepEqual([entriesOf(list), list.publishedAt], [expected, "2026-01-29T10:02:00.000Z"]);
});

const bad: BadList[] = [
  ["nothing", "", "empty", "line 1"],
  ["a web page", "<html>", "web-page", "line 1"],
  ["relays without addresses", "ExitNode 00\n", "empty", "line 1"],
  ["an address that is none", "ExitNode 00\nExitAddress 192.0.2 2026-01-29 09:10:11\n", "bad-prefix", "line 2"],
  ["no address", "ExitNode 00\nExitAddress\n", "bad-shape", "line 2"],
];
for (const list of bad) test(`Tor rejected: ${list[0]}`, () => assertRefused(torExits, list));

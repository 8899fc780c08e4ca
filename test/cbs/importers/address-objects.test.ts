import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addressObjects } from "../../../src/cbs/importers/address-objects.ts";
import { assertRefused, type BadList, entriesOf, NO_JSON } from "./lists.ts";

const importer = addressObjects({ ipv4: "ip", ipv6: "ip6" });

describe("objects with one address of each family", () => {
  test("by any key (StatusCake, updown.io): a family is null, empty or absent where there is none", () => {
    const list = importer(
      `{"1": {"ip": "192.0.2.1", "ip6": "2001:db8::1", "city": "Dallas"},
        "lan": {"ip": "192.0.2.2", "ip6": ""}, "a b": {"ip": "192.0.2.3", "ip6": null}, "x": {"ip6": "2001:db8::/48"}}`,
    );
    assert.deepEqual(entriesOf(list), [
      "192.0.2.1 -",
      "2001:db8::1 -",
      "192.0.2.2 -",
      "192.0.2.3 -",
      "2001:db8::/48 -",
    ]);
    assert.deepEqual(list.warnings, []);
  });

  test("in an array (Mullvad), for a service", () => {
    const relays = addressObjects({ ipv4: "ipv4_addr_in", ipv6: "ipv6_addr_in", service: "relays" });
    assert.deepEqual(
      entriesOf(relays('[{"hostname": "a", "ipv4_addr_in": "192.0.2.1", "ipv6_addr_in": "2001:db8::1"}]')),
      ["192.0.2.1 relays", "2001:db8::1 relays"],
    );
  });
});

const bad: BadList[] = [
  ...NO_JSON,
  ["an array without objects", "[]", "empty", "line 1"],
  ["no address", '{"lan": {"ip": "", "ip6": null}}', "bad-shape", "$.lan"],
  ["another name", '[{"ip": "192.0.2.1"}, {"address": "192.0.2.2"}]', "bad-shape", "$[1]"],
  ["an address instead of an object", '["192.0.2.1"]', "bad-shape", "$[0]"],
  ["the wrong family", '{"lan": {"ip": "2001:db8::1"}}', "bad-prefix", "$.lan.ip"],
  ["a host name", '{"a b": {"ip6": "probe.example.net"}}', "bad-prefix", '$["a b"].ip6'],
  ["a number", '[{"ip": 7}]', "bad-shape", "$[0].ip"],
];
for (const list of bad) test(`objects with addresses rejected: ${list[0]}`, () => assertRefused(importer, list));

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix } from "../../src/address/prefix.ts";
import { openNetworks } from "../../src/index.ts";
import { NetworksError } from "../../src/networks/networks-error.ts";
import type { Networks } from "../../src/networks/networks.ts";
import { type NetworkSelection, selectedPrefixes } from "../../src/networks/select-networks.ts";
import { smallNetworks } from "./small-networks.ts";
import { sampled } from "../rounds.ts";

function prefixesOf(networks: Networks, selection: NetworkSelection): string[] {
  return [...selectedPrefixes(networks, selection)].flatMap((prefix) =>
    prefix === undefined ? [] : [formatPrefix(prefix)],
  );
}

test("the prefixes of an AS number, and of a country, are those whose owner says so", () => {
  const networks = smallNetworks();
  assert.deepEqual(prefixesOf(networks, { asn: 15169 }), ["8.8.8.0/24", "8.8.9.0/24", "8.8.10.0/23"]);
  assert.deepEqual(prefixesOf(networks, { country: "DE" }), ["8.8.9.0/24", "8.8.10.0/23"]);
  assert.deepEqual(prefixesOf(networks, { country: "FR" }), ["203.0.113.0/24", "2001:db8::/32"]);
});

test("of the bundled networks, each prefix belongs to one AS number, and to its country", async () => {
  const networks = await openNetworks();
  for (const asn of sampled([32, 513, 13335], 3)) {
    const expected: string[] = [];
    for (const family of [4, 6] as const)
      for (const { prefix, match } of networks.table.entries(family))
        if (networks.ownerOf(match).asn === asn) expected.push(formatPrefix(prefix));
    assert.deepEqual(prefixesOf(networks, { asn }), expected);
    // What gathers them pauses after so many, whether they are selected or not.
    const { matchCount } = networks.table;
    const looked = matchCount + networks.table.prefixCount(4) + networks.table.prefixCount(6);
    assert.equal([...selectedPrefixes(networks, { asn })].length, looked);
  }
});

const UNKNOWN: readonly (readonly [selection: NetworkSelection, message: RegExp])[] = [
  [
    { asn: 15170 },
    /^no network has the number AS15170; the nearest are AS15169 \(Google LLC\) and AS16509 \(Amazon\.com, Inc\.\)$/,
  ],
  [{ asn: 0 }, /the nearest are AS32 \(Stanford University\)$/],
  [{ asn: 4_294_967_295 }, /the nearest are AS64501 \(Exemple SA\)$/],
  [{ country: "FX" }, /^no network is in the country "FX" \(two letters, ISO 3166-1\); did you mean FR\?$/],
];

for (const [selection, message] of UNKNOWN)
  test(`unknown, with the nearest known: ${JSON.stringify(selection)}`, () =>
    assert.throws(
      () => prefixesOf(smallNetworks(), selection),
      (error) => error instanceof NetworksError && error.code === "unknown-network" && message.test(error.message),
    ));

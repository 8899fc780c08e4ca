import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../src/address/parse-address.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { primarySentence } from "../../src/cbs/primary.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { openNetworks } from "../../src/datasets/open-networks.ts";
import { KNOWN } from "./known-addresses.ts";

/** Of the addresses; out of the box, without the network. */
const LEAST = 0.95;

test("well-known addresses are named as users expect", async (context) => {
  const [catalogue, networks] = [await openCatalogue(), await openNetworks()];
  const verdict = (address: string): string => {
    const { primary } = identifyText(catalogue, address);
    return primarySentence(primary, primary === null ? networks.lookup(address) : null) ?? "nothing";
  };
  const addresses = KNOWN.flatMap(([, , ...of]) => of);
  const distinct = new Set(addresses.map((address) => Object.values(parseAddress(address)).join(" ")));
  assert.equal(distinct.size, addresses.length, "each stands there once");
  assert.ok(addresses.length >= 300);
  const misses = KNOWN.flatMap(([what, expected, ...of]) =>
    of
      .filter((address) => !expected.test(verdict(address)))
      .map((address) => `${address}, ${what}: ${verdict(address)}`),
  );
  const share = 1 - misses.length / addresses.length;
  context.diagnostic(`${addresses.length} addresses, ${(100 * share).toFixed(1)} % named as expected`);
  for (const miss of misses) context.diagnostic(miss);
  assert.ok(share >= LEAST, misses.join("\n"));
});

test("negative control: what is expected of one address is not what another one gets", async () => {
  const catalogue = await openCatalogue();
  const expected = KNOWN.map(([, pattern]) => pattern);
  const passed = KNOWN.filter(([, , address], at) =>
    expected[(at + 7) % expected.length]!.test(primarySentence(identifyText(catalogue, address!).primary) ?? ""),
  );
  assert.ok(passed.length < KNOWN.length / 10);
});

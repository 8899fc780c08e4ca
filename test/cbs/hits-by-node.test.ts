import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../src/address/parse-address.ts";
import { hitsByNode } from "../../src/cbs/hits-by-node.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { finished } from "../../src/turns/finished.ts";
import { catalogueOf } from "./catalogues.ts";

const catalogue = catalogueOf([
  ["52.0.0.0/8", "/cloud/aws"],
  ["52.94.0.0/16", "/cloud/aws/ec2", "/saas/github"],
  ["2600:1f00::/24", "/cloud/aws"],
]);

/** More than are looked up at a time: some in each block of the catalogue, and some outside. */
const ADDRESSES = Array.from({ length: 9000 }, (_, index) =>
  index % 3 === 0
    ? `2600:${index % 2 === 0 ? "1f00" : "2f00"}::${index.toString(16)}`
    : `${index % 5 === 0 ? 53 : 52}.${index % 7 === 0 ? 94 : 95}.${index >> 8}.${index & 255}`,
);
const linesOf = (index: number): number => 1 + (index % 4);
const isChosen = (index: number): boolean => index % 11 !== 0;

/** Computed address by address, from the document of a lookup. */
function expected(isIncluded: (index: number) => boolean): object[] {
  const hits: Record<string, { lines: number; addresses: number }> = {};
  for (const [index, address] of ADDRESSES.entries()) {
    if (!isIncluded(index)) continue;
    for (const id of identifyText(catalogue, address).cbs_ids) {
      const own = (hits[id] ??= { lines: 0, addresses: 0 });
      own.lines += linesOf(index);
      own.addresses++;
    }
  }
  return Object.entries(hits)
    .map(([id, own]) => ({ id, ...own }))
    .sort((a, b) => b.lines - a.lines || (a.id < b.id ? -1 : 1));
}

test("the chosen addresses of a log are counted for each of their services", () => {
  const indexes = [...ADDRESSES.keys()];
  const [ipv6, ipv4] = [true, false].map((is6) => indexes.filter((index) => ADDRESSES[index]!.includes(":") === is6));
  const words = (of: readonly number[]): number[] =>
    of.flatMap((index) => {
      const { family, w0, w1, w2, w3 } = parseAddress(ADDRESSES[index]!);
      return family === 4 ? [w0] : [w0, w1, w2, w3];
    });
  const counted = {
    words4: Uint32Array.from(words(ipv4!)),
    counts4: Float64Array.from(ipv4!, linesOf),
    words6: Uint32Array.from(words(ipv6!)),
    counts6: Float64Array.from(ipv6!, linesOf),
  };
  const chosen = {
    4: Uint32Array.from(ipv4!, (at) => +isChosen(at)),
    6: Uint32Array.from(ipv6!, (at) => +isChosen(at)),
  };
  const found = finished(hitsByNode(catalogue, counted, chosen));
  assert.deepEqual(found, expected(isChosen));
  assert.equal(found.length, 3);
  assert.notDeepEqual(
    found,
    expected(() => true),
    "negative control: all addresses have more hits",
  );
});

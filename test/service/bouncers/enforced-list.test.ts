import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { rounds } from "../../rounds.ts";
import { asHosts, endOfHost, enforcedList } from "../../../src/service/bouncers/enforced-list.ts";

/** Blocks of 512 addresses, each with at most one prefix: the prefixes of a published list do not nest. */
function* entries(random: Random): Generator<[prefix: string, end: number]> {
  for (let block = 0; block < 128; block++) {
    if (random.below(4) === 0) continue;
    const bits = random.below(10);
    const first = 512 * block + (random.below(512 >> bits) << bits);
    yield [formatPrefix(parsePrefix(`10.0.${first >> 8}.${first & 255}/${32 - bits}`)), random.below(3)];
    yield [formatPrefix(parsePrefix(`2001:db8::${first.toString(16)}/${128 - bits}`)), random.below(3)];
  }
}

test("the end of a single address equals that in the list of single addresses, without expanding the list", async () => {
  for (let seed = 1; seed <= rounds({ short: 1, long: 4 }); seed++) {
    const list = await enforcedList(entries(new Random(seed)));
    const { ends } = await asHosts(list);
    let listed = 0;
    for (let number = 0; number < 1 << 16; number++) {
      for (const text of [`10.0.${number >> 8}.${number & 255}`, `2001:db8::${number.toString(16)}`]) {
        const host = parsePrefix(text);
        const end = endOfHost(list, host);
        if (end !== undefined) listed++;
        assert.equal(end, ends.get(formatPrefix(host)), text);
      }
    }
    assert.equal(listed, ends.size);
    assert.ok(listed > 1000 && list.ends.size > 100);
  }
});

test("wider prefixes are not in the list of single addresses", async () => {
  const list = await enforcedList([["10.0.0.0/24", 0]]);
  assert.equal(endOfHost(list, parsePrefix("10.0.0.7")), 0);
  for (const text of ["10.0.0.0/24", "10.0.0.6/31", "0.0.0.0/0", "10.0.1.0", "::"])
    assert.equal(endOfHost(list, parsePrefix(text)), undefined, text);
});

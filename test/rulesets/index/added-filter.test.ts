import assert from "node:assert/strict";
import { test } from "node:test";
import { addressBits, type Prefix } from "../../../src/address/address.ts";
import { prefixOf } from "../../../src/address/prefix.ts";
import { AddedFilter } from "../../../src/rulesets/index/_added-filter.ts";
import { randomWords } from "../../random-words.ts";

const next = randomWords(20_261_128);

const mayHave = (filter: AddedFilter, { family, w0, w1 }: Prefix): boolean =>
  family === 4 ? filter.mayHave4(w0) : filter.mayHave6(w0, w1);

const anyPrefix = (family: 4 | 6, length: number): Prefix =>
  prefixOf({ family, w0: next(), w1: family === 4 ? 0 : next(), w2: 0, w3: 0 }, length);

/** An address below the prefix: a prefix of that length around a random one, with the words that it says. */
function below(prefix: Prefix): Prefix {
  const { family, length } = prefix;
  const other = anyPrefix(family, addressBits(family));
  const mask = (word: number): number =>
    length >= 32 * word + 32 ? 0 : length <= 32 * word ? ~0 : ~0 >>> (length % 32);
  const mixed = (word: 0 | 1): number => (prefix[`w${word}`] | (other[`w${word}`] & mask(word))) >>> 0;
  return { ...prefix, w0: mixed(0), w1: family === 4 ? 0 : mixed(1) };
}

test("no address of an added prefix is missed, whatever its length; nearly all others have none", () => {
  for (const family of [4, 6] as const)
    for (let length = 0; length <= addressBits(family); length++)
      for (let round = 0; round < 8; round++) {
        const prefix = anyPrefix(family, length);
        const filter = new AddedFilter();
        filter.add(prefix);
        for (const each of [filter, filter.copy()])
          for (let address = 0; address < 8; address++) assert.ok(mayHave(each, below(prefix)), JSON.stringify(prefix));
      }
  const filter = new AddedFilter();
  for (let added = 0; added < 1000; added++) filter.add(anyPrefix(added % 2 === 0 ? 4 : 6, added % 2 === 0 ? 24 : 48));
  let found = 0;
  for (let address = 0; address < 10_000; address++)
    found += Number(mayHave(filter, anyPrefix(4, 32))) + Number(mayHave(filter, anyPrefix(6, 128)));
  assert.ok(found < 200, `${found} of 20,000`);
});

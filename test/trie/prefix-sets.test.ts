import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import type { PrefixEntry } from "../../src/trie/prefix-trie.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { PREFIX_SETS } from "../cases/prefix-sets.ts";
import type { Entry, PrefixSet } from "../cases/prefix-sets.ts";
import { PrefixOracle } from "../oracle/prefix-oracle.ts";
import { checkInvariants } from "./check-invariants.ts";

type Subject = PrefixTrie | PrefixOracle;

const asEntry = ({ prefix, values }: PrefixEntry): Entry => [formatPrefix(prefix), ...values];
const prefixesOf = (entries: Iterable<PrefixEntry>): string[] => [...entries].map(({ prefix }) => formatPrefix(prefix));

function fill<S extends Subject>(subject: S, given: readonly Entry[]): S {
  for (const [text, ...values] of given) for (const value of values) subject.add(parsePrefix(text), value);
  return subject;
}

function checkAnswers(subject: Subject, set: PrefixSet): void {
  const valuesOf = new Map(set.entries.map(([prefix, ...values]) => [prefix, values]));
  assert.equal(subject.size, set.entries.length);
  assert.deepEqual([...subject].map(asEntry), set.entries);
  for (const [text, covering] of set.addresses) {
    const address = parseAddress(text);
    const longest = covering.at(-1);
    assert.equal(subject.lookup(address), longest === undefined ? 0 : valuesOf.get(longest)?.[0], text);
    const prefix = subject.lookupPrefix(address);
    assert.equal(prefix && formatPrefix(prefix), longest, text);
    assert.deepEqual(prefixesOf(subject.covering(parsePrefix(text))), covering, text);
  }
  for (const { prefix, covering, covered } of set.prefixes) {
    const asked = parsePrefix(prefix);
    assert.deepEqual(prefixesOf(subject.covering(asked)), covering, prefix);
    assert.deepEqual(prefixesOf(subject.covered(asked)), covered, prefix);
    const values = valuesOf.get(formatPrefix(asked)) ?? [];
    assert.equal(subject.has(asked), values.length > 0, prefix);
    assert.equal(subject.get(asked), values[0] ?? 0, prefix);
    assert.deepEqual(subject.values(asked), values, prefix);
  }
}

for (const Subject of [PrefixTrie, PrefixOracle]) {
  describe(`${Subject.name} passes the table of prefix sets`, () => {
    for (const set of PREFIX_SETS) {
      test(set.name, () => {
        const given = set.given ?? set.entries;
        checkAnswers(fill(new Subject(), given), set);
        checkAnswers(fill(new Subject(), given.toReversed()), set);
      });
    }
  });
}

test("a trie that previously held all other sets of the table equals a new one", () => {
  const trie = new PrefixTrie();
  for (const set of PREFIX_SETS) {
    fill(trie, set.given ?? set.entries);
    checkAnswers(trie, set);
    for (const [text] of set.entries) assert.ok(trie.delete(parsePrefix(text)));
    checkInvariants(trie);
  }
  assert.equal(trie.size, 0);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Family } from "../../src/address/address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import { type Favour, freeze } from "../../src/table/freeze.ts";
import { PrefixTable } from "../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { PREFIX_SETS, type Entry } from "../cases/prefix-sets.ts";
import type { MatchId } from "../../src/table/match-id.ts";

function tableOf(given: readonly Entry[], favour: Favour = "balance"): PrefixTable {
  const trie = new PrefixTrie();
  for (const [text, ...values] of given) for (const value of values) trie.add(parsePrefix(text), value);
  return freeze(trie, { favour });
}

/** The same bytes elsewhere in memory, as in a worker or an opened file. */
function moved(table: PrefixTable): PrefixTable {
  const shared = new SharedArrayBuffer(table.buffer.byteLength);
  new Uint8Array(shared).set(new Uint8Array(table.buffer));
  return new PrefixTable(shared, table.sections);
}

/** The ways to look up an address in a table, which must all give the same match. */
const ENTRANCES: Record<string, (table: PrefixTable, text: string) => MatchId> = {
  text: (table, text) => table.lookup(text),
  "bytes in the middle of a buffer": (table, text) => {
    const bytes = new TextEncoder().encode(`7${text}9`);
    return table.lookupBytes(bytes, 1, bytes.length - 1);
  },
  address: (table, text) => table.lookupAddress(parseAddress(text)),
  "a batch of nine": (table, text) => {
    const { family, w0, w1, w2, w3 } = parseAddress(text);
    const words = Array.from({ length: 9 }, () => (family === 4 ? [w0] : [w0, w1, w2, w3])).flat();
    const out = new Uint32Array(9);
    table.lookupBatchInto(family, Uint32Array.from(words), out);
    assert.equal(new Set(out).size, 1);
    return out[0]! as MatchId;
  },
};

for (const [form, make] of Object.entries({
  frozen: (given: readonly Entry[]) => tableOf(given),
  fast: (given: readonly Entry[]) => tableOf(given, "speed"),
  small: (given: readonly Entry[]) => tableOf(given, "size"),
  moved: (given: readonly Entry[]) => moved(tableOf(given)),
})) {
  describe(`a ${form} table passes the table of prefix sets`, () => {
    for (const set of PREFIX_SETS) {
      const valuesOf = new Map(set.entries.map(([prefix, ...values]) => [prefix, values]));
      test(set.name, () => {
        const table = make(set.given ?? set.entries);
        table.checkStructure();
        const entries = ([4, 6] as Family[]).flatMap((family) => [...table.entries(family)]);
        assert.deepEqual(
          entries.map(({ prefix, match }) => [formatPrefix(prefix), ...table.values(match)]),
          set.entries,
        );
        for (const [text, covering] of set.addresses) {
          const address = parseAddress(text);
          for (const [name, lookup] of Object.entries(ENTRANCES)) {
            const chain = table.chain(lookup(table, text));
            assert.deepEqual(
              chain.map((id) => formatPrefix(prefixOf(address, table.prefixLength(id)))).reverse(),
              covering,
              `${text} by ${name}`,
            );
            assert.deepEqual(
              chain.map((id) => table.values(id)).reverse(),
              covering.map((prefix) => valuesOf.get(prefix)),
              `${text} by ${name}`,
            );
          }
        }
        for (const { prefix, covering } of set.prefixes) {
          const asked = parsePrefix(prefix);
          const match = table.lookupPrefix(asked);
          const expected = covering.at(-1);
          assert.equal(
            match === 0 ? undefined : formatPrefix(prefixOf(asked, table.prefixLength(match))),
            expected,
            prefix,
          );
          assert.deepEqual(
            table.get(asked) === 0 ? undefined : table.values(table.get(asked)),
            valuesOf.get(formatPrefix(asked)),
            prefix,
          );
        }
      });
    }
  });
}

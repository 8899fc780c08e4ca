import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_ADDRESS } from "../../../src/batch/lines/find-address.ts";
import { Matcher } from "../../../src/batch/engine/matcher.ts";
import { Snapshot } from "../../../src/snapshot/snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import { PrefixTable } from "../../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../../src/trie/prefix-trie.ts";
import { LOG_LINES } from "../../cases/log-lines.ts";
import { cases } from "../differential.ts";
import { expectedCounts, expectedRows, makeSnapshot, temporaryFolder } from "../fixture.ts";
import type { MatchId } from "../../../src/table/match-id.ts";

const snapshot = await makeSnapshot(temporaryFolder());
const { table } = snapshot;
const matchers = (["webassembly", "typescript"] as const).map((engine) => new Matcher(snapshot, { engine }));

/** The last columns of the rows that the matches represent, by the table; null for a line without an address. */
function idsOf(matches: Int32Array): (string | null)[] {
  return Array.from(matches, (match) => {
    if (match === NO_ADDRESS) return null;
    return match === 0
      ? ""
      : table
          .chain(match as MatchId)
          .flatMap((one) => table.values(one))
          .map((value) => `v${value}`)
          .join(",");
  });
}

/** The same according to the oracles, which share neither the table nor the line code with the code under test. */
function expectedIds(text: string): (string | null)[] {
  const rows = expectedRows(text, "tsv")
    .split("\n")
    .slice(0, -1)
    .map((row) => row.split("\t"));
  return rows.map(([address, , ids]) => (address === "" ? null : ids!));
}

for (const matcher of matchers) {
  const { engine } = matcher;
  test(`${engine}: every line of the table of cases, with and without the last LF`, () => {
    for (const end of ["", "\n", "\r\n"]) {
      const text = LOG_LINES.map(({ line }) => line).join("\n") + end;
      const { lines, addresses, matched, matches } = matcher.identifyBuffer(Buffer.from(text, "latin1"));
      assert.deepEqual(idsOf(matches), expectedIds(text));
      assert.deepEqual({ lines, addresses, matched }, expectedCounts(text));
    }
  });

  test(`${engine}: random texts, complete and into arrays of any size, from memory at any offset`, (t) => {
    let texts = 0;
    for (const { text, limits } of fc.sample(cases, { seed: 7, numRuns: 300 })) {
      const bytes = new Uint8Array(Buffer.from(`---${text}...`, "latin1")).subarray(3, 3 + text.length);
      const expected = expectedIds(text);
      assert.deepEqual(idsOf(matcher.identifyBuffer(bytes).matches), expected);
      const out = new Int32Array(1 + (limits.shardBytes! % 40));
      const seen: (string | null)[] = [];
      for (let from = 0; from < bytes.length;) {
        const { lines, next } = matcher.identifyBufferInto(bytes, out, from);
        assert.ok(next > from && lines > 0);
        seen.push(...idsOf(out.subarray(0, lines)));
        from = next;
      }
      assert.deepEqual(seen, expected);
      texts++;
    }
    t.diagnostic(`${texts} texts`);
  });

  test(`${engine}: lines longer than a piece among others`, () => {
    const text = `1.2.3.4\n${"x".repeat(150_000)} 10.1.2.3 ${"y".repeat(200_000)}\n10.2.3.4\n${"z ".repeat(150_000)}\n2001:db8::1 ${"w".repeat(140_000)}`;
    assert.deepEqual(idsOf(matcher.identifyBuffer(Buffer.from(text)).matches), expectedIds(text));
  });

  test(`${engine}: empty input yields nothing, and invalid positions are rejected`, () => {
    assert.deepEqual(matcher.identifyBuffer(new Uint8Array()), {
      lines: 0,
      addresses: 0,
      matched: 0,
      matches: new Int32Array(),
    });
    assert.deepEqual(matcher.identifyBufferInto(Buffer.from("1.2.3.4"), new Int32Array()), {
      lines: 0,
      addresses: 0,
      matched: 0,
      next: 0,
    });
    for (const from of [-1, 8, 1.5, Number.NaN])
      assert.throws(() => matcher.identifyBufferInto(Buffer.from("1.2.3.4"), new Int32Array(1), from), RangeError);
  });

  test(`${engine}: batches of words yield the same as single lookups`, () => {
    const words = Uint32Array.from({ length: 4 * 5000 }, (_, at) => Math.imul(at + 1, 0x9e37_79b1) >>> (at % 9));
    for (const count of [0, 1, 3, 2047, 2048, 2049, 5000]) {
      const out = new Uint32Array(5000).fill(0xdead);
      matcher.lookupBatchInto(4, words, out, count);
      assert.deepEqual(
        out.subarray(0, count),
        Uint32Array.from(words.subarray(0, count), (word) => table.lookup4(word)),
      );
      words.set([0x2001_0db8, 0x0001_0002, 0, 1], 8);
      matcher.lookupBatchInto(6, words, out, count);
      const expected = Uint32Array.from({ length: count }, (_, at) =>
        table.lookup6(words[4 * at]!, words[4 * at + 1]!, words[4 * at + 2]!, words[4 * at + 3]!),
      );
      assert.deepEqual(out.subarray(0, count), expected);
      assert.ok(
        out.subarray(count).every((id) => id === 0xdead),
        "nothing is written behind the results",
      );
    }
    for (const [family, count] of [
      [4, 20_001],
      [6, 5001],
      [4, -1],
      [4, 1.5],
      [5, 1],
    ] as const) {
      assert.throws(() => matcher.lookupBatchInto(family as 4, words, new Uint32Array(20_000), count), RangeError);
    }
    assert.throws(() => matcher.lookupBatchInto(4, words, new Uint32Array(1), 2), RangeError);
  });
}

test("a table outside WebAssembly memory is copied into one", () => {
  const trie = new PrefixTrie();
  trie.insert({ family: 4, w0: 0x0a00_0000, w1: 0, w2: 0, w3: 0, length: 8 }, 7);
  const fresh = freeze(trie);
  const plain = new SharedArrayBuffer(snapshot.buffer.byteLength);
  new Uint8Array(plain).set(new Uint8Array(snapshot.buffer));
  for (const [source, text, value] of [
    [fresh, "10.1.1.1", 7],
    [new PrefixTable(fresh.buffer, fresh.sections), "10.1.1.1", 7],
    [Snapshot.attach(plain), "1.2.3.4", 5],
  ] as const) {
    const matcher = new Matcher(source, { engine: "webassembly" });
    assert.equal(matcher.engine, "webassembly");
    assert.equal(matcher.table.value(matcher.identifyBuffer(Buffer.from(text)).matches[0]! as MatchId), value);
  }
});

test("many matchers of one snapshot share a workspace in its memory", () => {
  const before = snapshot.memory!.buffer.byteLength;
  for (let at = 0; at < 20_000; at++) assert.equal(new Matcher(snapshot).engine, "webassembly");
  assert.equal(snapshot.memory!.buffer.byteLength, before);
});

test("an unknown engine is rejected", () => {
  assert.throws(() => new Matcher(snapshot, { engine: "native" as "auto" }), RangeError);
  for (const source of [undefined, null, "a.ipsieve", {}])
    assert.throws(() => new Matcher(source as never), /^TypeError: source must be a Snapshot or a PrefixTable$/);
  assert.equal(new Matcher(snapshot).engine, "webassembly");
});

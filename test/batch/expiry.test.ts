import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPrefix, prefixOf } from "../../src/address/prefix.ts";
import { identify } from "../../src/batch/identify.ts";
import { NO_ADDRESS } from "../../src/batch/lines/find-address.ts";
import { Matcher } from "../../src/batch/engine/matcher.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import type { MatchId } from "../../src/table/match-id.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { rounds, sampled } from "../rounds.ts";
import { seededRandom, toWords } from "../table/differential.ts";
import {
  activeAt,
  answerOf,
  expiryOf,
  folder,
  isMapped,
  makeCase,
  MOMENTS,
  NOON,
  oracle,
  RENDERER,
  textOf,
} from "./expiring-cases.ts";

test("batches and buffers at a given time equal the linear oracle, in both engines, when time goes forward and back", async (t) => {
  const random = seededRandom(16);
  let answers = 0;
  let caught = 0;
  for (let round = 0; round < rounds({ short: 2, long: 60 }); round++) {
    const one = await makeCase(random, round % 2 === 0);
    const { snapshot, prefixes } = one;
    const addresses = one.addresses.filter((address) => !isMapped(address));
    const text = Buffer.from(addresses.map((address) => `${textOf(address)} GET /\n`).join("- no address\n"));
    const sources = [
      new Matcher(snapshot, { engine: "webassembly" }),
      new Matcher(snapshot, { engine: "typescript" }),
      new Matcher(snapshot.table),
    ];
    for (const now of sampled(MOMENTS, 4, 2 * round)) {
      const expected = addresses.map(({ family, value }) => oracle(prefixes, family, value, activeAt(now)));
      for (const source of [...sources, snapshot.table]) {
        for (const family of [4, 6] as const) {
          const own = addresses.flatMap((address, index) => (address.family === family ? [index] : []));
          const words = Uint32Array.from(
            own.flatMap((index) => toWords(family, addresses[index]!.value).slice(0, family === 4 ? 1 : 4)),
          );
          const out = new Uint32Array(own.length);
          source.lookupBatchInto(family, words, out, own.length, now);
          const found = Array.from(out, (match) => answerOf(snapshot, match, now));
          assert.deepEqual(
            found,
            own.map((index) => expected[index]),
            `round ${round}, IPv${family}, ${now - NOON}`,
          );
          answers += own.length;
        }
      }
      const counts = new Set<string>();
      for (const matcher of sources) {
        const { matches, lines, addresses: withAddress, matched } = matcher.identifyBuffer(text, now);
        const found = Array.from(
          matches.filter((match) => match !== NO_ADDRESS),
          (match) => answerOf(snapshot, match, now),
        );
        assert.deepEqual(found, expected, `round ${round}, ${matcher.engine}, ${now - NOON}`);
        counts.add(JSON.stringify([lines, withAddress, matched]));
        answers += found.length;
      }
      const matched = expected.filter((answer) => answer !== "none").length;
      assert.deepEqual([...counts], [JSON.stringify([2 * addresses.length - 1, addresses.length, matched])]);
      // The negative control: an oracle for which a value is active in the millisecond of its expiry.
      const late = addresses.map(({ family, value }) =>
        oracle(prefixes, family, value, (id) => now <= (expiryOf(id) ?? Infinity)),
      );
      if (late.some((answer, index) => answer !== expected[index])) caught++;
    }
  }
  t.diagnostic(`${answers} answers`);
  assert.ok(caught > 0, "the negative control: one millisecond makes a difference");
});

test("batches of every size skip expired matches: in lists, where nothing else decides, and in nested prefixes", () => {
  const word = seededRandom(20);
  const below = (end: number): number => word() % end;
  let skipped = 0;
  for (const lengths of [[32], [24, 32], [20, 24, 28, 32]]) {
    const trie = new PrefixTrie();
    const words: number[] = [];
    for (let value = 0; value < 3000; value++) {
      const w0 = (0x0a00_0000 | below(1 << 20)) >>> 0;
      trie.insert(prefixOf({ family: 4, w0, w1: 0, w2: 0, w3: 0 }, lengths[below(lengths.length)]!), value + 1);
      words.push(w0);
    }
    const table = freeze(trie, { expiresAt: (value) => (value % 4 === 0 ? NOON : NOON + 1 + (value % 7)) });
    const kernel = new Matcher(table, { engine: "webassembly" });
    const all = Uint32Array.from(words);
    for (const now of [NOON, NOON + 3, NOON + 7, NOON - 1])
      for (let count = 1; count <= 200; count++) {
        const some = all.subarray(below(all.length - count)).subarray(0, count);
        const [found, expected] = [new Uint32Array(count + 1).fill(7), new Uint32Array(count)];
        kernel.lookupBatchInto(4, some, found, count, now);
        table.lookupBatchInto(4, some, expected, count);
        const active = expected.map((match) => table.activeMatch(match as MatchId, now));
        assert.deepEqual(found, Uint32Array.of(...active, 7), `${lengths.join()}, ${count}, ${now - NOON}`);
        skipped += active.reduce((sum, match, at) => sum + (match === expected[at] ? 0 : 1), 0);
      }
  }
  assert.ok(skipped > 50_000, `${skipped} of the matches had expired`);
});

test("runs at a given time write the rows of the linear oracle: engines, threads, selections, byte for byte", async (t) => {
  const random = seededRandom(17);
  let rows = 0;
  for (let round = 0; round < rounds({ short: 1, long: 10 }); round++) {
    const one = await makeCase(random, round % 2 === 0);
    const { snapshot, prefixes } = one;
    const addresses = one.addresses.filter((address) => !isMapped(address));
    const input = join(folder, "log.txt");
    writeFileSync(input, addresses.map((address) => `${textOf(address)} GET /\n`).join(""));
    for (const now of sampled([NOON - 1, NOON, NOON + 1, NOON + 1e12], 2, 1)) {
      const expected = addresses.map((address) => {
        const [length, values] = oracle(prefixes, address.family, address.value, activeAt(now)).split(" ");
        const [w0, w1, w2, w3] = toWords(address.family, address.value);
        const cidr =
          values === undefined
            ? ""
            : formatPrefix(prefixOf({ family: address.family, w0, w1, w2, w3 }, Number(length)));
        return `${textOf(address)}\t${cidr}\t${values ?? ""}\n`;
      });
      const matched = expected.filter((row) => !row.endsWith("\t\t\n"));
      for (const engine of ["webassembly", "typescript"] as const) {
        for (const threads of [1, 2]) {
          const output = join(folder, "rows");
          const common = {
            inputs: [input],
            snapshot,
            engine,
            threads,
            now,
            renderer: RENDERER,
            output: { path: output },
          };
          const limits = { workerBytes: 1, shardBytes: 400 };
          const result = await identify({ ...common, limits, format: "tsv", countMatches: true, topAddresses: 1e6 });
          assert.equal(
            readFileSync(output, "latin1"),
            expected.join(""),
            `${engine}, ${threads} threads, ${now - NOON}`,
          );
          assert.equal(result.matched, matched.length);
          assert.equal(result.perMatch[0], expected.length - matched.length);
          const distinct = new Set(matched.map((row) => row.slice(0, row.indexOf("\t")))).size;
          assert.equal(result.top!.matched.distinct, distinct);
          const counted = await identify({ ...common, limits, format: "none", countMatches: true });
          assert.deepEqual(counted.perMatch, result.perMatch);
          await identify({ ...common, limits, format: "tsv", rows: "matched" });
          assert.equal(readFileSync(output, "latin1"), matched.join(""));
          rows += 2 * expected.length + matched.length;
        }
      }
    }
  }
  t.diagnostic(`${rows} rows`);
});

test("without a given time, the clock decides, read once per call", async () => {
  const trie = new PrefixTrie();
  trie.insert({ family: 4, w0: 0x0a00_0000, w1: 0, w2: 0, w3: 0, length: 8 }, 1);
  trie.insert({ family: 4, w0: 0x0a01_0000, w1: 0, w2: 0, w3: 0, length: 16 }, 2);
  const path = join(folder, "clock.ipsieve");
  const expiresAt = (value: number): number | null => (value === 2 ? Date.now() - 1 : null);
  await writeSnapshot(path, { table: freeze(trie, { expiresAt }), metadata: null, kind: "test" });
  const snapshot = await openSnapshot(path);
  for (const engine of ["webassembly", "typescript"] as const) {
    const matcher = new Matcher(snapshot, { engine });
    const lengthOf = (match: number): number => snapshot.table.prefixLength(match as MatchId);
    const text = Buffer.from("10.1.2.3\n");
    assert.equal(lengthOf(matcher.identifyBuffer(text).matches[0]!), 8);
    assert.equal(lengthOf(matcher.identifyBuffer(text, -Infinity).matches[0]!), 16);
    const out = new Uint32Array(1);
    matcher.lookupBatchInto(4, Uint32Array.of(0x0a01_0203), out);
    assert.equal(lengthOf(out[0]!), 8);
    snapshot.table.lookupBatchInto(4, Uint32Array.of(0x0a01_0203), out);
    assert.equal(lengthOf(out[0]!), 16, "a table knows no clock");
  }
  const output = join(folder, "clock.tsv");
  writeFileSync(join(folder, "clock.log"), "10.1.2.3\n");
  const options = { inputs: [join(folder, "clock.log")], snapshot, renderer: RENDERER, output: { path: output } };
  await identify({ ...options, format: "tsv" });
  assert.equal(readFileSync(output, "utf8"), "10.1.2.3\t10.0.0.0/8\t1\n");
});

test("an invalid time is rejected, with and without expiries", async () => {
  const trie = new PrefixTrie();
  trie.insert({ family: 4, w0: 0x0a00_0000, w1: 0, w2: 0, w3: 0, length: 8 }, 1);
  for (const table of [freeze(trie), freeze(trie, { expiresAt: () => NOON })]) {
    for (const engine of ["webassembly", "typescript"] as const) {
      const matcher = new Matcher(table, { engine });
      for (const now of [Number.NaN, Infinity, "2026-11-22", null, new Date()] as number[]) {
        const refused = { name: "RangeError", message: /^now is .*; give a moment/ };
        assert.throws(() => matcher.identifyBuffer(Buffer.from("10.0.0.1\n"), now), refused);
        assert.throws(() => matcher.lookupBatchInto(4, new Uint32Array(1), new Uint32Array(1), 1, now), refused);
        assert.throws(() => table.lookupBatchInto(4, new Uint32Array(1), new Uint32Array(1), 1, now), refused);
      }
    }
  }
  const { snapshot } = await makeCase(seededRandom(3), true);
  await assert.rejects(
    identify({ inputs: ["-"], snapshot, format: "none", now: Number.NaN }),
    /^RangeError: now is NaN/,
  );
});

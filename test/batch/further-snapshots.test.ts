import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPrefix, prefixOf } from "../../src/address/prefix.ts";
import { identify } from "../../src/batch/identify.ts";
import type { IdentifyResult } from "../../src/batch/identify-result.ts";
import type { TopAddresses } from "../../src/batch/top-addresses.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import type { Snapshot } from "../../src/snapshot/snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { rounds, sampled } from "../rounds.ts";
import { seededRandom, toWords } from "../table/differential.ts";
import {
  activeAt,
  answerOf,
  type Case,
  folder,
  isMapped,
  makeCase,
  NOON,
  oracle,
  RENDERER,
  textOf,
} from "./expiring-cases.ts";
import { RENDERER as EVERY_FORMAT } from "./fixture.ts";

/** The result as text: "none", or the length and the values of all that cover the address. */
type Decision = string;

/** The columns of one snapshot: the deciding prefix, and the values of all that cover the address. */
function columns({ family, value }: Case["addresses"][number], decision: Decision): [string, string] {
  const [length, values] = decision.split(" ");
  const [w0, w1, w2, w3] = toWords(family, value);
  return values === undefined ? ["", ""] : [formatPrefix(prefixOf({ family, w0, w1, w2, w3 }, Number(length))), values];
}

interface ExpectedCounts {
  /** For each snapshot. */
  readonly perMatch: readonly Record<Decision, number>[];
  readonly top: Record<"matched" | "unmatched", { distinct: number; addresses: ReturnType<typeof ranked> }>;
}

/** Address by address: the lines of each decision, and the addresses with the most lines. */
function expectedCounts(
  addresses: Case["addresses"],
  decisionsOf: readonly (readonly Decision[])[],
  only: number | undefined,
): ExpectedCounts {
  const perMatch = decisionsOf[0]!.map((): Record<Decision, number> => ({}));
  const counts = new Map<string, { lines: number; decisions: Decision[]; family: number; value: bigint }>();
  for (const [index, { family, value }] of addresses.entries()) {
    const own = decisionsOf[index]!;
    const isMatch = only === undefined ? own.some((one) => one !== "none") : own[only] !== "none";
    const decisions = isMatch ? [...own] : own.map(() => "none");
    for (const [at, decision] of decisions.entries()) perMatch[at]![decision] = (perMatch[at]![decision] ?? 0) + 1;
    const text = textOf({ family, value });
    const lines = (counts.get(text)?.lines ?? 0) + 1;
    counts.set(text, { lines, decisions, family, value });
  }
  const isMatched = (decisions: readonly Decision[]): boolean => decisions.some((one) => one !== "none");
  const of = (matched: boolean): { distinct: number; addresses: ReturnType<typeof ranked> } => {
    const all = [...counts].filter(([, { decisions }]) => isMatched(decisions) === matched);
    return { distinct: all.length, addresses: ranked(all) };
  };
  return { perMatch, top: { matched: of(true), unmatched: of(false) } };
}

function ranked(
  all: [string, { lines: number; decisions: Decision[]; family: number; value: bigint }][],
): { address: string; lines: number; decisions: Decision[] }[] {
  return all
    .sort(([, a], [, b]) => b.lines - a.lines || a.family - b.family || (a.value < b.value ? -1 : 1))
    .slice(0, 5)
    .map(([address, { lines, decisions }]) => ({ address, lines, decisions }));
}

function countedMatches(
  { perMatch, perMatchOfFurther }: IdentifyResult,
  cases: readonly Case[],
  now: number,
): Record<Decision, number>[] {
  assert.equal(perMatchOfFurther.length, cases.length - 1);
  return [perMatch, ...perMatchOfFurther].map((counts, at) => {
    const decisions: Record<Decision, number> = {};
    for (const [match, lines] of counts.entries()) {
      if (lines === 0) continue;
      const decision = answerOf(cases[at]!.snapshot, match, now);
      decisions[decision] = (decisions[decision] ?? 0) + lines;
    }
    return decisions;
  });
}

function topOf({ matched, unmatched }: TopAddresses, cases: readonly Case[], now: number): ExpectedCounts["top"] {
  const of = ({ distinct, addresses }: TopAddresses["matched"]) => ({
    distinct,
    addresses: addresses.map(({ address, lines, match, further }) => ({
      address,
      lines,
      decisions: [match, ...further].map((one, at) => answerOf(cases[at]!.snapshot, one, now)),
    })),
  });
  return { matched: of(matched), unmatched: of(unmatched) };
}

test("rows and counts of two and three snapshots equal those of the linear oracle: engines, threads, --only, times", async (t) => {
  const random = seededRandom(18);
  let rows = 0;
  for (let round = 0; round < rounds({ short: 1, long: 12 }); round++) {
    const cases = [await makeCase(random, true), await makeCase(random, false), await makeCase(random, true)];
    const labels = ["a", "b", "c"];
    const addresses = cases.flatMap((one) => one.addresses).filter((address) => !isMapped(address));
    const input = join(folder, "further.log");
    const output = join(folder, "further.rows");
    writeFileSync(input, addresses.map((address) => `${textOf(address)}\nno address\n`).join(""));
    for (const now of [NOON, -Infinity]) {
      const decided = addresses.map(({ family, value }) =>
        cases.map(({ prefixes }) => oracle(prefixes, family, value, activeAt(now))),
      );
      for (const count of [2, 3]) {
        const decisions = decided.map((own) => own.slice(0, count));
        const cells = addresses.map((address, index) => decisions[index]!.map((one) => columns(address, one)));
        const rowOf = (index: number): string => `${textOf(addresses[index]!)}\t${cells[index]!.flat().join("\t")}\n`;
        const all = cells.map((_, index) => `${rowOf(index)}${"\t\t".repeat(count)}\n`);
        for (const only of sampled([undefined, ...labels.slice(0, count)], 2, count)) {
          const isMatch = (own: (readonly [string, string])[]): boolean =>
            only === undefined ? own.some(([cidr]) => cidr !== "") : own[labels.indexOf(only)]![0] !== "";
          const matched = cells.flatMap((own, index) => (isMatch(own) ? [rowOf(index)] : []));
          for (const engine of ["webassembly", "typescript"] as const) {
            for (const threads of [1, 2]) {
              const options = {
                inputs: [input],
                snapshot: cases[0]!.snapshot,
                label: "a",
                further: cases
                  .slice(1, count)
                  .map(({ snapshot }, index) => ({ snapshot, renderer: RENDERER, label: labels[index + 1]! })),
                renderer: RENDERER,
                output: { path: output },
                engine,
                threads,
                now,
                ...(only !== undefined && { only }),
                limits: { workerBytes: 1, shardBytes: 3000, rowBytes: 5000 },
              };
              const where = `${count} snapshots, ${engine}, ${threads} threads, only ${only}, ${now}`;
              const chosen = only === undefined ? undefined : labels.indexOf(only);
              const expected = expectedCounts(addresses, decisions, chosen);
              for (const format of ["tsv", "none"] as const) {
                const counting = { countMatches: true, topAddresses: 5 };
                const result = await identify({ ...options, ...counting, format, rows: "matched" });
                if (format === "tsv") assert.equal(readFileSync(output, "latin1"), matched.join(""), where);
                assert.deepEqual([result.lines, result.matched], [2 * addresses.length, matched.length], where);
                assert.deepEqual(countedMatches(result, cases.slice(0, count), now), expected.perMatch, where);
                assert.deepEqual(topOf(result.top!, cases, now), expected.top, where);
              }
              rows += matched.length;
              if (only !== undefined) continue;
              await identify({ ...options, format: "tsv" });
              assert.equal(readFileSync(output, "latin1"), all.join(""), where);
            }
          }
        }
      }
    }
  }
  t.diagnostic(`${rows} matched rows`);
});

test("a snapshot that only selects: rows and counts of one and two others are those of the lines in it, and do not show it", async (t) => {
  const random = seededRandom(38);
  let rows = 0;
  for (let round = 0; round < rounds({ short: 1, long: 12 }); round++) {
    const shown = [await makeCase(random, true), await makeCase(random, false)];
    const selecting = await makeCase(random, true);
    const addresses = [...shown, selecting].flatMap((one) => one.addresses).filter((address) => !isMapped(address));
    const input = join(folder, "within.log");
    const output = join(folder, "within.rows");
    writeFileSync(input, addresses.map((address) => `${textOf(address)}\nno address\n`).join(""));
    for (const now of [NOON, -Infinity])
      for (const count of [1, 2]) {
        const cases = shown.slice(0, count);
        // The decision of the one that selects comes last; it is in no row and no count.
        const decided = addresses.map(({ family, value }) =>
          [...cases, selecting].map(({ prefixes }) => oracle(prefixes, family, value, activeAt(now))),
        );
        const isInside = (index: number): boolean => decided[index]!.at(-1) !== "none";
        const matched = addresses.flatMap((address, index) => {
          const cells = decided[index]!.slice(0, count).flatMap((one) => columns(address, one));
          return isInside(index) ? [`${textOf(address)}\t${cells.join("\t")}\n`] : [];
        });
        const expected = expectedCounts(addresses, decided, count);
        const withoutLast = ({ distinct, addresses: ranking }: ExpectedCounts["top"]["matched"]) => ({
          distinct,
          addresses: ranking.map((one) => ({ ...one, decisions: one.decisions.slice(0, count) })),
        });
        for (const engine of ["webassembly", "typescript"] as const)
          for (const threads of [1, 2])
            for (const format of ["tsv", "none"] as const) {
              const where = `${count} snapshots, ${engine}, ${threads} threads, ${format}, ${now}`;
              const result = await identify({
                inputs: [input],
                snapshot: cases[0]!.snapshot,
                label: "a",
                further: cases.slice(1).map(({ snapshot }) => ({ snapshot, renderer: RENDERER, label: "b" })),
                within: selecting.snapshot,
                renderer: RENDERER,
                output: { path: output },
                format,
                rows: "matched",
                countMatches: true,
                topAddresses: 5,
                engine,
                threads,
                now,
                limits: { workerBytes: 1, shardBytes: 3000, rowBytes: 5000 },
              });
              if (format === "tsv") assert.equal(readFileSync(output, "latin1"), matched.join(""), where);
              assert.deepEqual([result.lines, result.matched], [2 * addresses.length, matched.length], where);
              assert.deepEqual(countedMatches(result, cases, now), expected.perMatch.slice(0, count), where);
              assert.deepEqual(
                topOf(result.top!, cases, now),
                { matched: withoutLast(expected.top.matched), unmatched: withoutLast(expected.top.unmatched) },
                where,
              );
              rows += matched.length;
            }
      }
  }
  t.diagnostic(`${rows} matched rows`);
});

test("more combinations than ids: all are dropped and made anew", async () => {
  const count = 70_000;
  const makeTable = async (name: string, value: (index: number) => number): Promise<Snapshot> => {
    const trie = new PrefixTrie();
    for (let index = 0; index < count; index++)
      trie.insert({ family: 4, w0: 0x0a00_0000 + 7 * index, w1: 0, w2: 0, w3: 0, length: 32 }, value(index));
    const path = join(folder, name);
    await writeSnapshot(path, { table: freeze(trie), metadata: null, kind: "test" });
    return openSnapshot(path);
  };
  const snapshot = await makeTable("many-a.ipsieve", (index) => index + 1);
  const other = await makeTable("many-b.ipsieve", (index) => (index % 3) + 1);
  const addressOf = (index: number): string => {
    const word = 0x0a00_0000 + 7 * index;
    return `10.${(word >> 16) & 255}.${(word >> 8) & 255}.${word & 255}`;
  };
  const input = join(folder, "many.log");
  const order = Array.from({ length: 2 * count }, (_, index) => (index * 31) % count);
  writeFileSync(input, order.map((index) => `${addressOf(index)}\n`).join(""));
  const expected = order.map((index) => {
    const address = addressOf(index);
    return `${address}\t${address}\t${index + 1}\t${address}\t${(index % 3) + 1}\n`;
  });
  for (const engine of ["webassembly", "typescript"] as const) {
    const output = join(folder, "many.rows");
    const further = [{ label: "b", snapshot: other, renderer: RENDERER }];
    const options = { inputs: [input], snapshot, further, renderer: RENDERER, output: { path: output }, threads: 2 };
    for (const format of ["tsv", "none"] as const) {
      const counts = await identify({ ...options, engine, format, countMatches: true });
      if (format === "tsv") assert.ok(readFileSync(output, "latin1") === expected.join(""), engine);
      // Counts by forgotten ids are kept: each address has two lines, and each match of the second snapshot its share.
      assert.ok(
        counts.perMatch.subarray(1).every((lines) => lines === 2),
        engine,
      );
      const share = Float64Array.from({ length: 3 }, (_, at) => 2 * Math.ceil((count - at) / 3));
      assert.deepEqual(counts.perMatchOfFurther[0]!.subarray(1).toSorted(), share.toSorted(), engine);
    }
  }
});

test("every format has the columns or members of each snapshot, byte for byte the same in both engines", async () => {
  const { snapshot } = await makeCase(seededRandom(5), true);
  const trie = new PrefixTrie();
  trie.insert({ family: 4, w0: 0x0a00_0000, w1: 0, w2: 0, w3: 0, length: 8 }, 1);
  const path = join(folder, "ten.ipsieve");
  await writeSnapshot(path, { table: freeze(trie), metadata: null, kind: "test" });
  const ten = await openSnapshot(path);
  const lines = {
    "a.log": "10.1.2.3 x\nnone\n",
    "a.csv": "address,n\n10.1.2.3,1\nnone,2\n",
    "a.jsonl": '{"ip":"10.1.2.3"}\n',
  };
  const expected = [
    ["a.log", "tsv", "10.1.2.3\t10.0.0.0/8\tv1\t10.0.0.0/8\tv1\n\t\t\t\t\n"],
    ["a.log", "csv", '10.1.2.3,10.0.0.0/8,"v1",10.0.0.0/8,"v1"\n,,,,\n'],
    ["a.log", "append", "10.1.2.3 x\tv1\tv1\nnone\t\t\n"],
    ["a.csv", "append", 'address,n,one,two\n10.1.2.3,1,"v1","v1"\nnone,2,,\n'],
    [
      "a.csv",
      "tsv",
      "ip\tone.cidr\tone.cbs_ids\ttwo.cidr\ttwo.cbs_ids\n10.1.2.3\t10.0.0.0/8\tv1\t10.0.0.0/8\tv1\n\t\t\t\t\n",
    ],
    ["a.jsonl", "append", '{"ip":"10.1.2.3","cbs_ids":{"one":["v1"],"two":["v1"]}}\n'],
  ] as const;
  for (const [name, text] of Object.entries(lines)) writeFileSync(join(folder, name), text);
  const output = join(folder, "formats.rows");
  const run = async (
    name: string,
    format: "tsv" | "csv" | "append" | "jsonl",
    engine: "webassembly" | "typescript",
  ) => {
    const further = [{ label: "two", snapshot: ten, renderer: EVERY_FORMAT }];
    const options = { snapshot: ten, label: "one", further, renderer: EVERY_FORMAT, output: { path: output } };
    await identify({ ...options, inputs: [join(folder, name)], format, engine });
    return readFileSync(output, "latin1");
  };
  for (const engine of ["webassembly", "typescript"] as const) {
    for (const [name, format, rows] of expected)
      assert.equal(await run(name, format, engine), rows, `${name} ${format}`);
    const documents = (await run("a.log", "jsonl", engine))
      .trim()
      .split("\n")
      .map((row) => JSON.parse(row));
    assert.deepEqual(
      documents.map(({ ip, line, one, two }) => [ip, line, one.cidr, two.ids]),
      [
        ["10.1.2.3", 1, "10.0.0.0/8", `v1${"x".repeat(10)}`],
        [null, 2, null, undefined],
      ],
    );
  }
  const options = { inputs: ["-"], snapshot, format: "none" } as const;
  const further = [{ label: "test", snapshot: ten }];
  await assert.rejects(identify({ ...options, further }), /label "test" is given twice/);
  await assert.rejects(identify({ ...options, only: "x" }), /only is "x"; give one of test/);
});

import type { BenchRecord } from "../../bench/record.ts";
import type { Form } from "../../bench/harness/contender.ts";
import type { Measurement, PartResult } from "../../bench/figures/part.ts";

/** A full record with round figures, invented for tests of what is generated from a record. */
export function fixtureRecord(): BenchRecord {
  return {
    format: 1,
    full: true,
    startedAt: "2026-01-02T03:04:05.000Z",
    seconds: 1,
    machine: {
      cpu: "Test <CPU> & more",
      cores: 2,
      memoryGib: 8,
      system: "linux 1",
      node: "v24.0.0",
      commit: "abcdef1",
      loadBefore: 0,
    },
    versions: { "mmdb-lib": "1.0.0", "@ip-location-db/asn": "2.0.0" },
    inputs: {
      routed4Prefixes: 564_579,
      routed6Prefixes: 167_903,
      blocklist4Prefixes: 1_000_000,
      logBytes: 381_000_000,
      logLines: 1_700_000,
    },
    parts: {
      lpm4: part([
        ...ours(8, 4),
        ...lookups("ipsieve", "text", 40),
        ...lookups("net.BlockList", "native", 400),
        ...lookups("net.BlockList", "text", 600),
        ...lookups("mmdb-lib", "text", 480),
      ]),
      lpm6: part([
        ...ours(16, 12),
        ...lookups("ipsieve", "text", 100),
        ...lookups("net.BlockList", "native", 500),
        ...lookups("net.BlockList", "text", 500),
        ...lookups("mmdb-lib", "text", 1_000),
      ]),
      nested4: part(ours(20, 5)),
      nested6: part(ours(40, 10)),
      blocklist: part(ours(30, 3)),
      memory: part([
        { ...single("ipsieve", "bytes/prefix", 7), table: "routed4" },
        { ...single("ipsieve", "bytes/prefix", 18), table: "routed6" },
        { ...single("ipsieve", "bytes/prefix", 12), table: "blocklist4" },
      ]),
      freeze: part([single("freeze", "ms", 300)]),
      open: part([
        single("openSnapshot once", "ms", 6),
        single("readFileSync once", "ms", 4),
        single("openSnapshot again", "ms", 3),
        single("readFileSync again", "ms", 1.5),
      ]),
      churn: part([single("trie churn", "operations/s", 2_000_000)]),
      grepcidr: part([...runs("ipsieve identify -c", 100, 500), { ...single("grepcidr -c", "ms", 2_500), threads: 1 }]),
      log: part([
        ...runs("ipsieve identify", 200, 1_000).map((run) => ({ ...run, list: "whole" as const })),
        ...runs("ipsieve identify", 100, 800).map((run) => ({ ...run, list: "twentieth" as const })),
        { ...single("grepcidr", "ms", 1_000), list: "whole", threads: 1 },
        { ...single("grepcidr", "ms", 1_600), list: "twentieth", threads: 1 },
        { ...single("wc -l", "ms", 50), threads: 1 },
      ]),
      clickhouse: part([
        ...[1, 2].map((threads) => ({
          ...single("ClickHouse ip_trie, strings", "addresses/s", 10e6 * threads),
          threads,
        })),
        ...[1, 2].map((threads) => ({
          ...single("ipsieve identifyLines", "addresses/s", 60e6 * threads),
          threads,
          engine: "webassembly" as const,
        })),
        ...[1, 2].map((threads) => ({
          ...single("ipsieve identifyLines", "addresses/s", 20e6 * threads),
          threads,
          engine: "typescript" as const,
        })),
      ]),
    },
    failures: {},
  };
}

function part(measurements: Measurement[]): PartResult {
  return { measurements, refusals: [], notes: [] };
}

function single(subject: string, unit: Measurement["unit"], best: number): Measurement {
  return { subject, unit, best, median: best * 1.1, samples: 5 };
}

/** Both engines: in batches, and half as fast in lines. */
function ours(typescript: number, kernel: number): Measurement[] {
  return [
    ["ipsieve", typescript],
    ["ipsieve-kernel", kernel],
  ].flatMap(([name, mean]) => [
    ...lookups(name as string, "batch", mean as number),
    ...lookups(name as string, "lines", 2 * (mean as number)),
  ]);
}

/** Commands of both engines with one thread and, twice as fast, with two. */
function runs(subject: string, kernel: number, typescript: number): Measurement[] {
  return (
    [
      ["webassembly", kernel],
      ["typescript", typescript],
    ] as const
  ).flatMap(([engine, time]) =>
    [1, 2].map((threads) => ({ ...single(subject, "ms", time / threads), engine, threads })),
  );
}

/** Twice and half as much on two of the kinds: the geometric mean is `mean`. */
function lookups(subject: string, form: Form, mean: number): Measurement[] {
  const factors = { uniform: 0.5, hits: 2, skewed: 1, misses: 9 };
  return Object.entries(factors).map(([kind, factor]) => ({
    ...single(subject, "ns/lookup", mean * factor),
    form,
    kind: kind as "hits",
  }));
}

/**
 * Batch lookups beside native peers, built from source: `npm run bench -- native --poptrie DIR [--peer "FILE.c ARGS"]
 * [--tables routed4,...] [--rounds N]`. DIR is a checkout of https://github.com/pixos/poptrie; FILE.c implements
 * bench/native/peer.h, with the sources and flags that the compiler needs behind it. Every peer and the kernel take turns
 * in every round; one that answers a query wrongly is refused. Writes a partial record.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DATASET_NAMES, type DatasetName, ensureDataset } from "./data/dataset.ts";
import { QUERY_KINDS, type QueryKind } from "./data/queries.ts";
import { moduleOf } from "./figures/compare-lookups.ts";
import { type Measurement, type PartResult, summarize } from "./figures/part.ts";
import { type Member, type Rejection, startFleet } from "./harness/fleet.ts";
import { writeNativeInput } from "./native/native-input.ts";
import { compilePeer, NativePeer, type NativeSources } from "./native/native-peer.ts";
import { describeMachine, readInputs, readVersions, writeRecord } from "./record.ts";
import { measurementLines } from "./report.ts";

const MILLISECONDS = 60;
const POPTRIE_SOURCES = ["poptrie.c", "poptrie4.c", "poptrie6.c", "buddy.c"];

const { values } = parseArgs({
  options: {
    poptrie: { type: "string" },
    peer: { type: "string", multiple: true, default: [] },
    tables: { type: "string", default: "routed4,routed6,blocklist4" },
    rounds: { type: "string", default: "15" },
  },
});

function chosenPeers(): NativeSources[] {
  const peers = values.peer.map((peer): NativeSources => {
    const [file, ...args] = peer.split(" ");
    return { name: file!.replace(/^.*\//, "").replace(/\.c$/, ""), args: [resolve(file!), ...args] };
  });
  if (values.poptrie !== undefined) {
    const folder = resolve(values.poptrie);
    const sources = POPTRIE_SOURCES.map((file) => join(folder, file));
    peers.push({ name: "poptrie", args: [join(import.meta.dirname, "native/poptrie.c"), `-I${folder}`, ...sources] });
  }
  if (peers.length === 0) throw new Error("name a peer's sources: npm run bench -- native --poptrie DIR");
  return peers;
}

function chosenTables(): DatasetName[] {
  const tables = values.tables.split(",");
  const unknown = tables.filter((name) => !DATASET_NAMES.includes(name as DatasetName));
  if (unknown.length > 0)
    throw new Error(`no table is called ${unknown.join(", ")}; the tables are ${DATASET_NAMES.join(", ")}`);
  return tables as DatasetName[];
}

async function measureTable(table: DatasetName, programs: readonly string[], rounds: number): Promise<PartResult> {
  await ensureDataset(table);
  const input = await writeNativeInput(table);
  using started = new DisposableStack();
  const peers: NativePeer[] = [];
  const refusals: Rejection[] = [];
  for (const program of programs) {
    const peer = await NativePeer.start(program, input);
    if (peer instanceof NativePeer) peers.push(started.use(peer));
    else refusals.push({ ...peer, reason: `${table}: ${peer.reason}` });
  }
  using fleet = await startFleet([{ module: moduleOf("ipsieve-kernel"), dataset: table, singleCount: 1 }]);
  const [kernel] = fleet.members;
  if (kernel === undefined) throw new Error(`the kernel was refused: ${fleet.refusals[0]!.reason}`);
  const measurements: Measurement[] = [];
  for (const kind of QUERY_KINDS)
    for (const [subject, samples] of await measureKind(kernel, peers, kind, rounds))
      measurements.push({ subject, table, form: "batch", kind, unit: "ns/lookup", ...summarize(samples) });
  return { measurements, refusals, notes: [] };
}

/** Nanoseconds of every pass of each, which take turns in every round. */
async function measureKind(
  kernel: Member,
  peers: readonly NativePeer[],
  kind: QueryKind,
  rounds: number,
): Promise<Map<string, number[]>> {
  const samples = new Map([kernel.ready.name, ...peers.map(({ name }) => name)].map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    const ours = await kernel.measure({ form: "batch", kind, milliseconds: MILLISECONDS });
    if (ours.refused !== null) throw new Error(`the kernel was refused: ${ours.refused}`);
    samples.get(kernel.ready.name)!.push(...ours.samples);
    for (const peer of peers) samples.get(peer.name)!.push(...(await peer.measure(kind, MILLISECONDS)));
  }
  return samples;
}

const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds}: give a number from 1 on`);
const tables = chosenTables();
const programs = chosenPeers().map(compilePeer);
const startedAt = new Date().toISOString();
const start = performance.now();
const machine = describeMachine();
const results: PartResult[] = [];
for (const table of tables) results.push(await measureTable(table, programs, rounds));
const native: PartResult = {
  measurements: results.flatMap(({ measurements }) => measurements),
  refusals: results.flatMap(({ refusals }) => refusals),
  notes: ["native: compiled by cc -O3 -march=native"],
};
process.stdout.write(measurementLines("native", native));
const seconds = Math.round((performance.now() - start) / 1000);
const record = {
  format: 1,
  full: false,
  startedAt,
  seconds,
  machine,
  versions: readVersions(),
  inputs: readInputs(),
} as const;
process.stderr.write(`${writeRecord({ ...record, parts: { native }, failures: {} })}\n`);

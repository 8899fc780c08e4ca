import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { formatAddress } from "../../src/address/format-address.ts";
import type { FilledStore } from "./fill-store.ts";
import { type Measurement, measurement, requireGood } from "./measure.ts";
import type { Listener, LoadProcess } from "./processes.ts";
import { askOnce, requestBytes, type RequestText } from "./requests.ts";

const CONNECTIONS = 64;
const TURN = 3000;
/** Milliseconds of the naive way. */
const ALONE = 1500;
/** More than any turn uses up. */
const PER_TURN = 60_000;

/**
 * Rules that are added one by one and acknowledged when they are durable, by turns with the naive way: a commit for
 * each row.
 */
export async function measureWrites(
  service: Listener,
  { key, emptyId }: FilledStore,
  load: LoadProcess,
  folder: string,
  rounds: number,
): Promise<Measurement[]> {
  const [grouped, naive]: [number[], number[]] = [[], []];
  let added = 0;
  for (let round = 0; round <= rounds; round++) {
    const requests = Array.from({ length: PER_TURN }, (_, index) =>
      requestBytes(addition(emptyId, key, round * PER_TURN + index)),
    );
    const report = await load.run({ port: service.port, connections: CONNECTIONS, milliseconds: TURN, requests });
    requireGood("addRule", report);
    added += report.answers;
    const alone = commitsPerSecond(join(folder, "naive.db"));
    if (round === 0) continue;
    grouped.push(report.answers / report.seconds);
    naive.push(alone);
  }
  await requireCount(service, key, emptyId, added);
  return [
    measurement("durable addRule, 64 connections", "requests/s", grouped),
    measurement("SQLite, one commit for each row", "requests/s", naive),
  ];
}

/** Every index another address. */
function addition(rulesetId: string, key: string, index: number): RequestText {
  const ip = formatAddress({ family: 4, w0: (0x01000000 + index) >>> 0, w1: 0, w2: 0, w3: 0 });
  return {
    method: "POST",
    path: `/v1/edl/ip-rulesets/${rulesetId}/rules`,
    key,
    body: JSON.stringify({ ip, name: "bench" }),
  };
}

/**
 * Connections begin at different places, which could meet: then some rules are there already, which is acknowledged,
 * too.
 */
async function requireCount(service: Listener, key: string, rulesetId: string, most: number): Promise<void> {
  const { total_rules: count } = JSON.parse(
    await askOnce(service.port, { path: `/v1/edl/ip-rulesets/${rulesetId}`, key }),
  ) as { total_rules: number };
  if (count > most || count < most / 2)
    throw new Error(`${most} additions were acknowledged, and the ruleset has ${count} rules`);
}

function commitsPerSecond(path: string): number {
  const file = new DatabaseSync(path);
  file.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table rules (prefix text primary key, name text)",
  );
  const insert = file.prepare("insert into rules values (?, 'bench')");
  const start = performance.now();
  let rows = 0;
  while (performance.now() < start + ALONE) insert.run(String(rows++));
  const seconds = (performance.now() - start) / 1000;
  file.close();
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true });
  return rows / seconds;
}

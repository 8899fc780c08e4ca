import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { LoadConnection } from "../../../bench/api/load-connection.ts";
import { requestBytes } from "../../../bench/api/requests.ts";
import { Random } from "../../../bench/data/random.ts";
import { formatPrefix } from "../../../src/address/prefix.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import type { StoreLocation } from "../../../src/store/open-store.ts";
import { type KillReport, readRules } from "../../store/harness/kill-writers.ts";
import { SaidWrites } from "../../store/harness/said-writes.ts";
import { ServiceProcess } from "./service-process.ts";

export interface KillOptions {
  readonly folder: string;
  readonly seed: number;
  /** The database; by default a SQLite file in the folder. */
  readonly store?: StoreLocation;
  /** With `early`, a write counts as acknowledged when it is sent: the negative control, which must lose some. */
  readonly timing: "honest" | "early";
  readonly go: (report: ServerKillReport) => boolean;
}

/** The result. */
export interface ServerKillReport extends KillReport {
  /** How many servers started from a snapshot of the ruleset. */
  fromSnapshots: number;
  /** How many were killed after enough rules had changed for a freeze, and before a freeze was reported as done. */
  duringFreezes: number;
}

const WRITERS = 8;
/** Enough for a snapshot, and for a freeze of several tens of milliseconds. */
const RULES = 10_000;
/** Enough for a freeze in the background. */
const CHANGED_AT_ONCE = 400;
/** The maximum of milliseconds until the kill. */
const MAX_LIFE = 150;
/** The same, counted from the signal to stop: closing takes a tenth of a second before a snapshot is written. */
const MAX_STOP = 400;

/**
 * R1: kills the real server at random times during writes over HTTP, half of the time while it stops and writes a
 * snapshot, and checks that what it acknowledged is in the database, and that the database is intact. The next server
 * starts from whatever snapshot there is, and must answer with what the database has. Many rules change at once as
 * well, so that some servers are killed while they freeze the ruleset in the background.
 */
export async function killServers({ folder, store, seed, timing, go }: KillOptions): Promise<ServerKillReport> {
  const report: ServerKillReport = { kills: 0, acknowledged: 0, lost: [], fromSnapshots: 0, duringFreezes: 0 };
  const random = new Random(seed);
  const location = store ?? { file: `${folder}/${timing}.db` };
  const { key, rulesetId } = await fillStore(location, RULES, random);
  const snapshots = join(folder, `${timing}-rulesets`);
  for (; go(report); report.kills++) {
    const said = new SaidWrites();
    const before = await readRules(location);
    said.begin(before);
    const service = await ServiceProcess.start(location, [
      "--allow-special-purpose",
      "true",
      "--ruleset-snapshots",
      snapshots,
    ]);
    report.fromSnapshots += await startedFromSnapshot(service.port);
    report.lost.push(...(await differing(before, `http://127.0.0.1:${service.port}`, rulesetId, key)));
    // If there is none, the next server that stops writes one. The first may complete it.
    const isFirst = report.kills === 0;
    if (!isFirst && random.below(2) === 0) rmSync(join(snapshots, `${rulesetId}.ipsieve`), { force: true });
    const clients = await Promise.all(Array.from({ length: WRITERS }, () => LoadConnection.open(service.port)));
    const writers = clients.map((client, writer) =>
      writeUntilKilled(client, {
        writer,
        first: report.kills * 1_000_000,
        random,
        key,
        rulesetId,
        timing,
        said,
      }),
    );
    const freezes = new WatchedFreezes(service.port, { key, rulesetId, number: report.kills });
    await sleep(random.below(MAX_LIFE * 1000) / 1000);
    if (isFirst) await service.end("SIGTERM");
    else if (random.below(2) === 0) {
      void service.end("SIGTERM");
      await sleep(random.below(MAX_STOP * 1000) / 1000);
    }
    await service.end("SIGKILL");
    await Promise.all(writers);
    if (await freezes.wasUnderWay()) report.duringFreezes++;
    report.acknowledged += said.acknowledged;
    report.lost.push(...said.missingFrom(await readRules(location)));
  }
  return report;
}

/** Whether the server has its rules from a snapshot: 1 or 0. */
async function startedFromSnapshot(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^ipsieve_start_rules\{source="snapshots"\} (\d+)$/m.exec(metrics)![1]) > 0 ? 1 : 0;
}

/** Changes many rules of a server, and watches whether the freeze that follows has completed. */
class WatchedFreezes {
  readonly #port: number;
  readonly #ended: Promise<unknown>;
  #isChanged = false;
  #isDone = false;

  constructor(port: number, about: { readonly key: string; readonly rulesetId: string; readonly number: number }) {
    this.#port = port;
    // The server is killed sooner or later.
    this.#ended = Promise.all([this.#change(about), this.#watch()]).catch(() => {});
  }

  /** To be called once the server has ended. */
  async wasUnderWay(): Promise<boolean> {
    await this.#ended;
    return this.#isChanged && !this.#isDone;
  }

  async #change({ key, rulesetId, number }: { key: string; rulesetId: string; number: number }): Promise<void> {
    const items = Array.from({ length: CHANGED_AT_ONCE }, (_, at) => ({
      op: number % 2 === 0 ? "add" : "delete",
      ip: `198.18.${at >> 8}.${at & 255}`,
    }));
    const response = await fetch(`http://127.0.0.1:${this.#port}/v1/edl/ip-rulesets/${rulesetId}/rules:batch`, {
      method: "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ items }),
    });
    await response.text();
    this.#isChanged = response.status === 200;
  }

  async #watch(): Promise<void> {
    for (; !this.#isDone; await sleep(1)) {
      const metrics = await (await fetch(`http://127.0.0.1:${this.#port}/metrics`)).text();
      this.#isDone = Number(/^ipsieve_ruleset_freezes_total\{result="done"\} (\d+)$/m.exec(metrics)?.[1] ?? 0) > 0;
    }
  }
}

/** The rules that the database has and the server does not, or the reverse. */
async function differing(rules: readonly Rule[], url: string, rulesetId: string, key: string): Promise<string[]> {
  const response = await fetch(`${url}/v1/edl/ip-rulesets/${rulesetId}/rules:export?format=ndjson&active_only=false`, {
    headers: { "X-API-Key": key },
  });
  const answered = (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { ip: string; name: string | null })
    .map(({ ip, name }) => `${ip} ${name}`);
  const stored = rules.map(({ prefix, name }) => `${formatPrefix(prefix)} ${name}`);
  const [there, known] = [new Set(answered), new Set(stored)];
  return [
    ...stored.filter((rule) => !there.has(rule)).map((rule) => `the database has ${rule}, the server does not`),
    ...answered.filter((rule) => !known.has(rule)).map((rule) => `the server has ${rule}, the database does not`),
  ];
}

interface Writing {
  readonly writer: number;
  /** The number of the first write. */
  readonly first: number;
  readonly random: Random;
  readonly key: string;
  readonly rulesetId: string;
  readonly timing: "honest" | "early";
  readonly said: SaidWrites;
}

async function writeUntilKilled(
  client: LoadConnection,
  { writer, first, random, key, rulesetId, timing, said }: Writing,
): Promise<void> {
  for (let number = first; ; number++) {
    const kind = ["one", "both", "both", "delete"][random.below(4)]!;
    said.hear(`began ${writer} ${number} ${kind}`);
    if (timing === "early") said.hear(`done ${writer} ${number}`);
    const bytes = requestBytes({
      method: "POST",
      key,
      ...requestOf(writer, number, kind, `/v1/edl/ip-rulesets/${rulesetId}`),
    });
    const status = await new Promise<number>((resolve) => client.ask(bytes, resolve, () => resolve(0)));
    if (status === 0) return client.close();
    if (status !== 200 && status !== 201) throw new Error(`a write was answered by ${status}`);
    if (timing === "honest") said.hear(`done ${writer} ${number}`);
  }
}

/** Gives one or both of the writer's two prefixes the number as a name, or deletes both. */
function requestOf(writer: number, number: number, kind: string, path: string): { path: string; body: string } {
  const [one, two] = [0, 1].map((half) => `192.0.2.${2 * writer + half}`) as [string, string];
  const add = (ip: string) => ({ ip, name: String(number), conflict_resolution: "override" });
  if (kind === "one") return { path: `${path}/rules`, body: JSON.stringify(add(one)) };
  const items = [one, two].map((ip) => (kind === "both" ? { op: "add", ...add(ip) } : { op: "delete", ip }));
  return { path: `${path}/rules:batch`, body: JSON.stringify({ items, atomic: false }) };
}

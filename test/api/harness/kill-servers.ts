import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { LoadConnection } from "../../../bench/api/load-connection.ts";
import { requestBytes } from "../../../bench/api/requests.ts";
import { Random } from "../../../bench/data/random.ts";
import type { StoreLocation } from "../../../src/store/open-store.ts";
import { type KillReport, readRules } from "../../store/harness/kill-writers.ts";
import { SaidWrites } from "../../store/harness/said-writes.ts";
import { ServiceProcess } from "./service-process.ts";

export interface KillOptions {
  readonly folder: string;
  readonly seed: number;
  /** The database; a SQLite file in the folder without one. */
  readonly store?: StoreLocation;
  /** With `early` a write is taken for acknowledged when it is sent: the negative control, which must lose some. */
  readonly timing: "honest" | "early";
  readonly go: (report: KillReport) => boolean;
}

const WRITERS = 8;
/** Milliseconds until the kill, at most. */
const LONGEST = 150;

/**
 * R1: kills the real server under writes over HTTP, by chance, and looks whether what it acknowledged is in the
 * database, and the database sound.
 */
export async function killServers({ folder, store, seed, timing, go }: KillOptions): Promise<KillReport> {
  const report: KillReport = { kills: 0, acknowledged: 0, lost: [] };
  const random = new Random(seed);
  const location = store ?? { file: `${folder}/${timing}.db` };
  const { key, emptyId } = await fillStore(location, 1, random);
  for (; go(report); report.kills++) {
    const said = new SaidWrites();
    said.begin(await readRules(location));
    const service = await ServiceProcess.start(location, ["--allow-special-purpose", "true"]);
    const clients = await Promise.all(Array.from({ length: WRITERS }, () => LoadConnection.open(service.port)));
    const writers = clients.map((client, writer) =>
      writeUntilKilled(client, {
        writer,
        first: report.kills * 1_000_000,
        random,
        key,
        rulesetId: emptyId,
        timing,
        said,
      }),
    );
    await sleep(random.below(LONGEST * 1000) / 1000);
    await service.end("SIGKILL");
    await Promise.all(writers);
    report.acknowledged += said.acknowledged;
    report.lost.push(...said.missingFrom(await readRules(location)));
  }
  return report;
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

/** Gives one or both of the writer's two prefixes the number for a name, or deletes both. */
function requestOf(writer: number, number: number, kind: string, path: string): { path: string; body: string } {
  const [one, two] = [0, 1].map((half) => `192.0.2.${2 * writer + half}`) as [string, string];
  const add = (ip: string) => ({ ip, name: String(number), conflict_resolution: "override" });
  if (kind === "one") return { path: `${path}/rules`, body: JSON.stringify(add(one)) };
  const items = [one, two].map((ip) => (kind === "both" ? { op: "add", ...add(ip) } : { op: "delete", ip }));
  return { path: `${path}/rules:batch`, body: JSON.stringify({ items, atomic: false }) };
}

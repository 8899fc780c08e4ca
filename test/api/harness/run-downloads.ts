import { rmSync } from "node:fs";
import { hash } from "node:crypto";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { Random } from "../../../bench/data/random.ts";
import { ServiceProcess } from "./service-process.ts";

export interface DownloadOptions {
  readonly folder: string;
  readonly rules: number;
  readonly downloads: number;
  /** The server keeps as many bytes as the list has for each response: the negative control of the memory. */
  readonly keepsBytes?: boolean;
}

export interface DownloadReport {
  readonly downloads: number;
  readonly bytes: number;
  /** Downloads with wrong bytes. */
  readonly wrong: number;
  /** The server's maximum memory in MiB. */
  readonly mostMemory: number;
}

/** Runs before the server. Zeros would not be resident. */
const KEEPING = `data:text/javascript,${encodeURIComponent(`
  import { ServerResponse } from "node:http";
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function (...given) {
    this.kept = Buffer.alloc(6_600_000, 1);
    return writeHead.apply(this, given);
  };`)}`;

/** R11: simultaneous downloads of one big list by clients that read slowly. */
export async function runDownloads({
  folder,
  rules,
  downloads,
  keepsBytes = false,
}: DownloadOptions): Promise<DownloadReport> {
  const file = `${folder}/downloads.db`;
  const { key, rulesetId } = await fillStore(file, rules, new Random(3));
  const service = await ServiceProcess.start(file, ["--rules-per-ruleset", String(rules)], {
    nodeArgs: keepsBytes ? ["--import", KEEPING] : [],
  });
  const path = `http://127.0.0.1:${service.port}/v1/edl/ip-rulesets/${rulesetId}`;
  const headers = { "X-API-Key": key };
  try {
    const first = await readSlowly(await fetch(`${path}/rules:export?format=csv`, { headers }));
    if (first.lines !== rules + 1)
      throw new Error(`the export has ${first.lines} lines, and the ruleset ${rules} rules`);
    const all = Array.from({ length: downloads }, async () =>
      readSlowly(await fetch(`${path}/rules:export?format=csv`, { headers })),
    );
    const read = await Promise.all(all);
    const wrong = read.filter(({ digest }) => digest !== first.digest).length;
    return { downloads, bytes: first.bytes, wrong, mostMemory: service.mostMemory };
  } finally {
    await service.end("SIGTERM");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  }
}

/** Reads one piece at a time, giving others a turn in between. */
async function readSlowly(response: Response): Promise<{ bytes: number; lines: number; digest: string }> {
  if (response.status !== 200) throw new Error(`the answer is ${response.status}: ${await response.text()}`);
  const parts: Uint8Array[] = [];
  for await (const part of response.body!) {
    parts.push(part);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const whole = Buffer.concat(parts);
  const lines = whole.reduce((count, byte) => (byte === 10 ? count + 1 : count), 0);
  return { bytes: whole.length, lines, digest: hash("sha256", whole) };
}

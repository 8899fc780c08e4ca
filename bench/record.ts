import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, platform, release, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { accessLog, factsOf } from "./data/files.ts";
import { expectedOf } from "./data/expected.ts";
import type { DatasetName } from "./data/dataset.ts";
import type { PartResult } from "./figures/part.ts";

/** What a run found, as it stands in bench/record/. Records are added, never changed. */
export interface BenchRecord {
  readonly format: 1;
  /** All parts ran and none failed; only such a record gets into the README. */
  readonly full: boolean;
  readonly startedAt: string;
  readonly seconds: number;
  readonly machine: Machine;
  /** The versions of the contenders and of the data. */
  readonly versions: Readonly<Record<string, string>>;
  /** The amount of input; the seeds and checksums are in bench/expected.json of that commit. */
  readonly inputs: Inputs;
  readonly parts: Readonly<Record<string, PartResult>>;
  /** Parts that ended with an error, and the error. */
  readonly failures: Readonly<Record<string, string>>;
}

export interface Inputs {
  readonly routed4Prefixes: number;
  readonly routed6Prefixes: number;
  readonly blocklist4Prefixes: number;
  readonly logBytes: number;
  readonly logLines: number;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  /** The commit, with "+" after it if the sources differed from it. */
  readonly commit: string;
  /** The load average of the minute before the run: near 0 on a quiet machine. */
  readonly loadBefore: number;
}

const FOLDER = fileURLToPath(new URL("./record/", import.meta.url));

export function describeMachine(): Machine {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: FOLDER, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ":/src", ":/data", ":/bench") !== "";
  return {
    cpu: cpus()[0]!.model,
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    commit: git("rev-parse", "--short", "HEAD") + (changed ? "+" : ""),
    loadBefore: Math.round(loadavg()[0]! * 100) / 100,
  };
}

export function readVersions(): Record<string, string> {
  const manifest = (url: string): { version: string; dependencies: Record<string, string> } =>
    JSON.parse(readFileSync(new URL(url, import.meta.url), "utf8"));
  const data = fileURLToPath(import.meta.resolve("@ip-location-db/asn/package.json"));
  return {
    ...manifest("./package.json").dependencies,
    "@ip-location-db/asn": JSON.parse(readFileSync(data, "utf8")).version,
  };
}

export function readInputs(): Inputs {
  const prefixes = (name: DatasetName): number => (expectedOf(name) as { prefixCount: number }).prefixCount;
  const { bytes, lines } = factsOf(accessLog);
  return {
    routed4Prefixes: prefixes("routed4"),
    routed6Prefixes: prefixes("routed6"),
    blocklist4Prefixes: prefixes("blocklist4"),
    logBytes: bytes,
    logLines: lines,
  };
}

/** Writes a record under the minute it was started in; a name that is taken is an error. Returns the path. */
export function writeRecord(record: BenchRecord): string {
  mkdirSync(FOLDER, { recursive: true });
  const minute = record.startedAt.slice(0, 16).replace(":", "");
  const path = `${FOLDER}${minute}${record.full ? "" : "-partial"}.json`;
  writeFileSync(path, `${JSON.stringify(record, null, 1)}\n`, { flag: "wx" });
  return path;
}

/** The newest full record, or undefined if there is none. */
export function newestRecord(folder: string = FOLDER): BenchRecord | undefined {
  return newestOf(/^\d{4}-\d\d-\d\dT\d{4}\.json$/, folder) as BenchRecord | undefined;
}

/** The content of the newest file whose name matches; names begin with the time. */
export function newestOf(name: RegExp, folder: string = FOLDER): unknown {
  const newest = readdirSync(folder)
    .filter((each) => name.test(each))
    .toSorted()
    .at(-1);
  return newest === undefined ? undefined : JSON.parse(readFileSync(`${folder}${newest}`, "utf8"));
}

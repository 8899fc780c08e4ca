import { availableParallelism } from "node:os";
import {
  type BatchLimits,
  DEFAULT_APPENDED_NAME,
  DEFAULT_LIMITS,
  defaultWorkerBytes,
  type IdentifyOptions,
} from "../identify-options.ts";
import { ActiveMatches, activeMatchBytes } from "../../table/active-matches.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";
import { JOINED_IDS } from "../engine/match-joiner.ts";
import { MatchCounts } from "./_match-counts.ts";
import { RunMemory } from "./_run-memory.ts";
import { inputBytesFor } from "./_shard-runner.ts";
import type { SharedBytes, ShardWork, Workspace } from "./messages.ts";

/** What is decided before the first byte is read: the options with their defaults, and the memory of all threads. */
export class RunSetup {
  readonly limits: BatchLimits;
  readonly threads: number;
  /** Inputs of fewer bytes get no workers. */
  readonly workerBytes: number;
  readonly memory: RunMemory;
  readonly matchCounts: MatchCounts | null;
  readonly work: ShardWork;
  readonly #active: SharedBytes | null;

  /** `isWarm`: the workers belong to a pool and are already running. */
  constructor(options: IdentifyOptions, isWarm: boolean) {
    const { snapshot } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.limits = { ...limits, shardBytes: Math.min(limits.shardBytes, limits.lineBytes) };
    this.threads = options.threads ?? availableParallelism();
    this.workerBytes = limits.workerBytes ?? defaultWorkerBytes(options, isWarm);
    this.memory = new RunMemory(options.engine === "typescript" ? null : snapshot.memory);
    this.matchCounts =
      options.countMatches === true ? new MatchCounts(this.memory, snapshot.table.matchCount, this.threads) : null;
    const now = options.now ?? Date.now();
    this.#active = this.#activeMatches(snapshot.table, now);
    this.work = {
      ...choicesOf(options),
      ...countedAddressesOf(options, limits),
      ...this.#memoryOf(options),
      ...furtherOf(options),
      now,
      active: this.#active,
    };
  }

  #memoryOf({
    snapshot,
    format,
    further = [],
  }: IdentifyOptions): Pick<ShardWork, "perMatch" | "workspaces" | "lineBytes" | "shardLines"> {
    return {
      perMatch: this.matchCounts?.block ?? null,
      workspaces: this.#takeWorkspaces(further.length > 0 ? JOINED_IDS : snapshot.table.matchCount, format !== "none"),
      lineBytes: this.limits.lineBytes,
      shardLines: this.limits.shardLines,
    };
  }

  /** Computed once for all threads: time stands still during a run. */
  #activeMatches(table: PrefixTable, now: number): SharedBytes | null {
    if (!table.hasExpiries) return null;
    const { block, bytes } = this.memory.take(activeMatchBytes(table.matchCount));
    return new ActiveMatches(table, bytes.buffer, bytes.byteOffset).at(now) === null ? null : block;
  }

  /** One per thread; null if there is no kernel, or no memory for it. */
  #takeWorkspaces(matchCount: number, writesRows: boolean): Workspace[] | null {
    if (this.memory.memory === null) return null;
    const list = writesRows ? this.memory.take((matchCount + 2) * Uint32Array.BYTES_PER_ELEMENT) : null;
    const shared = [this.#active, this.matchCounts?.block ?? null, list?.block ?? null];
    if (shared.some((block) => block !== null && block.buffer !== null)) return null; // too large, or the memory is full
    list?.bytes.fill(0);
    const inputBytes = inputBytesFor(this.limits.shardBytes);
    const workspaces: Workspace[] = [];
    for (let thread = 0; thread < this.threads; thread++) {
      const workspace = this.memory.takeWorkspace(inputBytes, matchCount, list?.block.at ?? 0);
      if (workspace === null) return null;
      workspaces.push(workspace);
    }
    return workspaces;
  }
}

function choicesOf(
  options: IdentifyOptions,
): Pick<ShardWork, "format" | "renderer" | "rows" | "address" | "appendAs" | "rowText"> {
  return {
    format: options.format,
    renderer: options.renderer,
    rows: options.rows ?? "all",
    address: options.address ?? "first",
    appendAs: options.appendAs ?? DEFAULT_APPENDED_NAME,
    rowText: options.format === "jsonl" && options.rowText === true,
  };
}

function furtherOf({
  snapshot,
  label = snapshot.info.kind,
  further = [],
  only,
}: IdentifyOptions): Pick<ShardWork, "label" | "further" | "only"> {
  return {
    label,
    further: further.map((one) => ({ label: one.label, shared: one.snapshot.shared, renderer: one.renderer })),
    only: only === undefined ? -1 : [label, ...further.map((one) => one.label)].indexOf(only),
  };
}

function countedAddressesOf(
  { keptAddresses, topAddresses }: IdentifyOptions,
  limits: BatchLimits,
): Pick<ShardWork, "countedAddresses" | "moreAddresses"> {
  return {
    countedAddresses: keptAddresses ?? (topAddresses === undefined ? 0 : limits.addresses),
    moreAddresses: keptAddresses === undefined ? "fail" : "drop",
  };
}

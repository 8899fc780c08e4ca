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
import { TAIL_BYTES } from "../engine/kernel/row-tails.ts";
import { TIME_UNITS } from "../engine/time-counter.ts";
import { joinedIds } from "../engine/match-joiner.ts";
import { ALL_TEMPLATE_BYTES } from "../engine/thread-sizes.ts";
import { MatchCounts } from "./_match-counts.ts";
import { RunMemory } from "./_run-memory.ts";
import { inputBytesFor } from "./_shard-runner.ts";
import type { SharedBytes, ShardWork, Workspace } from "../engine/messages.ts";

/** What is decided before the first byte is read: the options with their defaults, and the memory of all threads. */
export class RunSetup {
  readonly limits: BatchLimits;
  readonly threads: number;
  /** Inputs of fewer bytes get no workers. */
  readonly workerBytes: number;
  readonly memory: RunMemory;
  /** Lines by match id, or by joined id if there are several snapshots. */
  readonly matchCounts: MatchCounts | null;
  /** Lines by match id of each snapshot, if there are several. */
  readonly countsOfSnapshots: readonly MatchCounts[];
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
    const counted = options.countMatches === true ? tablesOf(options) : [];
    const isJoined = counted.length > 1 || (counted.length > 0 && options.within !== undefined);
    this.countsOfSnapshots = isJoined ? counted.map((table) => this.#countersFor(table.matchCount)) : [];
    this.matchCounts = counted.length > 0 ? this.#countersFor(maxMatchId(options)) : null;
    const now = options.now ?? Date.now();
    this.#active = this.#activeMatches(snapshot.table, now);
    this.work = {
      ...choicesOf(options),
      ...countedAddressesOf(options, limits),
      ...this.#memoryOf(options),
      ...furtherOf(options),
      now,
      timeUnit: options.countTimes === undefined ? 0 : TIME_UNITS[options.countTimes],
      latest: Number.isFinite(now) ? now : Date.now(),
      active: this.#active,
    };
  }

  get #templateBytes(): number {
    return Math.min(this.limits.templateBytes, Math.floor(ALL_TEMPLATE_BYTES / (2 * this.threads)));
  }

  #countersFor(maxId: number): MatchCounts {
    return new MatchCounts(this.memory, maxId, this.threads);
  }

  #memoryOf(
    options: IdentifyOptions,
  ): Pick<ShardWork, "perMatch" | "perMatchOfSnapshots" | "workspaces" | "templateBytes" | "lineBytes" | "shardLines"> {
    return {
      perMatch: this.matchCounts?.block ?? null,
      perMatchOfSnapshots: this.countsOfSnapshots.map(({ block, maxId }) => ({ block, maxId })),
      workspaces: this.#takeWorkspaces(maxMatchId(options), options),
      templateBytes: this.#templateBytes,
      lineBytes: this.limits.lineBytes,
      shardLines: this.limits.shardLines,
    };
  }

  /** Computed once for all threads: `now` does not change during a run. */
  #activeMatches(table: PrefixTable, now: number): SharedBytes | null {
    if (!table.hasExpiries) return null;
    const { block, bytes } = this.memory.take(activeMatchBytes(table.matchCount));
    return new ActiveMatches(table, bytes.buffer, bytes.byteOffset).at(now) === null ? null : block;
  }

  /** One per thread; null if there is no kernel, or no memory for it. */
  #takeWorkspaces(matchCount: number, { format, beside, within, countMatches }: IdentifyOptions): Workspace[] | null {
    if (this.memory.memory === null) return null;
    const writesRows = format !== "none";
    // Counts by match need joined ids, and so do lines that are selected by another snapshot.
    const needsIds = countMatches === true || within !== undefined;
    const tailBytes = beside === undefined || format === "jsonl" || needsIds ? 0 : TAIL_BYTES;
    const list = writesRows ? this.memory.take((matchCount + 2) * Uint32Array.BYTES_PER_ELEMENT) : null;
    const shared = [this.#active, this.matchCounts?.block ?? null, list?.block ?? null];
    if (shared.some((block) => block !== null && block.buffer !== null)) return null; // too large, or the memory is full
    list?.bytes.fill(0);
    const inputBytes = inputBytesFor(this.limits.shardBytes);
    const workspaces: Workspace[] = [];
    for (let thread = 0; thread < this.threads; thread++) {
      const workspace = this.memory.takeWorkspace(
        inputBytes,
        this.#templateBytes,
        matchCount,
        list?.block.at ?? 0,
        tailBytes,
      );
      if (workspace === null) return null;
      workspaces.push(workspace);
    }
    return workspaces;
  }
}

/** The tables of all snapshots of a run, the first one's first, that of the one beside them last. */
export function tablesOf({ snapshot, further = [], beside }: IdentifyOptions): [PrefixTable, ...PrefixTable[]] {
  const all = beside === undefined ? further : [...further, { snapshot: beside }];
  return [snapshot.table, ...all.map((one) => one.snapshot.table)];
}

/** The largest id that a line can have: of a match, or of several joined. */
function maxMatchId({ snapshot, further = [], beside, within }: IdentifyOptions): number {
  if (further.length === 0 && beside === undefined && within === undefined) return snapshot.table.matchCount;
  // With one beside, rows may also be written by the matches of the first.
  return beside === undefined ? joinedIds(false) : Math.max(joinedIds(true), snapshot.table.matchCount);
}

/** The number of the snapshot that must have a match, 0 the first; -1: any will do. */
export function onlyOf({ snapshot, label = snapshot.info.kind, further = [], only }: IdentifyOptions): number {
  return only === undefined ? -1 : [label, ...further.map((one) => one.label)].indexOf(only);
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

function furtherOf(
  options: IdentifyOptions,
): Pick<ShardWork, "label" | "further" | "hasBeside" | "columns" | "only" | "within"> {
  const { snapshot, label = snapshot.info.kind, further = [], beside, within, chosenColumns = null } = options;
  const shared = further.map((one) => ({ label: one.label, shared: one.snapshot.shared, renderer: one.renderer }));
  if (beside !== undefined) shared.push({ label: beside.info.kind, shared: beside.shared, renderer: undefined });
  return {
    label,
    further: shared,
    hasBeside: beside !== undefined,
    columns: chosenColumns,
    only: onlyOf(options),
    within: within?.shared ?? null,
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

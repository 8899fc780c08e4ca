import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FieldSyntax } from "../../batch/lines/fields/resolve-field.ts";
import type { RowFormat } from "../../rows/row-format.ts";
import type { CatalogueView } from "../datasets/catalogue-view.ts";
import type { ServedNetworks } from "../datasets/served-networks.ts";
import type { ChosenRulesets } from "./chosen-rulesets.ts";
import { ServiceError } from "../service-error.ts";
import { LogIdentification } from "./log-identification.ts";
import { type UploadLimits, UploadSlots } from "../access/upload-slots.ts";
import { freeBytesOf } from "../free-bytes.ts";

/** Limits of the logs that are kept and identified at a time. */
export interface IdentificationLimits extends UploadLimits {
  /** Ended identifications kept per organisation; the oldest is removed first. */
  readonly kept: number;
  /** Milliseconds for which an ended identification is kept. */
  readonly keptFor: number;
  /** Bytes of the disk that must stay free. */
  readonly freeBytes: number;
  /**
   * Distinct addresses of a log that are counted exactly; if there are more, rare ones are dropped. They take up to 7
   * MB in each thread that works on the log, and some 15 ms of a turn of the event loop whenever half of them are
   * dropped.
   */
  readonly keptAddresses: number;
}

const DEFAULT_IDENTIFICATION_LIMITS: IdentificationLimits = {
  perOrganisation: 2,
  inAll: 8,
  slowBytes: 16 << 10,
  slowAfter: 5000,
  kept: 10,
  keptFor: 3_600_000,
  freeBytes: 512 << 20,
  keptAddresses: 100_000,
};

/** Milliseconds between two checks for a full disk and for results that have been kept long enough. */
const EVERY = 1000;

/** A log that is being identified, or has been. */
export interface Identification {
  readonly organisationId: string;
  readonly id: string;
  readonly name: string;
  readonly format: RowFormat;
  /** Bytes as uploaded; null if the client did not declare a length. */
  readonly size: number | null;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly endedAt: number | null;
  /** The path of the rows, gzipped, once it is done. */
  readonly path: string;
  /** The path of the line counts of each address, once it is done. */
  readonly countsPath: string;
  readonly log: LogIdentification;
}

export interface NewIdentification extends Pick<Identification, "organisationId" | "id" | "name" | "format" | "size"> {
  readonly body: AsyncIterable<Buffer>;
  readonly catalogue: CatalogueView;
  readonly networks: ServedNetworks;
  readonly field?: string | undefined;
  readonly input?: FieldSyntax | undefined;
  /** What the log is compared with besides the catalogue; nothing by default. */
  readonly rulesets?: ChosenRulesets | null;
}

type Entry = { -readonly [Member in keyof Identification]: Identification[Member] } & {
  readonly end: AbortController;
  readonly ended: Promise<void>;
};

/** The logs of all organisations, and their results, in a temporary folder of the system. */
export class Identifications {
  /** Shared with other uploads. */
  readonly slots: UploadSlots;
  readonly #now: () => number;
  readonly #limits: IdentificationLimits;
  readonly #freeBytes: (folder: string) => number;
  /** By organisation and id, in the order of their starts. */
  readonly #entries = new Map<string, Entry>();
  #folder: string | undefined;
  #files = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    now: () => number,
    limits: Partial<IdentificationLimits> = {},
    freeBytes: (folder: string) => number = freeBytesOf,
  ) {
    this.#now = now;
    this.#limits = { ...DEFAULT_IDENTIFICATION_LIMITS, ...limits };
    this.#freeBytes = freeBytes;
    this.slots = new UploadSlots(this.#limits);
  }

  /**
   * Identifies a log while it arrives; resolves when that is over, successful or not. Rejects with ServiceError if it
   * cannot start, or if it is not text (415).
   */
  async run({
    organisationId,
    id,
    name,
    format,
    size,
    body,
    catalogue,
    networks,
    field,
    input,
    rulesets = null,
  }: NewIdentification): Promise<Identification> {
    const key = keyOf(organisationId, id);
    const path = join(this.#folderFor(key), `${++this.#files}.gz`);
    const countsPath = `${path}.counts`;
    const end = new AbortController();
    const startedAt = this.#now();
    const log = new LogIdentification({
      body,
      catalogue,
      networks,
      format,
      field,
      input,
      path,
      countsPath,
      keptAddresses: this.#limits.keptAddresses,
      rulesets,
      startedAt,
      signal: end.signal,
    });
    const leave = this.slots.take({ organisationId, speed: log.speed, end });
    const entry: Entry = {
      organisationId,
      id,
      name,
      format,
      size,
      startedAt,
      endedAt: null,
      path,
      countsPath,
      log,
      end,
      ended: log.run(),
    };
    this.#entries.set(key, entry);
    try {
      await entry.ended;
    } catch (error) {
      if (error instanceof ServiceError) this.#forget(key, entry);
      throw error;
    } finally {
      leave();
      entry.endedAt = this.#now();
      this.#forgetOld();
    }
    return entry;
  }

  get(organisationId: string, id: string): Identification | undefined {
    this.#forgetOld();
    return this.#entries.get(keyOf(organisationId, id));
  }

  /** The identifications of an organisation, newest first. */
  list(organisationId: string): readonly Identification[] {
    this.#forgetOld();
    return this.#entriesOf(organisationId).reverse();
  }

  /** The first millisecond at which it is no longer kept; null while it runs. */
  expiryOf({ endedAt }: Identification): number | null {
    return endedAt === null ? null : endedAt + this.#limits.keptFor;
  }

  /** Stops it if it is running, and removes it. False if there is none. */
  async remove(organisationId: string, id: string): Promise<boolean> {
    const key = keyOf(organisationId, id);
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    entry.end.abort(new Error("it was cancelled"));
    await entry.ended.catch(() => {});
    this.#forget(key, entry);
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const all = [...this.#entries.values()];
    for (const { end } of all) end.abort(new Error(CLOSING));
    await Promise.allSettled(all.map(({ ended }) => ended));
    if (this.#folder !== undefined) remove(this.#folder);
  }

  /** Creates the folder for another log. @throws ServiceError "conflict", "unavailable" */
  #folderFor(key: string): string {
    if (this.#isClosed) throw new ServiceError("unavailable", CLOSING, { retryAfter: 10 });
    this.#forgetOld();
    const { freeBytes } = this.#limits;
    if (this.#entries.has(key)) throw new ServiceError("conflict", ID_EXISTS);
    const folder = this.#privateFolder();
    if (this.#freeBytes(folder) < freeBytes) throw new ServiceError("unavailable", DISK_FULL, { retryAfter: 60 });
    this.#timer ??= setInterval(() => this.#poll(), EVERY).unref();
    return folder;
  }

  /** Only its owner can read it, whatever the umask. Systems remove old files from the folder it is in. */
  #privateFolder(): string {
    if (this.#folder === undefined || !existsSync(this.#folder))
      this.#folder = mkdtempSync(join(tmpdir(), "ipsieve-logs-"));
    return this.#folder;
  }

  #poll(): void {
    this.#forgetOld();
    const running = [...this.#entries.values()].filter(isRunning);
    if (running.length === 0 || !existsSync(this.#folder!) || this.#freeBytes(this.#folder!) >= this.#limits.freeBytes)
      return;
    for (const { end } of running) end.abort(new Error(DISK_FULL));
  }

  /** Removes what has been kept long enough, and what exceeds the limit. */
  #forgetOld(): void {
    const now = this.#now();
    const kept = new Map<string, number>();
    for (const [key, entry] of [...this.#entries].reverse()) {
      if (isRunning(entry)) continue;
      const newer = kept.get(entry.organisationId) ?? 0;
      kept.set(entry.organisationId, newer + 1);
      if (newer >= this.#limits.kept || now >= this.expiryOf(entry)!) this.#forget(key, entry);
    }
  }

  #forget(key: string, { path, countsPath }: Entry): void {
    this.#entries.delete(key);
    // A client that is downloading it has it open.
    remove(path);
    remove(countsPath);
  }

  #entriesOf(organisationId: string): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.organisationId === organisationId);
  }
}

export const ID_EXISTS = "an identification with this id already exists; choose a new id for each upload";
const CLOSING = "the server is closing";
const DISK_FULL = "the server's disk is too full for the results; try again later, or ask the operator to free space";

function isRunning({ endedAt }: Identification): boolean {
  return endedAt === null;
}

/** If the disk does not allow the removal, the file stays: nothing refers to it, and it is no reason to fail. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // For example, a disk that became read-only after an error.
  }
}

function keyOf(organisationId: string, id: string): string {
  return `${organisationId} ${id}`;
}

import type { Logger } from "pino";
import { type ChildCommand, type ChildResult, RunningChild } from "./child-command.ts";
import { ServiceError } from "../service-error.ts";

/** The outcome of a list, as `ipsieve cbs update --progress json` reports it. */
export interface ListReport {
  readonly source: string;
  readonly path: string;
  readonly outcome: "new" | "changed" | "unchanged" | "refused" | "failed" | "absent";
  readonly problem: string | null;
  readonly prefixes: number | null;
  readonly added: number | null;
  readonly removed: number | null;
}

/** The part of the output of `ipsieve cbs update --json` that is shown. */
export interface UpdateResult {
  readonly left: readonly { readonly source: { readonly id: string }; readonly error: string | null }[];
  readonly createdAt: string;
  readonly sources: number;
  readonly nodes: number;
  readonly ipv4: number;
  readonly ipv6: number;
  /** Null if the catalogue has the same content as the previous one. */
  readonly generation: string | null;
}

/** The update in progress, or the last one of this server. */
export interface CatalogueUpdate {
  readonly organisationId: string;
  readonly startedBy: string;
  readonly startedAt: number;
  /** When the catalogue that was in use at the start had been made. */
  readonly replacedAt: number | null;
  /** Null while it runs. */
  endedAt: number | null;
  /** Lists whose outcome is known, and all lists. */
  done: number;
  total: number;
  readonly lists: ListReport[];
  /** Null until the update has ended, and if no catalogue was built. */
  result: UpdateResult | null;
  /** Why there is no new catalogue. */
  error: string | null;
}

export interface CatalogueUpdatesOptions {
  /** undefined: an update would change nothing that this server uses. */
  readonly command: ChildCommand | undefined;
  readonly catalogue: { reload(): Promise<boolean>; readonly times: { readonly createdAt: number | null } };
  /** Called when a catalogue has been published that differs from the previous one. */
  readonly onUpdated: (update: CatalogueUpdate) => Promise<void>;
  readonly now: () => number;
  readonly log: Pick<Logger, "info" | "warn">;
}

export const UPDATE_RUNS = "an update of the catalogue is already running; wait until it has ended";
const PREFIX = "ipsieve: ";
/** Characters of an error that are shown. */
const MAX_ERROR = 2000;

/**
 * Updates of the catalogue by `ipsieve cbs update`, one at a time. The command's own lock excludes updates by other
 * processes.
 */
export class CatalogueUpdates {
  readonly #options: CatalogueUpdatesOptions;
  #update: CatalogueUpdate | undefined;
  #child: RunningChild | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: CatalogueUpdatesOptions) {
    this.#options = options;
  }

  get isPossible(): boolean {
    return this.#options.command !== undefined;
  }

  /** The update in progress, otherwise the last one since the server started. */
  get last(): CatalogueUpdate | undefined {
    return this.#update;
  }

  /** Starts an update and returns without waiting for it. @throws ServiceError "conflict", "unavailable" */
  start(startedBy: string, organisationId: string): CatalogueUpdate {
    const { command, catalogue, now } = this.#options;
    if (command === undefined)
      throw new ServiceError(
        "conflict",
        "this server uses the catalogue given by --catalogue, which updates do not change; start it without --catalogue",
      );
    if (this.#isClosed) throw new ServiceError("unavailable", "the server is shutting down", { retryAfter: 10 });
    if (this.#child !== undefined) throw new ServiceError("conflict", UPDATE_RUNS);
    const update: CatalogueUpdate = {
      organisationId,
      startedBy,
      startedAt: now(),
      replacedAt: catalogue.times.createdAt,
      endedAt: null,
      done: 0,
      total: 0,
      lists: [],
      result: null,
      error: null,
    };
    this.#update = update;
    this.#ended = this.#run(command, update);
    return update;
  }

  /** Stops an update in progress and waits until it has ended; what it has not published is discarded. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#child?.end();
    await this.#ended;
  }

  /** Ends an update immediately. */
  kill(): void {
    this.#child?.kill();
  }

  async #run(command: ChildCommand, update: CatalogueUpdate): Promise<void> {
    const { now, log } = this.#options;
    const messages: string[] = [];
    log.info({ user: update.startedBy }, "an update of the catalogue was started in the dashboard");
    try {
      this.#child = new RunningChild(command, (line) => takeLine(update, messages, line));
      await this.#finish(update, await this.#child.ended, messages);
    } catch (error) {
      update.error = `the update could not be run: ${(error as Error).message}`;
    } finally {
      this.#child = undefined;
      update.endedAt = now();
    }
    const counts = { user: update.startedBy, ...countsOf(update) };
    if (update.error === null) log.info(counts, "the update of the catalogue has ended");
    else log.warn({ ...counts, error: update.error }, "the update of the catalogue has failed");
  }

  /** Exit code 1 means a catalogue without some of the lists, 2 none at all. */
  async #finish(
    update: CatalogueUpdate,
    { code, signal, stdout }: ChildResult,
    messages: readonly string[],
  ): Promise<void> {
    if (code !== 0 && code !== 1) {
      // Failed lists are reported separately; the error that ended the update comes last.
      const last = messages.at(-1)?.slice(0, MAX_ERROR);
      update.error =
        signal !== null
          ? `the update was ended by ${signal}`
          : (last ?? `the update ended with exit code ${code} and did not say why`);
      return;
    }
    update.result = JSON.parse(stdout) as UpdateResult;
    if (update.result.generation !== null) await this.#options.onUpdated(update);
    if (!this.#isClosed && !(await this.#options.catalogue.reload()))
      update.error = "the catalogue was updated, but cannot be loaded; the log of the server says why";
  }
}

/** A list's report, or a message for people; anything else a process may print is ignored. */
function takeLine(update: CatalogueUpdate, messages: string[], line: string): void {
  if (line.startsWith(PREFIX)) messages.push(line.slice(PREFIX.length));
  const read = line.startsWith("{") ? readReport(line) : undefined;
  if (read === undefined) return;
  const { done, total, ...report } = read;
  Object.assign(update, { done, total });
  update.lists.push(report);
}

function readReport(line: string): (ListReport & { done: number; total: number }) | undefined {
  try {
    return JSON.parse(line) as ListReport & { done: number; total: number };
  } catch {
    return undefined;
  }
}

/** How many lists had each outcome. */
export function countsOf({ lists }: CatalogueUpdate): Record<ListReport["outcome"], number> {
  const counts = { new: 0, changed: 0, unchanged: 0, refused: 0, failed: 0, absent: 0 };
  for (const { outcome } of lists) counts[outcome]++;
  return counts;
}

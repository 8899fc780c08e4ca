import type { Logger } from "pino";
import { type ChildCommand, type ChildResult, RunningChild } from "./child-command.ts";
import { ServiceError } from "../service-error.ts";

/** What became of a list, as `ipsieve cbs update --progress json` reports it. */
export interface ListReport {
  readonly source: string;
  readonly path: string;
  readonly outcome: "new" | "changed" | "unchanged" | "refused" | "failed" | "absent";
  readonly problem: string | null;
  readonly prefixes: number | null;
  readonly added: number | null;
  readonly removed: number | null;
}

/** What `ipsieve cbs update --json` says at its end, as far as it is shown. */
export interface UpdateResult {
  readonly left: readonly { readonly source: { readonly id: string }; readonly error: string | null }[];
  readonly createdAt: string;
  readonly sources: number;
  readonly nodes: number;
  readonly ipv4: number;
  readonly ipv6: number;
  /** null where the catalogue says what the one before said. */
  readonly generation: string | null;
}

/** An update that runs, or the last one of this server. */
export interface CatalogueUpdate {
  readonly organisationId: string;
  readonly startedBy: string;
  readonly startedAt: number;
  /** When the catalogue was made that answered at the start. */
  readonly replacedAt: number | null;
  /** Null while it runs. */
  endedAt: number | null;
  /** Lists of which is known what became of them, and all. */
  done: number;
  total: number;
  readonly lists: ListReport[];
  /** Null until it is at its end, and where no catalogue was built. */
  result: UpdateResult | null;
  /** Why no new catalogue answers. */
  error: string | null;
}

export interface CatalogueUpdatesOptions {
  /** undefined: an update would change nothing that this server answers from. */
  readonly command: ChildCommand | undefined;
  readonly catalogue: { reload(): Promise<boolean>; readonly times: { readonly createdAt: number | null } };
  /** Called when a catalogue has been published that says anything else than the one before. */
  readonly onUpdated: (update: CatalogueUpdate) => Promise<void>;
  readonly now: () => number;
  readonly log: Pick<Logger, "info" | "warn">;
}

const PREFIX = "ipsieve: ";
/** Characters of an error that are shown. */
const MAX_ERROR = 2000;

/**
 * Updates of the catalogue by `ipsieve cbs update`, one at a time. The command's own lock keeps out those of other
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

  /** The one that runs, or else the last one since the server started. */
  get last(): CatalogueUpdate | undefined {
    return this.#update;
  }

  /** Starts an update; it goes on when this returns. @throws ServiceError "conflict", "unavailable" */
  start(startedBy: string, organisationId: string): CatalogueUpdate {
    const { command, catalogue, now } = this.#options;
    if (command === undefined)
      throw new ServiceError(
        "conflict",
        "this server uses the catalogue that --catalogue names, which no update changes; start it without --catalogue",
      );
    if (this.#isClosed) throw new ServiceError("unavailable", "the server is shutting down", { retryAfter: 10 });
    if (this.#child !== undefined)
      throw new ServiceError("conflict", "an update of the catalogue is already running; wait until it has ended");
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

  /** Ends an update that runs, and waits until it has ended: what it has not published is dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#child?.end();
    await this.#ended;
  }

  /** Ends an update at once. */
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

  /** Exit code 1 is a catalogue without some of the lists, 2 none. */
  async #finish(
    update: CatalogueUpdate,
    { code, signal, stdout }: ChildResult,
    messages: readonly string[],
  ): Promise<void> {
    if (code !== 0 && code !== 1) {
      // Lists that failed are reported elsewhere; what ended the update comes last.
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

/** A list's report, or a message for people; what else a process may print is passed over. */
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

/** How many lists came to which outcome. */
export function countsOf({ lists }: CatalogueUpdate): Record<ListReport["outcome"], number> {
  const counts = { new: 0, changed: 0, unchanged: 0, refused: 0, failed: 0, absent: 0 };
  for (const { outcome } of lists) counts[outcome]++;
  return counts;
}

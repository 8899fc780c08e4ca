import { setTimeout as sleep } from "node:timers/promises";
import { type ListedGeneration, listGenerations } from "../../update/list-generations.ts";
import { MomentError, parseMoment } from "../../time/parse-moment.ts";
import { FairQueue } from "../fair-queue.ts";
import { invalid, ServiceError } from "../service-error.ts";
import { SharedCache } from "../shared-cache.ts";
import { type CatalogueView, openCatalogueView } from "./catalogue-view.ts";

export interface EarlierCataloguesOptions {
  /** The history that updates keep; undefined if the server's catalogue is not one that they build. */
  readonly folder: string | undefined;
  readonly log: { error(about: object, message: string): void };
}

interface Kept {
  readonly view: CatalogueView;
  readonly byteLength: number;
}

/** Bytes of the files of catalogues that are kept open: two to twenty of them. */
const MAX_BYTES = 64 << 20;

/**
 * Bytes of files that are opened per second. The engine frees the memory of catalogues that are no longer kept only
 * seconds later: without a limit, 35 a second took 600 MB more.
 */
const BYTES_PER_SECOND = 16 << 20;

/** The catalogues that were in use before, by the history that `ipsieve cbs update` keeps. */
export class EarlierCatalogues {
  readonly #options: EarlierCataloguesOptions;
  readonly #views = new SharedCache<Kept>(MAX_BYTES);
  /** Opening one takes tenths of a second of processor time, and memory. */
  readonly #opening = new FairQueue({ atOnce: 1, what: "requests for earlier catalogues" });

  /** Resolves when the next one may be opened. */
  #mayOpen: Promise<unknown> = Promise.resolve();
  #listed: readonly ListedGeneration[] = [];

  constructor(options: EarlierCataloguesOptions) {
    this.#options = options;
  }

  /**
   * The newest catalogue that was made no later than `asOf`, on behalf of an organisation. Rejects with ServiceError:
   * "invalid" about `field` for a text that is not a time and for a time before the oldest catalogue, "unavailable" if the history
   * cannot be read.
   */
  async asOf(asOf: string, organisationId: string, field = "as_of"): Promise<CatalogueView> {
    const time = timeOf(asOf, field);
    const generation = newestOf(await this.#generations(field), time, field);
    const view = await this.#open(generation, generation.generation, time, organisationId);
    const { from, until } = view.catalogue.unchangedWithin();
    if (from <= time && time < until) return view;
    return this.#open(generation, `${generation.generation} ${time}`, time, organisationId);
  }

  async #open({ path }: ListedGeneration, key: string, time: number, who: string): Promise<CatalogueView> {
    const make = async (): Promise<Kept> => {
      await this.#mayOpen;
      const { view } = await openCatalogueView(path, time);
      const { byteLength } = view.snapshot.info;
      this.#mayOpen = sleep((1000 * byteLength) / BYTES_PER_SECOND, undefined, { ref: false });
      return { view, byteLength };
    };
    try {
      return (await this.#views.get(key, () => this.#opening.run({ who, isKnown: true }, make))).view;
    } catch (error) {
      throw error instanceof ServiceError ? error : this.#unreadable(error);
    }
  }

  async #generations(field: string): Promise<readonly ListedGeneration[]> {
    const { folder } = this.#options;
    if (folder === undefined)
      throw refused(
        field,
        "this server has no earlier catalogues: it uses the one given by --catalogue, and only those built by updates are kept",
      );
    try {
      return (this.#listed = await listGenerations(folder, this.#listed));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw this.#unreadable(error);
    }
  }

  /** Paths are for the log. */
  #unreadable(error: unknown): ServiceError {
    this.#options.log.error({ err: error }, "an earlier catalogue cannot be read; restore the file, or remove it");
    return new ServiceError("unavailable", "an earlier catalogue cannot be read; the server's log says which", {
      retryAfter: 60,
    });
  }
}

function timeOf(text: string, field: string): number {
  try {
    return parseMoment(text).getTime();
  } catch (error) {
    throw error instanceof MomentError ? refused(field, error.message) : error;
  }
}

function newestOf(generations: readonly ListedGeneration[], time: number, field: string): ListedGeneration {
  const newest = generations.findLast(({ createdAt }) => createdAt.getTime() <= time);
  if (newest !== undefined) return newest;
  const [oldest] = generations;
  throw refused(
    field,
    oldest === undefined
      ? "this server has no earlier catalogues yet: each update of its catalogue keeps one"
      : `no catalogue was made by ${new Date(time).toISOString()}; the oldest that is kept is of ${oldest.createdAt.toISOString()}`,
  );
}

function refused(field: string, why: string): ServiceError {
  return invalid({ [field]: [why] });
}

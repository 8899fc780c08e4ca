import { join } from "node:path";
import { AS_SOURCE, Catalogue, CATALOGUE_KIND } from "../cbs/catalogue.ts";
import { layerOf } from "../cbs/catalogue-ages.ts";
import { CatalogueError } from "../cbs/catalogue-error.ts";
import { importCatalogue, type SourceReport } from "../cbs/import-catalogue.ts";
import { ImportError } from "../cbs/importers/import-error.ts";
import type { ImportedList } from "../cbs/importers/imported-list.ts";
import { type Source, type SourceFile, SOURCES } from "../cbs/importers/sources.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { freeze } from "../table/freeze.ts";
import { publishCatalogue } from "./generations.ts";
import { compareLists, impossibleList, type ListChange, type Rejection, unusualChange } from "./guard-list.ts";
import type { FoundList, ListOrigin } from "./list-origin.ts";
import { type ListState, ListStore, makeFolder, removeIfThere, type StoredList, writeText } from "./list-store.ts";
import { UpdateError } from "./update-error.ts";
import { takeLock } from "./update-lock.ts";

export interface UpdateOptions {
  /** The folder of everything that is kept; created if necessary. */
  readonly home: string;
  /**
   * The snapshot of the AS numbers' catalogue, which the lists are laid over; without it, the catalogue consists of the
   * lists alone.
   */
  readonly base?: string;
  readonly origin: ListOrigin;
  readonly sources?: readonly Source[];
  /** Ids of the sources to fetch; the others keep their lists. */
  readonly only?: ReadonlySet<string>;
  /** Ids of the sources whose lists are accepted however much they have changed. */
  readonly accept?: ReadonlySet<string>;
  /** Maximum share of a list that may differ from the previous one, 0 to 1. */
  readonly maxChange: number;
  /** How many generations the history keeps, at least 1. */
  readonly keep: number;
  readonly onFile?: (report: FileReport, done: number, total: number) => void;
}

/** The outcome of a list. */
export interface FileReport {
  readonly source: string;
  readonly path: string;
  /**
   * "new": the first one; "changed" and "unchanged": compared with the previous one; "refused" by a guard, or "failed"
   * to be fetched, in both cases so that the last good list stays; "absent": the origin does not offer it.
   */
  readonly outcome: "new" | "changed" | "unchanged" | "refused" | "failed" | "absent";
  /** What is wrong and how to fix it; null if nothing is. */
  readonly problem: string | null;
  /** The code of the error or rejection. */
  readonly code: string | null;
  /** Distinct prefixes, and how many were added and removed; null unless the list was accepted now. */
  readonly prefixes: number | null;
  readonly added: number | null;
  readonly removed: number | null;
}

export interface UpdateReport {
  readonly files: readonly FileReport[];
  /** Sources that have lists but are not in the catalogue. */
  readonly left: readonly SourceReport[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Official sources that are in the catalogue, with those that came with `base`. */
  readonly sources: number;
  /** The catalogue that the lists are laid over, and the date of its AS numbers; null if there is none. */
  readonly base: { readonly title: string; readonly createdAt: string } | null;
  readonly nodes: number;
  readonly ipv4: number;
  readonly ipv6: number;
  /** The catalogue, and its copy in the history; null if it equals the newest one there. */
  readonly catalogue: string;
  readonly generation: string | null;
}

const TITLE = "Official lists of publishers";
const LAID_OVER = "Publishers' official lists and prefixes known by AS number";
/** Groups fetched at a time: each is a host with one connection. */
const PARALLEL = 8;

/**
 * Fetches lists, stores those that pass the guards, and builds the catalogue from all stored lists, as a whole or not
 * at all. Lists are in `lists/`, rejected ones in `refused/`. @throws UpdateError "locked", "bad-home", "bad-base",
 * "unwritable", "no-lists", SnapshotError
 */
export async function updateCatalogue(options: UpdateOptions): Promise<UpdateReport> {
  await makeFolder(options.home);
  const release = await takeLock(join(options.home, "update.lock"));
  try {
    const base = options.base === undefined ? undefined : await openBase(options.base);
    const store = new ListStore(join(options.home, "lists"));
    const files = await fetchLists(options, store);
    await store.saveStates();
    return { files, ...(await buildCatalogue(options, store, base)) };
  } finally {
    await release();
  }
}

interface Job {
  readonly source: Source;
  readonly file: SourceFile;
}

async function fetchLists(options: UpdateOptions, store: ListStore): Promise<FileReport[]> {
  const { sources = SOURCES, only, origin, onFile } = options;
  const jobs = sources
    .filter(({ id }) => only === undefined || only.has(id))
    .flatMap((source) => source.files.map((file): Job => ({ source, file })));
  const reports = new Map<Job, FileReport>();
  const groups = [...Map.groupBy(jobs, ({ file }) => origin.groupOf(file)).entries()];
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      for (const job of group[1]) {
        const report = group[0] === undefined ? reportOf(job, "absent") : await fetchList(job, options, store);
        reports.set(job, report);
        onFile?.(report, reports.size, jobs.length);
      }
    }
  };
  // After an error such as a full disk, no further group starts, and all have ended before the lock is released.
  const stop = (error: unknown): never => {
    groups.length = 0;
    throw error;
  };
  const works = await Promise.allSettled(Array.from({ length: PARALLEL }, () => work().catch(stop)));
  const failed = works.find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return jobs.map((job) => reports.get(job)!);
}

async function fetchList(job: Job, options: UpdateOptions, store: ListStore): Promise<FileReport> {
  const { path } = job.file;
  const stored = store.get(path);
  try {
    const found = await options.origin.fetch(job.file, stored?.state);
    if (found === undefined) return reportOf(job, "absent");
    if (found !== "same" && found.text !== stored?.text) return await takeList(job, found, stored, options, store);
    await store.keep(path, stored!.text, confirmedState(found, stored!.state));
    await removeIfThere(refusedPath(options, path));
    return reportOf(job, "unchanged");
  } catch (error) {
    if (error instanceof ImportError) return reportOf(job, "refused", { problem: error.message, code: error.code });
    if (error instanceof UpdateError && error.code !== "unwritable")
      return reportOf(job, "failed", { problem: error.message, code: error.code });
    throw error;
  }
}

/** Stores the list if it passes the guards. @throws ImportError */
async function takeList(
  job: Job,
  found: FoundList,
  stored: StoredList | undefined,
  options: UpdateOptions,
  store: ListStore,
): Promise<FileReport> {
  const { path, importer } = job.file;
  const refused = refusedPath(options, path);
  const reject = async ({ code, message }: Rejection): Promise<FileReport> => {
    await writeText(refused, found.text);
    return reportOf(job, "refused", { code, problem: `${message}; it is kept as ${refused}` });
  };
  try {
    const list = importer(found.text);
    const impossible = impossibleList(list);
    if (impossible !== undefined) return await reject(impossible);
    const before = lastGood(job.file, stored);
    const change = compareLists(before ?? { entries: [] }, list);
    const unusual = before === undefined ? undefined : unacceptedChange(job, change, options);
    if (unusual !== undefined) return await reject(unusual);
    await store.keep(path, found.text, stateOf(found, list, change, store.stateOf(path)));
    await removeIfThere(refused);
    const outcome = before === undefined ? "new" : change.isSame ? "unchanged" : "changed";
    return reportOf(job, outcome, { prefixes: change.after, added: change.added, removed: change.removed });
  } catch (error) {
    if (error instanceof ImportError) await writeText(refused, found.text);
    throw error;
  }
}

function refusedPath({ home }: UpdateOptions, path: string): string {
  return join(home, "refused", path);
}

/** This version may reject a list that an older one accepted: then there is nothing to compare with. */
function lastGood({ importer }: SourceFile, stored: StoredList | undefined): ImportedList | undefined {
  try {
    return stored && importer(stored.text);
  } catch (error) {
    if (error instanceof ImportError) return undefined;
    throw error;
  }
}

function unacceptedChange(
  { source }: Job,
  change: ListChange,
  { accept, maxChange }: UpdateOptions,
): Rejection | undefined {
  if (accept?.has(source.id) === true) return undefined;
  const unusual = unusualChange(change, maxChange);
  return (
    unusual && {
      code: unusual.code,
      message: `${unusual.message}; check it, then accept it with --accept ${source.id}`,
    }
  );
}

/** The state of a list that was fetched and accepted. */
function stateOf(
  found: FoundList,
  list: ImportedList,
  change: ListChange,
  known: ListState | undefined,
): Omit<ListState, "sha256"> {
  const { url, etag, lastModified, fetchedAt } = found;
  const fetched = fetchedAt.toISOString();
  const changedAt = change.isSame && known !== undefined ? known.changedAt : fetched;
  return {
    url,
    etag,
    lastModified,
    publishedAt: list.publishedAt ?? isoTime(lastModified),
    fetchedAt: fetched,
    changedAt,
  };
}

/**
 * The state of a list that equals the stored one. If there is none, the run that stored it was killed before it could
 * write one: then the current run counts as the time of the change.
 */
function confirmedState(found: FoundList | "same", known: ListState | undefined): Omit<ListState, "sha256"> {
  if (found === "same") return { ...known!, fetchedAt: new Date().toISOString() };
  const { url, etag, lastModified } = found;
  const fetchedAt = found.fetchedAt.toISOString();
  return {
    url,
    etag,
    lastModified,
    publishedAt: known?.publishedAt ?? isoTime(lastModified),
    fetchedAt,
    changedAt: known?.changedAt ?? fetchedAt,
  };
}

function isoTime(httpDate: string | null): string | null {
  return httpDate === null ? null : new Date(httpDate).toISOString();
}

/** Opened before anything is fetched: without it, no catalogue could be built. @throws UpdateError "bad-base" */
async function openBase(path: string): Promise<Catalogue> {
  try {
    const { metadata, table, info } = await openSnapshot(path);
    if (info.kind !== CATALOGUE_KIND)
      throw new UpdateError("bad-base", `${path}: its kind is "${info.kind}", not "${CATALOGUE_KIND}"`);
    const base = new Catalogue(metadata, table);
    base.checkValues();
    return base;
  } catch (cause) {
    if (!(cause instanceof SnapshotError || cause instanceof CatalogueError)) throw cause;
    throw new UpdateError(
      "bad-base",
      `the catalogue that comes with ipsieve cannot be used: ${cause.message}; install ipsieve again ("npm run data" in a checkout)`,
      { cause },
    );
  }
}

async function buildCatalogue(
  options: UpdateOptions,
  store: ListStore,
  base: Catalogue | undefined,
): Promise<Omit<UpdateReport, "files">> {
  const { home, sources = SOURCES, keep } = options;
  const about = { title: base === undefined ? TITLE : LAID_OVER, createdAt: new Date() };
  const { trie, metadata, reports } = importCatalogue(
    (path) => store.get(path)?.text,
    about,
    sources,
    (path) => store.stateOf(path),
    base,
  );
  const left = reports.filter(({ status }) => status === "failed");
  const imported = reports.filter(({ status }) => status === "imported").length;
  if (imported === 0) {
    const why = left.map(({ source, error }) => `; ${source.id}: ${error}`).join("");
    throw new UpdateError("no-lists", `${home} contains no list to build a catalogue from${why}`);
  }
  const table = freeze(trie);
  const catalogue = join(home, "catalogue.ipsieve");
  const generation = await publishCatalogue(
    { current: catalogue, history: join(home, "history") },
    table,
    metadata,
    keep,
  );
  return {
    left,
    createdAt: metadata.createdAt,
    sources: metadata.sources.filter((source) => layerOf(source) === "official").length,
    base: base === undefined ? null : { title: base.metadata.title, createdAt: dateOfNumbers(base) },
    nodes: new Catalogue(metadata, table).nodeCount,
    ipv4: table.prefixCount(4),
    ipv6: table.prefixCount(6),
    catalogue,
    generation,
  };
}

function dateOfNumbers({ metadata }: Catalogue): string {
  return metadata.sources.find(({ id }) => id === AS_SOURCE)?.publishedAt ?? metadata.createdAt;
}

function reportOf({ source, file }: Job, outcome: FileReport["outcome"], more: Partial<FileReport> = {}): FileReport {
  return {
    source: source.id,
    path: file.path,
    outcome,
    problem: null,
    code: null,
    prefixes: null,
    added: null,
    removed: null,
    ...more,
  };
}

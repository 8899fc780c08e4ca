import { existsSync } from "node:fs";
import { basename, extname } from "node:path";
import type { ResultColumn } from "../batch/arrow/result-column.ts";
import type { IdentifyOptions } from "../batch/identify-options.ts";
import { CATALOGUE_KIND } from "../cbs/catalogue.ts";
import { CTI_KIND } from "../cti/dataset.ts";
import { catalogueColumns, ctiColumns, rulesetColumns } from "../datasets/arrow-columns.ts";
import { catalogueOf } from "../datasets/catalogue-from-bytes.ts";
import { CATALOGUE_RENDERER } from "../datasets/catalogue-renderer.ts";
import { ctiDatasetOf } from "../datasets/cti-dataset-from-bytes.ts";
import { CTI_COLUMNS, CTI_RENDERER } from "../datasets/cti-renderer.ts";
import { openCatalogueSnapshot } from "../datasets/open-catalogue.ts";
import { openCtiSnapshot } from "../datasets/open-cti-dataset.ts";
import { openRulesetSnapshot } from "../datasets/ruleset-files.ts";
import { RULESET_COLUMNS, RULESET_RENDERER } from "../datasets/ruleset-renderer.ts";
import { withPath } from "../datasets/with-path.ts";
import { checkStoredRuleset, RULESET_KIND, storedLabels } from "../rulesets/stored-ruleset.ts";
import { readSnapshotHead } from "../snapshot/read-head.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { chosenSnapshot } from "./catalogue-history.ts";
import type { Arguments } from "./command.ts";
import { defaultCatalogue } from "./default-datasets.ts";
import type { SnapshotCounts } from "./output/snapshot-counts.ts";
import { UsageError } from "./usage-error.ts";

/** A snapshot that --snapshot names, or the default catalogue. */
export interface ChosenSnapshot {
  readonly path: string;
  readonly snapshot: Snapshot;
  /** Its name: the one that was given, otherwise the file name without the extension. */
  readonly label: string;
}

/** What identify does with one kind of snapshot. */
interface ListKind {
  /** Opens a file, and checks everything that threads would otherwise report without its path. */
  open(path: string): Promise<Snapshot>;
  readonly rows: Pick<IdentifyOptions, "renderer" | "columns" | "appendAs">;
  /** What it adds to an Arrow stream. */
  arrowColumns(snapshot: Snapshot, path: string, now: number): readonly ResultColumn[];
  /** What counts say about it. The modules that count are loaded only when needed. */
  counts(snapshot: Snapshot, path: string, now: number): Promise<SnapshotCounts>;
  /** Reads everything that rows and counts may read. Throws UsageError, with the path. */
  checkContents(snapshot: Snapshot, path: string): void;
}

const CATALOGUE: ListKind = {
  open: openCatalogueSnapshot,
  rows: { renderer: CATALOGUE_RENDERER },
  arrowColumns: (snapshot, path, now) => catalogueColumns(catalogueOf(snapshot, path, now)),
  counts: async (snapshot, path, now) =>
    (await import("./output/catalogue-counts.ts")).catalogueCounts(catalogueOf(snapshot, path, now)),
  checkContents: (snapshot, path) => withPath(path, () => catalogueOf(snapshot, path).checkValues()),
};

const RULESET: ListKind = {
  async open(path) {
    const snapshot = await openRulesetSnapshot(path);
    withPath(path, () => storedLabels(snapshot.metadata, snapshot.table));
    return snapshot;
  },
  rows: { renderer: RULESET_RENDERER, columns: RULESET_COLUMNS, appendAs: "rule" },
  arrowColumns: rulesetColumns,
  async counts(snapshot, path) {
    const { rulesetCounts } = await import("./output/ruleset-counts.ts");
    return withPath(path, () => rulesetCounts(snapshot));
  },
  checkContents: (snapshot, path) => withPath(path, () => checkStoredRuleset(snapshot.metadata, snapshot.table)),
};

const CTI: ListKind = {
  async open(path) {
    const snapshot = await openCtiSnapshot(path);
    ctiDatasetOf(snapshot, path);
    return snapshot;
  },
  rows: { renderer: CTI_RENDERER, columns: CTI_COLUMNS, appendAs: "threat" },
  arrowColumns: (snapshot, path) => ctiColumns(ctiDatasetOf(snapshot, path)),
  counts: async (snapshot, path) => (await import("./output/cti-counts.ts")).ctiCounts(ctiDatasetOf(snapshot, path)),
  checkContents: (snapshot, path) => withPath(path, () => ctiDatasetOf(snapshot, path).checkDocuments()),
};

function kindOf(kind: string | undefined): ListKind {
  return kind === RULESET_KIND ? RULESET : kind === CTI_KIND ? CTI : CATALOGUE;
}

/** How rows of a snapshot are written. */
export function rowsOf({ info }: Snapshot): ListKind["rows"] {
  return kindOf(info.kind).rows;
}

/** The columns that a snapshot adds to an Arrow stream. */
export function arrowColumnsOf({ path, snapshot }: ChosenSnapshot, now: number): readonly ResultColumn[] {
  return kindOf(snapshot.info.kind).arrowColumns(snapshot, path, now);
}

/** What counts of lines say about a snapshot. */
export function countsOfSnapshot({ path, snapshot }: ChosenSnapshot, now: number): Promise<SnapshotCounts> {
  return kindOf(snapshot.info.kind).counts(snapshot, path, now);
}

const CONTENT_ERRORS = ["CatalogueError", "CtiError", "RulesetError"];

/**
 * Does what reads the snapshots. Much of them is read only when a row or a count needs it, in threads that know no path:
 * an error about that becomes a UsageError that names the file.
 */
export async function namingBadFile<Result>(
  chosen: readonly ChosenSnapshot[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && CONTENT_ERRORS.includes(error.name))
      for (const { path, snapshot } of chosen) kindOf(snapshot.info.kind).checkContents(snapshot, path);
    throw error;
  }
}

/** Opens the snapshots that the options name. Throws UsageError, also for two of one name. */
export async function chosenSnapshots(args: Arguments): Promise<[ChosenSnapshot, ...ChosenSnapshot[]]> {
  const given = args.values("snapshot");
  if (given.length === 0 || args.has("as-of")) {
    const path = await chosenSnapshot(args);
    return [{ path, snapshot: await openList(path), label: labelOf(path) }];
  }
  const chosen: ChosenSnapshot[] = [];
  for (const { path, label } of given.map(namedSnapshot)) {
    const twin = chosen.find((one) => one.label === label);
    if (twin !== undefined)
      throw new UsageError(
        `--snapshot ${twin.path} and --snapshot ${path} have the same name, ${JSON.stringify(label)}; rename one with NAME=FILE, or leave out the repeated one`,
      );
    chosen.push({ path, snapshot: await openList(path), label });
  }
  return chosen as [ChosenSnapshot, ...ChosenSnapshot[]];
}

async function openList(path: string): Promise<Snapshot> {
  const head = await readSnapshotHead(path).catch(() => undefined); // its errors are reported when it is opened
  return kindOf(head?.kind).open(path);
}

/** The path and name given by a value of --snapshot: FILE, NAME=FILE, or "default" in place of FILE. */
function namedSnapshot(text: string): { readonly path: string; readonly label: string } {
  const [, name, file] = (existsSync(text) ? null : /^([^/=]+)=(.+)$/.exec(text)) ?? [];
  const given = file ?? text;
  const isDefault = given === "default";
  const path = isDefault ? defaultCatalogue() : given;
  return { path, label: name ?? (isDefault ? CATALOGUE_KIND : labelOf(path)) };
}

function labelOf(path: string): string {
  return basename(path, extname(path));
}

import { existsSync } from "node:fs";
import { basename, extname } from "node:path";
import { CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { CTI_KIND } from "../../cti/cti-kind.ts";
import { RULESET_KIND } from "../../rulesets/ruleset-kind.ts";
import { readSnapshotHead } from "../../snapshot/read-head.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { chosenSnapshot } from "./catalogue-history.ts";
import type { Arguments } from "../runner/command.ts";
import { defaultCatalogue } from "./default-datasets.ts";
import { CATALOGUE_LIST } from "../list-kinds/catalogue-list.ts";
import type { ListKind } from "../list-kinds/list-kind.ts";
import { UsageError } from "../runner/usage-error.ts";

/** A snapshot that --snapshot names, or the default catalogue. */
export interface ChosenSnapshot {
  readonly path: string;
  readonly snapshot: Snapshot;
  readonly kind: ListKind;
  /** Its name: the one that was given, otherwise the file name without the extension. */
  readonly label: string;
}

/** What rulesets and threat intelligence need is loaded only for their files: a hundred modules, and 7 ms of every start. */
async function kindOf(kind: string | undefined): Promise<ListKind> {
  if (kind === RULESET_KIND) return (await import("../list-kinds/ruleset-list.ts")).RULESET_LIST;
  if (kind === CTI_KIND) return (await import("../list-kinds/cti-list.ts")).CTI_LIST;
  return CATALOGUE_LIST;
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
      for (const { path, snapshot, kind } of chosen) kind.checkContents(snapshot, path);
    throw error;
  }
}

/** Opens the snapshots that the options name. Throws UsageError, also for two of one name. */
export async function chosenSnapshots(args: Arguments): Promise<[ChosenSnapshot, ...ChosenSnapshot[]]> {
  const given = args.values("snapshot");
  if (given.length === 0 || args.has("as-of")) {
    const path = await chosenSnapshot(args);
    return [{ path, ...(await openList(path)), label: labelOf(path) }];
  }
  const chosen: ChosenSnapshot[] = [];
  for (const { path, label } of given.map(namedSnapshot)) {
    const twin = chosen.find((one) => one.label === label);
    if (twin !== undefined)
      throw new UsageError(
        `--snapshot ${twin.path} and --snapshot ${path} have the same name, ${JSON.stringify(label)}; rename one with NAME=FILE, or leave out the repeated one`,
      );
    chosen.push({ path, ...(await openList(path)), label });
  }
  return chosen as [ChosenSnapshot, ...ChosenSnapshot[]];
}

async function openList(path: string): Promise<Pick<ChosenSnapshot, "snapshot" | "kind">> {
  const head = await readSnapshotHead(path).catch(() => undefined); // its errors are reported when it is opened
  const kind = await kindOf(head?.kind);
  return { snapshot: await kind.open(path), kind };
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

import { basename } from "node:path";
import type { CatalogueSource } from "../../cbs/catalogue.ts";
import type { CatalogueBuilder } from "../../cbs/catalogue-builder.ts";
import { addLists, addSources, catalogueSourceOf } from "../../cbs/import-catalogue.ts";
import { decodeList } from "../../cbs/importers/decode-list.ts";
import { ImportError } from "../../cbs/importers/import-error.ts";
import type { ImportedList } from "../../cbs/importers/imported-list.ts";
import { GENERIC_IMPORTERS, type Source, type SourceFile, SOURCES } from "../../cbs/importers/sources.ts";
import { nearest } from "../../words/nearest.ts";
import { readBytes, unpackedName } from "./read-list.ts";
import { UsageError } from "../runner/usage-error.ts";

/** A file in a publisher's format: `aws=ip-ranges.json`. */
export interface PublishedFile {
  readonly path: string;
  /** The publisher's list that this is an edition of; null for a format that belongs to no publisher. */
  readonly edition: { readonly source: Source; readonly file: SourceFile } | null;
  readonly format: string;
}

/** What was read of a file. */
export interface FileReport extends Pick<ImportedList, "warnings" | "warningCounts"> {
  readonly path: string;
  readonly ipv4: number;
  readonly ipv6: number;
}

/** Reads `ID=FILE`: the id of a source, the path of one of its lists, or a general format. Throws UsageError. */
export function publishedFile(text: string): PublishedFile {
  const equals = text.indexOf("=");
  const [format, path] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
  if (equals <= 0 || path === "")
    throw new UsageError(`--source ${JSON.stringify(text)}: write SOURCE=FILE, as in aws=ip-ranges.json`);
  return { path, edition: Object.hasOwn(GENERIC_IMPORTERS, format) ? null : editionOf(format, path), format };
}

function editionOf(id: string, path: string): PublishedFile["edition"] {
  const source = SOURCES.find((candidate) => candidate.id === id || candidate.files.some((file) => file.path === id));
  if (source === undefined) {
    const known = [...Object.keys(GENERIC_IMPORTERS), ...SOURCES.map((candidate) => candidate.id)];
    const meant = nearest(id, known);
    throw new UsageError(
      `there is no source ${JSON.stringify(id)}; ${meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`}`,
    );
  }
  const { files } = source;
  const file =
    files.find((candidate) => candidate.path === id) ??
    files.find((candidate) => basename(candidate.path) === basename(unpackedName(path)));
  if (file !== undefined) return { source, file };
  if (files.length === 1) return { source, file: files[0]! };
  throw new UsageError(
    `${id} has several lists, and none is called ${basename(path)}; say which one it is: ${files.map((candidate) => `${candidate.path}=FILE`).join(", ")}`,
  );
}

/**
 * Adds files to a catalogue that is being built. Publishers' files get the same nodes as in every catalogue; files in a
 * general format are placed under `label`, a path of a type and a provider. Throws UsageError for a file that cannot be
 * imported; nothing of it is added.
 */
export async function addPublishedFiles(
  builder: CatalogueBuilder,
  files: readonly PublishedFile[],
  label: string | undefined,
): Promise<{ reports: FileReport[]; sources: CatalogueSource[] }> {
  const texts = new Map<string, string>();
  for (const { path } of files) texts.set(path, await readText(path));
  const { reports } = addSources(builder, (path) => texts.get(path), sourcesOf(files));
  const failed = reports.filter(({ error }) => error !== null);
  // A source that another's addresses are taken out of is the cause if both fail.
  const cause = failed.find(({ source }) => source.minus === undefined) ?? failed[0];
  if (cause !== undefined) throw new UsageError(cause.error!);
  const general = files
    .filter(({ edition }) => edition === null)
    .map(({ path, format }) => addGeneral(builder, path, format, texts.get(path)!, label));
  return {
    reports: [...reports.flatMap((report) => report.files), ...general],
    sources: reports.map((report) => catalogueSourceOf(report)),
  };
}

async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path);
  return explained(path, () => decodeList(bytes));
}

/** The sources of the files, each with these files in place of its own. Throws UsageError if one needs another's. */
function sourcesOf(files: readonly PublishedFile[]): Source[] {
  const given = new Map<Source, SourceFile[]>();
  for (const { path, edition } of files) {
    if (edition !== null) given.set(edition.source, [...(given.get(edition.source) ?? []), { ...edition.file, path }]);
  }
  const sources = [...given].map(([source, own]) => ({ ...source, files: own }));
  for (const { id, minus } of sources) {
    if (minus !== undefined && !sources.some((source) => source.id === minus))
      throw new UsageError(
        `the addresses of ${minus} are taken out of the list of ${id}; its file is needed too: --source ${minus}=FILE`,
      );
  }
  return sources;
}

function addGeneral(builder: CatalogueBuilder, path: string, format: string, text: string, label = ""): FileReport {
  const [, type, provider] = /^\/([^/,]+)\/([^/,]+)$/.exec(label) ?? [];
  if (type === undefined || provider === undefined) {
    throw new UsageError(
      `${path}: the services and regions of a list in the format ${format} belong to a provider; name it with --label /TYPE/PROVIDER`,
    );
  }
  const list = explained(path, () => GENERIC_IMPORTERS[format]!(text));
  addLists(builder, { id: null, type, provider, name: provider, tree: "crossed" }, [list]);
  const ipv4 = list.entries.filter(({ prefix }) => prefix.family === 4).length;
  return { path, ipv4, ipv6: list.entries.length - ipv4, warnings: list.warnings, warningCounts: list.warningCounts };
}

function explained<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ImportError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

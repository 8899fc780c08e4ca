import type { Prefix } from "../address/address.ts";
import { subtractPrefixes } from "../address/subtract.ts";
import type { PrefixTrie } from "../trie/prefix-trie.ts";
import { ALL_SERVICES } from "./_node-id.ts";
import { addBaseLayer, keepLists, type OfficialLists } from "./base-layer.ts";
import { layerOf } from "./catalogue-ages.ts";
import type { Catalogue } from "./catalogue.ts";
import { CatalogueBuilder } from "./catalogue-builder.ts";
import { type CatalogueMetadata, type CatalogueSource, sourceKey } from "./catalogue.ts";
import { ImportError } from "./importers/import-error.ts";
import {
  type ImportedList,
  type ImportWarning,
  type Named,
  type Place,
  PROVIDER_ITSELF,
} from "./importers/imported-list.ts";
import { type Source, type SourceFile, SOURCES } from "./importers/sources.ts";

/** A file of a source that was read. */
export interface ImportedFile {
  readonly path: string;
  readonly publishedAt: string | null;
  readonly version: string | null;
  /** Entries of the list, with its repeats. */
  readonly ipv4: number;
  readonly ipv6: number;
  readonly warnings: readonly ImportWarning[];
  readonly warningCounts: ImportedList["warningCounts"];
}

/** When a file was published, fetched, and found changed: ISO 8601, UTC. */
export type ListTimes = Pick<CatalogueSource, "publishedAt" | "fetchedAt" | "changedAt">;

/** The result of importing a source. */
export interface SourceReport {
  readonly source: Source;
  /** "imported": all of it; "absent": it has no file; "failed": nothing of it is imported, see `error`. */
  readonly status: "imported" | "absent" | "failed";
  /** What is wrong, with the file and the position in it. */
  readonly error: string | null;
  readonly files: readonly ImportedFile[];
  /** The files that do not exist. */
  readonly missing: readonly string[];
}

/**
 * All that was read: the prefixes, what their values mean, and a report for every source in the order of the sources.
 */
export interface ImportedCatalogue {
  readonly trie: PrefixTrie;
  readonly metadata: CatalogueMetadata;
  readonly reports: readonly SourceReport[];
}

/**
 * Builds the catalogue of all sources from the texts of their lists; `read` returns the text of a file, or undefined
 * if it does not exist, and `timesOf` what is known of its history. A source that cannot be imported is left out
 * completely and reported; the others are not affected. `base` is a catalogue by AS numbers, with which the lists are
 * merged (see `addBaseLayer`), perhaps with lists of its own, which stand in for those that are not imported. Pure, O(prefixes); never throws for a bad list. `new Catalogue(metadata, freeze(trie))`
 * answers.
 */
export function importCatalogue(
  read: (path: string) => string | undefined,
  about: { readonly title: string; readonly createdAt: Date },
  sources: readonly Source[] = SOURCES,
  timesOf: (path: string) => ListTimes | undefined = () => undefined,
  base?: Catalogue,
): ImportedCatalogue {
  const builder = new CatalogueBuilder();
  const { reports, lists } = addSources(builder, read, sources);
  const imported = reports.filter(({ status }) => status === "imported");
  const present = imported.map((report) => catalogueSourceOf(report, timesOf));
  const beneath = base === undefined ? [] : addBase(builder, base, sources, imported, lists);
  const { trie, metadata } = builder.build({ ...about, sources: [...present, ...beneath] });
  return { trie, metadata, reports };
}

/** Adds what `base` has besides the imported lists. Returns the sources of that. */
function addBase(
  builder: CatalogueBuilder,
  base: Catalogue,
  sources: readonly Source[],
  imported: readonly SourceReport[],
  lists: readonly OfficialLists[],
): CatalogueSource[] {
  const kept = keepLists(builder, base, sources, new Set(imported.map(({ source }) => source.id)));
  addBaseLayer(builder, base, [...lists, ...kept.lists]);
  return base.metadata.sources.filter((source) => layerOf(source) !== "official" || kept.ids.has(sourceKey(source)));
}

/** Adds what could be imported from each source to a catalogue that is being built; as `importCatalogue`. */
export function addSources(
  builder: CatalogueBuilder,
  read: (path: string) => string | undefined,
  sources: readonly Source[],
): { reports: SourceReport[]; lists: OfficialLists[] } {
  const imports = sources.map((source) => importSource(source, read));
  const bySource = new Map(imports.map((imported) => [imported.source.id, imported]));
  const lists: OfficialLists[] = [];
  return { reports: imports.map((imported) => addSource(builder, imported, bySource, lists)), lists };
}

interface SourceImport {
  readonly source: Source;
  readonly error: string | null;
  readonly lists: readonly { readonly file: SourceFile; readonly list: ImportedList }[];
  readonly missing: readonly string[];
}

function importSource(source: Source, read: (path: string) => string | undefined): SourceImport {
  const lists: { file: SourceFile; list: ImportedList }[] = [];
  const missing: string[] = [];
  for (const file of source.files) {
    const text = read(file.path);
    if (text === undefined) {
      missing.push(file.path);
      continue;
    }
    try {
      lists.push({ file, list: file.importer(text) });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      return { source, error: `${file.path}: ${error.message}`, lists: [], missing };
    }
  }
  return { source, error: null, lists, missing };
}

/** What is added of it goes into `into`, too. */
function addSource(
  builder: CatalogueBuilder,
  { source, error, lists, missing }: SourceImport,
  others: ReadonlyMap<string, SourceImport>,
  into: OfficialLists[],
): SourceReport {
  const report = (status: SourceReport["status"], problem: string | null): SourceReport => {
    return {
      source,
      status,
      error: problem,
      files: status === "imported" ? lists.map(({ file, list }) => fileReport(file, list)) : [],
      missing,
    };
  };
  if (error !== null) return report("failed", error);
  if (lists.length === 0) return report("absent", null);
  const own = ownLists(source, lists, others);
  // Without the other list, these would include that list's addresses too.
  if (own === undefined)
    return report(
      "failed",
      `the addresses of ${source.minus!} are taken out of this list, and ${source.minus!} could not be imported`,
    );
  addLists(builder, source, own);
  into.push({ source, prefixes: own.flatMap(({ entries }) => entries.map(({ prefix }) => prefix)) });
  return report("imported", null);
}

/**
 * The lists without what belongs to the source that they are named to leave out; undefined where that one is not there.
 */
function ownLists(
  { minus }: Source,
  lists: SourceImport["lists"],
  others: ReadonlyMap<string, SourceImport>,
): Pick<ImportedList, "entries">[] | undefined {
  if (minus === undefined) return lists.map(({ list }) => list);
  const taken = others.get(minus)?.lists ?? [];
  if (taken.length === 0) return undefined;
  return [
    {
      entries: subtractPrefixes(prefixesOf(lists), prefixesOf(taken)).map((prefix) => ({
        prefix,
        places: [PROVIDER_ITSELF],
      })),
    },
  ];
}

function prefixesOf(lists: SourceImport["lists"]): Prefix[] {
  return lists.flatMap(({ list }) => list.entries.map((entry) => entry.prefix));
}

/** Where the nodes of a list are placed: the part of a source that decides it, or a root chosen by the user. */
export interface ListRoot extends Pick<Source, "provider" | "name" | "tree"> {
  /** Of the source; null for a list of no known publisher. */
  readonly id: string | null;
  readonly type: string;
}

/** Adds a source's entries to the builder: each prefix to all nodes of its places, each node under its name. */
export function addLists(
  builder: CatalogueBuilder,
  source: ListRoot,
  lists: readonly Pick<ImportedList, "entries">[],
): void {
  const root = `/${source.type}/${source.provider}`;
  builder.addNode(root, source.name);
  const named = new Set<string>();
  const name = (id: string, { name }: Named): string => {
    // Two files of one source may spell a name differently; the first one stands.
    if (!named.has(id)) builder.addNode(id, withoutProvider(name, source.name));
    named.add(id);
    return id;
  };
  const idsOf = new Map<Place, readonly string[]>();
  for (const { entries } of lists) {
    for (const { prefix, places } of entries) {
      for (const place of places) {
        let ids = idsOf.get(place);
        if (ids === undefined) idsOf.set(place, (ids = nodesOf(root, source.tree, place, name)));
        for (const id of ids) builder.add(prefix, id, source.id);
      }
    }
  }
}

/** A label has the provider's name already: "Akamai > Prolexic", not "Akamai > Akamai Prolexic". */
function withoutProvider(name: string, provider: string): string {
  if (name.toLowerCase() === provider.toLowerCase()) return ALL_SERVICES;
  const rest = name.slice(provider.length + 1);
  return name.startsWith(`${provider} `) && /^[\p{L}\p{N}]/u.test(rest) ? rest : name;
}

/** The nodes of a place; `name` names each, and those above. */
function nodesOf(
  root: string,
  tree: Source["tree"],
  { service, region }: Place,
  name: (id: string, named: Named) => string,
): string[] {
  if (service === null && region === null) return [root];
  if (tree === "plain") {
    if (region !== null || service === null) throw new TypeError(`${root} names regions, so its tree is "crossed"`);
    return [name(`${root}/${service.id}`, service)];
  }
  const byService = service === null ? null : name(`${root}/by-service/${service.id}`, service);
  const byRegion = region === null ? null : name(`${root}/by-region/${region.id}`, region);
  if (byService === null || byRegion === null) return [byService ?? byRegion!];
  return [name(`${byService}/${region!.id}`, region!), name(`${byRegion}/${service!.id}`, service!)];
}

function fileReport(
  { path }: SourceFile,
  { entries, publishedAt, version, warnings, warningCounts }: ImportedList,
): ImportedFile {
  const ipv4 = entries.filter(({ prefix }) => prefix.family === 4).length;
  return { path, publishedAt, version, ipv4, ipv6: entries.length - ipv4, warnings, warningCounts };
}

/**
 * What the catalogue says about a source: the newest of its files dates it, and it is as fresh as the one fetched
 * longest ago.
 */
export function catalogueSourceOf(
  { source, files, missing }: SourceReport,
  timesOf: (path: string) => ListTimes | undefined = () => undefined,
): CatalogueSource {
  const newest = sorted(files.map((file) => file.publishedAt)).at(-1) ?? null;
  const version = newest ?? files.find((file) => file.version !== null)?.version ?? null;
  const times = files.map(({ path }) => timesOf(path));
  return {
    id: source.id,
    name: source.name,
    version,
    url: source.files[0]!.url ?? source.homepage,
    license: source.license,
    attribution: null,
    publishedAt: newest ?? sorted(times.map((time) => time?.publishedAt)).at(-1) ?? null,
    fetchedAt: sorted(times.map((time) => time?.fetchedAt))[0] ?? null,
    changedAt: sorted(times.map((time) => time?.changedAt)).at(-1) ?? null,
    ...(missing.length > 0 && { isPartial: true }),
  };
}

function sorted(times: readonly (string | null | undefined)[]): string[] {
  return times.filter((time) => time !== null && time !== undefined).sort();
}

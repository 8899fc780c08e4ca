import { fileURLToPath } from "node:url";
import type { Prefix } from "../src/address/address.ts";
import { AS_SOURCE, Catalogue } from "../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../src/cbs/catalogue-builder.ts";
import type { CatalogueMetadata, CatalogueSource } from "../src/cbs/catalogue.ts";
import { writeAnnounced } from "../src/cbs/announced.ts";
import { importCatalogue } from "../src/cbs/import-catalogue.ts";
import { writeSnapshot } from "../src/snapshot/write-snapshot.ts";
import { freeze } from "../src/table/freeze.ts";
import type { PrefixTable } from "../src/table/prefix-table.ts";
import type { PrefixTrie } from "../src/trie/prefix-trie.ts";
import { readAsnTable } from "./asn-table.ts";
import type { AsnPrefixes, AsnTable } from "./asn-table.ts";
import type { OfficialTable } from "./official/official-table.ts";
import { listText, officialSources, readTables } from "./official/tables.ts";
import { providerErrors, readProviders } from "./providers.ts";
import type { Provider } from "./providers.ts";

/**
 * Joins the routed prefixes with the providers whose AS numbers announce them. Throws when the map does not fit the
 * table.
 */
export function buildNetworkCatalogue(
  table: AsnTable,
  providers: readonly Provider[],
): { trie: PrefixTrie; metadata: CatalogueMetadata } {
  const faults = providerErrors(providers, table.organisations);
  if (faults.length > 0) throw new Error(`data/providers.json does not fit the table:\n  ${faults.join("\n  ")}`);
  const builder = new CatalogueBuilder();
  const idOf = new Map<number, string>();
  for (const { id, name, asns = [] } of providers) {
    builder.addNode(id, name);
    for (const asn of asns) idOf.set(asn, id);
  }
  for (const prefixes of [table.ipv4, table.ipv6]) {
    for (let at = 0; at < prefixes.count; at++) {
      const id = idOf.get(prefixes.asns[at]!);
      if (id !== undefined) builder.add(prefixAt(prefixes, at), id, AS_SOURCE);
    }
  }
  return builder.build({
    title: "Well-known providers by AS number",
    createdAt: dateOf(table.version),
    sources: sourcesOf(table.version),
  });
}

/**
 * The catalogue that comes with ipsieve: the publishers' lists of `official/`, laid over what AS numbers show as `cbs
 * update` does it. Throws when a list cannot be read.
 */
export function buildCatalogue(
  table: AsnTable,
  providers: readonly Provider[],
  tables: ReadonlyMap<string, OfficialTable> = readTables(),
): { table: PrefixTable; metadata: CatalogueMetadata } {
  const networks = buildNetworkCatalogue(table, providers);
  const base = new Catalogue(networks.metadata, freeze(networks.trie));
  const dates = [...tables.values()].map(({ date }) => new Date(date)).concat(dateOf(table.version));
  const createdAt = new Date(Math.max(...dates.map(Number)));
  const { trie, metadata, reports } = importCatalogue(
    (path) => listText(tables, path),
    { title: "Publishers' official lists and prefixes known by AS number", createdAt },
    officialSources(tables),
    (path) => ({ publishedAt: new Date(tables.get(path)!.date).toISOString(), fetchedAt: null, changedAt: null }),
    base,
  );
  const faults = reports
    .filter(({ status }) => status !== "imported")
    .map(({ source, error }) => `${source.id}: ${error}`);
  if (faults.length > 0) throw new Error(`data/official cannot be read:\n  ${faults.join("\n  ")}`);
  const frozen = freeze(trie);
  const announced = writeAnnounced(base, new Catalogue(metadata, frozen));
  return {
    table: frozen,
    metadata: { ...metadata, sources: metadata.sources.map((source) => withOrigin(source, tables)), announced },
  };
}

/** Which copy of the publisher's list it is, and whether it is one of the whole list. */
function withOrigin(source: CatalogueSource, tables: ReadonlyMap<string, OfficialTable>): CatalogueSource {
  const files = officialSources(tables).find(({ id }) => id === source.id)?.files ?? [];
  const copies = files.map(({ path }) => tables.get(path)!);
  if (copies.length === 0) return source;
  const isPartial = copies.some(({ isWhole }) => !isWhole);
  return { ...source, attribution: `copied from ${copies[0]!.origin}`, ...(isPartial && { isPartial }) };
}

export function prefixAt({ family, wordsPerPrefix, words, lengths }: AsnPrefixes, at: number): Prefix {
  const word = (offset: number): number => (offset < wordsPerPrefix ? words[at * wordsPerPrefix + offset]! : 0);
  return { family, w0: word(0), w1: word(1), w2: word(2), w3: word(3), length: lengths[at]! };
}

/**
 * The package's versions end in the hour of the data: 2.3.2026061719. The catalogue bears it, so that one table gives
 * one file.
 */
export function dateOf(version: string): Date {
  const [, year, month, day, hour] = /(\d{4})(\d\d)(\d\d)(\d\d)$/.exec(version) ?? [];
  if (hour === undefined) throw new Error(`the version ${version} of the ASN table does not end in a date and hour`);
  return new Date(`${year}-${month}-${day}T${hour}:00:00Z`);
}

function sourcesOf(version: string): CatalogueSource[] {
  const publishedAt = dateOf(version).toISOString();
  return [
    {
      id: AS_SOURCE,
      name: "@ip-location-db/asn",
      version,
      url: "https://github.com/sapics/ip-location-db/tree/main/asn",
      license: "CC-BY-4.0",
      attribution:
        "Route Views (https://www.routeviews.org), Number Resource Organization (https://www.nro.net), IP Geolocation by DB-IP (https://db-ip.com)",
      publishedAt,
      fetchedAt: null,
      changedAt: null,
    },
    {
      id: null,
      name: "ipsieve provider map",
      version: null,
      url: null,
      license: "Apache-2.0",
      attribution: null,
      publishedAt: null,
      fetchedAt: null,
      changedAt: null,
    },
  ];
}

if (import.meta.main) {
  const started = performance.now();
  const { table, metadata } = buildCatalogue(readAsnTable(), readProviders());
  const { nodeCount } = new Catalogue(metadata, table);
  const path = fileURLToPath(new URL("catalogue.ipsieve", import.meta.url));
  const info = await writeSnapshot(path, {
    table,
    metadata,
    kind: "catalogue",
    createdAt: new Date(metadata.createdAt),
  });
  const counts = `${nodeCount} nodes, ${table.prefixCount(4)} IPv4 and ${table.prefixCount(6)} IPv6 prefixes, ${table.matchCount} matches`;
  console.error(
    `data/catalogue.ipsieve: ${counts}, ${info.byteLength} bytes in ${Math.round(performance.now() - started)} ms`,
  );
}

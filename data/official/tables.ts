import { existsSync, readFileSync } from "node:fs";
import type { Importer } from "../../src/cbs/importers/imported-list.ts";
import { plainText } from "../../src/cbs/importers/plain-text.ts";
import { type Source, type SourceFile, SOURCES } from "../../src/cbs/importers/sources.ts";
import { type OfficialTable, readTable } from "./official-table.ts";

/** A publisher's list in the form in which the publisher offers it, made of a table. */
type Writer = (table: OfficialTable) => string;

/**
 * Lists that name services or regions are written in their publishers' own forms and read by the importers of `cbs
 * update`, so that nodes have the same ids and names whichever way a list came in. All others are plain prefixes.
 */
const WRITERS: Readonly<Record<string, Writer>> = {
  "aws/ip-ranges.json": awsJson,
  "google/cloud.json": googleCloudJson,
  "azure/ServiceTags_Public.json": serviceTagsJson,
  "oracle/public_ip_ranges.json": oracleJson,
  "digitalocean/google.csv": geofeedCsv,
  "tor/exits.txt": prefixLines,
};

/** Lists of crawlers in the format of Google and others, each of which is one service. */
const CRAWLERS = /^(googlebot|bingbot|applebot|openai|perplexity|duckduckgo|common-crawl)\//;

/** Whose lists `cbs update` does not fetch. */
const MORE_SOURCES: readonly Source[] = [
  {
    id: "amazonbot",
    name: "Amazon",
    type: "bot",
    provider: "amazon",
    tree: "plain",
    homepage: "https://developer.amazon.com/amazonbot",
    license: "",
    updateHours: 24,
    files: [
      {
        path: "amazonbot/amazonbot.txt",
        url: "https://developer.amazon.com/amazonbot",
        importer: plainText({ service: { id: "amazonbot", name: "Amazonbot" } }),
      },
    ],
  },
  {
    id: "proton-vpn",
    name: "Proton VPN",
    type: "security",
    provider: "proton-vpn",
    tree: "plain",
    homepage: "https://protonvpn.com",
    license: "",
    updateHours: 24,
    files: [{ path: "proton-vpn/exits.txt", url: "https://protonvpn.com", importer: plainText() }],
  },
];

const ALL_SOURCES: readonly Source[] = [...SOURCES, ...MORE_SOURCES];

/** Plain prefixes of one service, although the publisher's own form is another. */
const OF_SERVICE: Readonly<Record<string, Importer>> = {
  "mullvad/relays.json": plainText({ service: { id: "relays", name: "VPN servers" } }),
};

/** The file of the list's table, beside this one. */
export function tablePath({ path }: Pick<SourceFile, "path">): URL {
  return new URL(`${path.replace(/\.\w+$/, "")}.txt`, import.meta.url);
}

/** The tables that are there, by the path of their list. */
export function readTables(): Map<string, OfficialTable> {
  const tables = new Map<string, OfficialTable>();
  for (const file of ALL_SOURCES.flatMap(({ files }) => files)) {
    const url = tablePath(file);
    if (existsSync(url)) tables.set(file.path, readTable(readFileSync(url, "utf8"), url.pathname));
  }
  return tables;
}

/** The sources whose lists have tables, to import by `importCatalogue` from the texts of `listText`. */
export function officialSources(tables: ReadonlyMap<string, OfficialTable>): Source[] {
  return ALL_SOURCES.flatMap((source) => {
    const files = source.files.filter(({ path }) => tables.has(path));
    if (files.length === 0) return [];
    const { licence } = tables.get(files[0]!.path)!;
    return [{ ...source, license: licence, files: files.map((file) => ({ ...file, importer: importerOf(file) })) }];
  });
}

/** The text of a list, in the form that its importer reads. */
export function listText(tables: ReadonlyMap<string, OfficialTable>, path: string): string | undefined {
  const table = tables.get(path);
  return table && (WRITERS[path] ?? (CRAWLERS.test(path) ? crawlerJson : prefixLines))(table);
}

function importerOf({ path, importer }: SourceFile): Importer {
  if (
    path in WRITERS ||
    CRAWLERS.test(path) ||
    MORE_SOURCES.some(({ files }) => files.some((file) => file.path === path))
  )
    return importer;
  return OF_SERVICE[path] ?? plainText();
}

function awsJson({ places }: OfficialTable): string {
  const rows = (family: 4 | 6, member: string): object[] =>
    places.flatMap(({ service, region, prefixes }) =>
      prefixes.filter((prefix) => familyOf(prefix) === family).map((prefix) => ({ [member]: prefix, service, region })),
    );
  return JSON.stringify({ prefixes: rows(4, "ip_prefix"), ipv6_prefixes: rows(6, "ipv6_prefix") });
}

function googleCloudJson({ places }: OfficialTable): string {
  return prefixesJson(places.map((place) => [place, { service: place.service, scope: place.region }]));
}

function crawlerJson({ places }: OfficialTable): string {
  return prefixesJson(places.map((place) => [place, {}]));
}

function prefixesJson(places: readonly (readonly [OfficialTable["places"][number], object])[]): string {
  const prefixes = places.flatMap(([place, more]) =>
    place.prefixes.map((prefix) => ({ [`ipv${familyOf(prefix)}Prefix`]: prefix, ...more })),
  );
  return JSON.stringify({ prefixes });
}

/** A region is named as in the tags, and its code follows if that is not the name in lower case. */
function serviceTagsJson({ places }: OfficialTable): string {
  const values = places.map(({ service, region, prefixes }) => {
    const [name, code = name!.toLowerCase()] = region?.split(" ") ?? ["", ""];
    return {
      name: region === null ? service : `${service}.${name}`,
      properties: { region: code, addressPrefixes: prefixes },
    };
  });
  return JSON.stringify({ values });
}

function oracleJson({ places }: OfficialTable): string {
  const regions = places.map(({ service, region, prefixes }) => ({
    region,
    cidrs: prefixes.map((cidr) => ({ cidr, tags: service === null ? [] : [service] })),
  }));
  return JSON.stringify({ regions });
}

function geofeedCsv({ places }: OfficialTable): string {
  return places
    .flatMap(({ region, prefixes }) =>
      prefixes.map((prefix) => `${prefix},${region?.slice(0, 2) ?? ""},${region ?? ""},,`),
    )
    .join("\n");
}

function prefixLines({ places }: OfficialTable): string {
  return places.flatMap(({ prefixes }) => prefixes).join("\n");
}

function familyOf(prefix: string): 4 | 6 {
  return prefix.includes(":") ? 6 : 4;
}

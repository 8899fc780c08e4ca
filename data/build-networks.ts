import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NetworksBuilder } from "../src/networks/networks-builder.ts";
import { NETWORKS_KIND } from "../src/networks/networks-kind.ts";
import type { NetworksSource } from "../src/networks/networks.ts";
import { ASN_TABLE, COUNTRY_TABLE, readTable, type TableFormat } from "../src/networks/published-tables.ts";
import { writeSnapshot } from "../src/snapshot/write-snapshot.ts";
import { freeze } from "../src/table/freeze.ts";
import { dateOf } from "./build-catalogue.ts";

/** A package of tables: one for each family. */
interface TablePackage {
  readonly name: string;
  /** The files are called `<file>-ipv4.csv` and `<file>-ipv6.csv`. */
  readonly file: string;
  readonly format: TableFormat;
  readonly about: Pick<NetworksSource, "url" | "license" | "attribution">;
}

export const TABLE_PACKAGES: readonly TablePackage[] = [
  {
    name: "@ip-location-db/asn",
    file: "asn",
    format: ASN_TABLE,
    about: {
      url: "https://github.com/sapics/ip-location-db/tree/main/asn",
      license: "CC-BY-4.0",
      attribution:
        "Route Views (https://www.routeviews.org), Number Resource Organization (https://www.nro.net), IP Geolocation by DB-IP (https://db-ip.com)",
    },
  },
  {
    name: "@ip-location-db/asn-country",
    file: "asn-country",
    format: COUNTRY_TABLE,
    about: {
      url: "https://github.com/sapics/ip-location-db/tree/main/asn-country",
      // The package says CC0-1.0; the statistics of the registries that it is made from are under CC BY 4.0.
      license: "CC0-1.0 AND CC-BY-4.0",
      attribution: "Number Resource Organization (https://www.nro.net)",
    },
  },
];

/** The files of an installed package, and its version. */
export function tableFiles({ name, file }: TablePackage): { readonly version: string; readonly paths: string[] } {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return { version, paths: [4, 6].map((family) => join(dirname(manifest), `${file}-ipv${family}.csv`)) };
}

/** The dataset from the installed packages, as old as the older of them. A few seconds. */
export function buildNetworks(): ReturnType<NetworksBuilder["build"]> {
  const builder = new NetworksBuilder();
  const sources: NetworksSource[] = [];
  for (const table of TABLE_PACKAGES) {
    const { version, paths } = tableFiles(table);
    for (const path of paths) readTable(readFileSync(path, "utf8"), table.format, path, (range) => builder.add(range));
    sources.push({ name: table.name, version, ...table.about, publishedAt: dateOf(version).toISOString() });
  }
  const oldest = sources.map(({ publishedAt }) => publishedAt!).sort()[0]!;
  return builder.build({ title: "Networks by AS number", createdAt: new Date(oldest), sources });
}

if (import.meta.main) {
  const started = performance.now();
  const { source, metadata } = buildNetworks();
  const table = freeze(source);
  const path = fileURLToPath(new URL("networks.ipsieve", import.meta.url));
  const content = { table, metadata, kind: NETWORKS_KIND, createdAt: new Date(metadata.createdAt) };
  const { byteLength } = await writeSnapshot(path, content);
  const counts = `${metadata.asns.length / 4} AS numbers, ${table.prefixCount(4)} IPv4 and ${table.prefixCount(6)} IPv6 prefixes, ${table.matchCount} matches`;
  console.error(
    `data/networks.ipsieve: ${counts}, ${byteLength} bytes in ${Math.round(performance.now() - started)} ms`,
  );
}

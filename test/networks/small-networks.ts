import { NETWORKS_KIND } from "../../src/networks/networks-kind.ts";
import { NetworksBuilder } from "../../src/networks/networks-builder.ts";
import { Networks } from "../../src/networks/networks.ts";
import { IPTOASN_TABLE, readTable } from "../../src/networks/published-tables.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";

/** Some networks that everybody can remember, as lines of IPtoASN's table. */
export const SMALL_TABLE = [
  "1.1.1.0\t1.1.1.255\t13335\tAU\tCloudflare, Inc.",
  "8.8.8.0\t8.8.8.255\t15169\tUS\tGoogle LLC",
  "8.8.9.0\t8.8.11.255\t15169\tDE\tGoogle LLC",
  "52.95.0.0\t52.95.255.255\t16509\tUS\tAmazon.com, Inc.",
  "171.64.0.0\t171.67.255.255\t32\tUS\tStanford University",
  "192.0.2.0\t192.0.2.127\t64500\tNone\tExample & Söhne",
  "203.0.113.0\t203.0.113.255\t64501\tFR\tExemple SA",
  "2001:db8::\t2001:db8:ffff:ffff:ffff:ffff:ffff:ffff\t64501\tFR\tExemple SA",
  "2606:4700::\t2606:4700:ffff:ffff:ffff:ffff:ffff:ffff\t13335\tUS\tCloudflare, Inc.",
].join("\n");

function build(table: string): ReturnType<NetworksBuilder["build"]> {
  const builder = new NetworksBuilder();
  readTable(table, IPTOASN_TABLE, "small.tsv", (range) => builder.add(range));
  const source = { version: null, url: null, license: "CC0-1.0", attribution: null, publishedAt: null };
  return builder.build({
    title: "Small networks",
    createdAt: new Date("2026-11-20T00:00:00Z"),
    sources: [{ name: "small.tsv", ...source }],
  });
}

/** Networks of the lines of a table. */
export function smallNetworks(table: string = SMALL_TABLE): Networks {
  const { source, metadata } = build(table);
  return new Networks(metadata, freeze(source));
}

/** Writes them to a file. */
export async function writeSmallNetworks(path: string, table: string = SMALL_TABLE): Promise<void> {
  const { source, metadata } = build(table);
  await writeSnapshot(path, {
    table: freeze(source),
    metadata,
    kind: NETWORKS_KIND,
    createdAt: new Date(metadata.createdAt),
  });
}

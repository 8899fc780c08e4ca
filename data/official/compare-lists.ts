/**
 * `node data/official/compare-lists.ts FOLDER [CATALOGUE]`: compares the catalogue with publishers' lists in a folder,
 * under the paths that `cbs update` uses, and prints the table of data/README.md: the shares of each publisher's
 * addresses that the catalogue names as the publisher's, as somebody else's only, and not at all.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Family } from "../../src/address/address.ts";
import type { Prefix } from "../../src/address/address.ts";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import { type Source, SOURCES } from "../../src/cbs/importers/sources.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { AddressSet } from "../../src/sets/address-set.ts";

/** Of one publisher's addresses of one family, by share. */
export interface Shares {
  readonly right: number;
  readonly elsewhere: number;
  readonly missing: number;
}

export interface Comparison {
  readonly source: Source;
  /** By family; null if the list has no addresses of it. */
  readonly ipv4: Shares | null;
  readonly ipv6: Shares | null;
}

/** Compares with the lists that `read` returns by their paths; sources without any are left out. */
export function compareLists(catalogue: Catalogue, read: (path: string) => string | undefined): Comparison[] {
  const byRoot = new Map<string, Prefix[]>();
  const all: Prefix[] = [];
  for (const family of [4, 6] as const)
    for (const { prefix, match } of catalogue.table.entries(family)) {
      all.push(prefix);
      for (const root of new Set(catalogue.ownNodesOf(match).map(({ type, provider }) => `/${type}/${provider}`))) {
        const of = byRoot.get(root);
        if (of === undefined) byRoot.set(root, [prefix]);
        else of.push(prefix);
      }
    }
  const any = AddressSet.of(all);
  return SOURCES.flatMap((source) => {
    // What is another source's does not count as this one's.
    const other = SOURCES.find(({ id }) => id === source.minus);
    const list = listOf(source, read).difference(other === undefined ? AddressSet.EMPTY : listOf(other, read));
    if (list.isEmpty) return [];
    const right = AddressSet.of(byRoot.get(`/${source.type}/${source.provider}`) ?? []).intersection(list);
    const missing = list.difference(any);
    const shares = (family: Family): Shares | null => sharesOf(list, right, missing, family);
    return [{ source, ipv4: shares(4), ipv6: shares(6) }];
  });
}

function listOf({ files }: Source, read: (path: string) => string | undefined): AddressSet {
  return AddressSet.of(
    files.flatMap(({ path, importer }) => {
      const text = read(path);
      return text === undefined ? [] : importer(text).entries.map(({ prefix }) => prefix);
    }),
  );
}

function sharesOf(list: AddressSet, right: AddressSet, missing: AddressSet, family: Family): Shares | null {
  const [total, named, unnamed] = [list, right, missing].map((set) => Number(set.size(family))) as [
    number,
    number,
    number,
  ];
  if (total === 0) return null;
  return { right: named / total, elsewhere: (total - named - unnamed) / total, missing: unnamed / total };
}

/** The rows of the table in Markdown. */
export function comparisonTable(comparisons: readonly Comparison[]): string {
  const percent = (share: number): string =>
    share === 0 ? "0" : share === 1 ? "100 %" : `${(100 * share).toFixed(1)} %`;
  const cells = (shares: Shares | null): string =>
    shares === null ? " | | " : `${percent(shares.right)} | ${percent(shares.elsewhere)} | ${percent(shares.missing)}`;
  return [
    "| publisher | IPv4 right | elsewhere | missing | IPv6 right | elsewhere | missing |",
    "|---|---|---|---|---|---|---|",
    ...comparisons.map(
      ({ source, ipv4, ipv6 }) => `| ${source.name} (\`${source.id}\`) | ${cells(ipv4)} | ${cells(ipv6)} |`,
    ),
  ].join("\n");
}

if (import.meta.main) {
  const [folder, path] = process.argv.slice(2);
  if (folder === undefined) throw new Error("name the folder of the lists");
  const read = (name: string): string | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined;
  console.log(comparisonTable(compareLists(await openCatalogue(path), read)));
}

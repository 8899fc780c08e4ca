import type { CatalogueTree, Extent } from "../../../cbs/catalogue-tree.ts";
import { finished } from "../../../turns/finished.ts";
import { listedClaims } from "../../../cbs/announced.ts";
import { layerOf } from "../../../cbs/catalogue-ages.ts";
import { type Source, SOURCES } from "../../../cbs/importers/sources.ts";
import { defaultCatalogue } from "../../snapshots/default-datasets.ts";
import { openTree, SNAPSHOT_OPTION } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { ageText, timesText } from "../../output/ages.ts";
import { columnLines } from "../../output/columns.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { type Style, styleFor } from "../../output/style.ts";
import { checkedSourceIds } from "../../snapshots/source-ids.ts";

const HOUR = 3_600_000;
/** A source is stale after this many of its intervals, but never within two days: many update once a day. */
const STALE_INTERVALS = 3;
const STALE_HOURS = 48;

export const sourcesCommand: Command = {
  name: "cbs sources",
  summary: "list the publishers that cbs update fetches from, and how fresh their data is",
  operands: "[ID...]",
  operandWords: SOURCES.map(({ id }) => id),
  options: [{ name: "json", help: "print one JSON document per line, with URLs and terms" }, SNAPSHOT_OPTION],
  notes: [
    `With IDs, all details of these sources are shown, including official URLs and terms. A source is stale if it was last fetched more than ${STALE_HOURS} hours and more than ${STALE_INTERVALS} times its interval ago. Prefix counts show what the catalogue has from each source. Exit code: 1 if a source shown is stale, otherwise 0.`,
  ],
  examples: [
    { command: "ipsieve cbs sources", what: "all of them" },
    { command: "ipsieve cbs sources aws tor", what: "URLs, terms, times" },
    { command: "ipsieve cbs sources --json | jq -r 'select(.stale).id'", what: "the sources to look into" },
  ],
  run,
};

/** What is said of a source, whether updates fetch it or not. */
type ListedSource = Pick<Source, "id" | "name" | "provider" | "updateHours" | "license" | "homepage"> & {
  readonly type: string;
  readonly files: readonly { readonly path: string; readonly url: string | null }[];
};

/** A source, and what the catalogue has from it; times and counts are null if it has nothing. */
interface SourceDocument {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly node: string;
  readonly update_hours: number;
  readonly license: string;
  readonly homepage: string;
  readonly files: readonly { readonly path: string; readonly url: string | null }[];
  readonly ipv4_count: number | null;
  readonly ipv6_count: number | null;
  readonly published_at: string | null;
  readonly fetched_at: string | null;
  readonly changed_at: string | null;
  readonly stale: boolean;
}

async function run(args: Arguments): Promise<number> {
  const path = args.value("snapshot") ?? defaultCatalogue();
  const tree = await openTree(path);
  const extents = finished(tree.sourceExtents());
  const others = othersIn(tree);
  const ids = checkedSourceIds(
    args.operands,
    others.map(({ id }) => id),
  );
  const documents = [...SOURCES, ...others]
    .filter(({ id }) => ids.length === 0 || ids.includes(id))
    .map((source) => documentOf(source, tree, extents));
  const style = styleFor(process.stdout);
  const text = args.has("json")
    ? documents.map((document) => `${JSON.stringify(document)}\n`).join("")
    : ids.length > 0
      ? cards(documents, style)
      : table(path, documents, style);
  process.stdout.write(text);
  return documents.some(({ stale }) => stale) ? EXIT.nothing : EXIT.matched;
}

/** Lists that came with the catalogue, which no update fetches. */
function othersIn({ catalogue }: CatalogueTree): ListedSource[] {
  const others = catalogue.metadata.sources.filter(
    (source) => layerOf(source) === "official" && !SOURCES.some(({ id }) => id === source.id),
  );
  return others.map(({ id, name, url, license }) => {
    const claim = listedClaims(catalogue).get(id!)![0]!;
    const [, type, provider] = claim.id.split("/") as [string, string, string];
    const files = [{ path: "comes with ipsieve", url }];
    return { id: id!, name, type, provider, updateHours: 0, license: license ?? "", homepage: url ?? "", files };
  });
}

/** `extents` are in the order of the catalogue's sources. */
function documentOf(source: ListedSource, tree: CatalogueTree, extents: readonly Extent[]): SourceDocument {
  const { id, name, type, provider, updateHours, license, homepage, files } = source;
  const node = `/${type}/${provider}`;
  const at = tree.catalogue.metadata.sources.findIndex((known) => known.id === id);
  const times = tree.catalogue.metadata.sources[at];
  const extent = extents[at];
  const { publishedAt = null, fetchedAt = null, changedAt = null } = times ?? {};
  return {
    id,
    name,
    type,
    node,
    update_hours: updateHours,
    license,
    homepage,
    files: files.map(({ path, url }) => ({ path, url })),
    ipv4_count: extent?.ipv4_count ?? null,
    ipv6_count: extent?.ipv6_count ?? null,
    published_at: publishedAt,
    fetched_at: fetchedAt,
    changed_at: changedAt,
    stale:
      fetchedAt !== null &&
      Date.now() - Date.parse(fetchedAt) > Math.max(STALE_INTERVALS * updateHours, STALE_HOURS) * HOUR,
  };
}

function table(path: string, documents: readonly SourceDocument[], style: Style): string {
  const rows = documents.map((document) => [
    document.id,
    document.type,
    intervalText(document.update_hours),
    countText(document.ipv4_count),
    countText(document.ipv6_count),
    ageText(document.published_at),
    ageText(document.changed_at),
    `${ageText(document.fetched_at)}${document.stale ? ", stale" : ""}`,
  ]);
  const present = documents.filter(({ ipv4_count }) => ipv4_count !== null).length;
  const lines = columnLines(
    [["id", "type", "updates", "IPv4", "IPv6", "published", "changed", "fetched"], ...rows],
    new Set([3, 4]),
    style,
  );
  return `${[`${style("bold", path)}: ${present} of ${counted(documents.length, "source")}`, ...lines].join("\n")}\n`;
}

function cards(documents: readonly SourceDocument[], style: Style): string {
  return documents
    .map((document) => {
      const { id, name, node, license, homepage, files, ipv4_count, ipv6_count, published_at, fetched_at, changed_at } =
        document;
      const when = timesText({ publishedAt: published_at, fetchedAt: fetched_at, changedAt: changed_at });
      const held =
        ipv4_count === null
          ? "not in the catalogue"
          : `${counted(ipv4_count, "IPv4 prefix", "IPv4 prefixes")}, ${counted(ipv6_count!, "IPv6 prefix", "IPv6 prefixes")}`;
      return [
        `${style("bold", name)}  ${style("dim", `${id}, ${node}`)}`,
        `  ${held}${when === "" ? "" : `; ${when}`}${document.stale ? "; stale" : ""}`,
        `  updates ${intervalText(document.update_hours)}; ${homepage}`,
        `  ${license}`,
        ...files.map(
          ({ path, url }) => `  ${path}  ${style("cyan", url ?? "not published at a URL; use --from or --mirror")}`,
        ),
        "",
      ].join("\n");
    })
    .join("");
}

function intervalText(hours: number): string {
  return { 0: "never", 1: "hourly", 24: "daily", 168: "weekly" }[hours] ?? `every ${hours} h`;
}

function countText(count: number | null): string {
  return count === null ? "-" : grouped(count);
}

import type { RendererModule } from "../batch/engine/create-row-templates.ts";
import { noAddressDocument } from "../batch/engine/row-templates.ts";
import { Catalogue, type CatalogueNode } from "../cbs/catalogue.ts";
import { primaryOf } from "../cbs/primary.ts";
import { rowTemplate } from "../cbs/row-template.ts";
import { csvField } from "../csv/write-row.ts";
import type { NetworkOwner, Networks } from "../networks/networks.ts";
import { ADDRESS_HOLE } from "../rows/holes.ts";
import type { TemplateFormat } from "../rows/row-format.ts";
import { hole, templateBytes } from "../rows/template-bytes.ts";
import type { MatchId } from "../table/match-id.ts";
import { type NetworkColumn, NetworkTexts } from "./network-texts.ts";
import { networksOf } from "./networks-from-bytes.ts";

/** The address of this module: the threads of the log pipeline import it to render rows of chosen columns. */
export const COLUMN_RENDERER: string = import.meta.url;

// What rows have before the columns of networks, from the same file: it is one less to load.
export { createRowTemplates, createSharedTemplates } from "./catalogue-renderer.ts";

/** What is known about the address of a row. */
interface RowSubject {
  readonly catalogue: Catalogue;
  /** 0: no service. */
  readonly match: MatchId;
  /** Null where no one announces it, and without networks. */
  readonly owner: NetworkOwner | null;
}

/** A column without a value is empty; several values are joined by commas, and an array in JSON. */
type Value = string | number | readonly string[] | null;

interface Column {
  readonly help: string;
  /** Whether addresses have to be looked up in the networks for it. */
  readonly needsNetworks?: true;
  readonly valueOf: (subject: RowSubject) => Value;
}

/** The columns that can be chosen, by name. */
export const COLUMNS = {
  address: { help: "the address", valueOf: () => hole(ADDRESS_HOLE) },
  prefix: {
    help: "the most specific prefix of the catalogue",
    valueOf: ({ catalogue, match }) => (match === 0 ? null : hole(catalogue.table.prefixLength(match))),
  },
  services: { help: "node ids", valueOf: (subject) => ofNodes(subject, ({ id }) => id) },
  primary: {
    help: "the node that answers who it is",
    valueOf: ({ catalogue, match }) => primaryOf(catalogue, match)?.cbs_id ?? null,
  },
  provider: { help: "providers", valueOf: (subject) => ofNodes(subject, ({ provider }) => provider || null) },
  service: { help: "services of providers", valueOf: (subject) => ofNodes(subject, ({ service }) => service) },
  region: { help: "regions", valueOf: (subject) => ofNodes(subject, ({ region }) => region) },
  type: { help: "types", valueOf: (subject) => ofNodes(subject, ({ type }) => type) },
  asn: { help: "the AS number", needsNetworks: true, valueOf: ({ owner }) => owner && owner.asn },
  network: { help: "its organisation", needsNetworks: true, valueOf: ({ owner }) => owner && plain(owner.name) },
  country: { help: "its country", needsNetworks: true, valueOf: ({ owner }) => owner && owner.country },
} as const satisfies Readonly<Record<string, Column>>;

/** The name of a column. */
export type ColumnName = keyof typeof COLUMNS;

/** A further one: whether somebody is the crawler that the line names. It depends on the line, not on the address alone. */
export const CRAWLER_COLUMN = "crawler";

/** The columns of rows unless others are chosen. */
export const DEFAULT_COLUMNS: readonly ColumnName[] = ["address", "prefix", "services"];

/** Sorted, each once. */
function ofNodes({ catalogue, match }: RowSubject, valueOf: (node: CatalogueNode) => string | null): string[] | null {
  if (match === 0) return null;
  const values = new Set(catalogue.nodesOf(match).map(valueOf));
  values.delete(null);
  return values.size === 0 ? null : ([...values] as string[]).sort();
}

// Names come from a file, and rows are lines; DEL encloses holes.
const CONTROLS = /[\u0000-\u001f\u007f]/g; // oxlint-disable-line no-control-regex -- it is what it looks for

function plain(text: string): string {
  return text.replaceAll(CONTROLS, " ");
}

type Snapshots = Parameters<NonNullable<RendererModule["createColumnTemplates"]>>[0];

/** The values of columns by the matches of a line; null for a line without an address. */
export function cellsOf(
  [snapshot, beside]: Snapshots,
  now: number,
  names: readonly string[],
): (matches: readonly number[] | null) => readonly Value[] {
  let opened: Catalogue | undefined; // where the kernel writes the rows, no template is asked for
  const networks = beside === undefined ? null : networksOf(beside, "networks");
  const columns = names.map((name): Column => COLUMNS[name as ColumnName]);
  return (matches) => {
    if (matches === null) return columns.map(() => null);
    const [match, network = 0] = matches as readonly MatchId[];
    const owner = network === 0 ? null : networks!.ownerOf(network as MatchId);
    const catalogue = (opened ??= new Catalogue(snapshot.metadata, snapshot.table, now));
    const subject = { catalogue, match: match!, owner };
    return columns.map(({ valueOf }) => valueOf(subject));
  };
}

/** Called by the log pipeline in each of its threads, with the catalogue and, if they are shown, the networks. */
export const createColumnTemplates: NonNullable<RendererModule["createColumnTemplates"]> = (
  snapshots,
  format,
  now,
  names,
) => {
  if (format === "jsonl") {
    const [snapshot, beside] = snapshots;
    const catalogue = new Catalogue(snapshot.metadata, snapshot.table, now);
    const networks = beside === undefined ? null : networksOf(beside, "networks");
    return (matches) => documentTemplate(catalogue, networks, matches);
  }
  const valuesOf = cellsOf(snapshots, now, names);
  const write = WRITERS[format];
  return (matches) => {
    const values = valuesOf(matches);
    return templateBytes(write(names.map((name, at) => [name, values[at]!])));
  };
};

/** Rows of the default columns, followed by those of networks: the usual choice. */
export const createTails: NonNullable<RendererModule["createTails"]> = (beside, format, columns) => {
  const first = format === "append" ? ["services"] : DEFAULT_COLUMNS;
  const rest = columns.slice(first.length) as NetworkColumn[];
  const isUsual =
    first.every((name, index) => columns[index] === name) && rest.every((name) => "needsNetworks" in COLUMNS[name]);
  if (!isUsual) return null;
  const writer = new NetworkTexts(networksOf(beside, "networks"), rest, format === "csv" ? "csv" : "tsv");
  return { front: COLUMN_RENDERER, writer };
};

type Write = (cells: readonly (readonly [name: string, value: Value])[]) => string;

const WRITERS: Readonly<Record<Exclude<TemplateFormat, "jsonl">, Write>> = {
  tsv: (cells) => `${cells.map(([, value]) => textOf(value)).join("\t")}\n`,
  csv: (cells) => `${cells.map(([, value]) => csvOf(value)).join(",")}\n`,
  append: (cells) => cells.map(([, value]) => `\t${textOf(value)}`).join(""),
  "append-csv": (cells) => cells.map(([, value]) => `,${csvOf(value)}`).join(""),
  "append-jsonl": (cells) => JSON.stringify(Object.fromEntries(cells)),
};

function textOf(value: Value): string {
  return value === null ? "" : String(value);
}

function csvOf(value: Value): string {
  return csvField(value === null ? null : textOf(value));
}

/** The lookup document, with the network as its last member. */
function documentTemplate(
  catalogue: Catalogue,
  networks: Networks | null,
  matches: readonly number[] | null,
): Uint8Array {
  const [match = 0, network = 0] = (matches ?? []) as readonly MatchId[];
  const document =
    matches === null
      ? Buffer.from(noAddressDocument())
      : Buffer.from(rowTemplate(catalogue, "jsonl", match as MatchId));
  const text = network === 0 ? "null" : JSON.stringify(networkMember(networks!, network as MatchId));
  // A document ends with a brace and a newline.
  return Buffer.concat([document.subarray(0, -2), templateBytes(`,"network":${text}}\n`)]);
}

function networkMember(networks: Networks, match: MatchId): object {
  const { asn, name, country } = networks.ownerOf(match);
  return { asn, name: plain(name), country, cidr: hole(networks.table.prefixLength(match)) };
}

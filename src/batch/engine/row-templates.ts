import { csvRow } from "../../csv/write-row.ts";
import { ROW_COLUMNS } from "../../rows/row-columns.ts";
import { HOLE, LINE_HOLE, TEXT_HOLE } from "../../rows/holes.ts";
import { RowBytes } from "./_row-bytes.ts";
import { NO_ADDRESS } from "../lines/find-address.ts";
import type { CreateRowTemplates, RendererModule, SharedTemplates } from "./create-row-templates.ts";
import type { TemplateFormat } from "../../rows/row-format.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { MatchId } from "../../table/match-id.ts";

const NEWLINE = 0x0a;
const CLOSE_OBJECT = 0x7d;
const COMMA = Buffer.from(",");
const LINE = Buffer.from(`"line":${String.fromCharCode(HOLE, LINE_HOLE)}`, "latin1");
const TEXT = Buffer.from(`,"text":${String.fromCharCode(HOLE, TEXT_HOLE)}`, "latin1");
const END = Buffer.from("}\n");

/** The row of a line without an address: empty columns. */
const NO_ADDRESS_ROWS: Record<TemplateFormat, string> = {
  tsv: `${ROW_COLUMNS.map(() => "").join("\t")}\n`,
  csv: csvRow(ROW_COLUMNS.map(() => null)),
  jsonl:
    '{"ip":null,"found":false,"cidr":null,"primary":null,"labels":[],"cbs_ids":[],"providers":[],"types":[],"services":[],"regions":[],"matches":[]}\n',
  append: "\t",
  "append-csv": ",",
  "append-jsonl": "[]",
};

/** The document of a line without an address, and a newline. */
export function noAddressDocument(): string {
  return NO_ADDRESS_ROWS.jsonl;
}

/** Templates by match id (including `NO_ADDRESS`), and which matches share one; null: none do. */
export interface MatchTemplates {
  readonly of: (match: number) => Uint8Array;
  readonly sharing: Omit<SharedTemplates, "templateOf"> | null;
}

/** What a renderer makes for a format. */
export type RowTemplates = (format: TemplateFormat) => MatchTemplates;

/** The rows of a snapshot, as of `now`; with `isAlone`, matches may share templates, with holes for their own prefixes. */
export function rowTemplates(
  snapshot: Parameters<CreateRowTemplates>[0],
  renderer: RendererModule,
  now: number,
  isAlone: boolean,
): RowTemplates {
  const { createRowTemplates, createSharedTemplates, noAddressRow = (format) => NO_ADDRESS_ROWS[format] } = renderer;
  return (format) => {
    const sharing = (isAlone && createSharedTemplates?.(snapshot, format, now)) || null;
    const templates = sharing === null ? createRowTemplates(snapshot, format, now) : sharing.templateOf;
    const noAddress = Buffer.from(noAddressRow(format));
    return { sharing, of: (match) => (match === NO_ADDRESS ? noAddress : templates(match as MatchId)) };
  };
}

/**
 * Rows of chosen columns. `matchesOf` returns the matches that an id stands for: of the run's snapshot, then of the one
 * beside it.
 */
export function columnTemplates(
  snapshots: readonly [Snapshot, ...Snapshot[]],
  { createColumnTemplates }: RendererModule,
  { now, columns }: { readonly now: number; readonly columns: readonly string[] },
  matchesOf: (id: number) => readonly number[],
): RowTemplates {
  if (createColumnTemplates === undefined)
    throw new TypeError("renderer: its module exports no createColumnTemplates, which chosen columns need");
  return (format) => {
    const make = createColumnTemplates(snapshots, format, now, columns);
    return { sharing: null, of: (id) => make(id === NO_ADDRESS ? null : matchesOf(id)) };
  };
}

/** Rows of the format "jsonl" also have the number of their line and, with `rowText`, the line. */
export function numberedTemplates(plain: RowTemplates, rowText: boolean): RowTemplates {
  return (format) => {
    const templates = plain(format);
    if (format !== "jsonl") return templates;
    const row = new RowBytes();
    return { ...templates, of: (match) => numbered(templates.of(match), row, rowText) };
  };
}

/** Written over by the next call. */
function numbered(template: Uint8Array, row: RowBytes, rowText: boolean): Uint8Array {
  const end = template.length - 2;
  if (template[end] !== CLOSE_OBJECT || template[end + 1] !== NEWLINE)
    throw new TypeError('a template of the format "jsonl" is a JSON object and a newline');
  row.clear();
  row.add(template, 0, end);
  if (end > 1) row.add(COMMA);
  row.add(LINE);
  if (rowText) row.add(TEXT);
  row.add(END);
  return row.bytes;
}

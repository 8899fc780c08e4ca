import type { CreateRowTemplates } from "../batch/engine/create-row-templates.ts";
import { CtiDataset } from "../cti/dataset.ts";
import type { CtiDocument } from "../cti/documents.ts";
import { csvRow } from "../csv/write-row.ts";
import { ADDRESS_HOLE } from "../rows/holes.ts";
import type { TemplateFormat } from "../rows/row-format.ts";
import { hole, templateBytes } from "../rows/template-bytes.ts";

/** The address of this module: the threads of the log pipeline import it to render rows of threat intelligence. */
export const CTI_RENDERER: string = import.meta.url;

/** The columns of its rows after the address: what is known about the most specific prefix. */
export const CTI_COLUMNS: readonly string[] = ["cidr", "classification", "actor", "tags"];

/** Called by the log pipeline in each of its threads: returns a function from a match to the template of its row. */
export const createRowTemplates: CreateRowTemplates = ({ metadata, table }, format) => {
  const dataset = new CtiDataset(metadata, table);
  const unwanted = format === "jsonl" || format === "append-jsonl" ? DEL : CONTROLS;
  return (match) => {
    const cidr = match === 0 ? null : hole(table.prefixLength(match));
    const document = plainDocument(dataset.documentOf(hole(ADDRESS_HOLE), match), unwanted);
    return templateBytes(rowText(format, cidr, document));
  };
};

/** The row of a line without an address. */
export function noAddressRow(format: TemplateFormat): string {
  return rowText(format, null, { ip: null, ...UNSEEN });
}

/** A row's document; a line without an address has none. */
type RowDocument = Omit<CtiDocument, "ip"> & { readonly ip: string | null };

const UNSEEN = { seen: false, spoofable: null, classification: "unknown", actor: "", tags: [] } as const;

// Feeds may contain any text. JSON escapes other control characters, but not DEL, which encloses holes.
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROLS = /[\u0000-\u001f\u007f]/g;
const DEL = /\u007f/g; // oxlint-disable-line no-control-regex -- it is what it looks for

function plainDocument({ actor, tags, ...rest }: CtiDocument, unwanted: RegExp): CtiDocument {
  const plain = (text: string): string => text.replaceAll(unwanted, " ");
  return { ...rest, actor: plain(actor), tags: tags.map(plain) };
}

function rowText(format: TemplateFormat, cidr: string | null, { ip, seen, ...known }: RowDocument): string {
  const { classification, actor, tags } = known;
  const word = seen ? classification : "";
  if (format === "append") return `\t${word}`;
  if (format === "append-csv") return `,${word}`;
  if (format === "append-jsonl") return JSON.stringify(seen ? { cidr, ...known } : null);
  if (format === "jsonl") return `${JSON.stringify({ ip, seen, cidr, ...known })}\n`;
  if (format === "csv") return csvRow([ip, cidr, word || null, actor || null, tags.join(",") || null]);
  return `${[ip, cidr, word, actor, tags.join(",")].map((cell) => cell ?? "").join("\t")}\n`;
}

import { ADDRESS_HOLE, HOLE } from "../../rows/holes.ts";
import type { TemplateFormat } from "../../rows/row-format.ts";
import { RowBytes } from "./_row-bytes.ts";
import { NO_ADDRESS } from "../lines/find-address.ts";
import type { RowTemplates } from "./row-templates.ts";

/** The templates of one of several snapshots, and its name in rows of JSON. */
export interface LabelledTemplates {
  readonly label: string;
  readonly templates: RowTemplates;
}

const ADDRESS = Buffer.of(HOLE, ADDRESS_HOLE);
const NEWLINE = Buffer.from("\n");
const [OPEN, CLOSE, COMMA] = [Buffer.from("{"), Buffer.from("}"), Buffer.from(",")];
const ADDRESS_MEMBER = Buffer.concat([Buffer.from('"ip":"'), ADDRESS, Buffer.from('"')]);
const NO_ADDRESS_MEMBER = Buffer.from('"ip":null');

/**
 * Rows of several snapshots: the address, then the columns of each; in JSON, an object with a property for each.
 * `matchesOf` returns the matches that an id stands for; none of the parts shares templates.
 */
export function joinedTemplates(
  parts: readonly LabelledTemplates[],
  matchesOf: (id: number) => readonly number[],
): RowTemplates {
  return (format) => {
    const join = FORMATS[format];
    const templates = parts.map((part) => part.templates(format).of);
    const labels = parts.map(({ label }) => Buffer.from(`${JSON.stringify(label)}:`));
    const row = new RowBytes();
    const of = (id: number): Uint8Array => {
      row.clear();
      const matches = matchesOf(id);
      // Each template is used before the next is asked for: a renderer may return the same array every time.
      join(row, (index) => templates[index]!(matches[index]!), labels, id === NO_ADDRESS);
      return row.bytes;
    };
    return { of, sharing: null };
  };
}

/** Adds a row to an empty one; `labels` has one for each part. */
type Join = (
  row: RowBytes,
  templateOf: (index: number) => Uint8Array,
  labels: readonly Buffer[],
  isEmpty: boolean,
) => void;

const joinAppended: Join = (row, templateOf, labels) => {
  for (let index = 0; index < labels.length; index++) row.add(templateOf(index));
};

const joinColumns: Join = (row, templateOf, labels, isEmpty) => {
  if (!isEmpty) row.add(ADDRESS);
  for (let index = 0; index < labels.length; index++) {
    const template = templateOf(index);
    // The columns after the address, with their first delimiter, without the newline.
    row.add(template, template[0] === HOLE ? ADDRESS.length : 0, template.length - 1);
  }
  row.add(NEWLINE);
};

const joinMembers: Join = (row, templateOf, labels) => {
  row.add(OPEN);
  for (let index = 0; index < labels.length; index++) {
    if (index > 0) row.add(COMMA);
    row.add(labels[index]!);
    row.add(templateOf(index));
  }
  row.add(CLOSE);
};

const joinObjects: Join = (row, templateOf, labels, isEmpty) => {
  row.add(OPEN);
  row.add(isEmpty ? NO_ADDRESS_MEMBER : ADDRESS_MEMBER);
  for (let index = 0; index < labels.length; index++) {
    const template = templateOf(index);
    row.add(COMMA);
    row.add(labels[index]!);
    row.add(template, 0, template.length - 1);
  }
  row.add(CLOSE);
  row.add(NEWLINE);
};

const FORMATS: Readonly<Record<TemplateFormat, Join>> = {
  append: joinAppended,
  "append-csv": joinAppended,
  "append-jsonl": joinMembers,
  tsv: joinColumns,
  csv: joinColumns,
  jsonl: joinObjects,
};

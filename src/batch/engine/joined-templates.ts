import { ADDRESS_HOLE, HOLE } from "../../rows/holes.ts";
import type { TemplateFormat } from "../../rows/row-format.ts";
import { NO_ADDRESS } from "../lines/find-address.ts";
import type { RowTemplates } from "./row-templates.ts";

/** The templates of one of several snapshots, and its name in rows of JSON. */
export interface LabelledTemplates {
  readonly label: string;
  readonly templates: RowTemplates;
}

const ADDRESS = Buffer.of(HOLE, ADDRESS_HOLE);
const NEWLINE = Buffer.from("\n");

/**
 * Rows of several snapshots: the address, then the columns of each; in JSON, an object with a property for each.
 * `matchesOf` returns the matches that an id stands for.
 */
export function joinedTemplates(
  parts: readonly LabelledTemplates[],
  matchesOf: (id: number) => readonly number[],
): RowTemplates {
  return (format) => {
    const templates = parts.map((part) => part.templates(format));
    const labels = parts.map(({ label }) => JSON.stringify(label));
    return (id) => {
      // A renderer may return the same array every time.
      const pieces = matchesOf(id).map((match, index) => Buffer.from(templates[index]!(match)));
      return joined(format, pieces, labels, id === NO_ADDRESS);
    };
  };
}

function joined(format: TemplateFormat, pieces: Buffer[], labels: string[], isEmpty: boolean): Buffer {
  if (format === "append" || format === "append-csv") return Buffer.concat(pieces);
  if (format === "tsv" || format === "csv")
    return Buffer.concat([...(isEmpty ? [] : [ADDRESS]), ...pieces.map(columnsOf), NEWLINE]);
  if (format === "append-jsonl") return objectOf(pieces, labels, []);
  const address = isEmpty ? [Buffer.from('"ip":null')] : [Buffer.from('"ip":"'), ADDRESS, Buffer.from('"')];
  return Buffer.concat([
    objectOf(
      pieces.map((piece) => piece.subarray(0, -1)),
      labels,
      address,
    ),
    NEWLINE,
  ]);
}

/** The columns after the address, with their first delimiter, without the newline. */
function columnsOf(piece: Buffer): Buffer {
  return piece.subarray(piece[0] === HOLE ? ADDRESS.length : 0, -1);
}

function objectOf(values: readonly Buffer[], labels: readonly string[], first: readonly Buffer[]): Buffer {
  const members = values.flatMap((value, index) => [
    Buffer.from(`${index === 0 && first.length === 0 ? "" : ","}${labels[index]}:`),
    value,
  ]);
  return Buffer.concat([Buffer.from("{"), ...first, ...members, Buffer.from("}")]);
}

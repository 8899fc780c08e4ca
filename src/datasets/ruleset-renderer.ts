import type { CreateRowTemplates } from "../batch/engine/create-row-templates.ts";
import { csvRow } from "../csv/write-row.ts";
import { ADDRESS_HOLE } from "../rows/holes.ts";
import type { TemplateFormat } from "../rows/row-format.ts";
import { hole, templateBytes } from "../rows/template-bytes.ts";
import { storedLabels } from "../rulesets/stored/stored-ruleset.ts";
import { formatTimestamp } from "../time/format-timestamp.ts";

/** The address of this module: the threads of the log pipeline import it to render rows of a ruleset. */
export const RULESET_RENDERER: string = import.meta.url;

/** The columns of its rows after the address: the rule that decides. */
export const RULESET_COLUMNS: readonly string[] = ["cidr", "name", "expires_at"];

/** Called by the log pipeline in each of its threads: returns a function from a match to the template of its row. */
export const createRowTemplates: CreateRowTemplates = ({ metadata, table }, format) => {
  const labels = storedLabels(metadata, table);
  return (match) => {
    if (match === 0) return templateBytes(rowText(format, hole(ADDRESS_HOLE), NO_RULE));
    const expiry = labels.expiryOf(match);
    return templateBytes(
      rowText(format, hole(ADDRESS_HOLE), {
        cidr: hole(table.prefixLength(match)),
        name: labels.nameOf(match)?.replaceAll(CONTROLS, " ") ?? null,
        expires_at: expiry === null ? null : formatTimestamp(expiry),
      }),
    );
  };
};

/** The row of a line without an address. */
export function noAddressRow(format: TemplateFormat): string {
  return rowText(format, null, NO_RULE);
}

interface DecidingRule {
  readonly cidr: string | null;
  readonly name: string | null;
  readonly expires_at: string | null;
}

const NO_RULE: DecidingRule = { cidr: null, name: null, expires_at: null };
// Valid names of rules contain none; a file that anyone has written may.
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROLS = /[\u0000-\u001f\u007f]/g;

function rowText(format: TemplateFormat, ip: string | null, rule: DecidingRule): string {
  const { cidr, name, expires_at } = rule;
  if (format === "append") return `\t${cidr ?? ""}`;
  if (format === "append-csv") return `,${cidr ?? ""}`;
  if (format === "append-jsonl") return JSON.stringify(cidr === null ? null : rule);
  if (format === "jsonl") return `${JSON.stringify({ ip, found: cidr !== null, ...rule })}\n`;
  if (format === "csv") return csvRow([ip, cidr, name, expires_at]);
  return `${[ip, cidr, name, expires_at].map((cell) => cell ?? "").join("\t")}\n`;
}

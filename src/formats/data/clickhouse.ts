import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { needsIpv4Stop } from "../_coverage.ts";
import { type LabelSets, MEMBERS, setsOf } from "./_label-sets.ts";
import { perLabels } from "../_per-labels.ts";
import type { Format } from "../format.ts";

/**
 * Rows for a ClickHouse dictionary of the layout `ip_trie`, in the format TabSeparated, columns as `clickhouseDdl`
 * names them.
 */
export const clickhouse = {
  about: "TSV for ip_trie",
  kinds: ["catalogue"],
  mediaType: "text/tab-separated-values",
  takesMostSpecific: true,
  *write(list) {
    if (needsIpv4Stop(list)) yield row("0.0.0.0/0", 0, cellsOf(setsOf([])));
    const cells = perLabels((labels) => cellsOf(setsOf(labels)));
    for (const { prefix, labels } of list.entries()) yield row(longForm(prefix), prefix.length, cells(labels));
  },
} as const satisfies Format<"catalogue">;

/** The statements that create a dictionary of the rows, and an example of its use. */
export function clickhouseDdl(name = "cbs"): string {
  const columns = [...MEMBERS.map((member) => `${member} Array(String)`), "prefix_length UInt8"];
  const list = (indent: string): string =>
    ["prefix String", ...columns].map((column) => `${indent}${column}`).join(",\n");
  return `CREATE TABLE IF NOT EXISTS ${name}_prefixes
(
${list("  ")}
)
ENGINE = MergeTree ORDER BY prefix;

-- INSERT INTO ${name}_prefixes FROM INFILE '${name}.tsv' FORMAT TabSeparated;

CREATE OR REPLACE DICTIONARY ${name}
(
${list("  ")}
)
PRIMARY KEY prefix
SOURCE(CLICKHOUSE(TABLE '${name}_prefixes'))
LAYOUT(IP_TRIE)
LIFETIME(MIN 300 MAX 600);

-- SELECT dictGet('${name}', 'cbs_ids', tuple(toIPv4('1.1.1.1')));
`;
}

/** The prefix with its length, also where it is a single address. */
function longForm(prefix: Prefix): string {
  const text = formatPrefix(prefix);
  return text.includes("/") ? text : `${text}/${prefix.length}`;
}

function row(prefix: string, length: number, cells: string): string {
  return `${prefix}\t${cells}\t${length}\n`;
}

function cellsOf(sets: LabelSets): string {
  return MEMBERS.map(
    (member) => `[${sets[member].map((text) => `'${text.replace(/['\\]/g, "\\$&")}'`).join(",")}]`,
  ).join("\t");
}

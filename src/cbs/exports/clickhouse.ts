import type { CatalogueTree } from "../catalogue-tree.ts";
import { longForm, MEMBERS, type NodeSets, needsIpv4Stop, rowsOf, setsOf } from "./_rows.ts";

/**
 * Rows for a ClickHouse dictionary of the layout `ip_trie`, in the format TabSeparated, columns as `clickhouseDdl`
 * names them. The layout finds the most specific prefix only, so that each row carries the nodes of the prefixes around
 * it too.
 */
export function* exportClickhouse(tree: CatalogueTree): Generator<string> {
  if (needsIpv4Stop(tree)) yield row("0.0.0.0/0", 0, cellsOf(setsOf([])));
  const { catalogue } = tree;
  const about = (match: number): string => cellsOf(setsOf(catalogue.nodesOf(match)));
  yield* rowsOf(tree, about, (prefix, cells) => row(longForm(prefix), prefix.length, cells));
}

/** The statements that make a dictionary of the rows, and an example of its use. */
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

function row(prefix: string, length: number, cells: string): string {
  return `${prefix}\t${cells}\t${length}\n`;
}

function cellsOf(sets: NodeSets): string {
  return MEMBERS.map(
    (member) => `[${sets[member].map((text) => `'${text.replace(/['\\]/g, "\\$&")}'`).join(",")}]`,
  ).join("\t");
}

import { formatPrefix } from "../../address/prefix.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { rowsOf } from "./_rows.ts";

/** nginx reads its configuration through a buffer of 4096 bytes and refuses longer words. */
const MOST_BYTES = 4000;
const encoder = new TextEncoder();

/**
 * A file for the `http` block of nginx: `include cbs.conf;`. The variable `$cbs` is then the ids of all nodes of the
 * client's address, with commas between them, or "". nginx takes the most specific prefix only, so that each line
 * carries the nodes of the prefixes around it too.
 *
 *     geo $cbs_nodes { default ""; 192.0.2.0/24 "/cdn/a,/saas/b"; 198.51.100.0/24 ",1"; }   ids, or the number of ids that are too long
 *     geo $cbs_1_1 { default "/saas/..."; }   the parts of those; only in `geo` is `$` a character like others
 *     map $cbs_nodes $cbs { default $cbs_nodes; ",1" "${cbs_1_1}${cbs_1_2}"; }
 */
export function* exportNginx(tree: CatalogueTree): Generator<string> {
  const long: (readonly string[])[] = [];
  const wordOf = (match: number): string => {
    const parts = [
      ...partsOf(
        tree.catalogue
          .nodesOf(match)
          .map(({ id }) => id)
          .join(","),
      ),
    ];
    // No id holds a comma, so that no list of ids begins with one.
    return parts.length === 1 ? parts[0]! : `,${long.push(parts)}`;
  };
  yield 'geo $cbs_nodes {\ndefault "";\n';
  yield* rowsOf(tree, wordOf, (prefix, word) => `${formatPrefix(prefix)} "${word}";\n`);
  yield "}\n";
  const variable = (number: number, part: number): string => `cbs_${number + 1}_${part + 1}`;
  for (const [number, parts] of long.entries()) {
    for (const [at, part] of parts.entries()) yield `geo $${variable(number, at)} { default "${part}"; }\n`;
  }
  yield "map $cbs_nodes $cbs {\ndefault $cbs_nodes;\n";
  for (const [number, parts] of long.entries())
    yield `",${number + 1}" "${parts.map((_, at) => `\${${variable(number, at)}}`).join("")}";\n`;
  yield "}\n";
}

/** A text, escaped, in parts that nginx can read. */
function* partsOf(text: string): Generator<string> {
  const escaped = text.replace(/["\\]/g, "\\$&");
  if (encoder.encode(escaped).length <= MOST_BYTES) {
    yield escaped;
    return;
  }
  // A character has four bytes at most, escaped or not.
  for (const [part] of text.matchAll(new RegExp(`.{1,${MOST_BYTES / 4}}`, "gsu"))) yield part.replace(/["\\]/g, "\\$&");
}

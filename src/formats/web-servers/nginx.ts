import { formatPrefix } from "../../address/prefix.ts";
import { perLabels } from "../_per-labels.ts";
import type { EntryList } from "../entry.ts";
import type { Format } from "../format.ts";

/** nginx reads its configuration through a buffer of 4096 bytes and rejects longer words. */
const MAX_BYTES = 4000;
const encoder = new TextEncoder();

/**
 * For rules, the contents of a `geo` block, to be included in one: `geo $listed { default 0; include rules.conf; }`.
 * The variable is 1 for listed clients.
 *
 * For the catalogue, a file for the `http` block: `include cbs.conf;`. The variable `$cbs` is then the ids of all
 * labels of the client's address, with commas between them, or "".
 */
export const nginx = {
  about: "geo and map",
  kinds: ["rules", "catalogue"],
  mediaType: "text/plain",
  comments: "#",
  takesMostSpecific: true,
  write: (list) => (list.kind === "catalogue" ? writeVariable(list) : writeListed(list)),
} as const satisfies Format;

function* writeListed(list: EntryList<"rules">): Generator<string> {
  for (const { prefix } of list.entries()) yield `${formatPrefix(prefix)} 1;\n`;
}

/**
 *     geo $cbs_nodes { default ""; 192.0.2.0/24 "/cdn/a,/saas/b"; 198.51.100.0/24 ",1"; }   ids, or the number of ids that are too long
 *     geo $cbs_1_1 { default "/saas/..."; }   the parts of those; only in `geo` is `$` a character like others
 *     map $cbs_nodes $cbs { default $cbs_nodes; ",1" "${cbs_1_1}${cbs_1_2}"; }
 */
function* writeVariable(list: EntryList<"catalogue">): Generator<string> {
  const { name } = list;
  const long: (readonly string[])[] = [];
  const wordOf = perLabels((labels) => {
    const parts = [...partsOf(labels.map(({ id }) => id).join(","))];
    // No id holds a comma, so that no list of ids begins with one.
    return parts.length === 1 ? parts[0]! : `,${long.push(parts)}`;
  });
  yield `geo $${name}_nodes {\ndefault "";\n`;
  for (const { prefix, labels } of list.entries()) yield `${formatPrefix(prefix)} "${wordOf(labels)}";\n`;
  yield "}\n";
  yield* partVariables(name, long);
}

/** The variables of the parts of what is too long, and the map that puts them together. */
function* partVariables(name: string, long: readonly (readonly string[])[]): Generator<string> {
  const variable = (number: number, part: number): string => `${name}_${number + 1}_${part + 1}`;
  for (const [number, parts] of long.entries()) {
    for (const [at, part] of parts.entries()) yield `geo $${variable(number, at)} { default "${part}"; }\n`;
  }
  yield `map $${name}_nodes $${name} {\ndefault $${name}_nodes;\n`;
  for (const [number, parts] of long.entries())
    yield `",${number + 1}" "${parts.map((_, at) => `\${${variable(number, at)}}`).join("")}";\n`;
  yield "}\n";
}

/** A text, escaped, in parts that nginx can read. */
function* partsOf(text: string): Generator<string> {
  const escaped = text.replace(/["\\]/g, "\\$&");
  if (encoder.encode(escaped).length <= MAX_BYTES) {
    yield escaped;
    return;
  }
  // A character has four bytes at most, escaped or not.
  for (const [part] of text.matchAll(new RegExp(`.{1,${MAX_BYTES / 4}}`, "gsu"))) yield part.replace(/["\\]/g, "\\$&");
}

import { addressBits, type Prefix } from "../../address/address.ts";
import { parseAddress } from "../../address/parse-address.ts";
import { formatAddress } from "../../address/format-address.ts";
import { formatPrefix, prefixContains, prefixOf } from "../../address/prefix.ts";
import { specialPurpose } from "../../address/special-purpose.ts";
import {
  type Catalogue,
  type CatalogueNode,
  type CatalogueSource,
  sourceKey,
  sourceUpdatedAt,
} from "../../cbs/catalogue.ts";
import { counted } from "./numbers.ts";
import type { Style } from "./style.ts";

/**
 * Special blocks that the IANA registries do not call unreachable as a whole: N/A (as reachable as what they embed, or
 * deprecated), False with exceptions inside, and multicast, which has scopes.
 */
const REACHABILITY_OPEN = new Set([
  "192.0.0.0/24",
  "192.88.99.0/24",
  "224.0.0.0/4",
  "2001::/23",
  "2001::/32",
  "2001:10::/28",
  "2002::/16",
  "ff00::/8",
]);

/**
 * All that is known about an address or prefix, for people: covering prefixes, most specific first, with their nodes.
 */
export async function lookupCard(catalogue: Catalogue, prefix: Prefix, title: string, style: Style): Promise<string> {
  const { table } = catalogue;
  const lines = [style("bold", title)];
  for (const match of table.chain(table.lookupPrefix(prefix))) {
    if (catalogue.valuesOf(match).length === 0) continue; // expired
    const covering = prefixOf(prefix, table.prefixLength(match));
    lines.push(`  ${style("cyan", formatPrefix(covering))}  ${style("dim", await extent(covering))}`);
    for (const { node, source } of catalogue.claimsOf(match)) lines.push(claimLine(node, source, style));
  }
  if (lines.length === 1)
    lines.push(
      `  ${style("yellow", "no match")}${prefix.length < addressBits(prefix.family) ? " that covers the whole prefix" : ""}`,
    );
  const note = specialNote(prefix);
  if (note !== undefined) lines.push(`  ${style("yellow", note)}`);
  return `${lines.join("\n")}\n`;
}

/** A node, with the source that names it and the source's date. */
function claimLine({ label, id }: CatalogueNode, source: CatalogueSource | null, style: Style): string {
  const about = label === id ? [] : [id];
  if (source !== null)
    about.push(
      [`by ${sourceKey(source)}`, sourceUpdatedAt(source)?.slice(0, 10)]
        .filter((part) => part !== undefined)
        .join(", "),
    );
  return `    ${label}${about.length === 0 ? "" : `  ${style("dim", about.join("  "))}`}`;
}

/** First to last address, and how many there are. */
async function extent(prefix: Prefix): Promise<string> {
  const bits = addressBits(prefix.family) - prefix.length;
  if (bits === 0) return "1 address";
  // Loads 90 kB of code that nothing else needs.
  const { IPv4CidrRange, IPv6CidrRange } = await import("ip-num");
  const range = (prefix.family === 4 ? IPv4CidrRange : IPv6CidrRange).fromCidr(formatPrefix(prefix));
  const [first, last] = [range.getFirst(), range.getLast()].map((end) => formatAddress(parseAddress(end.toString())));
  const size = range.getSize();
  const count = size > 0xffff_ffffn ? `2^${bits} addresses` : counted(Number(size), "address", "addresses");
  return `${first} - ${last}, ${count}`;
}

function specialNote(prefix: Prefix): string | undefined {
  const special = specialPurpose(prefix);
  if (special === undefined) return undefined;
  const block = formatPrefix(special.prefix);
  const about = `${block}, ${special.name} (${special.reference})`;
  if (!prefixContains(special.prefix, prefix)) return `note: contains ${about}`;
  return `note: in ${about}${special.globallyReachable || REACHABILITY_OPEN.has(block) ? "" : "; not reachable from the internet"}`;
}

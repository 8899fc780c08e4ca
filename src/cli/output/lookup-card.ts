import { addressBits, type Prefix } from "../../address/address.ts";
import { formatAddress } from "../../address/format-address.ts";
import { formatPrefix, prefixContains, prefixOf } from "../../address/prefix.ts";
import { lastAddress } from "../../address/range.ts";
import { specialPurpose } from "../../address/special-purpose.ts";
import {
  type Catalogue,
  type CatalogueNode,
  type CatalogueSource,
  sourceKey,
  sourceUpdatedAt,
} from "../../cbs/catalogue.ts";
import { primaryOf, primarySentence } from "../../cbs/primary.ts";
import type { Network } from "../../networks/networks.ts";
import { networkText } from "./network-text.ts";
import { counted } from "../../words/numbers.ts";
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
 * All that is known about an address or prefix, for people: who it is, in one line; then the covering prefixes, most
 * specific first, with their nodes.
 */
export function lookupCard(
  catalogue: Catalogue,
  network: Network | null,
  prefix: Prefix,
  title: string,
  style: Style,
): string {
  const { table } = catalogue;
  const found = table.lookupPrefix(prefix);
  const lines = [style("bold", title)];
  if (network !== null) lines.push(`  network ${networkText(network)}  ${style("dim", network.cidr)}`);
  const head = lines.length;
  for (const match of table.chain(found)) {
    if (catalogue.valuesOf(match).length === 0) continue; // expired
    const covering = prefixOf(prefix, table.prefixLength(match));
    lines.push(`  ${style("cyan", formatPrefix(covering))}  ${style("dim", extent(covering))}`);
    for (const { node, source } of catalogue.claimsOf(match)) lines.push(claimLine(node, source, style));
  }
  if (lines.length === head)
    lines.push(
      `  ${style("yellow", "no match")}${prefix.length < addressBits(prefix.family) ? " that covers the whole prefix" : ""}`,
    );
  const note = specialNote(prefix);
  if (note !== undefined) lines.push(`  ${style("yellow", note)}`);
  const primary = primaryOf(catalogue, table.activeMatch(found, catalogue.now));
  return `${[primarySentence(primary, network) ?? specialName(prefix) ?? "Unknown", ...lines].join("\n")}\n`;
}

/** What the registries of special addresses call a prefix that is inside one of their blocks. */
function specialName(prefix: Prefix): string | null {
  const special = specialPurpose(prefix);
  return special !== undefined && prefixContains(special.prefix, prefix) ? special.name : null;
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
function extent(prefix: Prefix): string {
  const bits = addressBits(prefix.family) - prefix.length;
  if (bits === 0) return "1 address";
  const [first, last] = [prefix, lastAddress(prefix)].map((end) => formatAddress(end));
  const count = bits > 32 ? `2^${bits} addresses` : counted(2 ** bits, "address", "addresses");
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

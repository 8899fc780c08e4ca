import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import type { Extent } from "../../src/cbs/catalogue-tree.ts";
import { prefixBits } from "../oracle/prefix-oracle.ts";

export type Line = readonly [prefix: string, ...ids: string[]];

/** The canonical prefixes of the lines whose id is wanted, in order. */
export function prefixesWith(lines: readonly Line[], isWanted: (id: string) => boolean): string[] {
  const found = new Map<string, string>();
  for (const [text, ...ids] of lines) {
    const prefix = parsePrefix(text, "mask");
    if (ids.some(isWanted)) found.set(prefixBits(prefix), formatPrefix(prefix));
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
}

/** Whether the id is that of a node or of one below it; undefined for the root. */
export function isBelow(node: string | undefined, id: string): boolean {
  return node === undefined || id === node || (node.startsWith("/") && id.startsWith(`${node}/`));
}

/** What prefixes contain, found by comparing each pair: one inside another adds no address. */
export function extentOf(prefixes: readonly string[]): Extent {
  const bits = prefixes.map((text) => prefixBits(parsePrefix(text)));
  const four = bits.filter((text) => text.startsWith("4"));
  const outermost = four.filter((text) => !four.some((other) => other !== text && text.startsWith(other)));
  return {
    ipv4_count: four.length,
    ipv6_count: bits.length - four.length,
    ipv4_addresses: outermost.reduce((sum, text) => sum + 2 ** (33 - text.length), 0),
  };
}

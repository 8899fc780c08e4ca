import { isAddress, parseAddress } from "../address/parse-address.ts";
import { formatAddress } from "../address/format-address.ts";

/**
 * The range in a line of a list for peer-to-peer programs (`name:first-last`, or `first - last , level , name` with
 * leading zeros), as lists here have it; undefined for other lines. O(length).
 */
export function peerRange(line: string): string | undefined {
  const content = line.trim();
  const comma = content.indexOf(",");
  return rangeOf(comma < 0 ? content : content.slice(0, comma)) ?? rangeOf(content, ":");
}

/** The range of the text, or the one after the last `mark` that has one behind it. */
function rangeOf(text: string, mark?: string): string | undefined {
  const dash = text.lastIndexOf("-");
  if (dash < 0) return undefined;
  const start = mark === undefined ? 0 : text.lastIndexOf(mark, dash) + 1;
  if (mark !== undefined && start === 0) return undefined;
  const [first, last] = [plainAddress(text.slice(start, dash)), plainAddress(text.slice(dash + 1))];
  if (first === undefined || last === undefined) return undefined;
  // What is wrong with a range that is written as ranges are is something else.
  const isPlain = start === 0 && text.slice(0, dash).trim() === first && text.slice(dash + 1).trim() === last;
  return isPlain ? undefined : `${first}-${last}`;
}

/** An IPv4 address, which may have leading zeros. */
function plainAddress(text: string): string | undefined {
  if (text.length > 40 || text.includes(":")) return undefined;
  const plain = text.trim().replace(/(^|\.)0{1,2}(?=[0-9])/g, "$1");
  return isAddress(plain) ? formatAddress(parseAddress(plain)) : undefined;
}

import { parseAddressBytes } from "../../address/parse-address.ts";

const DOT = 0x2e;
const COLON = 0x3a;

const PORT_MAX = 65_535;

/**
 * The position after a port, 0 to 65535 without leading zeros, at `at`; `at` itself if there is none. Reads up to the
 * first byte that is no digit, and no byte from `limit` on.
 */
export function portEnd(bytes: Uint8Array, at: number, limit: number = bytes.length): number {
  let value = 0;
  let end = at;
  for (let digit; end < limit && (digit = bytes[end]! - 0x30) >>> 0 <= 9; end++) {
    value = value * 10 + digit;
    if (value > PORT_MAX || (end > at && value === digit)) return at;
  }
  return end;
}

/**
 * The family of the address in `bytes[start, end)` that is followed by a port, its words in `found`; 0 if there is none.
 * For what is no address by itself: so the last part, behind a `:` or a `.`, is a port if it can be one, and what is
 * before it an address. (A ninth group; five digits; what is behind a dotted quad; a fifth part of one.) A compressed
 * IPv6 address and a port of one to four digits are an address by themselves, and read as that.
 */
export function addressBeforePort(bytes: Uint8Array, start: number, end: number, found: Uint32Array): 0 | 4 | 6 {
  let port = end;
  while (port > start && end - port < 6 && (bytes[port - 1]! - 0x30) >>> 0 <= 9) port--;
  const mark = port - 1;
  if (port === end || mark <= start || (bytes[mark] !== DOT && bytes[mark] !== COLON)) return 0;
  if (portEnd(bytes, port, end) !== end) return 0;
  const family = parseAddressBytes(bytes, start, mark, found);
  return family > 0 ? (family as 4 | 6) : 0;
}

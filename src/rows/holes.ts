/**
 * What the bytes of a row template stand for: text, except for the byte `HOLE`, which with the next byte is a hole. So
 * a template cannot contain that byte as text. Numbers up to 128 are a hole for the address masked to so many bits, as
 * a prefix (bare at the full length of its family). The kernel reads these numbers too, which is why there is nothing
 * else in this file.
 *
 *     { " i p " : "  00 ff  " , " c i d r " : "  00 18  " }       the address, and its prefix of 24 bits
 */
export const HOLE = 0;
/** A hole for the canonical address. */
export const ADDRESS_HOLE = 255;
/** Holes for the number of the line, and (in TypeScript only) for the line as a text of JSON. */
export const LINE_HOLE = 254;
export const TEXT_HOLE = 253;
/** A hole for the prefix of the match that the row is for, whichever of those that share the template that is. */
export const OWN_PREFIX_HOLE = 252;
/** The longest text for a hole of an address or a prefix: an IPv6 address and a slash with three digits. */
export const HOLE_BYTES = 49;

import { oracleFormat, oracleParse } from "../../oracle/address-oracle.ts";

/** A prefix as numbers; the spellings of one have the same text. */
export interface Block {
  /** The canonical text, which identifies the rule. */
  readonly text: string;
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly length: number;
}

const MAPPED = 0xffffn;

/** The prefix of a text. Shares no code with src; only valid texts are passed. */
export function blockOf(spelling: string): Block {
  const [address = "", bits] = spelling.split("/");
  const value = oracleParse(address)!;
  const isMapped = value >> 32n === MAPPED;
  const written = bits === undefined ? undefined : Number(bits) - (isMapped && address.includes(":") ? 96 : 0);
  const most = isMapped ? 32 : 128;
  const length = written ?? most;
  return {
    text: `${oracleFormat(value)}${length === most ? "" : `/${length}`}`,
    family: isMapped ? 4 : 6,
    first: value & (isMapped ? 0xffff_ffffn : (1n << 128n) - 1n),
    length,
  };
}

export function covers(outer: Block, inner: Block): boolean {
  const rest = BigInt((outer.family === 4 ? 32 : 128) - outer.length);
  return outer.family === inner.family && outer.length <= inner.length && outer.first >> rest === inner.first >> rest;
}

/** The order of lists: IPv4 first, then by address, the shorter prefix first. */
export function compareBlocks(a: Block, b: Block): number {
  return a.family - b.family || (a.first < b.first ? -1 : a.first > b.first ? 1 : a.length - b.length);
}

/** Prefixes that nest, in several spellings. */
export const SPELLINGS = [
  "192.0.2.0/24",
  "::ffff:192.0.2.0/120",
  "192.0.2.0/25",
  "192.0.2.7",
  "192.0.2.7/32",
  "::ffff:c000:207",
  "192.0.2.8",
  "192.0.2.128/25",
  "198.51.100.0/31",
  "0.0.0.0/0",
  "::ffff:0:0/97",
  "9.9.9.9",
  "2001:db8::/32",
  "2001:DB8:0::/32",
  "2001:db8::1",
  "2001:db8:0:0:0:0:0:1/128",
  "2001:db8:0:1::/64",
  "::/0",
  "2620:fe::fe",
] as const;

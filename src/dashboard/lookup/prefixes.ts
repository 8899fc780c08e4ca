import type { CoveringRule, Lookup, RulesetMatch } from "../documents.ts";

export type CbsMatch = NonNullable<Lookup["cbs"]>["matches"][number];

/** A prefix that covers the looked-up one, and its owners. */
export interface CoveringPrefix {
  readonly cidr: string;
  /** Bits. */
  readonly length: number;
  readonly services: readonly CbsMatch[];
  readonly rules: readonly { readonly ruleset: RulesetMatch; readonly rule: CoveringRule }[];
  /** Whether it is the looked-up one. */
  readonly isLookedUp: boolean;
}

export interface CoveringPrefixes {
  /** Bits of an address: 32 or 128. */
  readonly bits: number;
  /** Least specific first; the looked-up one is the last. */
  readonly prefixes: readonly CoveringPrefix[];
}

/** All prefixes of a result; each lies within the ones before it, because all of them cover the same address. */
export function coveringPrefixes({ ip, cbs, rulesets }: Lookup): CoveringPrefixes {
  const rules = rulesets.flatMap((ruleset) => ruleset.covering.map((rule) => ({ ruleset, rule })));
  const matches = cbs?.matches ?? [];
  const cidrs = new Set([...matches.map(({ cidr }) => cidr), ...rules.map(({ rule }) => rule.ip)]);
  const [first = ip] = cidrs;
  const bits = first.includes(":") ? 128 : 32;
  const lookedUp = lookedUpLength(ip, bits);
  const lengthOf = (cidr: string): number => Number(cidr.split("/")[1] ?? bits);
  const covering = [...cidrs].map((cidr): CoveringPrefix => ({
    cidr,
    length: lengthOf(cidr),
    services: matches.filter((match) => match.cidr === cidr),
    rules: rules.filter(({ rule }) => rule.ip === cidr),
    isLookedUp: lengthOf(cidr) === lookedUp,
  }));
  if (!covering.some(({ isLookedUp }) => isLookedUp))
    covering.push({ cidr: ip, length: lookedUp, services: [], rules: [], isLookedUp: true });
  return { bits, prefixes: covering.sort((a, b) => a.length - b.length) };
}

/** An IPv4 address that is written as an IPv6 one has 96 bits before its own. */
function lookedUpLength(ip: string, bits: number): number {
  const length = ip.split("/")[1];
  if (length === undefined) return bits;
  return Number(length) - (bits === 32 && ip.includes(":") ? 96 : 0);
}

/** `256 addresses`, `2^64 addresses`. */
export function formatSize(length: number, bits: number): string {
  const free = bits - length;
  if (free > 32) return `2^${free} addresses`;
  return free === 0 ? "1 address" : `${new Intl.NumberFormat().format(2 ** free)} addresses`;
}

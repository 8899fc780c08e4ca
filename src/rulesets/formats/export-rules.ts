import type { Rule } from "../rule.ts";
import { exportCsv } from "./csv.ts";
import { exportIpset } from "./ipset.ts";
import { exportNdjson } from "./ndjson.ts";
import { exportNftables } from "./nftables.ts";
import { exportNginx } from "./nginx.ts";
import { exportText } from "./text.ts";

/**
 * Every format, by name. Only CSV and NDJSON say more than which addresses are listed; no other has a place for names.
 */
const EXPORTERS = {
  text: exportText,
  csv: exportCsv,
  ndjson: exportNdjson,
  nginx: exportNginx,
  ipset: exportIpset,
  nftables: exportNftables,
} as const satisfies Record<string, (rules: Iterable<Rule>, set: FirewallSet) => Generator<string>>;

export type RuleExportFormat = keyof typeof EXPORTERS;
export const RULE_EXPORT_FORMATS = Object.keys(EXPORTERS) as readonly RuleExportFormat[];

/** Formats of firewalls, whose sets have a name, and drop elements by themselves when their time has come. */
export const FIREWALL_FORMATS: ReadonlySet<RuleExportFormat> = new Set(["ipset", "nftables"]);

/** What ipset and nftables need to know besides the rules. */
export interface FirewallSet {
  readonly name: string;
  readonly now: number;
}

export interface RuleExportOptions {
  /**
   * What ipset and nftables call the sets, followed by `_4` and `_6`: a letter, then up to 24 letters, digits and
   * underscores; "ipsieve" unless given.
   */
  readonly setName?: string;
  /** When the timeouts of ipset and nftables begin to run, in milliseconds since 1970; now unless given. */
  readonly now?: number;
}

const CHUNK_CHARACTERS = 1 << 16;

/**
 * The file of rules in a format, in chunks. A chunk may be empty: whoever writes the file may let others have their
 * turn after each. A program that acts on every listed address gets the active rules: see `activeRules`. The rules are
 * read as the chunks are asked for; ipset and nftables read all of them first. O(rules), nftables O(rules log rules).
 */
export function* exportRules(
  rules: Iterable<Rule>,
  format: RuleExportFormat,
  { setName: name = "ipsieve", now = Date.now() }: RuleExportOptions = {},
): Generator<string> {
  let text = "";
  for (const part of EXPORTERS[format](rules, { name, now })) {
    text += part;
    if (part !== "" && text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

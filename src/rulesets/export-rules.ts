import { inChunks } from "../formats/format.ts";
import { type FormatOf, FORMATS, formatsOf } from "../formats/formats.ts";
import type { Rule } from "./rule.ts";

/** Only CSV and NDJSON say more than which addresses are listed; no other has a place for names. */
export type RuleExportFormat = FormatOf<"rules">;
/** Every `RuleExportFormat`, in the order in which help and errors list them. */
export const RULE_EXPORT_FORMATS: readonly RuleExportFormat[] = formatsOf("rules");

/** Formats of firewalls, whose sets have a name, and drop entries by themselves when their time has come. */
export const FIREWALL_FORMATS: ReadonlySet<RuleExportFormat> = new Set(
  RULE_EXPORT_FORMATS.filter((name) => "hasTimeouts" in FORMATS[name]),
);

/** What the formats of firewalls need besides the rules; the others read none of it. */
export interface RuleExportOptions {
  /**
   * What ipset and nftables call the sets, followed by `_4` and `_6`: a letter, then up to 24 letters, digits and
   * underscores; "ipsieve" unless given.
   */
  readonly setName?: string;
  /** When the timeouts of ipset and nftables begin to run, in milliseconds since 1970; now unless given. */
  readonly now?: number;
}

/**
 * The file of rules in a format, in chunks. A chunk may be empty: whoever writes the file may let others have their
 * turn after each. A program that acts on every listed address gets the active rules: see `activeRules`. The rules are
 * read as the chunks are asked for; ipset and nftables read all of them first. O(rules), nftables O(rules log rules).
 */
export function exportRules(
  rules: Iterable<Rule>,
  format: RuleExportFormat,
  { setName: name = "ipsieve", now = Date.now() }: RuleExportOptions = {},
): Generator<string> {
  const entries = (): Iterable<Rule> => rules;
  const list = { kind: "rules", entries, name, title: name, createdAt: now, now } as const;
  return inChunks(FORMATS[format].write(list));
}

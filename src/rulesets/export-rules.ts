import type { Prefix } from "../address/address.ts";
import { formatPrefix } from "../address/prefix.ts";
import { entriesFor } from "../sets/capability.ts";
import { type Format, inChunks, UnexportableError } from "../formats/format.ts";
import { type FormatOf, FORMATS, formatsOf } from "../formats/formats.ts";
import type { Rule } from "./rule.ts";

/** Only CSV and NDJSON contain more than the listed addresses; no other format has names. */
export type RuleExportFormat = FormatOf<"rules">;
/** What a file in the format consists of: text, but for binary ones. */
export type ExportPart<Name extends RuleExportFormat> = "mmdb" extends Name ? string | Uint8Array : string;
/** Every `RuleExportFormat`, in the order in which help and errors list them. */
export const RULE_EXPORT_FORMATS: readonly RuleExportFormat[] = formatsOf("rules");

/** The formats whose sets, chains or lists have a name. */
export const NAMED_FORMATS: ReadonlySet<RuleExportFormat> = new Set(
  RULE_EXPORT_FORMATS.filter((name) => "isNamed" in FORMATS[name]),
);

/** Formats whose file holds addresses of one family only. */
export const ONE_FAMILY_FORMATS: ReadonlySet<RuleExportFormat> = new Set(
  RULE_EXPORT_FORMATS.filter((name) => "isOneFamily" in FORMATS[name]),
);

/** Formats that cannot express every list of rules. */
export const PARTIAL_FORMATS: ReadonlySet<RuleExportFormat> = new Set(
  RULE_EXPORT_FORMATS.filter((name) => "isOneFamily" in FORMATS[name] || "unprocessable" in FORMATS[name]),
);

/** Formats in which a list for devices can give entries timeouts, after which they drop them by themselves. */
export const TIMED_FORMATS: ReadonlySet<string> = new Set(
  RULE_EXPORT_FORMATS.filter((name) => "longestTimeout" in FORMATS[name]),
);

/** Why a list in another format has no timeouts. */
export function noTimeoutsText(format: string): string {
  return `entries in the format ${format} cannot have timeouts; choose one of ${[...TIMED_FORMATS].join(", ")}`;
}

/** Why a prefix cannot be written in a format; undefined if it can. */
export function unprocessableReason(format: RuleExportFormat, prefix: Prefix): string | undefined {
  const { expresses, unprocessable } = expressionOf(format);
  if (expresses === undefined || entriesFor(expresses, prefix.family, prefix.length) > 0) return undefined;
  return unprocessable?.(prefix);
}

/** @throws UnexportableError for a prefix that cannot be written in the format */
export function rejectInexpressible(format: RuleExportFormat, prefix: Prefix): void {
  const reason = unprocessableReason(format, prefix);
  if (reason === undefined) return;
  const text = formatPrefix(prefix);
  throw new UnexportableError(
    text,
    `${format} cannot express ${text}: ${reason}; leave it out, or choose another format`,
  );
}

/** What a format can express, and why not the rest. */
export type Expression = Pick<Format<"rules">, "expresses" | "unprocessable" | "maxEntries" | "writesRest">;

export function expressionOf(format: RuleExportFormat): Expression {
  return FORMATS[format] as Format<"rules">;
}

/** Whether a file in the format changes every second: always, or if one of its rules expires. */
export function changesBySecond(format: RuleExportFormat, expires: boolean): boolean {
  return "hasSerial" in FORMATS[format] || (expires && "hasTimeouts" in FORMATS[format]);
}

/** Options that some formats need besides the rules; the others ignore them. */
export interface RuleExportOptions {
  /**
   * The name of the sets, chains or lists of a format that names them (ipset and nftables append `_4` and `_6`): a
   * letter, then up to 24 letters, digits and underscores; "ipsieve" unless given.
   */
  readonly setName?: string;
  /** Whether the consumer should block or allow the listed addresses; "blocklist" by default. */
  readonly purpose?: "blocklist" | "allowlist";
  /**
   * In milliseconds since 1970; now by default. Timeouts start then, and its seconds are the serial number of a zone.
   */
  readonly now?: number;
  /** A comment, by `commentOf`, in formats that have comments: see `canComment`. */
  readonly comment?: string;
  /** Whether entries have times in a format that leaves them out otherwise (mikrotik). */
  readonly hasTimeouts?: boolean;
  /** The serial number of a zone, 32 bits; by default the seconds of `now`. */
  readonly serial?: number;
}

/**
 * The file of rules in a format, in chunks. A chunk may be empty: callers may pause after each. For a program that acts
 * on every listed address, pass the active rules: see `activeRules`. The rules are read while the chunks are consumed;
 * firewalld, ipset, kubernetes, nftables, ntop, sophos, squid and traefik read all of them first. O(rules), nftables
 * O(rules log rules). @throws UnexportableError for a rule that the format has no way to express: see
 * `unprocessableReason`; TypeError for a format that is not in `RULE_EXPORT_FORMATS`
 */
export function exportRules<Name extends RuleExportFormat>(
  rules: Iterable<Rule>,
  format: Name,
  {
    setName: name = "ipsieve",
    purpose = "blocklist",
    now = Date.now(),
    comment,
    hasTimeouts = false,
    serial = Math.floor(now / 1000),
  }: RuleExportOptions = {},
): Generator<ExportPart<Name>> {
  if (!RULE_EXPORT_FORMATS.includes(format))
    throw new TypeError(`the format must be one of ${RULE_EXPORT_FORMATS.join(", ")}, not ${JSON.stringify(format)}`);
  const entries = (): Iterable<Rule> => expressible(rules, format);
  const about = { name, title: name, createdAt: now, now, purpose, hasTimeouts, serial: serial % 2 ** 32 } as const;
  const list = { kind: "rules", entries, ...about, ...(comment !== undefined && { comment }) } as const;
  const parts = (FORMATS[format] as Format<"rules">).write(list);
  return inChunks(withComment(format, comment, parts)) as Generator<ExportPart<Name>>;
}

/** Whether files in the format have comments. */
export function canComment(format: RuleExportFormat): boolean {
  return "comments" in FORMATS[format];
}

function* withComment(
  format: RuleExportFormat,
  comment: string | undefined,
  parts: Iterable<string | Uint8Array>,
): Generator<string | Uint8Array> {
  const { comments } = FORMATS[format] as Format<"rules">;
  if (comment !== undefined && comments !== undefined && comments !== "entries") yield `${comments} ${comment}\n`;
  yield* parts;
}

/** The rules, if the format can express all of them. @throws UnexportableError */
function expressible(rules: Iterable<Rule>, format: RuleExportFormat): Iterable<Rule> {
  const { unprocessable, isOneFamily = false } = FORMATS[format] as Format<"rules">;
  return unprocessable === undefined && !isOneFamily ? rules : checked(rules, format, isOneFamily);
}

function* checked(rules: Iterable<Rule>, format: RuleExportFormat, isOneFamily: boolean): Generator<Rule> {
  let first: Rule | undefined;
  for (const rule of rules) {
    const text = formatPrefix(rule.prefix);
    rejectInexpressible(format, rule.prefix);
    first ??= rule;
    if (isOneFamily && rule.prefix.family !== first.prefix.family)
      throw new UnexportableError(
        text,
        `a list for ${format} has addresses of one family, and this one has ${formatPrefix(first.prefix)} and ${text}; write a list for each family, as deployment render --family does`,
      );
    yield rule;
  }
}

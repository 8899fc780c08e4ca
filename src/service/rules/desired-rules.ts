import { formatPrefix } from "../../address/prefix.ts";
import { FirstLines } from "../../rulesets/first-lines.ts";
import { type ImportedColumns, type ImportFormat, RuleImport } from "../../rulesets/importers/import-rules.ts";
import { errorText } from "../../rulesets/importers/imported-rule.ts";
import type { CarvedColumns, RuleColumns } from "../../rulesets/rule-columns.ts";
import { type ListedColumns, RuleList } from "../../rulesets/rule-list.ts";
import { inSlices, Slice } from "../../turns/in-slices.ts";
import { type FieldErrors, invalid, ServiceError } from "../service-error.ts";
import { readRule, type ReadingOptions, type RuleMembers } from "./read-rule.ts";

/** The media types of lists of rules. */
export const LIST_TYPES: Readonly<Record<string, ImportFormat>> = {
  "text/plain": "text",
  "text/csv": "csv",
  "application/x-ndjson": "ndjson",
};

/** How much is read before the clock is checked again: half a millisecond, even if all of it is invalid. */
const CHARACTERS_AT_ONCE = 1 << 12;
const MEMBERS_AT_ONCE = 50;
/** A response reports the errors of this many rules. */
export const MAX_REPORTED = 200;
/** A document with more unreadable rules is not a list of rules. */
export const MAX_UNREADABLE = 100_000;
/** Maximum characters of a rule that a response shows. */
const MAX_TEXT_LENGTH = 80;

export function tooManyUnreadable(): string {
  return `more than ${MAX_UNREADABLE} rules cannot be read`;
}

/** A rule of a JSON document that its schema rejects. */
export class RejectedMember {
  readonly text: string;
  readonly errors: FieldErrors;

  constructor(item: unknown, errors: FieldErrors) {
    this.text = JSON.stringify(item);
    this.errors = errors;
  }
}

export type ListedMember = RuleMembers | RejectedMember;

/** A list in a body, in chunks that are cut anywhere, or the rules of a JSON document, some hundred at a time. */
export type ListBody =
  | { readonly text: AsyncIterable<string>; readonly format: ImportFormat }
  | { readonly members: AsyncIterable<readonly ListedMember[]> };

/** A rule of a JSON document that cannot be read or repeats a prefix. */
export interface InvalidMember {
  /** Its index, from 0. */
  readonly line: number;
  readonly ip: string;
  /** The rule as sent. */
  readonly text: string;
  readonly errors: FieldErrors;
}

/**
 * The readable rules of a JSON document, in the order of prefixes, with their indexes as lines, and the errors of the
 * first unreadable ones.
 */
export interface ReadMembers {
  readonly parts: readonly ListedColumns[];
  readonly rejected: readonly InvalidMember[];
  readonly rejectedCount: number;
  /** How many rules repeat another, with the same name and expiry. */
  readonly repeated: number;
  /** Whether all of it was read: reading ends if there are too many errors. */
  readonly isWhole: boolean;
}

/** How much of a document with many errors is read and reported. */
export interface ReadLimits {
  /** Reading ends when more rules than this cannot be read. */
  readonly maxUnreadable: number;
  readonly maxReported: number;
}

/** Reads every rule; one that repeats a prefix with another name or expiry is an error. */
export async function readMembers(
  batches: AsyncIterable<readonly ListedMember[]>,
  options: ReadingOptions,
  { maxUnreadable, maxReported }: ReadLimits,
): Promise<ReadMembers> {
  const rejected = new FirstLines<InvalidMember>(maxReported);
  const list = new RuleList();
  const slice = new Slice();
  let index = 0;
  for await (const batch of batches) {
    for (const member of batch) {
      readMember(member, index, options, list, rejected);
      if (++index % MEMBERS_AT_ONCE === 0) await slice.pause();
    }
    if (rejected.count > maxUnreadable) break;
  }
  const isWhole = rejected.count <= maxUnreadable;
  let repeated = 0;
  const parts = await inSlices(
    list.inOrder((prefix, line, earlier, isSame) => {
      if (isSame) return void repeated++;
      const ip = formatPrefix(prefix);
      rejected.add({
        line,
        ip,
        text: ip,
        errors: { [`rules[${line}].ip`]: [`${ip} is already in rules[${earlier}], with another name or expiry`] },
      });
    }),
  );
  return { parts, rejected: rejected.inOrder(), rejectedCount: rejected.count, repeated, isWhole };
}

function readMember(
  member: ListedMember,
  index: number,
  options: ReadingOptions,
  list: RuleList,
  rejected: FirstLines<InvalidMember>,
): void {
  if (member instanceof RejectedMember)
    return rejected.add({
      line: index,
      ip: shortened(member.text),
      text: shortened(member.text),
      errors: member.errors,
    });
  try {
    list.add(readRule(member, { ...options, path: `rules[${index}].` }), index);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    rejected.add({
      line: index,
      ip: member.ip,
      text: shortened(JSON.stringify(member)),
      errors: error.fields!,
    });
  }
}

function shortened(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

/** Reads a list to its end, or to the error that ends the reading. */
export async function readText(file: RuleImport, text: AsyncIterable<string>): Promise<ImportedColumns> {
  const slice = new Slice();
  for await (const chunk of text) {
    for (let at = 0; at < chunk.length; at += CHARACTERS_AT_ONCE) {
      file.write(chunk.slice(at, at + CHARACTERS_AT_ONCE));
      await slice.pause();
    }
    if (file.hasEnded) break;
  }
  return inSlices(file.endInSteps());
}

/** A line that was left out, or a rule of a document by its position, from 1. */
export interface InvalidLine {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** The desired rules of a body, in the form that the store takes, and what was left out. */
export interface DesiredList {
  readonly rules: readonly RuleColumns[];
  readonly invalid: number;
  readonly invalidLines: readonly InvalidLine[];
  /** How many lines repeat another, with the same name and expiry. */
  readonly repeated: number;
}

export interface DesiredListOptions extends ReadingOptions {
  readonly maxRules: number;
  /** What sets `maxRules`, for the error. */
  readonly setting: string;
  /** Whether rules that cannot be read or that repeat a prefix are left out. */
  readonly skipInvalid: boolean;
  /** How many unreadable lines of a text are named; 100 by default. */
  readonly maxErrors?: number;
}

/**
 * @throws ServiceError "invalid" that names the first rules that cannot be read or repeat a prefix, unless they are
 * left out
 */
export function readDesiredList(body: ListBody, options: DesiredListOptions): Promise<DesiredList> {
  return "members" in body ? desiredMembers(body.members, options) : desiredLines(body.text, body.format, options);
}

async function desiredMembers(
  members: AsyncIterable<readonly ListedMember[]>,
  options: DesiredListOptions,
): Promise<DesiredList> {
  const maxUnreadable = options.skipInvalid ? MAX_UNREADABLE : MAX_REPORTED;
  const { parts, rejected, rejectedCount, isWhole, repeated } = await readMembers(members, options, {
    maxUnreadable,
    maxReported: MAX_REPORTED,
  });
  if (options.skipInvalid && !isWhole) throw invalid({ rules: [tooManyUnreadable()] });
  if (!options.skipInvalid && rejectedCount > 0)
    throw invalid(Object.assign({}, ...rejected.map(({ errors }) => errors)));
  const lines = rejected.map(({ line, text, errors }) => ({ line: line + 1, text, reason: textOf(errors) }));
  return { rules: parts.map(withoutLines), invalid: rejectedCount, invalidLines: lines, repeated };
}

async function desiredLines(
  text: AsyncIterable<string>,
  format: ImportFormat,
  options: DesiredListOptions,
): Promise<DesiredList> {
  const { parts, errors, skipped, repeated } = await readText(
    new RuleImport(format, { ...options, maxSkipped: MAX_REPORTED }),
    text,
  );
  if (errors.length > 0)
    throw invalid(Object.fromEntries(errors.map((error) => [`line ${error.line}`, [errorText(error)]])));
  return {
    rules: parts.map(withoutLines),
    invalid: skipped.count,
    invalidLines: skipped.lines.map(({ line, text, reason }) => ({ line, text, reason })),
    repeated,
  };
}

/** The columns alone, as the store takes them: the lines of the rules are no longer needed. */
export function withoutLines({
  family,
  words,
  lengths,
  names,
  expiresAt,
  createdAt,
  updatedAt,
  carved,
}: ListedColumns & CarvedColumns): CarvedColumns {
  return { family, words, lengths, names, expiresAt, createdAt, updatedAt, ...(carved && { carved }) };
}

/** The errors of a rule of a document, by its properties. */
export function textOf(errors: FieldErrors): string {
  return Object.entries(errors)
    .map(([field, messages]) => `${field.replace(/^rules\[\d+\]\.?/, "") || "rule"}: ${messages.join("; ")}`)
    .join("; ");
}

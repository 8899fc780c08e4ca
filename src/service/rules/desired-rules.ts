import { formatPrefix } from "../../address/prefix.ts";
import { FirstLines } from "../../rulesets/first-lines.ts";
import { type ImportedColumns, type ImportFormat, RuleImport } from "../../rulesets/importers/import-rules.ts";
import { faultText } from "../../rulesets/importers/imported-rule.ts";
import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import { type ListedColumns, RuleList } from "../../rulesets/rule-list.ts";
import { RULES_SETTING } from "../../store/limit-settings.ts";
import { inSlices, Slice } from "../../turns/in-slices.ts";
import { type FieldErrors, invalid, ServiceError } from "../service-error.ts";
import { readRule, type ReadingOptions, type RuleMembers } from "./read-rule.ts";

/** The media types of lists of rules. */
export const LIST_TYPES: Readonly<Record<string, ImportFormat>> = {
  "text/plain": "text",
  "text/csv": "csv",
  "application/x-ndjson": "ndjson",
};

/** How much is read before the clock is looked at: half a millisecond, also where all of it is wrong. */
const CHARACTERS_AT_ONCE = 1 << 12;
const MEMBERS_AT_ONCE = 50;
/** An answer names the faults of so many rules. */
export const MAX_FAULTY = 200;
/** A document of which more rules cannot be read is none of rules. */
export const MAX_UNREADABLE = 100_000;
/** The longest text of a rule that an answer shows. */
const MAX_TEXT_LENGTH = 80;

export function tooManyUnreadable(): string {
  return `more than ${MAX_UNREADABLE} rules cannot be read`;
}

/** A rule of a JSON document that its schema rejects. */
export class RejectedMember {
  readonly text: string;
  readonly faults: FieldErrors;

  constructor(item: unknown, faults: FieldErrors) {
    this.text = JSON.stringify(item);
    this.faults = faults;
  }
}

export type ListedMember = RuleMembers | RejectedMember;

/** A list in a body, in chunks that are cut anywhere, or the rules of a JSON document, some hundred at a time. */
export type ListBody =
  | { readonly text: AsyncIterable<string>; readonly format: ImportFormat }
  | { readonly members: AsyncIterable<readonly ListedMember[]> };

/** A rule of a JSON document that cannot be read, or stands there already. */
export interface InvalidMember {
  /** Its place, from 0. */
  readonly line: number;
  readonly ip: string;
  /** The rule as it stands there. */
  readonly text: string;
  readonly faults: FieldErrors;
}

/**
 * The rules that can be read of a JSON document, in the order of prefixes, their places in it as lines, and what is
 * wrong with the first of the others.
 */
export interface ReadMembers {
  readonly parts: readonly ListedColumns[];
  readonly faulty: readonly InvalidMember[];
  readonly faultyCount: number;
  /** Whether all of it was read: there may be too much wrong. */
  readonly isWhole: boolean;
}

/** How much is read of a document in which much is wrong, and reported. */
export interface FaultLimits {
  /** Reading ends when more rules than so many cannot be read. */
  readonly mostUnreadable: number;
  readonly mostReported: number;
}

/** Reads every rule; one that stands twice is at fault the second time. */
export async function readMembers(
  batches: AsyncIterable<readonly ListedMember[]>,
  options: ReadingOptions,
  { mostUnreadable, mostReported }: FaultLimits,
): Promise<ReadMembers> {
  const faulty = new FirstLines<InvalidMember>(mostReported);
  const list = new RuleList();
  const slice = new Slice();
  let index = 0;
  for await (const batch of batches) {
    for (const member of batch) {
      readMember(member, index, options, list, faulty);
      if (++index % MEMBERS_AT_ONCE === 0) await slice.pause();
    }
    if (faulty.count > mostUnreadable) break;
  }
  const isWhole = faulty.count <= mostUnreadable;
  const parts = await inSlices(
    list.inOrder((prefix, line, earlier) => {
      const ip = formatPrefix(prefix);
      faulty.add({
        line,
        ip,
        text: ip,
        faults: { [`rules[${line}].ip`]: [`${ip} is already in rules[${earlier}]`] },
      });
    }),
  );
  return { parts, faulty: faulty.inOrder(), faultyCount: faulty.count, isWhole };
}

function readMember(
  member: ListedMember,
  index: number,
  options: ReadingOptions,
  list: RuleList,
  faulty: FirstLines<InvalidMember>,
): void {
  if (member instanceof RejectedMember)
    return faulty.add({ line: index, ip: shortened(member.text), text: shortened(member.text), faults: member.faults });
  try {
    list.add(readRule(member, { ...options, place: `rules[${index}].` }), index);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    faulty.add({
      line: index,
      ip: member.ip,
      text: shortened(JSON.stringify(member)),
      faults: error.fields!,
    });
  }
}

function shortened(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

/** Reads a list to its end, or the error that ends the reading. */
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

/** A line that was left out, or a rule of a document by its place, counted from 1. */
export interface InvalidLine {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** The rules that a body wants, as the store takes them, and what was left out. */
export interface DesiredList {
  readonly rules: readonly RuleColumns[];
  readonly invalid: number;
  readonly invalidLines: readonly InvalidLine[];
}

export interface DesiredListOptions extends ReadingOptions {
  readonly mostRules: number;
  /** Leave out what cannot be read, or repeats a prefix. */
  readonly skipInvalid: boolean;
}

/**
 * @throws ServiceError "invalid" that names the first rules that cannot be read or stand twice, unless they are left
 * out
 */
export function readDesiredList(body: ListBody, options: DesiredListOptions): Promise<DesiredList> {
  return "members" in body ? desiredMembers(body.members, options) : desiredLines(body.text, body.format, options);
}

async function desiredMembers(
  members: AsyncIterable<readonly ListedMember[]>,
  options: DesiredListOptions,
): Promise<DesiredList> {
  const mostUnreadable = options.skipInvalid ? MAX_UNREADABLE : MAX_FAULTY;
  const { parts, faulty, faultyCount, isWhole } = await readMembers(members, options, {
    mostUnreadable,
    mostReported: MAX_FAULTY,
  });
  if (options.skipInvalid && !isWhole) throw invalid({ rules: [tooManyUnreadable()] });
  if (!options.skipInvalid && faultyCount > 0) throw invalid(Object.assign({}, ...faulty.map(({ faults }) => faults)));
  const lines = faulty.map(({ line, text, faults }) => ({ line: line + 1, text, reason: textOf(faults) }));
  return { rules: parts.map(withoutLines), invalid: faultyCount, invalidLines: lines };
}

async function desiredLines(
  text: AsyncIterable<string>,
  format: ImportFormat,
  options: DesiredListOptions,
): Promise<DesiredList> {
  const { parts, errors, skipped } = await readText(
    new RuleImport(format, { ...options, setting: RULES_SETTING, mostSkipped: MAX_FAULTY }),
    text,
  );
  if (errors.length > 0)
    throw invalid(Object.fromEntries(errors.map((error) => [`line ${error.line}`, [faultText(error)]])));
  return {
    rules: parts.map(withoutLines),
    invalid: skipped.count,
    invalidLines: skipped.lines.map(({ line, text, reason }) => ({ line, text, reason })),
  };
}

/** The columns alone, as the store takes them: where each rule stood in the list is of no more use. */
export function withoutLines({
  family,
  words,
  lengths,
  names,
  expiresAt,
  createdAt,
  updatedAt,
}: ListedColumns): RuleColumns {
  return { family, words, lengths, names, expiresAt, createdAt, updatedAt };
}

/** What is wrong with a rule of a document, by its members. */
export function textOf(faults: FieldErrors): string {
  return Object.entries(faults)
    .map(([field, messages]) => `${field.replace(/^rules\[\d+\]\.?/, "") || "rule"}: ${messages.join("; ")}`)
    .join("; ");
}

import { formatPrefix } from "../address/prefix.ts";
import { type ImportedColumns, type ImportFormat, RuleImport } from "../rulesets/formats/import-rules.ts";
import type { LineError } from "../rulesets/formats/imported-rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { type ListedColumns, RuleList } from "../rulesets/rule-list.ts";
import { RULES_SETTING } from "../store/limit-settings.ts";
import { inSlices, Slice } from "./in-slices.ts";
import { type FieldFaults, invalid, Problem } from "./problem.ts";
import { readRule, type ReadingOptions, type RuleMembers } from "./read-rule.ts";

/** The media types of lists of rules. */
export const LIST_TYPES: Readonly<Record<string, ImportFormat>> = { "text/plain": "text", "text/csv": "csv", "application/x-ndjson": "ndjson" };

/** How much is read before the clock is looked at: half a millisecond, also where all of it is wrong. */
const CHARACTERS_AT_ONCE = 1 << 12;
const MEMBERS_AT_ONCE = 50;
/** An answer names the faults of so many rules. */
const MAX_FAULTY = 200;

/** A list in a body, in chunks that are cut anywhere, or the rules of a JSON document, some hundred at a time. */
export type ListBody = { readonly text: AsyncIterable<string>; readonly format: ImportFormat } | { readonly members: AsyncIterable<readonly RuleMembers[]> };

/** A rule of a JSON document that cannot be read, or stands there already. */
export interface FaultyMember {
  readonly ip: string;
  readonly faults: FieldFaults;
}

/** The rules that can be read of a JSON document, in the order of prefixes, their places in it as lines, and what is wrong with the others, by place. */
export interface ReadMembers {
  readonly parts: readonly ListedColumns[];
  readonly faulty: ReadonlyMap<number, FaultyMember>;
  /** Whether all of it was read: there may be too much wrong. */
  readonly isWhole: boolean;
}

/** Reads every rule; one that stands twice is at fault the second time. Ends with the fault that exceeds `maxFaulty`. */
export async function readMembers(batches: AsyncIterable<readonly RuleMembers[]>, options: ReadingOptions, maxFaulty: number): Promise<ReadMembers> {
  const faulty = new Map<number, FaultyMember>();
  const list = new RuleList();
  const slice = new Slice();
  let index = 0;
  for await (const batch of batches) {
    for (const member of batch) {
      readMember(member, index, options, list, faulty);
      if (++index % MEMBERS_AT_ONCE === 0) await slice.pause();
    }
    if (faulty.size > maxFaulty) break;
  }
  const isWhole = faulty.size <= maxFaulty;
  const parts = await inSlices(list.inOrder((prefix, line, earlier) => {
    const ip = formatPrefix(prefix);
    if (faulty.size <= maxFaulty) faulty.set(line, { ip, faults: { [`rules[${line}].ip`]: [`${ip} stands in rules[${earlier}] already`] } });
  }));
  return { parts, faulty, isWhole };
}

function readMember(member: RuleMembers, index: number, options: ReadingOptions, list: RuleList, faulty: Map<number, FaultyMember>): void {
  try {
    list.add(readRule(member, { ...options, place: `rules[${index}].` }), index);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    faulty.set(index, { ip: member.ip, faults: error.details.validationErrors! });
  }
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

/** The rules that a body wants, as the store takes them. @throws Problem (400) that names the first rules that cannot be read or stand twice */
export async function readWanted(body: ListBody, options: ReadingOptions, mostRules: number): Promise<readonly RuleColumns[]> {
  if ("members" in body) {
    const { parts, faulty } = await readMembers(body.members, options, MAX_FAULTY);
    if (faulty.size > 0) throw invalid(Object.assign({}, ...[...faulty].sort(([a], [b]) => a - b).slice(0, MAX_FAULTY).map(([, { faults }]) => faults)));
    return parts.map(withoutLines);
  }
  const { parts, errors } = await readText(new RuleImport(body.format, { allowSpecialPurpose: options.allowSpecialPurpose, mostRules, setting: RULES_SETTING }), body.text);
  if (errors.length > 0) throw invalid(Object.fromEntries(errors.map((error) => [`line ${error.line}`, [messageOf(error)]])));
  return parts.map(withoutLines);
}

function withoutLines({ family, words, lengths, names, expiresAt, createdAt, updatedAt }: ListedColumns): RuleColumns {
  return { family, words, lengths, names, expiresAt, createdAt, updatedAt };
}

/** What is wrong with a line of a list, and where in it. */
export function messageOf({ column, value, problem }: LineError): string {
  return `column ${column}: ${JSON.stringify(value)}: ${problem}`;
}

import type { Family } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import { type ImportedRules, type ImportFormat, RuleImport } from "../rulesets/formats/import-rules.ts";
import type { LineError } from "../rulesets/formats/imported-rule.ts";
import type { WantedRule } from "../rulesets/plan-replacement.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { type FieldFaults, invalid, Problem } from "./problem.ts";
import { readRule, type ReadingOptions, type RuleMembers } from "./read-rule.ts";

/** The media types of lists of rules. */
export const LIST_TYPES: Readonly<Record<string, ImportFormat>> = { "text/plain": "text", "text/csv": "csv", "application/x-ndjson": "ndjson" };

/** How much is read at a time, with requests in between. */
const MEMBERS_AT_ONCE = 50;
const CHARACTERS_AT_ONCE = 1 << 12;

/** The rules that can be read of a JSON document, in the order of prefixes, and what is wrong with the others, by index. */
interface ReadMembers {
  readonly wanted: readonly (WantedRule & { readonly index: number })[];
  readonly faults: ReadonlyMap<number, FieldFaults>;
}

/** Reads every rule; one that stands twice is at fault the second time. */
export function* readMembers(members: readonly RuleMembers[], options: ReadingOptions): Generator<undefined, ReadMembers, undefined> {
  const faults = new Map<number, FieldFaults>();
  const all: (WantedRule & { readonly index: number })[] = [];
  for (const [index, each] of members.entries()) {
    if (index % MEMBERS_AT_ONCE === 0) yield;
    try {
      const { prefix, name, expiresAt } = readRule(each, { ...options, place: `rules[${index}].` });
      all.push({ prefix, name, expiresAt, index });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.set(index, error.details.validationErrors!);
    }
  }
  all.sort((a, b) => comparePrefixes(a.prefix, b.prefix) || a.index - b.index);
  const wanted = all.filter((rule, at) => {
    const before = all[at - 1];
    if (before === undefined || comparePrefixes(before.prefix, rule.prefix) !== 0) return true;
    faults.set(rule.index, { [`rules[${rule.index}].ip`]: [`${formatPrefix(rule.prefix)} stands in rules[${before.index}] already`] });
    return false;
  });
  return { wanted, faults };
}

/** The rules of a JSON document, in the order of prefixes. @throws Problem (400) that names every rule that cannot be read or stands twice */
export function* readWanted(members: readonly RuleMembers[], options: ReadingOptions): Generator<undefined, readonly WantedRule[], undefined> {
  const { wanted, faults } = yield* readMembers(members, options);
  if (faults.size > 0) throw invalid(Object.assign({}, ...faults.values()));
  return wanted;
}

/** Reads a list, some of it at a time. */
export function* readText(file: RuleImport, text: string): Generator<undefined, ImportedRules, undefined> {
  for (let at = 0; at < text.length; at += CHARACTERS_AT_ONCE) {
    file.write(text.slice(at, at + CHARACTERS_AT_ONCE));
    yield;
  }
  return file.end();
}

/** The rules of a list, in the order of prefixes. @throws Problem (400) with the first faulty lines */
export function* importWanted(text: string, format: ImportFormat, allowSpecialPurpose: boolean, mostRules: number): Generator<undefined, readonly WantedRule[], undefined> {
  const { rules, errors } = yield* readText(new RuleImport(format, { allowSpecialPurpose, mostRules }), text);
  if (errors.length === 0) return rules;
  throw invalid(Object.fromEntries(errors.map((error) => [`line ${error.line}`, [messageOf(error)]])));
}

/** What is wrong with a line of a list, and where in it. */
export function messageOf({ column, value, problem }: LineError): string {
  return `column ${column}: ${JSON.stringify(value)}: ${problem}`;
}

/** Rules as the store takes them: columns by family. They are in the order of prefixes. */
export function columnsOf(wanted: readonly WantedRule[]): RuleColumns[] {
  return ([4, 6] as const).map((family) => familyColumns(family, wanted.filter(({ prefix }) => prefix.family === family))).filter(({ names }) => names.length > 0);
}

function familyColumns(family: Family, wanted: readonly WantedRule[]): RuleColumns {
  const count = wanted.length;
  const words = new Uint32Array(family === 4 ? count : 4 * count);
  const lengths = new Uint8Array(count);
  const names = new Array<string | null>(count);
  const expiresAt = new Float64Array(count);
  for (const [index, { prefix: { w0, w1, w2, w3, length }, name, expiresAt: expiry }] of wanted.entries()) {
    if (family === 4) words[index] = w0;
    else words.set([w0, w1, w2, w3], 4 * index);
    lengths[index] = length;
    names[index] = name;
    expiresAt[index] = expiry ?? Infinity;
  }
  return { family, words, lengths, names, expiresAt, createdAt: new Float64Array(count), updatedAt: new Float64Array(count) };
}

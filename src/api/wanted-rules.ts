import type { Family } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import { type ImportFormat, RuleImport } from "../rulesets/formats/import-rules.ts";
import type { WantedRule } from "../rulesets/plan-replacement.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { invalid, Problem } from "./problem.ts";
import { readRule, type ReadingOptions, type RuleMembers } from "./read-rule.ts";

/** The media types of lists of rules. */
export const LIST_TYPES: Readonly<Record<string, ImportFormat>> = { "text/plain": "text", "text/csv": "csv", "application/x-ndjson": "ndjson" };

/** How much is read at a time, with requests in between. */
const MEMBERS_AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 1 << 15;

/** The rules of a JSON document, in the order of prefixes. @throws Problem (400) that names every rule that cannot be read or stands twice */
export function* readWanted(members: readonly RuleMembers[], options: ReadingOptions): Generator<undefined, WantedRule[], undefined> {
  const faults: Record<string, readonly string[]> = {};
  const wanted: (WantedRule & { readonly index: number })[] = [];
  for (const [index, each] of members.entries()) {
    if (index % MEMBERS_AT_ONCE === 0) yield;
    try {
      const { prefix, name, expiresAt } = readRule(each, { ...options, place: `rules[${index}].` });
      wanted.push({ prefix, name, expiresAt, index });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      Object.assign(faults, error.details.validationErrors);
    }
  }
  wanted.sort((a, b) => comparePrefixes(a.prefix, b.prefix) || a.index - b.index);
  for (const [at, rule] of wanted.entries()) {
    const before = wanted[at - 1];
    if (before === undefined || comparePrefixes(before.prefix, rule.prefix) !== 0) continue;
    faults[`rules[${rule.index}].ip`] = [`${formatPrefix(rule.prefix)} stands in rules[${before.index}] already`];
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return wanted;
}

/** The rules of a list, in the order of prefixes. @throws Problem (400) with the first faulty lines */
export function* importWanted(text: string, format: ImportFormat, allowSpecialPurpose: boolean, mostRules: number): Generator<undefined, readonly WantedRule[], undefined> {
  const file = new RuleImport(format, { allowSpecialPurpose, mostRules });
  for (let at = 0; at < text.length; at += CHARACTERS_AT_ONCE) {
    file.write(text.slice(at, at + CHARACTERS_AT_ONCE));
    yield;
  }
  const { rules, errors } = file.end();
  if (errors.length === 0) return rules;
  throw invalid(Object.fromEntries(errors.map(({ line, column, value, problem }) => [`line ${line}`, [`column ${column}: ${JSON.stringify(value)}: ${problem}`]])));
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

import type { Family } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import { type ImportFormat, RuleImport } from "../rulesets/formats/import-rules.ts";
import type { WantedRule } from "../rulesets/plan-replacement.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { invalid, Problem } from "./problem.ts";
import { readRule, type ReadingOptions, type RuleMembers } from "./read-rule.ts";

/** The media types of lists of rules. */
export const LIST_TYPES: Readonly<Record<string, ImportFormat>> = { "text/plain": "text", "text/csv": "csv", "application/x-ndjson": "ndjson" };

/** The rules of a JSON document, in the order of prefixes. @throws Problem (400) that names every rule that cannot be read or stands twice */
export function readWanted(members: readonly RuleMembers[], options: ReadingOptions): WantedRule[] {
  const faults: Record<string, readonly string[]> = {};
  const wanted: (WantedRule & { readonly index: number })[] = [];
  for (const [index, each] of members.entries()) {
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
export function importWanted(text: string, format: ImportFormat, allowSpecialPurpose: boolean, mostRules: number): WantedRule[] {
  const file = new RuleImport(format, { allowSpecialPurpose, mostRules });
  file.write(text);
  const { rules, errors } = file.end();
  if (errors.length === 0) return [...rules];
  throw invalid(Object.fromEntries(errors.map(({ line, column, value, problem }) => [`line ${line}`, [`column ${column}: ${JSON.stringify(value)}: ${problem}`]])));
}

/** Rules as the store takes them: columns by family. They are in the order of prefixes. */
export function columnsOf(wanted: readonly WantedRule[]): RuleColumns[] {
  return ([4, 6] as const).map((family) => familyColumns(family, wanted.filter(({ prefix }) => prefix.family === family))).filter(({ names }) => names.length > 0);
}

function familyColumns(family: Family, wanted: readonly WantedRule[]): RuleColumns {
  return {
    family,
    words: Uint32Array.from(wanted.flatMap(({ prefix: { w0, w1, w2, w3 } }) => (family === 4 ? [w0] : [w0, w1, w2, w3]))),
    lengths: Uint8Array.from(wanted, ({ prefix }) => prefix.length),
    names: wanted.map(({ name }) => name),
    expiresAt: Float64Array.from(wanted, ({ expiresAt }) => expiresAt ?? Infinity),
    createdAt: new Float64Array(wanted.length),
    updatedAt: new Float64Array(wanted.length),
  };
}

import type { Prefix } from "../address/address.ts";
import { comparePrefixes, prefixContains } from "../address/prefix.ts";
import type { Catalogue } from "../cbs/catalogue.ts";
import type { CtiDataset } from "../cti/dataset.ts";
import type { ExtendedCtiDocument } from "../cti/documents.ts";
import { databaseOf, labelsRecord, prefixesInIpv4, RuleRecords } from "../formats/data/mmdb.ts";
import type { MmdbMap, MmdbValue } from "../formats/data/mmdb/mmdb-data.ts";
import type { MmdbAbout } from "../formats/data/mmdb/mmdb-file.ts";
import type { Networks } from "../networks/networks.ts";
import type { Ruleset } from "../rulesets/ruleset.ts";
import type { MatchId } from "../table/match-id.ts";
import type { PrefixTable } from "../table/prefix-table.ts";

/** A prefix of a dataset, and the number of what the dataset knows about its addresses; 0: nothing. */
interface NumberedPrefix {
  readonly prefix: Prefix;
  readonly number: number;
}

/** A dataset as a MaxMind DB has it: for each prefix everything that holds for its addresses. */
export interface MmdbSource {
  /** In the order of prefixes. */
  prefixes(): Iterable<NumberedPrefix>;
  /** The IPv6 prefixes that are left out, because the format keeps IPv4 there. */
  leftOut(): Prefix[];
  /** The members of what has this number, which no other kind of dataset has. */
  recordOf(number: number): MmdbMap;
}

/** `cbs_ids`, `labels`, `providers`, `types`, `services`, `regions` of all prefixes that cover an address. */
export function catalogueSource(catalogue: Catalogue): MmdbSource {
  return {
    prefixes: () => prefixesOf(catalogue.table, (match) => catalogue.table.activeMatch(match, catalogue.now)),
    leftOut: () => prefixesInIpv4(catalogue.table.entries(6)),
    recordOf: (number) => labelsRecord(catalogue.nodesOf(number as MatchId)),
  };
}

/** Named as in MaxMind's own databases, so that their readers find them. */
export function networksSource(networks: Networks): MmdbSource {
  return {
    prefixes: () => prefixesOf(networks.table, (match) => networks.table.value(match)),
    leftOut: () => prefixesInIpv4(networks.table.entries(6)),
    recordOf(number) {
      const { asn, name, country } = networks.owner(number);
      return {
        autonomous_system_number: asn,
        autonomous_system_organization: name,
        ...(country !== null && { country: { iso_code: country } }),
      };
    },
  };
}

/** `cti`: the document of the most specific prefix, as `GET /v1/cti` has it, without what is not known. */
export function ctiSource(dataset: CtiDataset): MmdbSource {
  return {
    prefixes: () => prefixesOf(dataset.table, (match) => match),
    leftOut: () => prefixesInIpv4(dataset.table.entries(6)),
    recordOf: (number) => ({ cti: documentOf(dataset, number) }),
  };
}

/** `rulesets`: by the name of the ruleset the names of all rules that cover an address, and when the last one expires. */
export function rulesSource(ruleset: Ruleset, now: number): MmdbSource {
  const records = new RuleRecords();
  return {
    *prefixes() {
      for (const rule of ruleset)
        if (rule.expiresAt === null || rule.expiresAt > now)
          yield { prefix: rule.prefix, number: records.numberOf(rule) };
    },
    // A rule must not be left out: such a one is an error.
    leftOut: () => [],
    recordOf(number) {
      const { prefix_length: _, ...record } = records.recordOf(number);
      return { rulesets: { [ruleset.name]: record } };
    },
  };
}

/**
 * A MaxMind DB whose record of an address joins what all these datasets know about it. O(prefixes x length); "" where
 * other work can run. @throws UnexportableError for a rule that the format cannot express
 */
export function joinedMmdb(sources: readonly MmdbSource[], about: MmdbAbout): Generator<"" | Uint8Array> {
  const seen: number[][] = [];
  const known = new Map<string, number>();
  return databaseOf(
    joined(sources),
    {
      numberOf({ numbers }) {
        const key = numbers.join(" ");
        let number = known.get(key);
        if (number === undefined) known.set(key, (number = seen.push(numbers)));
        return number;
      },
      recordOf: (number) =>
        seen[number - 1]!.map((own, i) => (own === 0 ? {} : sources[i]!.recordOf(own))).reduce(merged, {}),
    },
    about,
  );
}

function* prefixesOf(table: PrefixTable, numberOf: (match: MatchId) => number): Generator<NumberedPrefix> {
  for (const family of [4, 6] as const)
    for (const { prefix, match } of table.entries(family)) yield { prefix, number: numberOf(match) };
}

interface JoinedPrefix {
  readonly prefix: Prefix;
  /** By source: the number at its most specific prefix around this one. */
  readonly numbers: number[];
}

/** Every prefix of any source, in order. */
function* joined(sources: readonly MmdbSource[]): Generator<JoinedPrefix> {
  const walks = sources.map((source) => new Walk(source));
  for (;;) {
    let prefix: Prefix | undefined;
    for (const { next } of walks)
      if (next !== undefined && (prefix === undefined || comparePrefixes(next.prefix, prefix) < 0))
        prefix = next.prefix;
    if (prefix === undefined) return;
    const numbers = walks.map((walk) => walk.numberAt(prefix));
    if (numbers.some((number) => number !== 0)) yield { prefix, numbers };
  }
}

/** A walk over the prefixes of one source, beside others. */
class Walk {
  next: NumberedPrefix | undefined;
  readonly #rest: Iterator<NumberedPrefix>;
  /** The prefixes around the last one, the most specific last. */
  readonly #around: NumberedPrefix[] = [];

  constructor(source: MmdbSource) {
    this.#rest = source.prefixes()[Symbol.iterator]();
    this.#advance();
  }

  /** The number that holds at a prefix, which is no later than the next one and not before the last one asked for. */
  numberAt(prefix: Prefix): number {
    const { next } = this;
    while (this.#around.length > 0 && !prefixContains(this.#around.at(-1)!.prefix, prefix)) this.#around.pop();
    if (next !== undefined && comparePrefixes(next.prefix, prefix) === 0) {
      this.#around.push(next);
      this.#advance();
    }
    return this.#around.at(-1)?.number ?? 0;
  }

  #advance(): void {
    const step = this.#rest.next();
    this.next = step.done === true ? undefined : step.value;
  }
}

function documentOf(dataset: CtiDataset, match: number): MmdbMap {
  const { ip: _, seen, ...document } = dataset.extendedDocumentOf("", match as MatchId) satisfies ExtendedCtiDocument;
  return (withoutUnknown(document) as MmdbMap | undefined) ?? { seen };
}

/** What is null, "", [] or has no other members is left out: the format has no null. */
function withoutUnknown(value: unknown): MmdbValue | undefined {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return value as MmdbValue;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const known = withoutUnknown(member);
    return known === undefined ? [] : [[name, known] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** The members of both, and the rulesets of both. */
function merged(one: MmdbMap, other: MmdbMap): MmdbMap {
  const rulesets = { ...(one["rulesets"] as MmdbMap | undefined), ...(other["rulesets"] as MmdbMap | undefined) };
  return { ...one, ...other, ...(Object.keys(rulesets).length > 0 && { rulesets }) };
}

import type { Family } from "../../address/address.ts";
import { parseAddress } from "../../address/parse-address.ts";
import type { AddressCounts } from "../../batch/engine/address-counts.ts";
import { Ranking } from "../../batch/top-addresses.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { Purpose, Ruleset } from "../../store/state.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { atOneVersion } from "../rules/at-one-version.ts";
import { type Decision, decisionOf } from "../rules/decision.ts";
import type { LiveRuleset } from "../store/service-memory.ts";
import type { ChosenRulesets } from "./chosen-rulesets.ts";

/** Maximum rules shown for an address. */
const MAX_RULES = 5;
/** Addresses looked up between two interruptions: a millisecond in the largest rulesets. */
export const STEP = 1024;

/** Lines, and their distinct addresses. */
export interface LogShare {
  readonly lines: number;
  readonly addresses: number;
}

export interface ComparedRuleset extends Pick<Ruleset, "id" | "name" | "purpose"> {
  /** What its rules cover; null if it was deleted before the log had been read. */
  readonly covered: LogShare | null;
}

/** The rule that decides in one ruleset. */
export interface DecidingRule {
  readonly ruleset: Pick<Ruleset, "id" | "name" | "purpose">;
  readonly rule: Rule;
}

export interface AddressVerdict {
  readonly decision: Decision;
  /** A rule of each ruleset that covers the address, allowlists first; the first five. */
  readonly rules: readonly DecidingRule[];
  readonly rulesCount: number;
}

/** How much of a log the chosen rulesets cover. */
export interface RulesetComparison {
  /** Rules that had expired by then do not count. */
  readonly at: number;
  readonly rulesets: readonly ComparedRuleset[];
  readonly leftOut: number;
  /** Covered by allowlists only, by blocklists only, by both, by neither. */
  readonly allowed: LogShare;
  readonly blocked: LogShare;
  readonly both: LogShare;
  readonly neither: LogShare;
  /** The covered addresses with the most lines. */
  readonly top: readonly { readonly ip: string; readonly lines: number }[];
  /** For the addresses of `top` and the requested ones. */
  readonly verdicts: ReadonlyMap<string, AddressVerdict>;
}

export interface ComparisonRequest {
  readonly counts: AddressCounts;
  readonly chosen: ChosenRulesets;
  readonly at: number;
  /** Addresses whose verdicts are always included. */
  readonly ips: readonly string[];
  /** How many of the covered addresses are listed. */
  readonly maxListed: number;
  readonly signal: AbortSignal;
}

/** The purposes of the rulesets that cover an address, as the sum of these flags. */
const ALLOWED = 1;
const BLOCKED = 2;
const FLAGS: Readonly<Record<Purpose, number>> = { allowlist: ALLOWED, blocklist: BLOCKED };

/**
 * Compares the addresses of a log with each chosen ruleset, as of one moment, in slices: O(addresses * rulesets).
 * @throws the reason of the signal once it is aborted
 */
export async function compareRulesets(request: ComparisonRequest): Promise<RulesetComparison> {
  const { counts, chosen, at, maxListed, signal } = request;
  const flags = new Uint8Array(counts.counts4.length + counts.counts6.length);
  const rules = new Map<string, DecidingRule[]>();
  const rulesets: ComparedRuleset[] = [];
  for (const about of chosen.rulesets) {
    const found = await atOneVersion(
      () => chosen.current(about.id),
      (live) => coverageOf(live, request),
    );
    signal.throwIfAborted();
    const { id, name, purpose } = found?.ruleset.about ?? about;
    rulesets.push({ id, name, purpose, covered: found?.result.covered ?? null });
    if (found === undefined) continue;
    for (const index of found.result.addresses) flags[index]! |= FLAGS[purpose];
    for (const [ip, rule] of found.result.rules) addTo(rules, ip, { ruleset: { id, name, purpose }, rule });
  }
  const { top, shares } = await inSlices(tally(counts, flags, maxListed));
  const listed = new Set([...request.ips, ...top.map(({ ip }) => ip)]);
  const verdicts = new Map([...listed].map((ip) => [ip, verdictOf(rules.get(ip) ?? [])]));
  const [neither, allowed, blocked, both] = shares;
  return { at, rulesets, leftOut: chosen.leftOut, allowed, blocked, both, neither, top, verdicts };
}

interface Coverage {
  readonly covered: LogShare;
  /** Which addresses it covers, by their numbers in the log's counts. */
  readonly addresses: Uint32Array;
  /** By address: for the requested ones, and for its own with the most lines. */
  readonly rules: ReadonlyMap<string, Rule>;
}

/**
 * What one ruleset covers. An address among the first of all covered ones is among the first of every ruleset that
 * covers it, so the rules of these are all that can be needed later.
 */
function* coverageOf(
  { rules }: LiveRuleset,
  { counts, ips, at, maxListed, signal }: ComparisonRequest,
): Generator<undefined, Coverage, undefined> {
  const addresses = new Uint32Array(counts.counts4.length + counts.counts6.length);
  const ids = new Uint32Array(STEP);
  const top = new Ranking(maxListed);
  const covered = { lines: 0, addresses: 0 };
  for (const part of partsOf(counts)) {
    signal.throwIfAborted();
    const deciding = ids.subarray(0, part.lines.length);
    rules.decideWordsInto(part.family, part.words, deciding, at, deciding.length);
    for (let index = 0; index < deciding.length; index++) {
      if (deciding[index] === 0) continue;
      addresses[covered.addresses++] = part.first + index;
      covered.lines += part.lines[index]!;
      top.add(candidateAt(part, index));
    }
    yield;
  }
  const listed = new Set([...ips, ...top.toResult().addresses.map(({ address }) => address)]);
  const found = [...listed].map((ip) => [ip, rules.deciding(parseAddress(ip), at)] as const);
  return {
    covered,
    addresses: addresses.subarray(0, covered.addresses),
    rules: new Map(found.filter((entry): entry is [string, Rule] => entry[1] !== null)),
  };
}

type Shares = [neither: LogShare, allowed: LogShare, blocked: LogShare, both: LogShare];

/** The sums by flags, and the covered addresses with the most lines. */
function* tally(
  counts: AddressCounts,
  flags: Uint8Array,
  maxListed: number,
): Generator<undefined, { top: RulesetComparison["top"]; shares: Shares }, undefined> {
  const shares = Array.from({ length: 4 }, () => ({ lines: 0, addresses: 0 }));
  const ranking = new Ranking(maxListed);
  for (const part of partsOf(counts)) {
    for (let index = 0; index < part.lines.length; index++) {
      const flag = flags[part.first + index]!;
      shares[flag]!.lines += part.lines[index]!;
      shares[flag]!.addresses++;
      if (flag !== 0) ranking.add(candidateAt(part, index));
    }
    yield;
  }
  const top = ranking.toResult().addresses.map(({ address, lines }) => ({ ip: address, lines }));
  return { top, shares: shares as unknown as Shares };
}

/** Some addresses of one family. */
interface Part {
  readonly family: Family;
  /** The words of these addresses and of all after them. */
  readonly words: Uint32Array;
  readonly lines: Float64Array;
  /** The index of the first one among all addresses of the log. */
  readonly first: number;
}

/** The addresses of a log, `STEP` or fewer at a time. */
export function* partsOf({ words4, counts4, words6, counts6 }: AddressCounts): Generator<Part, void, undefined> {
  for (let from = 0; from < counts4.length; from += STEP)
    yield { family: 4, words: words4.subarray(from), lines: counts4.subarray(from, from + STEP), first: from };
  for (let from = 0; from < counts6.length; from += STEP) {
    const lines = counts6.subarray(from, from + STEP);
    yield { family: 6, words: words6.subarray(4 * from), lines, first: counts4.length + from };
  }
}

function candidateAt({ family, words, lines }: Part, index: number): Parameters<Ranking["add"]>[0] {
  const width = family === 4 ? 1 : 4;
  return { family, words: words.subarray(index * width, (index + 1) * width), lines: lines[index]!, matches: [] };
}

function addTo(rules: Map<string, DecidingRule[]>, ip: string, rule: DecidingRule): void {
  const known = rules.get(ip);
  if (known === undefined) rules.set(ip, [rule]);
  else known.push(rule);
}

function verdictOf(rules: readonly DecidingRule[]): AddressVerdict {
  const isAllowing = ({ ruleset }: DecidingRule): boolean => ruleset.purpose === "allowlist";
  const ordered = [...rules.filter(isAllowing), ...rules.filter((each) => !isAllowing(each))];
  return {
    decision: decisionOf(new Set(rules.map(({ ruleset }) => ruleset.purpose))),
    rules: ordered.slice(0, MAX_RULES),
    rulesCount: rules.length,
  };
}

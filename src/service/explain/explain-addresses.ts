import { formatPrefix } from "../../address/prefix.ts";
import { ruleJson } from "../../formats/rule-document.ts";
import { type ExplainedRule, explainRules, nextChangeOf } from "../../rulesets/explain.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { NO_RULE, type RuleId } from "../../rulesets/rule-id.ts";
import type { RuleIndex } from "../../rulesets/index/rule-index.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { finished } from "../../turns/finished.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { isActivePlan } from "../access/plans.ts";
import { AddressLookups } from "../datasets/address-lookups.ts";
import type { AddressBatch } from "../address-batch.ts";
import { type ExplainedDeployment, explainingDeployments, gatherDeployments } from "./explain-deployments.ts";
import type { Ruleset } from "../../store/state.ts";
import type { SourceServices } from "../sources/gather-source.ts";
import type { PublishedLists } from "../deployments/published-lists.ts";
import type { Metrics } from "../usage/metrics.ts";
import { actorDocument } from "../rules/actor-document.ts";
import { atOneVersion } from "../rules/at-one-version.ts";
import { decisionOf } from "../rules/decision.ts";

/** At this time every rule counts as active, so lookups find expired rules too. */
const BEFORE_ALL_EXPIRIES = Number.NEGATIVE_INFINITY;
/** Lookups done in one turn, rulesets times addresses: some milliseconds. */
const MAX_IN_TURN = 2000;
/** Rules read between two interruptions. */
const RULES_AT_ONCE = 256;

/** Who makes the request, and when. */
export interface ExplainRequest {
  readonly organisationId: string;
  readonly now: number;
  /** Whether the response names the authors of rules. */
  readonly hasActors: boolean;
}

/** Where explanations are read from. */
interface Dependencies extends SourceServices {
  readonly lists: PublishedLists;
  readonly metrics: Metrics;
}

/** The rules of a ruleset that cover the addresses of a batch. */
interface Found {
  readonly about: Ruleset;
  /** By index: the most specific rule that covers it, expired or not; 0 for none. */
  readonly ids: Uint32Array;
  /** By such a rule: it and all that cover it, the most specific first. */
  readonly covering: ReadonlyMap<number, readonly Rule[]>;
}

/** What a ruleset says about addresses that the same rules cover. */
interface RulesetText {
  readonly json: string;
  readonly decides: boolean;
  readonly nextChangeAt: number | null;
}

/**
 * Why addresses and prefixes are allowed, blocked or neither: JSON by the schema `Explanation`, by index. Rules that
 * cover the same address cover one another, so what a ruleset says depends on the most specific of them alone and is
 * written once for each. O(rulesets + sources of deployments) lookups an address.
 */
export async function explainAddresses(
  batch: AddressBatch,
  request: ExplainRequest,
  services: Dependencies,
): Promise<(index: number) => string> {
  const { memory, threats, metrics } = services;
  const { organisationId, now } = request;
  const found = await findRules(batch, request, services);
  const authors = request.hasActors ? await authorsOf(found, organisationId, services) : NO_AUTHORS;
  const rulesetTexts = found.map((each) => new RulesetTexts(each, authors, now));
  const deployments = await gatherDeployments(organisationId, now, services);
  const listed = await inSlices(explainingDeployments(batch, deployments));
  const cbs = isActivePlan(memory.plan(organisationId, "cbs"), now) ? await lookupsOf(services) : undefined;
  const addresses = cbs && (await inSlices(cbs.lookingUp(batch)));
  const hasThreats = isActivePlan(memory.plan(organisationId, "cti"), now) && threats.generation !== 0;
  const cti = hasThreats ? threats.view() : undefined;
  const seen = cti && (await inSlices(cti.lookingUp(batch)));
  if (addresses !== undefined) metrics.countLookups("cbs", batch.count, countOf(addresses.matches));
  if (seen !== undefined) metrics.countLookups("cti", batch.count, countOf(seen));
  return (index) => {
    const ip = batch.texts[index]!;
    const rulesets = rulesetTexts.map((texts) => texts.at(index)).filter((each) => each !== undefined);
    return `{"ip":"${ip}",${decisionMembers(rulesets, listed[index] ?? [])},"cbs":${
      cbs === undefined ? "null" : cbs.document(addresses!, batch, index)
    },"cti":${cti === undefined ? "null" : cti.document(ip, seen![index] as never)}}`;
  };
}

/** The first request opens the networks. */
async function lookupsOf({ catalogue, networks }: Dependencies): Promise<AddressLookups> {
  await networks.open();
  return new AddressLookups(catalogue.view(), networks.view());
}

function countOf(matches: Uint32Array): number {
  return matches.reduce((count, match) => count + (match === 0 ? 0 : 1), 0);
}

function decisionMembers(
  found: readonly { readonly about: Ruleset; readonly text: RulesetText }[],
  deployments: readonly ExplainedDeployment[],
): string {
  const purposes = new Set(found.filter(({ text: { decides } }) => decides).map(({ about: { purpose } }) => purpose));
  const next = nextChangeOf(found.map(({ about: { purpose }, text }) => ({ purpose, ...text })));
  const rulesets = found.map(({ text: { json } }) => json).join(",");
  const decision = decisionOf(purposes);
  const against = deployments.filter(({ does }) => does !== null && decision !== "none" && does !== decision);
  const members = [
    `"decision":"${decision}"`,
    `"next_change_at":${timestampJson(next)}`,
    `"rulesets":[${rulesets}]`,
    `"deployments":[${deployments.map(({ json }) => json).join(",")}]`,
    `"contradicted_by":${JSON.stringify(against.map(({ id }) => id))}`,
  ];
  return members.join(",");
}

function timestampJson(moment: number | null): string {
  return moment === null ? "null" : `"${formatTimestamp(moment)}"`;
}

/** Each ruleset as of one moment. */
async function findRules(
  batch: AddressBatch,
  { organisationId }: ExplainRequest,
  { memory }: Dependencies,
): Promise<Found[]> {
  const rulesets = memory.rulesets(organisationId);
  if (batch.count * rulesets.length <= MAX_IN_TURN)
    return rulesets.map(({ about, rules }) => ({ about, ...finished(findingRules(rules, batch)) }));
  const found: Found[] = [];
  for (const { about } of rulesets) {
    const read = await atOneVersion(
      () => memory.ruleset(organisationId, about.id),
      ({ rules }) => findingRules(rules, batch),
    );
    if (read !== undefined) found.push({ about: read.ruleset.about, ...read.result });
  }
  return found;
}

function* findingRules(
  rules: RuleIndex,
  batch: AddressBatch,
): Generator<undefined, Pick<Found, "ids" | "covering">, undefined> {
  const ids = yield* batch.lookingUp({
    lookUpInto: (family, words, out, count) => rules.decideWordsInto(family, words, out, BEFORE_ALL_EXPIRIES, count),
    lookUpPrefix: (prefix) => rules.decide(prefix, BEFORE_ALL_EXPIRIES),
  });
  const covering = new Map<number, readonly Rule[]>();
  let read = 0;
  for (const id of ids as Iterable<number> as Iterable<RuleId>)
    if (id !== NO_RULE && !covering.has(id)) {
      covering.set(id, chainOf(rules, id));
      if (++read % RULES_AT_ONCE === 0) yield;
    }
  return { ids, covering };
}

/** A rule and all that cover it. */
function chainOf(rules: RuleIndex, id: RuleId): Rule[] {
  const chain: Rule[] = [];
  for (let each = id; each !== NO_RULE; each = rules.decideAbove(each, BEFORE_ALL_EXPIRIES))
    chain.push(rules.ruleAt(each));
  return chain;
}

/** Who wrote a rule of a ruleset at a time, as JSON. */
type Authors = (rulesetId: string, at: number) => string;
const NO_AUTHORS: Authors = () => "null";

async function authorsOf(
  found: readonly Found[],
  organisationId: string,
  { store, memory }: Dependencies,
): Promise<Authors> {
  const known = new Map<string, Map<number, string>>();
  for (const { about, covering } of found) {
    const times = new Map<number, string>();
    known.set(about.id, times);
    for (const chain of covering.values())
      for (const { createdAt, updatedAt } of chain) times.set(createdAt, "null").set(updatedAt, "null");
  }
  const writes = [...known].flatMap(([rulesetId, times]) => Array.from(times.keys(), (at) => ({ rulesetId, at })));
  const actors = writes.length === 0 ? [] : await store.read("ruleAuthors", organisationId, writes);
  for (const [index, { rulesetId, at }] of writes.entries()) {
    const actor = actors[index] ?? null;
    if (actor !== null) known.get(rulesetId)!.set(at, JSON.stringify(actorDocument(actor, organisationId, memory)));
  }
  return (rulesetId, at) => known.get(rulesetId)?.get(at) ?? "null";
}

/** What a ruleset says, by index. */
class RulesetTexts {
  readonly #found: Found;
  readonly #authors: Authors;
  readonly #now: number;
  /** The beginning of every text of the ruleset. */
  readonly #start: string;
  readonly #texts = new Map<number, RulesetText>();

  constructor(found: Found, authors: Authors, now: number) {
    this.#found = found;
    this.#authors = authors;
    this.#now = now;
    const { id, name, purpose } = found.about;
    this.#start = JSON.stringify({ id, name, purpose }).slice(0, -1);
  }

  /** Undefined where no rule covers it. */
  at(index: number): { readonly about: Ruleset; readonly text: RulesetText } | undefined {
    const id = this.#found.ids[index]!;
    if (id === 0) return undefined;
    let text = this.#texts.get(id);
    if (text === undefined) this.#texts.set(id, (text = this.#write(this.#found.covering.get(id)!)));
    return { about: this.#found.about, text };
  }

  /** Neither prefixes nor timestamps contain anything that JSON escapes. */
  #write(rules: readonly Rule[]): RulesetText {
    const { deciding, covering, nextChangeAt, coveredUntil } = explainRules(rules, this.#now);
    const decider = deciding === null ? "null" : `"${formatPrefix(deciding.prefix)}"`;
    const times = `"next_change_at":${timestampJson(nextChangeAt)},"covered_until":${timestampJson(coveredUntil)}`;
    const texts = covering.map((rule) => this.#ruleText(rule)).join(",");
    const json = `${this.#start},"decided_by":${decider},${times},"rules":[${texts}]}`;
    return { json, decides: deciding !== null, nextChangeAt };
  }

  #ruleText(rule: ExplainedRule): string {
    const { id } = this.#found.about;
    const [added, updated] = [this.#authors(id, rule.createdAt), this.#authors(id, rule.updatedAt)];
    return `${ruleJson(rule).slice(0, -1)},"role":"${rule.role}","added_by":${added},"updated_by":${updated}}`;
  }
}

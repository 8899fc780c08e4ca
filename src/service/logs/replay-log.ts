import { formatAddress } from "../../address/format-address.ts";
import { comparePrefixes, parsePrefix } from "../../address/prefix.ts";
import type { Prefix } from "../../address/address.ts";
import type { AddressCounts } from "../../batch/engine/address-counts.ts";
import { hitsByNode, type NodeHits } from "../../cbs/hits-by-node.ts";
import {
  type Hits,
  type Replay,
  type ReplayDifference,
  replayDifference,
  replaying,
  topHits,
  unusedRules,
} from "../../rulesets/replay.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { RuleIndex } from "../../rulesets/index/rule-index.ts";
import type { DeploymentSource } from "../../store/records/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { isActivePlan } from "../access/plans.ts";
import { Sources, type SourceServices } from "../sources/gather-source.ts";
import { readSource, rethrow } from "../deployments/read-deployment.ts";
import { atOneVersion } from "../rules/at-one-version.ts";
import { ServiceError } from "../service-error.ts";

export interface ReplayRequest {
  readonly organisationId: string;
  readonly counts: AddressCounts;
  readonly rules: DeploymentSource;
  readonly against: DeploymentSource | undefined;
  /** How many rules, addresses and services are listed. */
  readonly top: number;
  readonly now: number;
}

/** A rule and what it would have hit. */
export interface RuleHit extends Hits {
  readonly rule: Pick<Rule, "prefix" | "name">;
}

/** What rules would have done with a log. */
export interface ReplayReport {
  readonly hit: Hits;
  readonly rulesHit: number;
  readonly rulesUnused: number;
  /** Most lines first. */
  readonly topRules: readonly RuleHit[];
  /** The first of them, in order. */
  readonly unused: readonly Pick<Rule, "prefix" | "name">[];
  readonly topAddresses: readonly { readonly ip: string; readonly lines: number }[];
  /** Of the addresses that are hit; none without a plan for the catalogue. */
  readonly services: readonly NodeHits[];
  /** Null if there are no other rules. */
  readonly difference: ReplayDifference | null;
}

/** Rules added between two interruptions. */
const AT_ONCE = 256;

/**
 * What rules would have done with the addresses of a log, and what other rules would not. O(rules + addresses), in
 * slices. Rejects with ServiceError "invalid" that names `rules` or `against`, and "no-plan".
 */
export async function replayLog(request: ReplayRequest, services: SourceServices): Promise<ReplayReport> {
  const { rules, against, counts, top } = request;
  const found = await replayed(rules, "rules", request, services);
  const other = against === undefined ? undefined : await replayed(against, "against", request, services);
  const { replay, topRules, unused, active } = found;
  return {
    hit: { lines: replay.lines, addresses: replay.addresses },
    rulesHit: replay.byRule.size,
    rulesUnused: active - replay.byRule.size,
    topRules,
    unused,
    topAddresses: topHits(replay, counts, top).map(({ family, at }) => ({
      ip: formatAddress(addressAt(counts, family, at)),
      lines: (family === 4 ? counts.counts4 : counts.counts6)[at]!,
    })),
    services: await servicesOf(replay, request, services),
    difference: other === undefined ? null : replayDifference(replay, other.replay, counts),
  };
}

interface Replayed extends Pick<ReplayReport, "topRules" | "unused"> {
  readonly replay: Replay;
  readonly active: number;
}

async function replayed(
  source: DeploymentSource,
  field: string,
  request: ReplayRequest,
  services: SourceServices,
): Promise<Replayed> {
  const { organisationId, now } = request;
  const gatherer = new Sources(services);
  const scope = { organisationId, now, services: { ...services, lists: { sources: gatherer } } };
  const read = await readSource(source, field, scope);
  if ("ruleset" in read) {
    const found = await atOneVersion(
      () => services.memory.ruleset(organisationId, read.ruleset),
      ({ rules }) => replayingRules(rules, request),
    );
    if (found === undefined) throw new ServiceError("not-found", "the ruleset has been deleted");
    return found.result;
  }
  const prefixes =
    "prefixes" in read
      ? read.prefixes.values().map((text) => parsePrefix(text))
      : (
          await gatherer.gather(organisationId, read, now).catch((error: unknown) => rethrow(error, field))
        ).addresses.prefixes();
  return inSlices(replayingRules(await inSlices(indexOf(prefixes)), request));
}

/** Rules without names, which never expire. */
function* indexOf(prefixes: Iterable<Prefix>): Generator<undefined, RuleIndex, undefined> {
  const index = new RuleIndex();
  let count = 0;
  for (const prefix of prefixes) {
    index.set({ prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 });
    if (++count % AT_ONCE === 0) yield;
  }
  return index;
}

function* replayingRules(
  rules: RuleIndex,
  { counts, now, top }: ReplayRequest,
): Generator<undefined, Replayed, undefined> {
  const replay = yield* replaying(rules, counts, now);
  const topRules = replay.byRule.most(top).map((id) => ({ rule: rules.ruleAt(id), ...replay.byRule.get(id)! }));
  topRules.sort(
    (a, b) => b.lines - a.lines || b.addresses - a.addresses || comparePrefixes(a.rule.prefix, b.rule.prefix),
  );
  return { replay, topRules, unused: yield* unusedRules(rules, replay, now, top), active: rules.activeCount(now) };
}

async function servicesOf(
  replay: Replay,
  { counts, top, organisationId, now }: ReplayRequest,
  { memory, catalogue }: SourceServices,
): Promise<readonly NodeHits[]> {
  if (catalogue.generation === 0 || !isActivePlan(memory.plan(organisationId, "cbs"), now)) return [];
  const nodes = await inSlices(hitsByNode(catalogue.view().catalogue, counts, replay.decisions));
  return nodes.slice(0, top);
}

function addressAt({ words4, words6 }: AddressCounts, family: 4 | 6, at: number) {
  const [w0, w1, w2, w3] = family === 4 ? [words4[at]!, 0, 0, 0] : words6.subarray(4 * at, 4 * at + 4);
  return { family, w0: w0!, w1: w1!, w2: w2!, w3: w3! };
}

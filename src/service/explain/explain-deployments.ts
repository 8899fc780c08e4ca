import { addressBits, type Prefix } from "../../address/address.ts";
import { parsePrefix, prefixContains } from "../../address/prefix.ts";
import type { Gathered } from "../../deployments/gathered.ts";
import { AddressSet } from "../../sets/address-set.ts";
import type { AddressTimes } from "../../sets/address-times.ts";
import { type Deployment, type DeploymentSource, statusOf, votersOf } from "../../store/records/deployment.ts";
import type { AddressBatch } from "../address-batch.ts";
import type { PublishedLists } from "../deployments/published-lists.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { formatNamed } from "../deployments/deployment-formats.ts";
import { SourceError } from "../sources/gather-source.ts";
import { collectingAddresses } from "../deployments/list-difference.ts";
import type { ServedList } from "../deployments/published-lists.ts";

/** Addresses looked up between two interruptions. */
const AT_ONCE = 256;

interface Side {
  readonly source: DeploymentSource;
  readonly gathered: Gathered;
  /** What each source of a vote lists; none for other sources. */
  readonly voters: readonly Gathered[];
}

/** An active deployment with what its sources list; `error`: why they cannot be read. */
export interface GatheredDeployment {
  readonly deployment: Deployment;
  readonly include: readonly Side[];
  readonly exclude: readonly Side[];
  /** What its guard takes out. */
  readonly takenOut: readonly Gathered[];
  /** What no source lists, and was added to shorten the list. */
  readonly added: AddressSet;
  /** When its addresses end; undefined: its entries have no times. */
  readonly times: AddressTimes | undefined;
  /** What devices keep after a refusal; undefined: the latest list was not refused, or devices have none. */
  readonly kept: AddressSet | undefined;
  readonly error: string | null;
}

/** The active deployments of an organisation, as their sources are at `now`. */
export function gatherDeployments(
  organisationId: string,
  now: number,
  { memory, lists }: { readonly memory: ServiceMemory; readonly lists: PublishedLists },
): Promise<GatheredDeployment[]> {
  const gatherAll = (sources: readonly DeploymentSource[]): Promise<Side[]> =>
    Promise.all(
      sources.map(async (source) => {
        const gather = (each: DeploymentSource): Promise<Gathered> => lists.sources.gather(organisationId, each, now);
        const voters = "atleast" in source ? await Promise.all(source.of.map(gather)) : [];
        return { source, gathered: await gather(source), voters };
      }),
    );
  const active = memory.deployments(organisationId).filter(({ definition }) => definition.active);
  return Promise.all(
    active.map(async (deployment) => {
      const { include, exclude } = deployment.definition;
      const { id } = deployment;
      const served = statusOf(deployment) === "refused" ? lists.served(id) : undefined;
      const kept = served && (await keptOf(served, deployment));
      const known = { takenOut: lists.takenOut(id), added: lists.added(id), times: lists.times(id), kept };
      try {
        return {
          deployment,
          include: await gatherAll(include),
          exclude: await gatherAll(exclude),
          ...known,
          error: null,
        };
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        return { deployment, include: [], exclude: [], ...known, error: error.message };
      }
    }),
  );
}

/** Made once for each list that is kept. */
const KEPT = new WeakMap<ServedList, Promise<AddressSet>>();

function keptOf(served: ServedList, { definition }: Deployment): Promise<AddressSet> {
  const known = KEPT.get(served);
  if (known !== undefined) return known;
  const expression = formatNamed(definition.firewall_format);
  const made = inSlices(collectingAddresses({ text: served.text, expression }));
  KEPT.set(served, made);
  return made;
}

/** How a deployment concerns an address or prefix. */
export interface ExplainedDeployment {
  readonly id: string;
  /** What its list does with any of it; null: nothing, or not known. */
  readonly does: "allow" | "block" | null;
  /** By the schema `ExplainedDeployment`. */
  readonly json: string;
}

/** The deployments that concern each address and prefix of a batch, by index; nothing at an index for none. */
export function* explainingDeployments(
  batch: AddressBatch,
  deployments: readonly GatheredDeployment[],
): Generator<undefined, (readonly ExplainedDeployment[])[], undefined> {
  const explained: (readonly ExplainedDeployment[])[] = [];
  if (deployments.length === 0) return explained;
  const explainers = deployments.map((each) => new DeploymentExplainer(each));
  let count = 0;
  for (const [index, prefix] of prefixesOf(batch)) {
    const found: ExplainedDeployment[] = [];
    for (const each of explainers) {
      const one = yield* each.explaining(prefix);
      if (one !== undefined) found.push(one);
    }
    if (found.length > 0) explained[index] = found;
    if (++count % AT_ONCE === 0) yield;
  }
  return explained;
}

function* prefixesOf(batch: AddressBatch): Generator<readonly [index: number, prefix: Prefix], void> {
  for (let i = 0; i < batch.count4; i++)
    yield [batch.indexes4[i]!, { family: 4, w0: batch.words4[i]!, w1: 0, w2: 0, w3: 0, length: 32 }];
  for (let i = 0; i < batch.count6; i++) {
    const [w0, w1, w2, w3] = batch.words6.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
    yield [batch.indexes6[i]!, { family: 6, w0, w1, w2, w3, length: 128 }];
  }
  for (const [i, prefix] of batch.prefixes.entries()) yield [batch.prefixIndexes[i]!, prefix];
}

/** How a deployment concerns prefixes. Found once for all addresses that are in the same sets. */
class DeploymentExplainer {
  readonly #gathered: GatheredDeployment;
  /** All sets that `explaining` looks an address up in. */
  readonly #sets: readonly AddressSet[];
  /** By family and by which of the sets, in order, have an address. */
  readonly #known = new Map<string, ExplainedDeployment | undefined>();
  readonly #isKept: boolean;

  constructor(gathered: GatheredDeployment) {
    const { include, exclude, takenOut, added, times, kept = AddressSet.EMPTY } = gathered;
    const sides = [...include, ...exclude];
    this.#gathered = gathered;
    this.#sets = [...sides.flatMap((side) => [side.gathered, ...side.voters]), ...takenOut]
      .map(({ addresses }) => addresses)
      .concat(added, kept);
    const isOfPrefixes = ({ source }: Side): boolean => votersOf(source).some((each) => "prefixes" in each);
    this.#isKept = times === undefined && !sides.some(isOfPrefixes);
  }

  /** Undefined where no source of the deployment lists any of the prefix. */
  *explaining(prefix: Prefix): Generator<undefined, ExplainedDeployment | undefined, undefined> {
    if (!this.#isKept || !isAddress(prefix)) return yield* explaining(this.#gathered, prefix);
    const key = this.#setsOf(prefix);
    if (!this.#known.has(key)) this.#known.set(key, yield* explaining(this.#gathered, prefix));
    return this.#known.get(key);
  }

  #setsOf(address: Prefix): string {
    let key = address.family === 4 ? "4" : "6";
    for (const set of this.#sets) key += set.has(address) ? "1" : "0";
    return key;
  }
}

/** Undefined where no source of the deployment lists any of the prefix, and devices have none of it. */
function* explaining(
  { deployment, include, exclude, takenOut, added, times, kept, error }: GatheredDeployment,
  prefix: Prefix,
): Generator<undefined, ExplainedDeployment | undefined, undefined> {
  const { id, name, definition } = deployment;
  const { purpose } = definition;
  const status = statusOf(deployment);
  const about = { id, name, purpose, status };
  const had = kept !== undefined && hasAny(kept, prefix) ? yield* containing([kept], [], prefix) : "none";
  const onDevices = status === "refused" && { devices_have: had };
  if (error !== null) {
    const unknown = { contains: "unknown", decided_by: null, include: [], exclude: [] };
    const json = JSON.stringify({ ...about, ...unknown, ...onDevices, error });
    return { id, does: had === "none" ? null : DOES[purpose], json };
  }
  const including = include.filter((side) => lists(side, prefix));
  const excluding = exclude.filter((side) => lists(side, prefix));
  const isAdded = hasAny(added, prefix);
  if (including.length + excluding.length === 0 && !isAdded && had === "none") return undefined;
  const guarded = takenOut.filter(({ addresses }) => hasAny(addresses, prefix));
  const removing = [...excluding.map(({ gathered }) => gathered), ...guarded].map(({ addresses }) => addresses);
  const listing = including.map(({ gathered }) => gathered.addresses);
  const contains = isOfFamily(definition.options, prefix)
    ? yield* containing([...listing, ...(isAdded ? [added] : [])], removing, prefix)
    : "none";
  const json = JSON.stringify({
    ...about,
    contains,
    decided_by: deciderOf({ excluding, guarded, including, isAdded }),
    include: including.map(({ source }) => shownSource(source, prefix)),
    exclude: excluding.map(({ source }) => shownSource(source, prefix)),
    ...votesFor([...including, ...excluding], prefix),
    ...(times !== undefined && { ends_at: endOf(times, prefix) }),
    ...onDevices,
    error: null,
  });
  const onThem = status === "refused" ? had : contains;
  return { id, does: onThem === "none" ? null : DOES[purpose], json };
}

/** Null where no source lists any of it: devices have it of an earlier list. */
function deciderOf({
  excluding,
  guarded,
  including,
  isAdded,
}: Readonly<Record<"excluding" | "guarded" | "including", readonly unknown[]>> & { readonly isAdded: boolean }) {
  if (excluding.length > 0) return "exclude";
  if (guarded.length > 0) return "guard";
  if (including.length > 0) return "include";
  return isAdded ? "fit" : null;
}

const DOES = { blocklist: "block", allowlist: "allow", other: null } as const;

/** When the last address of a prefix leaves the list by itself; null: never, or none is in it. */
function endOf(times: AddressTimes, prefix: Prefix): string | null {
  const end = times.latestIn(prefix);
  return end === 0 || end === Infinity ? null : formatTimestamp(end * 1000);
}

function lists({ gathered: { addresses } }: Side, prefix: Prefix): boolean {
  return hasAny(addresses, prefix);
}

function hasAny(addresses: AddressSet, prefix: Prefix): boolean {
  return isAddress(prefix) ? addresses.has(prefix) : !addresses.within(prefix).isEmpty;
}

function isAddress({ family, length }: Prefix): boolean {
  return length === addressBits(family);
}

function isOfFamily({ families }: Deployment["definition"]["options"], { family }: Prefix): boolean {
  return families === undefined || families.includes(family);
}

/** How much of the prefix is in the list: excludes always win, and what is added is in none of them. */
function* containing(
  listing: readonly AddressSet[],
  removing: readonly AddressSet[],
  prefix: Prefix,
): Generator<undefined, "all" | "part" | "none", undefined> {
  if (isAddress(prefix)) return listing.length > 0 && removing.length === 0 ? "all" : "none";
  let listed = yield* AddressSet.uniting(listing.map((addresses) => addresses.within(prefix)));
  for (const addresses of removing) listed = yield* listed.combining("difference", addresses.within(prefix));
  if (listed.isEmpty) return "none";
  return listed.equals(AddressSet.of([prefix])) ? "all" : "part";
}

/** Which sources vote for any of the prefix, for each source that is a vote; nothing if none is. */
function votesFor(sides: readonly Side[], prefix: Prefix): { readonly votes?: readonly object[] } {
  const votes = sides.flatMap(({ source, voters }) => {
    if (!("atleast" in source)) return [];
    const own = [...source.of.keys()].filter((at) => hasAny(voters[at]!.addresses, prefix));
    const weight = own.reduce((sum, at) => sum + (source.weights?.[at] ?? 1), 0);
    return [{ atleast: source.atleast, votes: weight, by: own.map((at) => shownSource(source.of[at]!, prefix)) }];
  });
  return votes.length === 0 ? {} : { votes };
}

/** Of literal prefixes, only those that overlap the prefix in question. */
function shownSource(source: DeploymentSource, prefix: Prefix): DeploymentSource {
  if (!("prefixes" in source)) return source;
  const overlaps = (text: string): boolean => {
    const own = parsePrefix(text);
    return prefixContains(own, prefix) || prefixContains(prefix, own);
  };
  return { prefixes: source.prefixes.filter(overlaps) };
}

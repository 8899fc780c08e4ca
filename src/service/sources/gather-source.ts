import { parsePrefix } from "../../address/prefix.ts";
import { nearest } from "../../words/nearest.ts";
import { type CatalogueTree, ROOT } from "../../cbs/catalogue-tree.ts";
import type { Classification } from "../../cti/fields.ts";
import { parseQuery } from "../../cti/search/parse-query.ts";
import { QueryError } from "../../cti/search/query-error.ts";
import { type Gathered, gatheringPrefixes } from "../../deployments/gathered.ts";
import { gatheringNode } from "../../deployments/sources/node.ts";
import { gatheringNetwork } from "../../deployments/sources/network.ts";
import { NetworksError } from "../../networks/networks-error.ts";
import type { NetworkSelection } from "../../networks/select-networks.ts";
import { openThreatSearch } from "../datasets/search-threats.ts";
import type { ServedNetworks } from "../datasets/served-networks.ts";
import { gatheringRules } from "../../deployments/sources/rules.ts";
import { gatheringSearch } from "../../deployments/sources/search.ts";
import { gatheringVotes } from "../../deployments/sources/votes.ts";
import { gatheringThreats } from "../../deployments/sources/threats.ts";
import type { RuleIndex } from "../../rulesets/index/rule-index.ts";
import type { Capability } from "../../sets/capability.ts";
import { type DeploymentSource, votersOf } from "../../store/records/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { prefixesOfList, unpackList } from "./list-text.ts";
import { atOneVersion } from "../rules/at-one-version.ts";
import type { CatalogueView } from "../datasets/catalogue-view.ts";
import type { ServedDataset } from "../datasets/served-dataset.ts";
import type { ThreatView } from "../datasets/threat-view.ts";
import { stateOf } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/** Where sources are read from. */
export interface SourceServices {
  readonly store: Store;
  readonly memory: ServiceMemory;
  readonly catalogue: ServedDataset<CatalogueView>;
  readonly threats: ServedDataset<ThreatView>;
  readonly networks: ServedNetworks;
}

/** A source that cannot be read: the list compiled from it before stays published. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

interface Kept {
  /** Changes whenever the source may list something else for another reason than the passing of time. */
  readonly version: string;
  readonly from: number;
  readonly gathered: Promise<Gathered>;
}

/** Whether it selects from threat intelligence. */
export function isOfThreats(source: DeploymentSource): boolean {
  return votersOf(source).some((each) => "cti" in each || "cti_query" in each);
}

/** Whether it selects from the networks. */
export function isOfNetworks(source: DeploymentSource): boolean {
  return votersOf(source).some(selectsNetworks);
}

function selectsNetworks(source: DeploymentSource): source is Extract<DeploymentSource, NetworkSelection> {
  return "asn" in source || "country" in source;
}

/** Whether others decide its content: whoever publishes the list, or the dataset that it selects from. */
export function isOfDataset(source: DeploymentSource): boolean {
  const isOfCatalogue = votersOf(source).some((each) => "cbs" in each || "list" in each);
  return isOfCatalogue || isOfThreats(source) || isOfNetworks(source);
}

/** A source that is kept for an organisation. */
export interface UsedSource {
  readonly organisationId: string;
  readonly source: DeploymentSource;
  /** With the ends of its addresses. */
  readonly isTimed: boolean;
  /** With the addresses of the prefixes that a list of this kind can express. */
  readonly expresses?: Capability | undefined;
}

const WITH_ENDS = " with ends";

/** Prefixes, external lists and votes have no ends: they are the same with them. */
function keyOf({ organisationId, source, isTimed, expresses }: UsedSource): string {
  const hasEnds = isTimed && !("prefixes" in source || "list" in source || "atleast" in source);
  const kind = expresses === undefined ? "" : ` ${JSON.stringify(expresses)}`;
  return `${organisationId} ${JSON.stringify(source)}${kind}${hasEnds ? WITH_ENDS : ""}`;
}

/** Gathers sources, and caches what they list until it changes. */
export class Sources {
  readonly #services: SourceServices;
  readonly #kept = new Map<string, Kept>();

  constructor(services: SourceServices) {
    this.#services = services;
  }

  /**
   * What the source of an organisation lists at `now`, with the ends of its addresses if `isTimed`, and what of it
   * can be expressed if `expresses` is given. Rejects with
   * SourceError. O(source), in slices; O(1) while nothing has changed.
   */
  async gather(
    organisationId: string,
    source: DeploymentSource,
    now: number,
    isTimed = false,
    expresses?: Capability,
  ): Promise<Gathered> {
    const key = keyOf({ organisationId, source, isTimed, expresses });
    const version = this.#versionOf(organisationId, source);
    // With ends it is the same, and more.
    for (const each of isTimed ? [key] : [key, `${key}${WITH_ENDS}`]) {
      const kept = this.#kept.get(each);
      if (kept?.version !== version || kept.from > now) continue;
      const gathered = await kept.gathered;
      if (now < gathered.until) return gathered;
    }
    const gathered = this.#gather({ organisationId, source, isTimed, expresses }, now);
    this.#kept.set(key, { version, from: now, gathered });
    gathered.catch(() => this.#kept.delete(key));
    return gathered;
  }

  /** Forgets all sources except those of these organisations' deployments. */
  keepOnly(used: Iterable<UsedSource>): void {
    const keys = new Set([...used].map(keyOf));
    for (const key of this.#kept.keys()) if (!keys.has(key)) this.#kept.delete(key);
  }

  /** Identifies the dataset that is loaded, the same on all servers that have loaded it; "" where none is. */
  generationOf(dataset: "cbs" | "cti" | "networks"): string {
    const { catalogue, threats, networks } = this.#services;
    if (dataset === "networks") return networks.view()?.snapshot.info.generation ?? "";
    if (dataset === "cbs") return catalogue.generation === 0 ? "" : catalogue.view().generation;
    return threats.generation === 0 ? "" : String(threats.view().dataset.metadata.createdAt);
  }

  /** Identifies the content of an external list, as `generationOf`. */
  contentOf(organisationId: string, id: string): string {
    return `${id} ${this.#services.memory.externalList(organisationId, id)?.content?.number ?? 0}`;
  }

  #versionOf(organisationId: string, source: DeploymentSource): string {
    const { memory, catalogue, threats, networks } = this.#services;
    if ("atleast" in source) return source.of.map((each) => this.#versionOf(organisationId, each)).join("; ");
    if (selectsNetworks(source)) return String(networks.generation);
    if ("ruleset" in source) {
      const ruleset = memory.ruleset(organisationId, source.ruleset);
      return ruleset === undefined ? "" : stateOf(ruleset.about);
    }
    // A database that was restored gives a content the number of another one that was lost.
    if ("list" in source)
      return `${this.contentOf(organisationId, source.list)} ${memory.externalList(organisationId, source.list)?.content?.digest}`;
    if ("cbs" in source) return String(catalogue.generation);
    // Networks say where addresses belong of which the documents do not.
    if ("cti_query" in source) return `${threats.generation} ${networks.generation}`;
    return "cti" in source ? String(threats.generation) : "";
  }

  async #gather({ organisationId, source, isTimed, expresses }: UsedSource, now: number): Promise<Gathered> {
    if ("atleast" in source) {
      const { atleast: least, of, weights } = source;
      const voters = await Promise.all(of.map((each) => this.gather(organisationId, each, now)));
      return inSlices(gatheringVotes(nameOf(source), { least, ...(weights && { weights }) }, voters, expresses));
    }
    if ("ruleset" in source)
      return this.#gatherRules(organisationId, source.ruleset, (name, rules) =>
        gatheringRules(name, rules, now, isTimed, expresses),
      );
    if ("prefixes" in source)
      return inSlices(
        gatheringPrefixes(
          "prefixes",
          source.prefixes.map((text) => parsePrefix(text)),
          expresses,
        ),
      );
    if ("list" in source) return this.#gatherList(organisationId, source.list, expresses);
    if ("cbs" in source) return this.#gatherNode(source.cbs, isTimed, expresses);
    if (selectsNetworks(source)) return this.#gatherNetwork(source, expresses);
    if (this.#services.threats.generation === 0) throw new SourceError("no threat intelligence is loaded");
    if ("cti_query" in source) return this.#gatherSearch(source.cti_query, now, expresses);
    const { classification, tags, seen_within_days: seenWithinDays } = source.cti;
    const selection = { classification: classification as Classification | undefined, tags, seenWithinDays };
    const { dataset } = this.#services.threats.view();
    return inSlices(gatheringThreats(nameOf(source), dataset, selection, now, isTimed, expresses));
  }

  async #gatherRules(
    organisationId: string,
    id: string,
    gather: (name: string, rules: RuleIndex) => Generator<undefined, Gathered, undefined>,
  ): Promise<Gathered> {
    const { memory } = this.#services;
    const found = await atOneVersion(
      () => memory.ruleset(organisationId, id),
      ({ about, rules }) => gather(`the ruleset ${JSON.stringify(about.name)}`, rules),
    );
    if (found === undefined) throw new SourceError(`the ruleset ${id} has been deleted; remove it from the sources`);
    return found.result;
  }

  async #gatherList(organisationId: string, id: string, expresses?: Capability): Promise<Gathered> {
    const list = this.#services.memory.externalList(organisationId, id);
    if (list === undefined)
      throw new SourceError(`the external list ${id} has been deleted; remove it from the sources`);
    const name = `the external list ${JSON.stringify(list.name)}`;
    const stored = list.content === null ? null : await this.#services.store.read("listContent", id);
    if (stored === null) throw new SourceError(`${name} has never been fetched; check its state`);
    const text = await unpackList(stored.content);
    return inSlices(
      gatheringPrefixes(
        name,
        [4 as const, 6 as const].values().flatMap((family) => prefixesOfList(text[family])),
        expresses,
      ),
    );
  }

  async #gatherNetwork(source: Extract<DeploymentSource, NetworkSelection>, expresses?: Capability): Promise<Gathered> {
    await this.#services.networks.open();
    const view = this.#services.networks.view();
    if (view === null) throw new SourceError("no networks are loaded; the server's log says why");
    try {
      return await inSlices(gatheringNetwork(nameOf(source), view.networks, source, expresses));
    } catch (error) {
      throw error instanceof NetworksError ? new SourceError(error.message) : error;
    }
  }

  async #gatherSearch(text: string, now: number, expresses?: Capability): Promise<Gathered> {
    const { search } = await openThreatSearch(this.#services);
    try {
      return await inSlices(gatheringSearch(nameOf({ cti_query: text }), search, parseQuery(text), now, expresses));
    } catch (error) {
      throw error instanceof QueryError ? new SourceError(error.message) : error;
    }
  }

  async #gatherNode(id: string, isTimed: boolean, expresses?: Capability): Promise<Gathered> {
    if (this.#services.catalogue.generation === 0) throw new SourceError("no catalogue is loaded");
    const { tree } = await this.#services.catalogue.view().browsing();
    // It may have been there, in an earlier catalogue.
    if (!tree.has(id)) {
      const meant = meantNode(tree, id);
      const cure = meant === undefined ? "change or remove the source" : `did you mean ${meant}?`;
      throw new SourceError(`the catalogue has no node ${JSON.stringify(id)}; ${cure}`);
    }
    return inSlices(gatheringNode(`the node ${id}`, tree, id, isTimed, expresses));
  }
}

/** The id that was probably meant: level by level the nearest name, as a catalogue may have ten thousand ids. */
function meantNode(tree: CatalogueTree, id: string): string | undefined {
  let at = ROOT;
  for (const part of id.split("/").filter((each) => each !== "")) {
    const children = new Map(tree.children(at).map((child) => [tree.node(child).id.split("/").at(-1)!, child]));
    const next = children.get(part) ?? children.get(nearest(part, [...children.keys()]) ?? "");
    if (next === undefined) return undefined;
    at = next;
  }
  return at === ROOT ? undefined : tree.node(at).id;
}

/** The name of a source in messages. */
function nameOf(source: DeploymentSource): string {
  if ("atleast" in source) return `what at least ${source.atleast} of ${source.of.length} sources list`;
  if ("ruleset" in source) return `the ruleset ${source.ruleset}`;
  if ("cbs" in source) return `the node ${source.cbs}`;
  if ("list" in source) return `the external list ${source.list}`;
  if ("cti_query" in source) return `the query ${source.cti_query}`;
  if ("asn" in source) return `AS${source.asn}`;
  if ("country" in source) return `the country ${source.country}`;
  return "cti" in source ? `threat intelligence ${JSON.stringify(source.cti)}` : "prefixes";
}

import type { Change } from "../../store/change.ts";
import type { RefuseListCommand } from "../../store/command.ts";
import {
  type Deployment,
  type DeploymentSource,
  type PublishedList,
  votersOf,
} from "../../store/records/deployment.ts";
import type { Gathered } from "../../deployments/gathered.ts";
import { AddressSet } from "../../sets/address-set.ts";
import type { AddressTimes } from "../../sets/address-times.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { FairTurns } from "../fair-turns.ts";
import { isActivePlan } from "../access/plans.ts";
import { type CompiledDeployment, compileDeployment, datasetSources, expressesOf } from "./compile-deployment.ts";
import { hasTimes } from "./feed-times.ts";
import {
  isOfNetworks,
  isOfThreats,
  SourceError,
  Sources,
  type SourceServices,
  type UsedSource,
} from "../sources/gather-source.ts";
import { isGuarded } from "./guard-deployment.ts";
import { hasHistory } from "./deployment-formats.ts";
import { continuingHistory } from "./list-history.ts";
import { digestingList, type ListText, packList, unpackList } from "../sources/list-text.ts";
import { isOutage } from "../store/store-outage.ts";
import { unreleased } from "./unreleased.ts";

/**
 * Minimum milliseconds between the starts of two compilations of a list; changes in between wait for the second one.
 */
const BETWEEN = 2000;
/** Milliseconds between two checks of the clock and the datasets. */
const EVERY = 500;
/** Maximum lists compiled at a time, each of another organisation; their slices alternate. */
const AT_ONCE = 2;

/** What devices get. */
export interface ServedList {
  readonly published: PublishedList;
  readonly text: ListText;
}

interface Dependencies extends SourceServices {
  readonly now: () => number;
}

/** What this server knows about the list of a deployment. */
interface Known {
  served: ServedList | undefined;
  /** Whether the sources or the deployment may have changed since it was compiled. */
  isStale: boolean;
  /** When the last compilation began, by a monotonic clock. */
  startedAt: number;
  /** The time it was compiled for; before that, if the clock is set back, expired rules may be active again. */
  at: number;
  /** When it changes without a write. */
  until: number;
  /** The numbers of the datasets that it was compiled from. */
  datasets: string;
  /** Compiled here and being written to the store. */
  pending: { readonly digest: string; readonly text: ListText; readonly fromDatasets: readonly Gathered[] } | undefined;
  /** What sources from datasets listed for the published list; undefined: another server published it. */
  before: readonly Gathered[] | undefined;
  /** What its guard took out in the last compilation. */
  takenOut: readonly Gathered[];
  /** What the last compilation added to shorten it. */
  added: AddressSet;
  /** When its addresses end, by the last compilation; undefined: its entries have no times. */
  times: AddressTimes | undefined;
}

/** What a list is compiled for; without an id, the deployment does not exist yet. */
type ToCompile = Pick<Deployment, "organisationId" | "name" | "definition" | "published"> & { readonly id?: string };

/**
 * Keeps the lists of all deployments up to date: compiled when a source, the deployment or the time changes, each at
 * most every two seconds. Few are compiled at a time, always to the newest state, and organisations take turns,
 * however many lists each has: one that has many waits for its own. What has been published is in the store: the first
 * server that has compiled a state publishes it, and the others take it from there, so all serve the same bytes.
 */
export class PublishedLists {
  readonly sources: Sources;
  readonly #services: Dependencies;
  readonly #log: { error(about: object, message: string): void };
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();
  readonly #turns = new FairTurns(1);
  #keptAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(services: Dependencies, log: { error(about: object, message: string): void }) {
    this.#services = services;
    this.#log = log;
    this.sources = new Sources(services);
  }

  /** Reads what has been published, then compiles in the background. Rejects if the store cannot be read. */
  async start(): Promise<void> {
    await Promise.all(this.#services.memory.everyDeployment().map((deployment) => this.#fetch(deployment)));
    this.#timer = setInterval(() => this.#poll(), EVERY).unref();
    this.#poll();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }

  /** Notes changes that memory has applied. */
  apply(changes: readonly Change[]): void {
    const sources = new Set<string>();
    for (const change of changes) {
      if ("rulesetId" in change) sources.add(change.rulesetId);
      if (change.kind === "ruleset") sources.add(change.ruleset.id);
      if ("listId" in change) sources.add(change.listId);
      if (this.#isAboutAllowlist(change) || this.#isAboutOwnList(change))
        this.#protectionChanged(change.organisationId);
      if (change.kind === "deployment") this.#changed(change.deployment.id);
      if (change.kind === "deployment-list") this.#publishedElsewhere(change.deploymentId);
      if (change.kind === "organisation") this.#protectionChanged(change.organisation.id);
      if (change.kind === "plan") this.#allChanged();
    }
    if (sources.size > 0) this.#sourcesChanged(sources);
  }

  /** Everything may have changed: the state has been loaded again. */
  forget(): void {
    this.#allChanged();
    for (const { id } of this.#services.memory.everyDeployment()) this.#publishedElsewhere(id);
  }

  /** What devices get of a deployment; undefined before its first list. */
  served(id: string): ServedList | undefined {
    return this.#known.get(id)?.served;
  }

  /** How the deployment would be compiled now, with what the list would block. Rejects with SourceError. */
  preview(deployment: ToCompile): Promise<CompiledDeployment> {
    return this.#compile(deployment, true);
  }

  /** What the guard has taken out of the list, as far as this server has compiled it. */
  takenOut(id: string): readonly Gathered[] {
    return this.#known.get(id)?.takenOut ?? [];
  }

  /** What was added to shorten the list, as far as this server has compiled it. */
  added(id: string): AddressSet {
    return this.#known.get(id)?.added ?? AddressSet.EMPTY;
  }

  /** When its addresses end, in seconds since 1970, as far as this server has compiled it; undefined: no times. */
  times(id: string): AddressTimes | undefined {
    return this.#known.get(id)?.times;
  }

  #compile(deployment: ToCompile, warns: boolean): Promise<CompiledDeployment> {
    const before = this.#known.get(deployment.id ?? "")?.before;
    const services = { ...this.#services, sources: this.sources };
    return compileDeployment(services, { ...deployment, before, warns }, this.#services.now());
  }

  #knownOf(id: string): Known {
    const known = this.#known.get(id) ?? {
      served: undefined,
      isStale: true,
      startedAt: Number.NEGATIVE_INFINITY,
      at: Number.NEGATIVE_INFINITY,
      until: Number.POSITIVE_INFINITY,
      datasets: "",
      pending: undefined,
      before: undefined,
      takenOut: [],
      added: AddressSet.EMPTY,
      times: undefined,
    };
    this.#known.set(id, known);
    return known;
  }

  #changed(id: string): void {
    this.#knownOf(id).isStale = true;
    this.#poll();
  }

  #allChanged(): void {
    for (const { id } of this.#services.memory.everyDeployment()) this.#knownOf(id).isStale = true;
    this.#poll();
  }

  /** Rulesets and external lists, by their ids. */
  #sourcesChanged(ids: ReadonlySet<string>): void {
    let isAny = false;
    for (const { id, definition } of this.#services.memory.everyDeployment()) {
      const uses = [...definition.include, ...definition.exclude]
        .flatMap(votersOf)
        .some(
          (source) => ("ruleset" in source && ids.has(source.ruleset)) || ("list" in source && ids.has(source.list)),
        );
      if (uses) this.#knownOf(id).isStale = isAny = true;
    }
    if (isAny) this.#poll();
  }

  /** Possibly, if a ruleset was deleted: memory does not have it any more. */
  #isAboutAllowlist(change: Change): boolean {
    if (change.kind === "ruleset") return change.ruleset.purpose === "allowlist";
    if (!("rulesetId" in change)) return false;
    const purpose = this.#services.memory.ruleset(change.organisationId, change.rulesetId)?.about.purpose;
    return purpose !== "blocklist";
  }

  /** Possibly, if a list was changed or deleted: memory does not know whether it was marked before. */
  #isAboutOwnList(change: Change): boolean {
    if (change.kind === "external-list" || change.kind === "external-list-deleted") return true;
    if (change.kind !== "external-list-content") return false;
    return this.#services.memory.externalListById(change.listId)?.definition.never_block === true;
  }

  /** Lists whose guard respects allowlists, own networks and what the organisation protects. */
  #protectionChanged(organisationId: string): void {
    const guarded = this.#services.memory.deployments(organisationId).filter(({ definition }) => isGuarded(definition));
    for (const { id } of guarded) this.#knownOf(id).isStale = true;
    if (guarded.length > 0) this.#poll();
  }

  /** A list compiled here is used at once, before the write is confirmed; nothing is read back. */
  #publishedElsewhere(id: string): void {
    const { published } = this.#services.memory.deploymentById(id) ?? { published: null };
    const known = this.#knownOf(id);
    // A database that was restored may be from before the first list.
    if (published === null) return void (known.served = undefined);
    if (known.pending?.digest === published.digest) {
      known.served = { published, text: known.pending.text };
      known.before = known.pending.fromDatasets;
    } else if (known.served?.published.digest === published.digest) {
      known.served = { published, text: known.served.text };
    } else {
      known.before = undefined;
      // Marked as stale, so that the next compilation retries it.
      void this.#fetch({ id, published }).catch(() => (known.isStale = true));
    }
  }

  async #fetch({ id, published }: Pick<Deployment, "id" | "published">): Promise<void> {
    const known = this.#knownOf(id);
    const stored = published === null ? null : await this.#services.store.read("publishedList", id);
    if (stored === null) return;
    const text = await unpackList(stored.content);
    // The list may have been published again since.
    const now = this.#services.memory.deploymentById(id)?.published ?? null;
    const current = now?.generation === stored.generation ? now : published;
    if (current?.generation === stored.generation) known.served = { published: current, text };
  }

  /** Compiles lists that are due, as many as may be compiled at a time. */
  #poll(): void {
    if (this.#timer === undefined) return;
    while (this.#running.size < AT_ONCE && !this.#isStopped) {
      const deployment = this.#next();
      if (deployment === undefined) break;
      this.#begin(deployment);
    }
  }

  /** Of the organisation whose turn it is, the one whose last compilation is longest ago. */
  #next(): Deployment | undefined {
    const due = Map.groupBy(
      this.#services.memory.everyDeployment().filter((deployment) => this.#isDue(deployment)),
      ({ organisationId }) => organisationId,
    );
    const own = due.get(this.#turns.next(due.keys()) ?? "");
    const startedAt = ({ id }: Deployment): number => this.#knownOf(id).startedAt;
    return own?.reduce((first, each) => (startedAt(each) < startedAt(first) ? each : first));
  }

  #begin(deployment: Deployment): void {
    const { id, organisationId } = deployment;
    this.#turns.begin(organisationId);
    const running = this.#renew(deployment)
      .catch((error: unknown) => {
        this.#knownOf(id).isStale = true;
        if (isOutage(error)) return;
        this.#log.error({ deployment: id, err: error }, "the list of a deployment was not compiled; it is tried again");
      })
      .finally(() => {
        this.#running.delete(running);
        this.#turns.end(organisationId);
        this.#poll();
        if (this.#running.size === 0 || performance.now() - this.#keptAt > BETWEEN) this.#keepUsed();
      });
    this.#running.add(running);
  }

  #isDue({ id, organisationId, definition }: Deployment): boolean {
    const { memory, now } = this.#services;
    const known = this.#knownOf(id);
    if (performance.now() - known.startedAt < BETWEEN) return false;
    const datasets = this.#datasetsOf(definition);
    const isTimeOver = now() >= known.until || now() < known.at;
    const isWanted = known.isStale || isTimeOver || datasets !== known.datasets;
    return isWanted && definition.active && isActivePlan(memory.plan(organisationId, "edl"), now());
  }

  #datasetsOf(definition: Deployment["definition"]): string {
    const { catalogue, threats, networks } = this.#services;
    const isOfFile = (source: DeploymentSource): boolean => "cbs" in source || isOfThreats(source);
    const sources = datasetSources(definition).flatMap(votersOf);
    const isNeeded = isGuarded(definition) || sources.some(isOfFile);
    const parts = isNeeded ? [catalogue.generation, threats.generation] : [];
    // With a file that is replaced, lists of it are compiled again.
    if (sources.some((source) => isOfNetworks(source) || "cti_query" in source)) parts.push(networks.generation);
    return parts.join(" ");
  }

  /** Forgets what no deployment uses any more. */
  #keepUsed(): void {
    this.#keptAt = performance.now();
    const { memory } = this.#services;
    for (const id of this.#known.keys()) if (memory.deploymentById(id)?.deletedAt !== null) this.#known.delete(id);
    const deployments = memory.everyDeployment();
    // Writes to rulesets are guarded by these, too.
    const own = [...memory.everyExternalList()].filter(({ definition }) => definition.never_block === true);
    this.sources.keepOnly([
      ...deployments.flatMap((deployment) => this.#sourcesOf(deployment)),
      ...own.map(({ organisationId, id }) => ({ organisationId, source: { list: id }, isTimed: false })),
    ]);
  }

  #sourcesOf({ organisationId, definition }: Deployment): UsedSource[] {
    const { include, exclude } = definition;
    const allowlists = isGuarded(definition) ? this.#services.memory.rulesets(organisationId, "allowlist") : [];
    const others = [...exclude, ...allowlists.map(({ about: { id } }) => ({ ruleset: id }))];
    const isTimed = hasTimes(definition);
    const expresses = expressesOf(definition);
    return [
      ...include.map((source) => ({ organisationId, source, isTimed, expresses })),
      ...[...others, ...include.filter((source) => "atleast" in source).flatMap(votersOf)].map((source) => ({
        organisationId,
        source,
        isTimed: false,
      })),
    ];
  }

  async #renew(deployment: Deployment): Promise<void> {
    const { memory } = this.#services;
    const known = this.#knownOf(deployment.id);
    known.isStale = false;
    known.startedAt = performance.now();
    known.at = this.#services.now();
    known.datasets = this.#datasetsOf(deployment.definition);
    // Changes that are being made to copies are not in it yet.
    await memory.buildingOf(deployment.organisationId);
    const { sequence } = memory;
    let compiled: CompiledDeployment;
    try {
      compiled = await this.#compile(deployment, false);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      known.until = Number.POSITIVE_INFINITY;
      const reasons = [{ code: "no-source", message: error.message }];
      return this.#refuse(deployment, { reasons, entries: { 4: 0, 6: 0 } });
    }
    known.until = compiled.until;
    known.takenOut = compiled.takenOut;
    known.added = compiled.added ?? AddressSet.EMPTY;
    known.times = compiled.timed?.times;
    const { rejections, suspicions, entries, accepted: collateral } = compiled;
    if (rejections.length === 0 && unreleased(compiled, deployment).length === 0) {
      const remembering = await this.#remembering(deployment, compiled);
      return remembering && this.#publish(deployment, remembering, sequence);
    }
    // Whoever releases the list sees everything, including what an earlier release approved.
    const reasons = [...rejections, ...suspicions];
    await this.#refuse(deployment, { reasons, entries, ...(collateral !== undefined && { collateral }) });
  }

  /**
   * With its history, where its files have one; undefined if this server does not know the previous list: the
   * compilation is tried again soon.
   */
  async #remembering(deployment: Deployment, compiled: CompiledDeployment): Promise<CompiledDeployment | undefined> {
    const { id, definition, published, updatedAt } = deployment;
    if (!hasHistory(definition.firewall_format)) return compiled;
    const known = this.#knownOf(id);
    if (published !== null && known.served?.published.digest !== published.digest) {
      known.isStale = true;
      await this.#fetch(deployment);
      return undefined;
    }
    const before = known.served && { text: known.served.text, chunks: known.served.published.chunks };
    const times = { at: secondsOf(this.#services.now()), after: secondsOf(updatedAt) };
    const text = { ...compiled.text, history: await inSlices(continuingHistory(before, compiled, times)) };
    return { ...compiled, text, digest: await inSlices(digestingList(text)) };
  }

  async #publish(deployment: Deployment, compiled: CompiledDeployment, sequence: number): Promise<void> {
    const { id, organisationId, published, refused } = deployment;
    const { digest, entries, chunks, datasets, accepted, text, fromDatasets } = compiled;
    const unprocessable = compiled.unprocessable.count;
    const known = this.#knownOf(id);
    const isSame =
      published?.digest === digest &&
      published.chunks === chunks &&
      (published.unprocessable ?? 0) === unprocessable &&
      refused === null &&
      JSON.stringify([published.datasets, published.accepted]) === JSON.stringify([datasets, accepted]) &&
      known.served !== undefined;
    if (isSame) return void (known.before = fromDatasets);
    known.pending = { digest, text, fromDatasets };
    try {
      const { isLate } = await this.#services.store.write({
        kind: "publish-list",
        ...this.#signed(organisationId, id),
        basedOn: published?.generation ?? 0,
        list: {
          sequence,
          digest,
          entries,
          chunks,
          datasets,
          unprocessable,
          ...(accepted !== undefined && { accepted }),
        },
        content: await packList(text),
      });
      if (isLate) known.isStale = true;
    } finally {
      known.pending = undefined;
    }
  }

  async #refuse({ id, organisationId, published }: Deployment, refusal: RefuseListCommand["refusal"]): Promise<void> {
    const { isLate } = await this.#services.store.write({
      kind: "refuse-list",
      ...this.#signed(organisationId, id),
      basedOn: published?.generation ?? 0,
      refusal,
    });
    if (isLate) this.#knownOf(id).isStale = true;
  }

  #signed(organisationId: string, deploymentId: string) {
    return { actor: "command:server", at: this.#services.now(), organisationId, deploymentId };
  }
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

import type { Prefix } from "../../address/address.ts";
import { formatPrefix, prefixOf } from "../../address/prefix.ts";
import { AddressSet } from "../../sets/address-set.ts";
import { type Capability, expressing, HOSTS_OF_256 } from "../../sets/capability.ts";
import type { Gathered } from "../../deployments/gathered.ts";
import type { Deployment, DeploymentSource } from "../../store/records/deployment.ts";
import type { BouncerState } from "../../store/records/bouncer-state.ts";
import type { Credential } from "../../store/records/credential.ts";
import { stateOf } from "../../store/state.ts";
import { StoreError } from "../../store/store-error.ts";
import type { Store } from "../../store/store.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { isOfThreats } from "../sources/gather-source.ts";
import { prefixesOfList } from "../sources/list-text.ts";
import type { PublishedLists, ServedList } from "../deployments/published-lists.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { SharedCache } from "../shared-cache.ts";
import { comparing, type Difference } from "./decisions.ts";
import { type Doubt, packDoubt, unpackDoubt, withDoubt } from "./doubt.ts";
import {
  asHosts,
  endOfHost,
  type EnforcedList,
  enforcedList,
  NOTHING,
  packEntries,
  unpackEntries,
} from "./enforced-list.ts";
import { MANY, type Receipt, Receipts } from "./receipts.ts";

/** Bytes of lists and differences that are kept in memory. */
const MAX_BYTES = 128 << 20;
/** Milliseconds after which a bouncer's request is recorded even if there was nothing new. */
const NOTE_EVERY = 60_000;
const MAX_AGENT = 200;
/** Attempts to record what is sent while other servers record for the same bouncer. */
const MAX_ATTEMPTS = 10;

interface BouncerServices {
  readonly memory: ServiceMemory;
  readonly store: Store;
  readonly lists: PublishedLists;
  /** Seconds for which a decision on a permanent rule holds. */
  readonly lasts: number;
}

/** The request of a bouncer. */
export interface BouncerRequest {
  /** The whole list, because the bouncer has nothing yet. */
  readonly isStartup: boolean;
  /** Whether only the head of the response is sent. */
  readonly isHead: boolean;
  readonly now: number;
  readonly agent: string;
}

/** The response to a bouncer. The caller writes into the receipt what becomes of it; none if it changes nothing. */
export interface Delivery extends Pick<Difference, "added" | "removed"> {
  readonly receipt: Receipt | undefined;
}

/** The state that a response is made from. */
interface Basis {
  readonly state: BouncerState | null;
  /** undefined: the list is no longer kept. */
  readonly before: EnforcedList | undefined;
  readonly doubt: Doubt;
}

/**
 * The lists of deployments for CrowdSec bouncers. Their protocol has no cursor: the database records what each bouncer
 * is sent before that leaves the server, with the changes that are in doubt until the bouncer has received them. So any
 * server continues where another one stopped, and nothing is lost with a response. Every decision ends after a while,
 * even one for a permanent rule; all decisions are sent again when half of that time has passed.
 */
export class Bouncers {
  readonly #services: BouncerServices;
  readonly #lists = new SharedCache<EnforcedList>(MAX_BYTES);
  readonly #differences = new SharedCache<Difference>(MAX_BYTES);
  readonly #receipts = new Receipts();
  /** By credential. */
  readonly #recording = new Map<string, Promise<unknown>>();

  constructor(services: BouncerServices) {
    this.#services = services;
  }

  /** Resolves when everything is recorded. */
  async stop(): Promise<void> {
    await Promise.all(this.#recording.values());
  }

  /**
   * What the bouncer needs; undefined if the first list has not been made yet. Rejects with StoreError. O(entries) after
   * a change, in slices; otherwise a read of the database.
   */
  async deliver(credential: Credential<"bouncer">, request: BouncerRequest): Promise<Delivery | undefined> {
    const { deploymentId } = credential;
    const deployment = this.#services.memory.deploymentById(deploymentId);
    const after =
      deployment === undefined ? undefined : await this.#listOf(deployment, request.now, credential.hostsOnly);
    if (after === undefined) return undefined;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const delivery = await this.#attempt(credential, after, request);
      if (delivery !== undefined) return delivery;
    }
    throw new StoreError("unavailable", "other requests with this key are being answered; try again");
  }

  /** Undefined if something else has been recorded for the bouncer meanwhile. */
  async #attempt(
    credential: Credential<"bouncer">,
    after: EnforcedList,
    request: BouncerRequest,
  ): Promise<Delivery | undefined> {
    const basis = await this.#basisOf(credential, request.now);
    const { state, before, doubt } = basis;
    const { now, isStartup } = request;
    const isAgain = now - (state?.issuedAt ?? 0) >= this.#services.lasts * 500;
    const isAll = isStartup || before === undefined || isAgain || doubt.isAll;
    const { deploymentId, hostsOnly } = credential;
    const needed = await this.#difference(deploymentId, before ?? NOTHING, after, hostsOnly);
    const list = await this.#forBouncer(deploymentId, after, hostsOnly);
    const { added, removed } = withDoubt(needed, doubt, list);
    const delivered = { added: isAll ? list.ends : added, removed };
    if (request.isHead) return { ...delivered, receipt: undefined };
    if (isAll || added.size > 0 || removed.length > 0 || state?.digest !== after.digest) {
      const receipt = await this.#expect(credential, after, { basis, delivered, needed, isAll, request });
      return receipt && { ...delivered, receipt };
    }
    if (state.doubt !== null || now - state.pulledAt >= NOTE_EVERY) this.#note(credential, after, basis, request);
    return { ...delivered, receipt: undefined };
  }

  async #basisOf(credential: Credential<"bouncer">, now: number): Promise<Basis> {
    const { id, deploymentId } = credential;
    await this.#recording.get(id);
    const state = await this.#services.store.read("bouncerState", id);
    const { version, digest, doubt } = state ?? { version: 0, digest: "", doubt: null };
    const { isAll, prefixes } = this.#receipts.remaining(id, version, await unpackDoubt(doubt), now);
    const lost = await this.#lostWith(credential, { version, digest });
    return {
      state,
      before: await this.#listWith(deploymentId, digest),
      doubt: { isAll, prefixes: new Set([...prefixes, ...lost]) },
    };
  }

  /** Prefixes that the bouncer was sent before the database was restored, if this server sent them and still has them. */
  async #lostWith(
    credential: Credential<"bouncer">,
    known: Pick<BouncerState, "version" | "digest">,
  ): Promise<Iterable<string>> {
    const digest = this.#receipts.lost(credential.id, known);
    const { deploymentId, hostsOnly } = credential;
    const list = digest === undefined ? undefined : await this.#listWith(deploymentId, digest);
    return list === undefined ? [] : (await this.#forBouncer(deploymentId, list, hostsOnly)).ends.keys();
  }

  /** Records that all of this may arrive; undefined if something else has been recorded meanwhile. */
  async #expect(
    credential: Credential<"bouncer">,
    list: EnforcedList,
    about: {
      basis: Basis;
      delivered: Pick<Difference, "added" | "removed">;
      needed: Difference;
      isAll: boolean;
      request: BouncerRequest;
    },
  ): Promise<Receipt | undefined> {
    const { basis, delivered, needed, isAll, request } = about;
    const { added, removed } = delivered;
    const size = added.size + removed.length;
    const isWhole = isAll && size > MANY;
    const sent: Doubt = { prefixes: new Set(isWhole ? removed : [...added.keys(), ...removed]), isAll: isWhole };
    const issuedAt = isAll ? request.now : basis.state!.issuedAt;
    const doubt = await packDoubt(sent);
    if (!(await this.#record(credential, list, { basis, issuedAt, doubt, request }))) return undefined;
    const isNew = size > MANY ? undefined : new Set([...needed.added.keys(), ...needed.removed]);
    return this.#receipts.expect(credential.id, {
      version: (basis.state?.version ?? 0) + 1,
      digest: list.digest,
      size,
      sent,
      isRepeated: (prefix) => !request.isStartup && basis.doubt.prefixes.has(prefix) && isNew?.has(prefix) === false,
      now: request.now,
    });
  }

  /**
   * Records that the bouncer has everything, while it is answered. If this fails, it is sent again; bouncers accept a
   * decision twice. The store's outage is logged elsewhere.
   */
  #note(credential: Credential<"bouncer">, list: EnforcedList, basis: Basis, request: BouncerRequest): void {
    const { issuedAt } = basis.state!;
    void this.#record(credential, list, { basis, issuedAt, doubt: null, request }).catch(() => {});
  }

  /**
   * The entries that cover all of a prefix, with their ends; undefined if the first list has not been made yet.
   * O(length of the prefix) unless the list has changed.
   */
  async covering(
    credential: Credential<"bouncer">,
    prefix: Prefix,
    now: number,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    const deployment = this.#services.memory.deploymentById(credential.deploymentId);
    const list = deployment === undefined ? undefined : await this.#listOf(deployment, now, credential.hostsOnly);
    if (deployment === undefined || list === undefined) return undefined;
    return new Map(credential.hostsOnly ? hostIn(list, prefix) : entriesCovering(list, prefix));
  }

  /** Resolves with whether it is recorded. */
  async #record(
    { id: credentialId, deploymentId }: Credential<"bouncer">,
    list: EnforcedList,
    about: { basis: Basis; issuedAt: number; doubt: string | null; request: BouncerRequest },
  ): Promise<boolean> {
    const { issuedAt, doubt, basis, request } = about;
    const { state, before } = basis;
    const record = async (): Promise<boolean> => {
      const isKnown = list.digest === "" || (state?.digest === list.digest && before !== undefined);
      return this.#services.store.record("bouncers", {
        credentialId,
        deploymentId,
        basedOn: state?.version ?? 0,
        digest: list.digest,
        content: isKnown ? null : await packEntries(list),
        doubt,
        issuedAt,
        pulledAt: request.now,
        agent: request.agent.slice(0, MAX_AGENT).toWellFormed().replaceAll("\0", ""),
      });
    };
    const recording = (this.#recording.get(credentialId) ?? Promise.resolve()).then(record);
    const settled = recording.catch(() => {});
    this.#recording.set(credentialId, settled);
    void settled.then(() => {
      if (this.#recording.get(credentialId) === settled) this.#recording.delete(credentialId);
    });
    return recording;
  }

  /** What the deployment enforces now: nothing if it is deleted, not active, or not a blocklist. */
  async #listOf(deployment: Deployment, now: number, hostsOnly: boolean): Promise<EnforcedList | undefined> {
    const { active, purpose } = deployment.definition;
    if (deployment.deletedAt !== null || !active || purpose === "allowlist") return NOTHING;
    const served = this.#services.lists.served(deployment.id);
    if (served === undefined) return undefined;
    const key = `${this.#keyOf(deployment, served)}${hostsOnly ? " hosts" : ""}`;
    const made = await this.#lists.get(key, () => this.#make(deployment, served, now, hostsOnly));
    // The database refers to it by its digest.
    if (made.digest !== "") await this.#lists.get(`${deployment.id} ${made.digest}`, async () => made);
    return made;
  }

  #keyOf({ id, updatedAt, definition, organisationId }: Deployment, { published }: ServedList): string {
    const versions = definition.include.map((source) => {
      const ruleset = "ruleset" in source ? this.#services.memory.ruleset(organisationId, source.ruleset) : undefined;
      return ruleset === undefined ? 0 : stateOf(ruleset.about);
    });
    return `${id} ${updatedAt} ${published.generation} ${published.digest} ${versions.join(" ")}`;
  }

  async #make(deployment: Deployment, { text }: ServedList, now: number, hostsOnly: boolean): Promise<EnforcedList> {
    const endOf = await this.#ends(deployment, now);
    const given = hostsOnly ? await this.#givenAsHosts(deployment, now) : undefined;
    const entries = function* (): Generator<[string, number]> {
      for (const family of [4, 6] as const) {
        const prefixes = prefixesOfList(text[family]);
        for (const prefix of given === undefined ? prefixes : expressing(prefixes, given, HOSTS_OF_256))
          yield [formatPrefix(prefix), endOf(prefix)];
      }
    };
    return enforcedList(entries());
  }

  /** The addresses of prefixes that are short enough to be sent as single addresses, before they were merged. */
  async #givenAsHosts(deployment: Deployment, now: number): Promise<AddressSet> {
    const sources = await this.#gatherAll(deployment, now, HOSTS_OF_256);
    return inSlices(AddressSet.uniting(sources.flatMap(({ gathered }) => gathered.expressible ?? [])));
  }

  /**
   * When prefixes stop being listed without a write; 0: unknown, or never. It is known if all sources that list the
   * prefix are rulesets, and a rule of each covers the whole prefix.
   */
  async #ends(deployment: Deployment, now: number): Promise<(prefix: Prefix) => number> {
    const { memory } = this.#services;
    const { organisationId } = deployment;
    const sources = await this.#gatherAll(deployment, now);
    const mayEnd = sources.some(({ source, gathered }) => "ruleset" in source && gathered.until < Infinity);
    if (!mayEnd) return () => 0;
    return (prefix) => {
      let last = 0;
      for (const { source, gathered } of sources) {
        if (!gathered.addresses.has(prefix)) continue;
        if (!("ruleset" in source)) return 0;
        const rules = memory.ruleset(organisationId, source.ruleset)?.rules.covering(prefix) ?? [];
        if (rules.length === 0) return 0;
        for (const { expiresAt } of rules) last = Math.max(last, expiresAt ?? Infinity);
      }
      return last === Infinity ? 0 : last;
    };
  }

  /** A list that some bouncer has; undefined if it is no longer kept. */
  async #listWith(deploymentId: string, digest: string): Promise<EnforcedList | undefined> {
    if (digest === "") return NOTHING;
    try {
      return await this.#lists.get(`${deploymentId} ${digest}`, async () => {
        const content = await this.#services.store.read("bouncerList", deploymentId, digest);
        if (content === null) throw new NotKeptError();
        return unpackEntries(digest, content);
      });
    } catch (error) {
      if (error instanceof NotKeptError) return undefined;
      throw error;
    }
  }

  async #forBouncer(deploymentId: string, list: EnforcedList, hostsOnly: boolean): Promise<EnforcedList> {
    if (!hostsOnly || list.digest === "") return list;
    return this.#lists.get(`hosts ${deploymentId} ${list.digest}`, () => asHosts(list));
  }

  #difference(id: string, before: EnforcedList, after: EnforcedList, hostsOnly: boolean): Promise<Difference> {
    return this.#differences.get(`${id} ${before.digest} ${after.digest} ${hostsOnly}`, async () =>
      inSlices(comparing(await this.#forBouncer(id, before, hostsOnly), await this.#forBouncer(id, after, hostsOnly))),
    );
  }

  /** Without sources that cannot be read: the previous list of their deployment stays published. */
  async #gatherAll(
    { organisationId, definition }: Deployment,
    now: number,
    expresses?: Capability,
  ): Promise<{ readonly source: DeploymentSource; readonly gathered: Gathered }[]> {
    const all = definition.include.map(async (source) => {
      const gathered = await this.#services.lists.sources
        .gather(organisationId, source, now, false, expresses)
        .catch(() => undefined);
      return gathered === undefined ? [] : [{ source, gathered }];
    });
    return (await Promise.all(all)).flat();
  }
}

function* entriesCovering({ ends }: EnforcedList, prefix: Prefix): Generator<[prefix: string, end: number]> {
  for (let length = prefix.length; length >= 0; length--) {
    const text = formatPrefix(prefixOf(prefix, length));
    const end = ends.get(text);
    if (end !== undefined) yield [text, end];
  }
}

function hostIn(list: EnforcedList, host: Prefix): [prefix: string, end: number][] {
  const end = endOfHost(list, host);
  return end === undefined ? [] : [[formatPrefix(host), end]];
}

class NotKeptError extends Error {}

/** The name of a source in counts of what was blocked. */
export function scenarioOf(source: DeploymentSource): string {
  if ("atleast" in source) return `atleast/${source.atleast}`;
  if ("ruleset" in source) return `ruleset/${source.ruleset}`;
  if ("cbs" in source) return `cbs/${source.cbs}`;
  if ("list" in source) return `list/${source.list}`;
  if ("asn" in source) return `asn/${source.asn}`;
  if ("country" in source) return `country/${source.country}`;
  return isOfThreats(source) ? "cti" : "prefixes";
}

import type { FetchClaim, FinishFetchCommand } from "../../store/command.ts";
import { UPDATE_FREQUENCIES } from "../../store/records/deployment.ts";
import { type ExternalList, type ExternalListDefinition, READ_BY } from "../../store/records/external-list.ts";
import type { Store } from "../../store/store.ts";
import { StoreError } from "../../store/store-error.ts";
import { type Download, Downloader } from "../../update/download.ts";
import type { AddressRules } from "../../update/pinned-lookup.ts";
import { UpdateError } from "../../update/update-error.ts";
import { SealError } from "../access/secret-key.ts";
import { isActivePlan } from "../access/plans.ts";
import { type ListText, unpackList } from "../sources/list-text.ts";
import { ownVersion } from "../own-version.ts";
import type { Peers } from "../processes/peers.ts";
import { HeldLease } from "../store/held-lease.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { reservedHost } from "../reserved-host.ts";
import { invalid, ServiceError } from "../service-error.ts";
import { FairTurns } from "../fair-turns.ts";
import { failureOf } from "./fetch-failure.ts";
import type { ListSecrets } from "./list-secrets.ts";
import { readFetchedList } from "./read-fetched-list.ts";

/** Milliseconds between two checks of the clock. */
const EVERY = 1000;
/** Maximum milliseconds of a fetch; during this time no other server fetches the same list. */
const FETCH_TIME = 60_000;
const CLAIM_TIME = 3 * FETCH_TIME;
/** Milliseconds from a failed fetch to the next one, unless the list is fetched more often anyway. */
const AGAIN_AFTER_FAILURE = 300_000;
/** Maximum simultaneous fetches of all servers of a database, and of those how many are of one organisation. */
const AT_ONCE = 4;
const AT_ONCE_EACH = AT_ONCE - 1;
/** Maximum requests of one organisation that wait for a turn. */
const MAX_REQUESTS_EACH = 4;
const LIMITS = { bytes: 32 << 20, totalTime: FETCH_TIME, attempts: 1 };

export interface ListServices {
  readonly store: Store;
  readonly memory: ServiceMemory;
  readonly secrets: ListSecrets;
  readonly now: () => number;
  readonly rules: AddressRules;
  readonly peers: Pick<Peers, "isFirst">;
}

/** A list that waits for its turn. */
interface Waiting {
  readonly list: ExternalList;
  /** The digest of content that is taken although it has changed too much. */
  readonly accepted: string | null;
  /** Undefined: it is due. */
  readonly requested?: { resolve(fetched: Promise<ExternalList | undefined>): void };
}

interface Log {
  error(about: object, message: string): void;
}

type Result = NonNullable<FinishFetchCommand["result"]>;

/**
 * Fetches external lists when they are due, and on request. The server that first claims a list in the store fetches
 * it; the others read the outcome from the store.
 */
export class ExternalLists {
  readonly #services: ListServices;
  readonly #log: Log;
  /** When to claim each list, as far as known. */
  readonly #dueAt = new Map<string, number>();
  /** From the beginning of their turns. */
  readonly #running = new Map<string, Promise<ExternalList | undefined>>();
  readonly #turns = new FairTurns(AT_ONCE_EACH);
  #requests: Waiting[] = [];
  /** Whether other servers had all turns since the last check of the clock. */
  #isFull = false;
  /** The organisations whose own turns other servers had since then. */
  readonly #full = new Set<string>();
  #lookedAt = 0;
  #downloader: Promise<Downloader> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(services: ListServices, log: Log) {
    this.#services = services;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#isFull = false;
      this.#full.clear();
      this.#poll();
    }, EVERY).unref();
  }

  /** Fetches in progress are aborted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    for (const { requested } of this.#requests.splice(0)) requested?.resolve(Promise.reject(tooMany()));
    await (await this.#downloader)?.close();
    await Promise.allSettled(this.#running.values());
  }

  /**
   * Checks the host of a list's URL, as far as no name can lead elsewhere later (`reservedHost`). Rejects with ServiceError "invalid".
   */
  async checkHost(url: string): Promise<void> {
    const error = await reservedHost(new URL(url), this.#services.rules);
    if (error !== undefined) throw invalid({ url: [error] });
  }

  /** The list may now be due at another time. */
  changed(id: string): void {
    this.#dueAt.delete(id);
  }

  /**
   * Fetches the list now; a fetch in progress is used instead unless `accepted` is given. `accepted`: the digest of
   * content that is taken although it has changed too much. Rejects with ServiceError "conflict" while another server
   * fetches it, and "unavailable" while too many wait or all turns are taken.
   */
  async refresh(list: ExternalList, accepted: string | null): Promise<ExternalList> {
    const running = await this.#running.get(list.id);
    if (running !== undefined && accepted === null) return running;
    const { organisationId } = list;
    const own = this.#requests.filter((each) => each.list.organisationId === organisationId);
    if (own.length >= MAX_REQUESTS_EACH) throw tooMany();
    const fetched = await new Promise<ExternalList | undefined>((resolve) => {
      this.#requests.push({ list, accepted, requested: { resolve } });
      this.#poll();
    });
    if (fetched !== undefined) return fetched;
    throw new ServiceError("conflict", "another server is fetching the list; check it again in a moment");
  }

  /** Starts as many fetches as there are turns; organisations take turns, whoever waits longest in each comes first. */
  #poll(): void {
    const waiting = this.#waiting();
    while (this.#running.size < AT_ONCE && !this.#isFull && !this.#isStopped) {
      const organisationId = this.#turns.next(waiting.keys().filter((each) => !this.#full.has(each)));
      if (organisationId === undefined) return;
      const own = waiting.get(organisationId)!;
      const next = own.shift()!;
      if (own.length === 0) waiting.delete(organisationId);
      this.#begin(next);
    }
  }

  /** By organisation: requests first, then the lists that have been due for longest. */
  #waiting(): Map<string, Waiting[]> {
    const due = this.#dueLists().map((list) => ({ list, accepted: null }));
    const isRequested = new Set(this.#requests.map(({ list }) => list.id));
    const all = [...this.#requests, ...due.filter(({ list }) => !isRequested.has(list.id))];
    return Map.groupBy(
      all.filter(({ list }) => !this.#running.has(list.id)),
      ({ list }) => list.organisationId,
    );
  }

  #dueLists(): ExternalList[] {
    const { memory, now, peers } = this.#services;
    const at = now();
    // The clock has been set back: the store decides what is due.
    if (at < this.#lookedAt) this.#dueAt.clear();
    this.#lookedAt = at;
    if (this.#timer === undefined || !peers.isFirst) return [];
    const dueAt = ({ id }: ExternalList): number => this.#dueAt.get(id) ?? 0;
    return [...memory.everyExternalList()]
      .filter(
        (list) =>
          at >= dueAt(list) && list.definition.active && isActivePlan(memory.plan(list.organisationId, "edl"), at),
      )
      .sort((one, other) => dueAt(one) - dueAt(other));
  }

  #begin(turn: Waiting): void {
    const { list, requested } = turn;
    const { id, organisationId } = list;
    this.#requests = this.#requests.filter((each) => each !== turn);
    this.#turns.begin(organisationId);
    const running = this.#fetch(turn)
      .catch((error: unknown) => this.#failed(turn, error))
      .finally(() => {
        this.#running.delete(id);
        this.#turns.end(organisationId);
        this.#poll();
      });
    this.#running.set(id, running);
    if (requested !== undefined) return requested.resolve(running);
    running.catch(() => {}); // told before
  }

  /** Notes when to try again, before a next turn begins: the list would be due at once. Throws the error. */
  #failed({ list: { id }, requested }: Waiting, error: unknown): never {
    if (error instanceof ServiceError) throw error; // all turns are taken
    this.#dueAt.set(id, this.#services.now() + AGAIN_AFTER_FAILURE / 10);
    const isUsual = this.#isStopped || (error instanceof StoreError && error.code !== "corrupt");
    if (requested === undefined && !isUsual)
      this.#log.error({ list: id, err: error }, "an external list was not fetched; it is tried again");
    throw error;
  }

  /** undefined: it is not this server's turn. Rejects with ServiceError "unavailable" if other servers have all turns. */
  async #fetch({ list, accepted, requested }: Waiting): Promise<ExternalList | undefined> {
    const { store, now } = this.#services;
    const turns = await this.#takeTurns(list.organisationId);
    try {
      const until = now() + CLAIM_TIME;
      const isRequested = requested !== undefined;
      const { claim, dueAt } = await store.write({ kind: "claim-fetch", ...this.#signed(list), until, isRequested });
      this.#dueAt.set(list.id, dueAt);
      return claim === null ? undefined : await this.#fetchClaimed(claim, until, accepted);
    } finally {
      await Promise.all(turns.map((each) => each.release()));
    }
  }

  /** One of the organisation's turns, and one of all turns: those of all servers that use the database together. */
  async #takeTurns(organisationId: string): Promise<HeldLease[]> {
    const own = await this.#takeOne(`list-fetch-${organisationId}`, AT_ONCE_EACH);
    if (own === undefined) {
      this.#full.add(organisationId);
      throw tooMany();
    }
    try {
      const turn = await this.#takeOne("list-fetch", AT_ONCE);
      if (turn !== undefined) return [own, turn];
      this.#isFull = true;
      throw tooMany();
    } catch (error) {
      await own.release();
      throw error;
    }
  }

  async #takeOne(name: string, most: number): Promise<HeldLease | undefined> {
    for (let number = 1; number <= most; number++) {
      const turn = await HeldLease.take(this.#services.store, `${name}-${number}`, () => {});
      if (turn !== undefined) return turn;
    }
    return undefined;
  }

  async #fetchClaimed(claim: FetchClaim, claimedUntil: number, accepted: string | null): Promise<ExternalList> {
    const { store, now } = this.#services;
    const { list } = claim;
    const result = await this.#resultOf(claim, accepted);
    const schedule = 1000 * UPDATE_FREQUENCIES[list.definition.schedule];
    const isFailure = result !== null && "problem" in result;
    const dueAt = now() + (isFailure ? Math.min(schedule, AGAIN_AFTER_FAILURE) : schedule);
    const basedOn = list.updatedAt;
    const about = { ...this.#signed(list), claimedUntil, basedOn, dueAt };
    const { list: after, isLate } = await store.write({ kind: "finish-fetch", ...about, result });
    this.#dueAt.set(list.id, isLate || result === null ? now() : dueAt);
    return after;
  }

  /** Null while the server stops. */
  async #resultOf({ list, validators, secret }: FetchClaim, accepted: string | null): Promise<Result | null> {
    const { definition, organisationId, id: listId } = list;
    const { url } = definition;
    try {
      const { origin } = new URL(url);
      const headers = this.#services.secrets.open(secret, { organisationId, listId, origin });
      const isSame = list.content !== null && READ_BY.every((name) => validators?.[name] === definition[name]);
      const known = isSame && list.problem?.kind !== "refused" ? validators! : undefined;
      const found = await (await this.#open()).get(url, known, headers);
      if (found === "same") return { content: null, validators: validators! };
      return await this.#read(list, found, accepted);
    } catch (error) {
      if (this.#isStopped) return null;
      if (error instanceof UpdateError) return { problem: { kind: "failed", ...failureOf(error), digest: null } };
      if (!(error instanceof SealError)) throw error;
      const message = "its credentials cannot be decrypted with the server's key file; an admin must enter them again";
      return { problem: { kind: "failed", code: "credentials", message, digest: null } };
    }
  }

  async #read(list: ExternalList, { bytes, etag, lastModified }: Download, accepted: string | null): Promise<Result> {
    const { definition, content } = list;
    const text = await this.contentOf(list);
    const read = await readFetchedList(bytes, definition, { content: text === null ? null : content, text, accepted });
    return "problem" in read ? read : { ...read, validators: { ...readBy(definition), etag, lastModified } };
  }

  /** The prefixes of the last good content; null if there has been none. */
  async contentOf({ id, content }: Pick<ExternalList, "id" | "content">): Promise<ListText | null> {
    const stored = content === null ? null : await this.#services.store.read("listContent", id);
    return stored === null ? null : unpackList(stored.content);
  }

  #open(): Promise<Downloader> {
    return (this.#downloader ??= Downloader.create({
      userAgent: `ipsieve/${ownVersion()}`,
      allow: this.#services.rules.allow,
      limits: LIMITS,
      // Turns are the only limit: many lists are at the same host, and one would wait there for those of others.
      connections: AT_ONCE,
    }));
  }

  #signed({ id, organisationId }: ExternalList) {
    return { actor: "command:server", at: this.#services.now(), organisationId, listId: id };
  }
}

function tooMany(): ServiceError {
  return new ServiceError("unavailable", "too many lists are being fetched; try again in a moment", { retryAfter: 1 });
}

function readBy(definition: ExternalListDefinition): Partial<ExternalListDefinition> {
  return Object.fromEntries(READ_BY.map((name) => [name, definition[name]]));
}

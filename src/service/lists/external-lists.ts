import type { FetchClaim, FinishFetchCommand } from "../../store/command.ts";
import { UPDATE_FREQUENCIES } from "../../store/records/deployment.ts";
import type { ExternalList, ExternalListDefinition, FetchValidators } from "../../store/records/external-list.ts";
import type { Store } from "../../store/store.ts";
import { StoreError } from "../../store/store-error.ts";
import { type Download, Downloader } from "../../update/download.ts";
import type { AddressRules } from "../../update/pinned-lookup.ts";
import { UpdateError } from "../../update/update-error.ts";
import { SealError } from "../access/secret-key.ts";
import { isActivePlan } from "../access/plans.ts";
import { type ListText, unpackList } from "../deployments/list-text.ts";
import { ownVersion } from "../own-version.ts";
import type { ServiceMemory } from "../rules/service-memory.ts";
import { reservedHost } from "../reserved-host.ts";
import { invalid, ServiceError } from "../service-error.ts";
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
/** Maximum simultaneous fetches of this server. */
const AT_ONCE = 4;
const LIMITS = { bytes: 32 << 20, totalTime: FETCH_TIME, attempts: 1 };

export interface ListServices {
  readonly store: Store;
  readonly memory: ServiceMemory;
  readonly secrets: ListSecrets;
  readonly now: () => number;
  readonly rules: AddressRules;
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
  readonly #running = new Map<string, Promise<ExternalList>>();
  #lookedAt = 0;
  #downloader: Promise<Downloader> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(services: ListServices, log: Log) {
    this.#services = services;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), EVERY).unref();
  }

  /** Fetches in progress are aborted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
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
   * fetches it, and "unavailable" while this one fetches too many.
   */
  async refresh(list: ExternalList, accepted: string | null): Promise<ExternalList> {
    const running = this.#running.get(list.id);
    if (running !== undefined && accepted === null) return running;
    await running;
    if (this.#running.size >= 2 * AT_ONCE)
      throw new ServiceError("unavailable", "too many lists are being fetched; try again in a moment", {
        retryAfter: 1,
      });
    const fetched = await this.#fetch(list, { isRequested: true, accepted });
    if (fetched !== undefined) return fetched;
    throw new ServiceError("conflict", "another server is fetching the list; check it again in a moment");
  }

  #poll(): void {
    const { memory, now } = this.#services;
    const at = now();
    // The clock has been set back: the store decides what is due.
    if (at < this.#lookedAt) this.#dueAt.clear();
    this.#lookedAt = at;
    for (const list of memory.everyExternalList()) {
      if (this.#isStopped || this.#running.size >= AT_ONCE) return;
      const { id, organisationId, definition } = list;
      const isWanted = definition.active && isActivePlan(memory.plan(organisationId, "edl"), at);
      if (!isWanted || at < (this.#dueAt.get(id) ?? 0) || this.#running.has(id)) continue;
      void this.#fetch(list, { isRequested: false, accepted: null }).catch((error: unknown) => {
        this.#dueAt.set(id, at + AGAIN_AFTER_FAILURE / 10);
        if (this.#isStopped || (error instanceof StoreError && error.code !== "corrupt")) return;
        this.#log.error({ list: id, err: error }, "an external list was not fetched; it is tried again");
      });
    }
  }

  /** undefined: it is not this server's turn. */
  async #fetch(
    list: ExternalList,
    { isRequested, accepted }: { readonly isRequested: boolean; readonly accepted: string | null },
  ): Promise<ExternalList | undefined> {
    const { store, now } = this.#services;
    // Other checks for due lists must not claim it as well.
    this.#dueAt.set(list.id, Number.POSITIVE_INFINITY);
    const until = now() + CLAIM_TIME;
    const { claim, dueAt } = await store.write({ kind: "claim-fetch", ...this.#signed(list), until, isRequested });
    this.#dueAt.set(list.id, dueAt);
    if (claim === null) return undefined;
    const running = this.#fetchClaimed(claim, until, accepted).finally(() => this.#running.delete(list.id));
    this.#running.set(list.id, running);
    return running;
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
    const { url, format } = definition;
    try {
      const { origin } = new URL(url);
      const headers = this.#services.secrets.open(secret, { organisationId, listId, origin });
      const isSame = list.content !== null && validators?.url === url && validators.format === format;
      const known = isSame && list.problem?.kind !== "refused" && isComplete(list) ? validators : undefined;
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
    return "problem" in read ? read : { ...read, validators: validatorsOf(definition, { etag, lastModified }) };
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
    }));
  }

  #signed({ id, organisationId }: ExternalList) {
    return { actor: "command:server", at: this.#services.now(), organisationId, listId: id };
  }
}

/** A list that has begun to protect addresses, and of which lines were left out before, is read again. */
function isComplete({ definition, content }: ExternalList): boolean {
  return definition.never_block !== true || content?.rejected.count === 0;
}

function validatorsOf(
  { url, format }: ExternalListDefinition,
  { etag, lastModified }: Pick<FetchValidators, "etag" | "lastModified">,
): FetchValidators {
  return { url, format, etag, lastModified };
}

import type { Family } from "../../address/address.ts";
import type { CtiDataset } from "../../cti/dataset.ts";
import {
  type IndicatorEntry,
  type IndicatorPart,
  type IndicatorProgress,
  keyOfPrefix,
} from "../../store/records/indicator.ts";
import type { Store } from "../../store/store.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { ServedDataset } from "../datasets/served-dataset.ts";
import type { ThreatView } from "../datasets/threat-view.ts";
import { prefixesOfList } from "../sources/list-text.ts";
import type { PublishedLists } from "../deployments/published-lists.ts";
import type { FairQueue } from "../fair-queue.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { ServiceError } from "../service-error.ts";
import type { Settings } from "../settings.ts";
import { Periodic } from "../periodic.ts";
import type { Collection } from "./collections.ts";

/** Entries that are compared in one step. */
const ENTRIES_AT_ONCE = 2000;
/** Milliseconds between two checks for versions to delete. */
const CLEANED_EVERY = 60_000;
/** Seconds after which a client may retry a collection that is not ready yet. */
const RETRY_AFTER = 5;
const DAY = 86_400_000;
const FAMILIES: readonly Family[] = [4, 6];

interface Dependencies {
  readonly store: Store;
  readonly lists: Pick<PublishedLists, "served">;
  readonly memory: Pick<ServiceMemory, "deploymentById">;
  readonly threats: Pick<ServedDataset<ThreatView>, "view" | "times">;
  /** The queue of database work for TAXII requests, which leaves room for other work. */
  readonly queue: FairQueue;
  /** How long superseded versions are kept: as long as changes of the feed. */
  readonly settings: Pick<Settings, "eventDays">;
  readonly now: () => number;
}

/** All entries of a source, and the number of its state. */
interface Listed {
  readonly mark: number;
  readonly entries: () => Iterator<IndicatorEntry>;
}

/**
 * Brings collections up to date with their sources when a client requests them, so a collection that no one reads costs
 * nothing. Any server can take the next step of a collection; two that do so at the same time share the work.
 */
export class IndicatorFollowers {
  readonly #services: Dependencies;
  /** By collection: the update in progress, and the one that starts after it. */
  readonly #running = new Map<string, { readonly now: Promise<void>; next: Promise<void> | undefined }>();
  #isStopped = false;
  #cleaning: Periodic | undefined;

  constructor(services: Dependencies) {
    this.#services = services;
  }

  /**
   * Resolves when the collection has everything that its source had at the call. Rejects with StoreError, and with
   * ServiceError (`unavailable`) where there is no list yet, too many requests wait, or the server stops. O(changes
   * since the last time), in slices; the first time, and of deployments and the dataset after every change, O(entries).
   */
  follow(collection: Collection): Promise<void> {
    const running = this.#running.get(collection.id);
    if (running !== undefined)
      // The update in progress may have read the source before the call.
      return (running.next ??= running.now.then(
        () => this.follow(collection),
        () => this.follow(collection),
      ));
    const now = this.#followNow(collection).finally(() => this.#running.delete(collection.id));
    this.#running.set(collection.id, { now, next: undefined });
    return now;
  }

  start(): void {
    this.#cleaning = new Periodic(() => this.deleteOld(), CLEANED_EVERY);
    this.#cleaning.start();
  }

  /**
   * Deletes indicators that no one can read any more, and versions that were superseded long ago. Every server does
   * this.
   */
  async deleteOld(): Promise<void> {
    const { store, now, settings } = this.#services;
    await this.#untilDone(() => store.record("unreadIndicators"));
    const until = (now() - settings.eventDays * DAY) * 1000;
    await this.#untilDone(() => store.record("supersededIndicators", until));
  }

  async #untilDone(step: () => Promise<boolean>): Promise<void> {
    // The store's outage is logged elsewhere. If many requests wait, this is done later.
    while (!this.#isStopped && (await this.#inTurn("", step).catch(() => false)));
  }

  /** Resolves when the steps in progress have ended. The next server continues after them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#cleaning?.stop();
    await Promise.allSettled([...this.#running.values()].map(({ now }) => now));
  }

  async #followNow(collection: Collection): Promise<void> {
    const { store, now } = this.#services;
    const { id, organisationId, source } = collection;
    if (source !== "ruleset") return this.#followList({ id, organisationId }, this.#listed(collection));
    const next = (): Promise<boolean> => store.record("rulesetIndicators", { id, organisationId }, now());
    while (!(await this.#inTurn(organisationId, next)));
  }

  /** One step; those of other collections come between it and the next. @throws ServiceError "unavailable" */
  #inTurn<Result>(organisationId: string, step: () => Promise<Result>): Promise<Result> {
    return this.#services.queue.run({ who: organisationId, isKnown: true }, async () => {
      if (this.#isStopped)
        throw new ServiceError("unavailable", "the server is stopping; try again soon", { retryAfter: RETRY_AFTER });
      return step();
    });
  }

  async #followList(collection: Pick<Collection, "id" | "organisationId">, listed: Listed): Promise<void> {
    const { store, now } = this.#services;
    const record = (part: IndicatorPart | null): Promise<IndicatorProgress> =>
      this.#inTurn(collection.organisationId, () => store.record("indicators", collection, now(), part));
    let reader = new PartReader(listed);
    for (let progress = await record(null); progress.mark < listed.mark;) {
      const { scan } = progress;
      // Another server has a newer list.
      if (scan !== null && scan.mark > listed.mark) return;
      const after = scan?.mark === listed.mark ? scan.after : "";
      if (!reader.canReadAfter(after)) reader = new PartReader(listed);
      progress = await record(await inSlices(reader.reading(after)));
    }
  }

  /** @throws ServiceError "unavailable" */
  #listed({ id, source, isDeleted }: Collection): Listed {
    const { lists, memory, threats } = this.#services;
    if (isDeleted) {
      const last = memory.deploymentById(id)?.published?.generation ?? 0;
      return { mark: last + 1, entries: () => [].values() };
    }
    if (source === "dataset") {
      const { dataset } = threats.view();
      return { mark: threats.times.createdAt ?? 0, entries: () => entriesOfDataset(dataset) };
    }
    const served = lists.served(id);
    if (served === undefined)
      throw new ServiceError("unavailable", "the list has not been built yet; try again soon", {
        retryAfter: RETRY_AFTER,
      });
    const { generation, at } = served.published;
    return {
      mark: generation,
      entries: function* () {
        for (const family of FAMILIES)
          for (const prefix of prefixesOfList(served.text[family]))
            yield { key: keyOfPrefix(prefix), name: null, kind: null, expiresAt: null, createdAt: null, updatedAt: at };
      },
    };
  }
}

/** Reads a list in parts, each from where the one before ended, or sooner. */
class PartReader {
  readonly #mark: number;
  readonly #entries: Iterator<IndicatorEntry>;
  #waiting: IndicatorEntry[] = [];
  /** The last key that is not among those waiting. */
  #dropped = "";
  #isAtEnd = false;

  constructor({ mark, entries }: Listed) {
    this.#mark = mark;
    this.#entries = entries();
  }

  canReadAfter(after: string): boolean {
    return after >= this.#dropped;
  }

  *reading(after: string): Generator<undefined, IndicatorPart, undefined> {
    while (!this.#isAtEnd) {
      this.#dropUntil(after);
      if (this.#waiting.length >= ENTRIES_AT_ONCE) break;
      const { done, value } = this.#entries.next();
      if (done === true) this.#isAtEnd = true;
      else this.#waiting.push(value);
      yield;
    }
    this.#dropUntil(after);
    const until = this.#isAtEnd ? null : this.#waiting.at(-1)!.key;
    return { mark: this.#mark, after, until, entries: this.#waiting };
  }

  #dropUntil(key: string): void {
    if (!(this.#waiting[0] !== undefined && this.#waiting[0].key <= key)) return;
    const kept = this.#waiting.findIndex((entry) => entry.key > key);
    const dropped = kept < 0 ? this.#waiting.length : kept;
    this.#dropped = this.#waiting[dropped - 1]!.key;
    this.#waiting = this.#waiting.slice(dropped);
  }
}

const KINDS = {
  malicious: "malicious-activity",
  promiscuous: "anomalous-activity",
  benign: "benign",
  unknown: "unknown",
} as const;

function* entriesOfDataset(dataset: CtiDataset): Generator<IndicatorEntry> {
  const updatedAt = Date.parse(dataset.metadata.createdAt);
  for (const family of FAMILIES)
    for (const { prefix, match } of dataset.table.entries(family)) {
      const { classification, actor } = dataset.recordOf(match);
      const kind = KINDS[classification];
      yield { key: keyOfPrefix(prefix), name: actor || null, kind, expiresAt: null, createdAt: null, updatedAt };
    }
}

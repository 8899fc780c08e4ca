import { ServiceError } from "../service-error.ts";
import type { ClientSpeed } from "./client-speed.ts";

/** How many uploads there may be at a time. */
export interface UploadLimits {
  /** Per organisation, and in all. */
  readonly perOrganisation: number;
  readonly inAll: number;
  /**
   * An upload with fewer bytes per second of waiting, once it has been waited for `slowAfter` milliseconds, gives way
   * to another that finds no free slot.
   */
  readonly slowBytes: number;
  readonly slowAfter: number;
}

/** An upload that may have to give way. */
export interface SlottedUpload {
  readonly organisationId: string;
  readonly speed: ClientSpeed;
  /** Aborted with the reason if it loses its slot. */
  readonly end: AbortController;
}

/** The slots of everything that is uploaded and processed, logs and feeds, of all organisations together. */
export class UploadSlots {
  readonly #limits: UploadLimits;
  readonly #taken = new Set<SlottedUpload>();

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a slot until the returned function is called. If none is free, the slowest upload loses its slot. Candidates
   * are uploads of organisations that would hold more slots than this one, and uploads that barely send anything, so no
   * one can hold all slots by sending slowly. @throws ServiceError "too-many-requests"
   */
  take(upload: SlottedUpload): () => void {
    this.#makeRoom(upload.organisationId);
    this.#taken.add(upload);
    return () => void this.#taken.delete(upload);
  }

  #makeRoom(organisationId: string): void {
    const { perOrganisation, inAll } = this.#limits;
    const running = [...this.#taken].filter(({ end }) => !end.signal.aborted);
    const countOf = (id: string): number => running.filter((each) => each.organisationId === id).length;
    const own = countOf(organisationId);
    if (own >= perOrganisation) {
      const slow = running.filter((each) => each.organisationId === organisationId && this.#isSlow(each));
      if (slow.length === 0)
        throw tooMany(
          `your organisation has ${perOrganisation} uploads under way; try again when one of them has ended`,
        );
      giveWay(slow, "your organisation");
    } else if (running.length >= inAll) {
      const candidates = running.filter((each) => countOf(each.organisationId) > own + 1 || this.#isSlow(each));
      if (candidates.length === 0)
        throw tooMany("the server has as many uploads under way as it can handle; try again in a minute");
      giveWay(candidates, "another organisation");
    }
  }

  #isSlow({ speed }: SlottedUpload): boolean {
    return speed.waited >= this.#limits.slowAfter && speed.bytesPerSecond < this.#limits.slowBytes;
  }
}

function giveWay(candidates: readonly SlottedUpload[], to: string): void {
  const slowest = candidates.reduce((found, each) =>
    each.speed.bytesPerSecond < found.speed.bytesPerSecond ? each : found,
  );
  slowest.end.abort(
    new Error(
      `it was the slowest of all uploads and gave way to one of ${to}; upload it again, or over a faster connection`,
    ),
  );
}

function tooMany(message: string): ServiceError {
  return new ServiceError("too-many-requests", message, { retryAfter: 10 });
}

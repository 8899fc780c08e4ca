import { type Doubt, NO_DOUBT } from "./doubt.ts";

/** Milliseconds for which a change is sent again although the connection does not fail. */
const DOUBT_LASTS = 60_000;
/** A response of more changes is not sent again if the connection did not fail. */
export const MANY = 10_000;
/** How often so many changes are sent to a bouncer whose connection fails each time after all of it was sent. */
const MANY_ATTEMPTS = 5;

/** What is known about a response to a bouncer. */
export interface Receipt {
  /** The version of the bouncer's state that was recorded for it. */
  readonly version: number;
  /** The list that it has from then on. */
  readonly digest: string;
  /** Its changes, or its entries. */
  readonly size: number;
  /** How many responses of many changes, this one included, have been in doubt one after the other. */
  readonly attempt: number;
  /** When each change in doubt was sent first; not of many changes. */
  readonly since: ReadonlyMap<string, number>;
  /** When all of it had left the server; undefined: not yet. */
  sentAt?: number;
  /** Whether its connection failed: the bouncer closed it without having read everything. */
  isBroken?: boolean;
  /** Whether the bouncer has certainly read all of it. */
  isRead?: boolean;
}

/** A response that is about to be sent. */
export interface Expected {
  readonly version: number;
  readonly digest: string;
  readonly size: number;
  /** Its changes, and those that were in doubt before and are the same. */
  readonly sent: Doubt;
  readonly isRepeated: (prefix: string) => boolean;
  readonly now: number;
}

/**
 * What is known about the last response to each bouncer. It is lost with the server: then what was in doubt is sent
 * again.
 */
export class Receipts {
  readonly #last = new Map<string, Receipt>();

  expect(credentialId: string, { version, digest, size, sent, isRepeated, now }: Expected): Receipt {
    const before = this.#last.get(credentialId);
    const isAgain = before !== undefined && before.version === version - 1 && before.isRead !== true;
    const attempt = isAgain && size > MANY ? before.attempt + 1 : 1;
    const since = new Map<string, number>();
    if (size <= MANY)
      for (const prefix of sent.prefixes)
        since.set(prefix, (isRepeated(prefix) ? before?.since.get(prefix) : undefined) ?? now);
    const receipt = { version, digest, size, attempt, since };
    this.#last.set(credentialId, receipt);
    return receipt;
  }

  /**
   * The list that the bouncer was sent in a history that the database no longer has, since it was restored from a
   * backup; undefined: as far as is known, none.
   */
  lost(credentialId: string, { version, digest }: Pick<Receipt, "version" | "digest">): string | undefined {
    const last = this.#last.get(credentialId);
    const isLost = last !== undefined && last.version >= version && last.digest !== digest;
    return isLost ? last.digest : undefined;
  }

  /**
   * What is still in doubt. A response that left the server may have been lost in a proxy, or with a bouncer that stopped
   * reading, so each change is sent again for a minute; if the connection failed, until a response is read. Responses
   * that are too long for this are sent again a few times at most.
   */
  remaining(credentialId: string, version: number, doubt: Doubt, now: number): Doubt {
    const last = this.#last.get(credentialId);
    if (last?.version !== version) return doubt;
    const { sentAt, size, attempt, since, isBroken = false, isRead = false } = last;
    if (isRead) return NO_DOUBT;
    if (sentAt === undefined) return doubt;
    if (size > MANY) return isBroken && attempt < MANY_ATTEMPTS ? doubt : NO_DOUBT;
    if (isBroken) return doubt;
    const prefixes = [...doubt.prefixes].filter((prefix) => now - (since.get(prefix) ?? now) < DOUBT_LASTS);
    return { ...doubt, prefixes: new Set(prefixes) };
  }
}

import { randomUUID } from "node:crypto";
import type { ReplayReport } from "./replay-log.ts";

/** How many replays of each organisation are kept, the newest ones, and for how many milliseconds: as long as logs. */
const KEPT = 10;
const KEPT_FOR = 3_600_000;
/** Rules, addresses and services listed in those of all organisations: some 300 bytes each, so about 60 MB. */
const MAX_ROWS = 200_000;

/** A finished replay, kept so that it can be read again. */
export interface KeptReplay {
  readonly id: string;
  readonly identificationId: string;
  readonly createdAt: number;
  /** The first millisecond at which it is no longer kept. */
  readonly expiresAt: number;
  readonly log: { readonly lines: number; readonly withAddress: number; readonly linesMissing: number };
  readonly report: ReplayReport;
}

/** The latest replays of each organisation, in memory. */
export class Replays {
  readonly #now: () => number;
  readonly #maxRows: number;
  /** By organisation, oldest first. */
  readonly #kept = new Map<string, readonly KeptReplay[]>();

  constructor(now: () => number, maxRows = MAX_ROWS) {
    this.#now = now;
    this.#maxRows = maxRows;
  }

  add(organisationId: string, about: Omit<KeptReplay, "id" | "createdAt" | "expiresAt">): KeptReplay {
    const createdAt = this.#now();
    const added = { id: randomUUID(), createdAt, expiresAt: createdAt + KEPT_FOR, ...about };
    for (const [other, replays] of this.#kept) this.#keep(other, replays);
    this.#keep(organisationId, [...(this.#kept.get(organisationId) ?? []), added]);
    this.#dropBeyond(this.#maxRows);
    return added;
  }

  get(organisationId: string, id: string): KeptReplay | undefined {
    const found = this.#kept.get(organisationId)?.find((each) => each.id === id);
    return found !== undefined && this.#now() < found.expiresAt ? found : undefined;
  }

  #keep(organisationId: string, replays: readonly KeptReplay[]): void {
    const now = this.#now();
    const left = replays.filter(({ expiresAt }) => now < expiresAt).slice(-KEPT);
    if (left.length === 0) this.#kept.delete(organisationId);
    else this.#kept.set(organisationId, left);
  }

  /** Organisations that list the most lose their oldest replays first, so none can push out those of others. */
  #dropBeyond(max: number): void {
    const rows = new Map(this.#kept.entries().map(([id, replays]) => [id, rowsOf(replays)]));
    let sum = rows.values().reduce((all, each) => all + each, 0);
    while (sum > max) {
      const [id, before] = [...rows].reduce((a, b) => (b[1] > a[1] ? b : a));
      this.#keep(id, this.#kept.get(id)!.slice(1));
      const after = rowsOf(this.#kept.get(id) ?? []);
      rows.set(id, after);
      sum -= before - after;
    }
  }
}

function rowsOf(replays: readonly KeptReplay[]): number {
  return replays.reduce((sum, { report: { topRules, unused, topAddresses, services } }) => {
    return sum + topRules.length + unused.length + topAddresses.length + services.length;
  }, 0);
}

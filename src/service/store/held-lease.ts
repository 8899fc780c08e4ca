import { randomUUID } from "node:crypto";
import type { Store } from "../../store/store.ts";
import { Periodic } from "../periodic.ts";

/** Milliseconds for which a lease holds; it is renewed several times before that is over. */
const LEASE = 6000;
const RENEWED_EVERY = 2000;

/** A lease of the database: of all servers on it, and processes of each, one at a time holds that of a name. */
export class HeldLease {
  readonly #record: (milliseconds: number) => Promise<boolean>;
  readonly #renewals: Periodic;

  private constructor(record: (milliseconds: number) => Promise<boolean>, onLost: () => void) {
    this.#record = record;
    this.#renewals = new Periodic(() => this.#renew(onLost), RENEWED_EVERY);
    this.#renewals.start();
  }

  /**
   * Takes the lease and renews it until its release; undefined if another holds it. `onLost` is called, once or more,
   * if another has taken it after all, as is possible after an outage of the database. @throws StoreError
   */
  static async take(store: Pick<Store, "record">, name: string, onLost: () => void): Promise<HeldLease | undefined> {
    const holder = randomUUID();
    const record = (milliseconds: number) => store.record("lease", name, holder, milliseconds);
    return (await record(LEASE)) ? new HeldLease(record, onLost) : undefined;
  }

  /** Never rejects: without the database, the lease ends by itself. */
  async release(): Promise<void> {
    await this.#renewals.stop();
    await this.#record(0).catch(() => undefined);
  }

  async #renew(onLost: () => void): Promise<void> {
    try {
      if (!(await this.#record(LEASE))) onLost();
    } catch {
      // The store's outage is logged elsewhere.
    }
  }
}

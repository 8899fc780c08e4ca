import { type Deployment, deploymentsOpenedBy } from "../../store/records/deployment.ts";
import type { Store } from "../../store/store.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/** Readers known to be recorded; usually more than a server has. */
const MAX_KEPT = 20_000;

interface ReaderServices {
  readonly store: Store;
  readonly memory: ServiceMemory;
}

/**
 * Which keys have read the URLs of which deployments. A URL opens a list without any key, so revoking a key does not
 * take the lists from whoever has it: only new URLs do.
 */
export class UrlReaders {
  readonly #services: ReaderServices;
  readonly #recorded = new Set<string>();

  constructor(services: ReaderServices) {
    this.#services = services;
  }

  /** Records it, once for each URL. Rejects with StoreError: the key must not get the URLs then. */
  async add(keyId: string, { id: deploymentId, rotation }: Deployment, at: number): Promise<void> {
    const name = `${keyId} ${deploymentId} ${rotation}`;
    if (this.#recorded.has(name)) return;
    await this.#services.store.record("urlReaders", { keyId, deploymentId, rotation, at });
    if (this.#recorded.size >= MAX_KEPT) this.#recorded.clear();
    this.#recorded.add(name);
  }

  /** For each key of the organisation: the deployments whose lists it can still open with URLs that it has read. */
  async openedBy(organisationId: string, now: number): Promise<(keyId: string) => readonly Deployment[]> {
    const { store, memory } = this.#services;
    return deploymentsOpenedBy(await store.read("urlReaders", organisationId), memory.deployments(organisationId), now);
  }
}

import type { Hit } from "../../collateral/find-collateral.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { guardOf } from "../deployments/guard-deployment.ts";
import type { PublishedLists } from "../deployments/published-lists.ts";
import { SourceError } from "../sources/gather-source.ts";

/** Milliseconds for which a verdict on a list stays although the list has changed. */
const KEPT = 60_000;

interface Dependencies {
  readonly lists: Pick<PublishedLists, "preview">;
  readonly catalogue: { readonly generation: number };
}

interface Verdict {
  /** If the catalogue is another one, it is found again at once. */
  readonly catalogue: number;
  /** The digest of the list. */
  readonly list: string;
  /** By the clock of the process. */
  readonly at: number;
  readonly hits: Promise<readonly Hit[]>;
}

/**
 * What published blocklists block although it should not be blocked, where their guard only warns: a guard that refuses
 * or leaves out has dealt with it, and one that is off was told not to look. A list is compiled for it at most once a
 * minute, unless its definition changes.
 */
export class BlockedProtected {
  /** Read when they are needed: documents are made of an application without services. */
  readonly #services: Dependencies;
  /** By the definition, of which a change makes another object: a verdict goes with it. */
  readonly #verdicts = new WeakMap<Deployment["definition"], Verdict>();
  /** Lists are compiled one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(services: Dependencies) {
    this.#services = services;
  }

  async by(deployment: Deployment): Promise<readonly Hit[]> {
    const { definition, published } = deployment;
    if (!definition.active || published === null || guardOf(definition) !== "warn") return [];
    const catalogue = this.#services.catalogue.generation;
    const known = this.#verdicts.get(definition);
    if (known?.catalogue === catalogue && (known.list === published.digest || performance.now() - known.at < KEPT))
      return known.hits;
    const hits = this.#last.then(() => this.#hitsOf(deployment));
    this.#last = hits.catch(() => {});
    const verdict = { catalogue, list: published.digest, at: performance.now(), hits };
    this.#verdicts.set(definition, verdict);
    hits.catch(() => this.#verdicts.get(definition) === verdict && this.#verdicts.delete(definition));
    return hits;
  }

  async #hitsOf(deployment: Deployment): Promise<readonly Hit[]> {
    try {
      const { collateral } = await this.#services.lists.preview(deployment);
      // Addresses for special use are no one's.
      return (collateral?.hits ?? []).filter(({ kind }) => kind !== "special-purpose");
    } catch (error) {
      // A list without its sources is refused, which is a finding of its own.
      if (error instanceof SourceError) return [];
      throw error;
    }
  }
}

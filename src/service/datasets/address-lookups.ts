import type { Prefix } from "../../address/address.ts";
import { parsePrefix } from "../../address/prefix.ts";
import type { MatchId } from "../../table/match-id.ts";
import type { AddressBatch } from "../address-batch.ts";
import type { CatalogueView } from "./catalogue-view.ts";
import type { NetworkView } from "./network-view.ts";
import { tagOf } from "../rules/tags.ts";

/** The matches of a batch in the catalogue and in the networks, by index. */
export interface FoundAddresses {
  readonly matches: Uint32Array;
  readonly networks: Uint32Array | null;
}

/** Lookups of services and networks: one generation of each, for one response. */
export class AddressLookups {
  readonly #catalogue: CatalogueView;
  readonly #networks: NetworkView | null;

  constructor(catalogue: CatalogueView, networks: NetworkView | null) {
    this.#catalogue = catalogue;
    this.#networks = networks;
  }

  /** Identifies what these respond to any given request. */
  get tag(): string {
    const { tag } = this.#catalogue;
    return this.#networks === null ? tag : tagFor(tag, this.#networks);
  }

  /** The document of a prefix that was written as `text`, as JSON. */
  write(prefix: Prefix, text: string): { json: string; found: boolean } {
    const networks = this.#networks;
    const network =
      networks === null ? "null" : networks.document(networks.networks.table.lookupPrefix(prefix), prefix);
    const { json, found } = this.#catalogue.writer.write(prefix, text);
    return { json: withNetwork(json, network), found };
  }

  /** Looks up the addresses and prefixes of a batch. */
  *lookingUp(batch: AddressBatch): Generator<undefined, FoundAddresses, undefined> {
    const matches = yield* this.#catalogue.writer.lookingUp(batch);
    const networks = this.#networks === null ? null : yield* this.#networks.lookingUp(batch);
    return { matches, networks };
  }

  /** The document of the text of a batch at an index, as JSON. */
  document({ matches, networks }: FoundAddresses, { texts }: AddressBatch, index: number): string {
    const text = texts[index]!;
    const match = networks === null ? 0 : networks[index]!;
    if (match === 0) return withNetwork(this.#catalogue.writer.document(matches[index]!, text), "null");
    const prefix = parsePrefix(text);
    const json = this.#catalogue.writer.document(matches[index]!, text, prefix);
    return withNetwork(json, this.#networks!.document(match as MatchId, prefix));
  }
}

/** A document ends with a brace. */
function withNetwork(json: string, network: string): string {
  return `${json.slice(0, -1)},"network":${network}}`;
}

/** Of the two generations; hashing takes longer than a lookup. */
const tags = new WeakMap<NetworkView, { readonly of: string; readonly tag: string }>();

function tagFor(catalogue: string, networks: NetworkView): string {
  const known = tags.get(networks);
  if (known?.of === catalogue) return known.tag;
  const tag = tagOf(`${catalogue} ${networks.snapshot.info.generation}`);
  tags.set(networks, { of: catalogue, tag });
  return tag;
}

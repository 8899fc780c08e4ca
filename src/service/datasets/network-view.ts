import type { Family, Prefix } from "../../address/address.ts";
import { formatPrefix, prefixOf } from "../../address/prefix.ts";
import { Matcher } from "../../batch/engine/matcher.ts";
import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { openNetworksSnapshot } from "../../datasets/open-networks.ts";
import type { Networks } from "../../networks/networks.ts";
import { type FoundNetworks, searchingNetworks } from "../../networks/search-networks.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { MatchId } from "../../table/match-id.ts";
import type { AddressBatch } from "../address-batch.ts";

/** Owners kept as text, some hundred bytes each. */
const MAX_TEXTS = 20_000;

/** One dataset of networks, with what lookups need. */
export class NetworkView {
  readonly networks: Networks;
  readonly snapshot: Snapshot;
  readonly #batches: Matcher;
  readonly #texts = new Map<number, string>();

  constructor(networks: Networks, snapshot: Snapshot) {
    this.networks = networks;
    this.snapshot = snapshot;
    this.#batches = new Matcher(snapshot);
  }

  /** The network of a match, as JSON; `prefix` is the address or prefix that was looked up. */
  document(match: MatchId, prefix: Prefix): string {
    if (match === 0) return "null";
    const { table } = this.networks;
    const value = table.value(match);
    const owner = this.#texts.get(value) ?? this.#addText(value);
    // A prefix contains nothing that JSON escapes.
    return `${owner}"cidr":"${formatPrefix(prefixOf(prefix, table.prefixLength(match)))}"}`;
  }

  /** The matches of `count` addresses, in words as for a batch. */
  lookupInto(family: Family, words: Uint32Array, out: Uint32Array, count: number): void {
    this.#batches.lookupBatchInto(family, words, out, count);
  }

  /** The matches of the addresses and prefixes of a batch, by index. */
  lookingUp(batch: AddressBatch): Generator<undefined, Uint32Array, undefined> {
    return batch.lookingUp({
      lookUpInto: (family, words, out, count) => this.lookupInto(family, words, out, count),
      lookUpPrefix: (prefix) => this.networks.table.lookupPrefix(prefix),
    });
  }

  /** As `searchingNetworks`. */
  searching(text: string, limit: number): Generator<undefined, FoundNetworks, undefined> {
    return searchingNetworks(this.networks, text, limit);
  }

  #addText(value: number): string {
    const text = `${JSON.stringify(this.networks.owner(value)).slice(0, -1)},`;
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    this.#texts.set(value, text);
    return text;
  }
}

/** Opens a dataset. Rejects with SnapshotError, DatasetError. */
export async function openNetworkView(path: string): Promise<NetworkView> {
  const snapshot = await openNetworksSnapshot(path);
  return new NetworkView(networksOf(snapshot, path), snapshot);
}

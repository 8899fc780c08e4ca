import { Matcher } from "../../batch/engine/matcher.ts";
import type { BatchLookup } from "../../cti/bulk-lookup.ts";
import type { CtiDataset } from "../../cti/dataset.ts";
import { ctiDatasetOf } from "../../datasets/cti-dataset-from-bytes.ts";
import { openCtiSnapshot } from "../../datasets/open-cti-dataset.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { MatchId } from "../../table/match-id.ts";
import type { AddressBatch } from "../address-batch.ts";

/** Documents kept as text, some hundred bytes each. */
const MAX_TEXTS = 20_000;

/** One dataset, with what its routes need. */
export class ThreatView {
  readonly dataset: CtiDataset;
  /** Where it was read from. */
  readonly snapshot: Snapshot;
  /** Looks up many addresses at a time, by the native kernel where the platform has one. */
  readonly batches: BatchLookup;
  readonly #texts = new Map<number, string>();

  constructor(dataset: CtiDataset, snapshot: Snapshot) {
    this.dataset = dataset;
    this.snapshot = snapshot;
    this.batches = new Matcher(snapshot);
  }

  /**
   * The document of an address as JSON. All addresses with the same document have the same text except for themselves,
   * so it is made once.
   * @throws AddressError for malformed text
   */
  write(ip: string): { json: string; seen: boolean } {
    const { table } = this.dataset;
    const match = table.lookup(ip);
    return { json: this.document(ip, match), seen: match !== 0 };
  }

  /** The document of an address or prefix with this match, as JSON. */
  document(ip: string, match: MatchId): string {
    const value = match === 0 ? 0 : this.dataset.table.value(match);
    // An address contains nothing that JSON escapes.
    return `{"ip":"${ip}"${this.#texts.get(value) ?? this.#addText(value, match)}`;
  }

  /** The matches of the addresses and prefixes of a batch, by index. */
  lookingUp(batch: AddressBatch): Generator<undefined, Uint32Array, undefined> {
    return batch.lookingUp({
      lookUpInto: (family, words, out, count) => this.batches.lookupBatchInto(family, words, out, count),
      lookUpPrefix: (prefix) => this.dataset.table.lookupPrefix(prefix),
    });
  }

  #addText(value: number, match: MatchId): string {
    const text = JSON.stringify(this.dataset.documentOf("", match)).slice('{"ip":""'.length);
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    this.#texts.set(value, text);
    return text;
  }
}

/** Opens and checks a dataset. Rejects with SnapshotError, DatasetError, CtiError. */
export async function openThreatView(path: string): Promise<{ view: ThreatView; createdAt: number }> {
  const snapshot = await openCtiSnapshot(path);
  const dataset = ctiDatasetOf(snapshot, path);
  return { view: new ThreatView(dataset, snapshot), createdAt: Date.parse(dataset.metadata.createdAt) };
}

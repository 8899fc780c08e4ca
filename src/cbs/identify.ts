import type { Address, Prefix } from "../address/address.ts";
import { parseAddressInto } from "../address/parse-address.ts";
import { parsePrefix } from "../address/prefix.ts";
import { Documents } from "./_documents.ts";
import type { Catalogue } from "./catalogue.ts";

/** One node that a source names for one covering prefix. */
export interface LookupMatch {
  readonly provider: string;
  readonly type: string;
  readonly service: string | null;
  readonly region: string | null;
  readonly cidr: string;
  readonly cbs_id: string;
  /** That of the node; the document's `labels` are sorted by themselves. */
  readonly label: string;
  /**
   * Who says so: the id of a publisher's list, as `cbs sources` has it, `asn` for what AS numbers tell, the name of a
   * list of one's own; null where the catalogue is too old to say.
   */
  readonly source: string | null;
  /**
   * When that source was last updated, ISO 8601, UTC: published, else found changed, else fetched; null where nobody
   * knows.
   */
  readonly source_updated_at: string | null;
}

/**
 * Which services an address or a whole prefix belongs to. Arrays are sorted and without duplicates, but for `matches`:
 * the most specific prefix first, then by node id. A node counts where a list names it; its ancestors do not by
 * themselves.
 */
export interface LookupDocument {
  /** The text that was asked for, as given. */
  readonly ip: string;
  readonly found: boolean;
  /** The most specific prefix that matches, null without one. */
  readonly cidr: string | null;
  /** The names of each node from the top down, joined by ` > `. */
  readonly labels: readonly string[];
  readonly cbs_ids: readonly string[];
  readonly providers: readonly string[];
  readonly types: readonly string[];
  readonly services: readonly string[];
  /** Without `global`, which is none. */
  readonly regions: readonly string[];
  readonly matches: readonly LookupMatch[];
}

/**
 * The document of an address, or of the nodes that cover a prefix whole; `text` is how it was written. Documents that
 * were made lately are kept, and share what they hold: that of an address whose prefix was asked for before costs
 * little more than its lookup.
 */
export function identify(catalogue: Catalogue, input: Address | Prefix, text: string): LookupDocument {
  const { table } = catalogue;
  const match = "length" in input ? table.lookupPrefix(input) : table.lookupAddress(input);
  if (input.family === 4) return documentsOf(catalogue).find4(match, input.w0, text);
  return documentsOf(catalogue).find(match, input.family, input.w0, input.w1, input.w2, input.w3, text);
}

/**
 * The document of an address or prefix in text form.
 * @throws AddressError for a malformed one, also for host bits that are set.
 */
export function identifyText(catalogue: Catalogue, text: string): LookupDocument {
  if (typeof text !== "string" || text.includes("/")) return identify(catalogue, parsePrefix(text), text);
  const { table } = catalogue;
  if (parseAddressInto(text, words) === 4)
    return documentsOf(catalogue).find4(table.lookup4(words[0]!), words[0]!, text);
  const [w0, w1, w2, w3] = words as unknown as [number, number, number, number];
  return documentsOf(catalogue).find(table.lookup6(w0, w1, w2, w3), 6, w0, w1, w2, w3, text);
}

/** Of the address that is being identified. */
const words = new Uint32Array(4);

const allDocuments = new WeakMap<Catalogue, Documents>();

function documentsOf(catalogue: Catalogue): Documents {
  let documents = allDocuments.get(catalogue);
  if (documents === undefined) allDocuments.set(catalogue, (documents = new Documents(catalogue)));
  return documents;
}

import type { Address, Prefix } from "../address/address.ts";
import { parseAddressInto } from "../address/parse-address.ts";
import { parsePrefix } from "../address/prefix.ts";
import { Documents } from "./_documents.ts";
import type { Catalogue } from "./catalogue.ts";
import type { LookupDocument } from "./lookup-document.ts";

/**
 * The document of an address, or of the nodes that cover all of a prefix; `text` is how it was written. Recent
 * documents are cached and share their contents: the document of an address whose prefix was requested before costs
 * little more than its lookup.
 */
export function identify(catalogue: Catalogue, input: Address | Prefix, text: string): LookupDocument {
  const { table } = catalogue;
  const found = "length" in input ? table.lookupPrefix(input) : table.lookupAddress(input);
  const match = table.activeMatch(found, catalogue.now);
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
    return documentsOf(catalogue).find4(table.activeMatch(table.lookup4(words[0]!), catalogue.now), words[0]!, text);
  const [w0, w1, w2, w3] = words as unknown as [number, number, number, number];
  const match = table.activeMatch(table.lookup6(w0, w1, w2, w3), catalogue.now);
  return documentsOf(catalogue).find(match, 6, w0, w1, w2, w3, text);
}

/** Of the address that is being identified. */
const words = new Uint32Array(4);

const allDocuments = new WeakMap<Catalogue, Documents>();

function documentsOf(catalogue: Catalogue): Documents {
  let documents = allDocuments.get(catalogue);
  if (documents === undefined) allDocuments.set(catalogue, (documents = new Documents(catalogue)));
  return documents;
}

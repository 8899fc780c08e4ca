import { formatAddressInto } from "../../src/address/format-address.ts";
import { formatPrefix } from "../../src/address/prefix.ts";
import type { Address, Family, Prefix } from "../../src/address/address.ts";
import { wordsAt, wordsPerAddress } from "./table-data.ts";
import type { TableData } from "./table-data.ts";

/** The canonical texts of addresses: flat one-byte strings, as they come out of a parsed line (not ropes). */
export function addressTexts(family: Family, words: Uint32Array): string[] {
  const bytes = Buffer.alloc(45);
  const size = wordsPerAddress(family);
  return Array.from({ length: words.length / size }, (_, i) => {
    const end = formatAddressInto(family, words.subarray(i * size, (i + 1) * size), bytes, 0);
    return bytes.toString("latin1", 0, end);
  });
}

function addressAt(family: Family, words: Uint32Array, index: number): Address {
  const [w0, w1, w2, w3] = wordsAt(family, words, index);
  return { family, w0, w1, w2, w3 };
}

export function prefixAt(table: TableData, index: number): Prefix {
  return { ...addressAt(table.family, table.words, index), length: table.lengths[index]! };
}

/**
 * Every prefix in the form `address/length`; a single address has its length too, since some contenders insist on it.
 */
export function prefixTexts(table: TableData): string[] {
  return Array.from({ length: table.count }, (_, i) => {
    const text = formatPrefix(prefixAt(table, i));
    return text.includes("/") ? text : `${text}/${table.lengths[i]}`;
  });
}

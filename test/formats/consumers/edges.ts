import { addressBits } from "../../../src/address/address.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { parsePrefix, prefixContains } from "../../../src/address/prefix.ts";
import { lastAddress } from "../../../src/address/range.ts";

/** The addresses at the edges of each prefix: the first and the last, and those before and after. */
export function edgesOf(texts: readonly string[]): string[] {
  const edges = texts.flatMap((text) => {
    const prefix = parsePrefix(text);
    return [prefix, lastAddress(prefix)].flatMap((edge) => [-1, 0, 1].map((step) => moved(formatAddress(edge), step)));
  });
  return [...new Set(edges)];
}

/** The address `step` further on; only the last word changes, as no edge here crosses a word. */
function moved(text: string, step: number): string {
  const { family, w0, w1, w2, w3 } = parseAddress(text);
  const next = (word: number): number => (word + step) >>> 0;
  return formatAddress(family === 4 ? { family, w0: next(w0), w1, w2, w3 } : { family, w0, w1, w2, w3: next(w3) });
}

/** Whether one of the prefixes contains the address. */
export function isListed(texts: readonly string[], text: string): boolean {
  const address = parseAddress(text);
  const host = { ...address, length: addressBits(address.family) };
  return texts.some((each) => prefixContains(parsePrefix(each), host));
}

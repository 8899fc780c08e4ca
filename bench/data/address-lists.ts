import { singleAddresses } from "./table-data.ts";
import { addressTexts } from "./texts.ts";
import type { GeneratedFile } from "./generated-file.ts";

const SEED = 7;

/** Lists to build: different single IPv4 addresses in random order, one a line. */
export interface AddressList extends GeneratedFile {
  readonly addresses: number;
}

export const ADDRESS_LISTS: readonly AddressList[] = [1_000_000, 2_500_000, 10_000_000].map((addresses) => ({
  name: `single-${addresses}.txt`,
  addresses,
  async make(sink) {
    const { words } = singleAddresses(addresses, SEED);
    const block = 100_000;
    for (let at = 0; at < addresses; at += block)
      for (const text of addressTexts(4, words.subarray(at, at + block))) sink.write(`${text}\n`);
    return { lines: addresses, matched: addresses };
  },
}));

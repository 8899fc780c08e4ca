import type { Networks } from "./networks.ts";

/** An AS number and its organisation. */
export interface FoundNetwork {
  readonly asn: number;
  readonly name: string;
}

/** The best of what a search found, and how many there are. */
export interface FoundNetworks {
  readonly networks: readonly FoundNetwork[];
  readonly count: number;
}

/** Names looked at between two interruptions: less than a millisecond. */
const STEP = 512;

/**
 * The networks whose organisations have all words of a text, each at the beginning of one of theirs, whatever the case;
 * names that are the text come first, then those that begin with it, then by number. `AS15169` and `asn:15169`
 * find that number.
 * O(AS numbers), about a tenth of a second for all. Can be interrupted.
 */
export function* searchingNetworks(
  networks: Networks,
  text: string,
  limit: number,
): Generator<undefined, FoundNetworks, undefined> {
  const wanted = text.trim().toLowerCase();
  const number = /^asn?:?(\d{1,10})$/.exec(wanted)?.[1];
  if (number !== undefined) {
    const index = networks.indexOf(Number(number));
    const own = index < 0 ? [] : [{ asn: Number(number), name: networks.nameAt(index) }];
    return { networks: own.slice(0, limit), count: own.length };
  }
  const words = wordsOf(wanted);
  if (words.length === 0) return { networks: [], count: 0 };
  const found: (FoundNetwork & { readonly rank: number })[] = [];
  for (let index = 0; index < networks.asnCount; index++) {
    if (index % STEP === 0) yield;
    const name = networks.nameAt(index);
    const plain = name.toLowerCase();
    // Most names have not even the letters.
    if (!plain.includes(words[0]!)) continue;
    const own = wordsOf(plain);
    if (!words.every((word) => own.some((other) => other.startsWith(word)))) continue;
    const rank = plain === wanted ? 0 : plain.startsWith(wanted) ? 1 : 2;
    found.push({ asn: networks.asnAt(index), name, rank });
  }
  found.sort((a, b) => a.rank - b.rank || a.asn - b.asn);
  return { networks: found.slice(0, limit).map(({ asn, name }) => ({ asn, name })), count: found.length };
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

import type { Family } from "../address/address.ts";
import { formatPrefix, maskWord, prefixOf } from "../address/prefix.ts";
import { describe, type MatchSets, matchSetsOf } from "./_describe.ts";
import type { Catalogue } from "./catalogue.ts";
import type { LookupDocument } from "./lookup-document.ts";
import type { MatchId } from "../table/match-id.ts";

/** The maximum number of cached documents, about 10 MB. */
const PLACE_BITS = 14;
const SLOTS = 1 << PLACE_BITS;
const HASH_SHIFT = 32 - PLACE_BITS;
/** Odd numbers whose products spread over the upper bits. */
const HASH_4 = 0x9e3779b1;
const HASH_6 = 0x85ebca6b;

/**
 * A cache of documents. All addresses with the same most specific prefix have the same document, except for `ip`. A
 * document is cached when its prefix is requested a second time, until another prefix needs its slot: caching what is
 * never requested again costs more than creating it.
 */
export class Documents {
  readonly #catalogue: Catalogue;
  readonly #documents = new Array<LookupDocument | undefined>(SLOTS).fill(undefined);
  /** By slot: the match and the family, which may share a match, and the words of the prefix. */
  readonly #matches = new Uint32Array(SLOTS);
  readonly #words = new Uint32Array(4 * SLOTS);
  /** By match. */
  readonly #sets: (MatchSets | undefined)[] = [];

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** As `find`, for an IPv4 address; most are found in the first slot. */
  find4(match: MatchId, word: number, ip: string): LookupDocument {
    const key = (match << 1) >>> 0;
    const m0 = match === 0 ? 0 : maskWord(word, this.#catalogue.table.prefixLength(match));
    const slot = Math.imul(m0 ^ key, HASH_4) >>> HASH_SHIFT;
    if (this.#matches[slot] === key && this.#words[4 * slot] === m0) {
      const known = this.#documents[slot];
      if (known !== undefined) return withIp(known, ip);
    }
    return this.find(match, 4, word, 0, 0, 0, ip);
  }

  /** The document of an address with this match; words of an IPv4 address but the first are 0. */
  find(match: MatchId, family: Family, w0: number, w1: number, w2: number, w3: number, ip: string): LookupDocument {
    const key = ((match << 1) | Number(family === 6)) >>> 0;
    const length = match === 0 ? 0 : this.#catalogue.table.prefixLength(match);
    const m0 = maskWord(w0, length);
    const m1 = maskWord(w1, length - 32);
    const m2 = maskWord(w2, length - 64);
    const m3 = maskWord(w3, length - 96);
    let slot = Math.imul(m0 ^ key ^ Math.imul(m1 ^ Math.imul(m2 ^ m3, HASH_6), HASH_6), HASH_4) >>> HASH_SHIFT;
    let isAgain = this.#isAt(slot, key, m0, m1, m2, m3);
    if (!isAgain) {
      // The neighbouring slot is the document's second one, so that two documents requested alternately both stay.
      isAgain = this.#isAt(slot ^ 1, key, m0, m1, m2, m3);
      if (isAgain || this.#documents[slot] !== undefined) slot ^= 1;
    }
    const known = this.#documents[slot];
    if (isAgain && known !== undefined) return withIp(known, ip);
    const address = { family, w0, w1, w2, w3 };
    const sets = (this.#sets[match] ??= matchSetsOf(this.#catalogue, match));
    const document = describe(this.#catalogue, match, ip, (bits) => formatPrefix(prefixOf(address, bits)), sets);
    this.#documents[slot] = isAgain ? frozen(document) : undefined;
    const words = this.#words;
    const at = 4 * slot;
    this.#matches[slot] = key;
    words[at] = m0;
    words[at + 1] = m1;
    words[at + 2] = m2;
    words[at + 3] = m3;
    return isAgain ? withIp(document, ip) : document;
  }

  #isAt(slot: number, key: number, m0: number, m1: number, m2: number, m3: number): boolean {
    const words = this.#words;
    const at = 4 * slot;
    return (
      this.#matches[slot] === key &&
      words[at] === m0 &&
      words[at + 1] === m1 &&
      words[at + 2] === m2 &&
      words[at + 3] === m3
    );
  }
}

/** Its sets are frozen already. */
function frozen(document: LookupDocument): LookupDocument {
  for (const match of document.matches) Object.freeze(match);
  Object.freeze(document.primary);
  Object.freeze(document.matches);
  return document;
}

/** Copied member by member: a spread takes ten times as long. */
function withIp(document: LookupDocument, ip: string): LookupDocument {
  const { found, cidr, primary, labels, cbs_ids, providers, types, services, regions, matches } = document;
  return { ip, found, cidr, primary, labels, cbs_ids, providers, types, services, regions, matches };
}

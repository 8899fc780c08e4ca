import type { Family, Prefix } from "../address/address.ts";
import { AddressError } from "../address/address-error.ts";
import { parseTextInto } from "../address/parse-address.ts";
import { parsePrefix } from "../address/prefix.ts";
import { keyOfWords, SeenTexts } from "../address/seen-texts.ts";

/**
 * Addresses looked up between two interruptions: few enough that they and their results stay in the first-level cache.
 */
const GROUP = 512;

const words = new Uint32Array(4);

/** Looks up the addresses of a batch: each gets the id of what was found, 0 for nothing. */
export interface BatchEngine {
  /** For `count` addresses of one word (IPv4) or four. */
  lookUpInto(family: Family, words: Uint32Array, out: Uint32Array, count: number): void;
  lookUpPrefix(prefix: Prefix): number;
}

/**
 * The addresses and prefixes of one request, parsed for batch lookups: each text once, in the order in which they first
 * came, with the words of each family side by side. A text's index is that in `texts`.
 *
 *     texts     1.2.3.4   2001:db8::1   5.6.7.8   10.0.0.0/8
 *     words4    1.2.3.4   5.6.7.8           indexes4   0  2
 *     words6    2001:db8::1                 indexes6   1
 *     prefixes  10.0.0.0/8                  prefixIndexes   3
 */
export class AddressBatch {
  readonly texts: string[] = [];
  readonly words4: Uint32Array;
  readonly indexes4: Uint32Array;
  count4 = 0;
  /** Four words for each address. */
  words6 = new Uint32Array(0);
  indexes6 = new Uint32Array(0);
  count6 = 0;
  /** Texts that were written with a prefix length. */
  readonly prefixes: Prefix[] = [];
  readonly prefixIndexes: number[] = [];
  readonly #seen: SeenTexts | null;
  readonly #max: number;

  /**
   * Parses texts; repeated texts are kept as often as they occur unless texts are to be distinct. A text that is
   * neither an address nor a prefix without host bits is passed to `onMalformed` with its index and left out; parsing
   * stops once that returns false.
   */
  constructor(
    texts: readonly string[],
    onMalformed: (index: number, error: AddressError) => boolean,
    { isDistinct = true } = {},
  ) {
    this.#max = texts.length;
    this.words4 = new Uint32Array(texts.length);
    this.indexes4 = new Uint32Array(texts.length);
    this.#seen = isDistinct ? new SeenTexts(this.texts, texts.length) : null;
    for (let index = 0; index < texts.length; index++) {
      const error = this.#add(texts[index]!);
      if (error !== undefined && !onMalformed(index, error)) return;
    }
  }

  get count(): number {
    return this.texts.length;
  }

  /** The ids that an engine finds, by index: O(count) lookups. */
  *lookingUp(engine: BatchEngine): Generator<undefined, Uint32Array, undefined> {
    const found = new Uint32Array(this.count);
    yield* this.#lookingUp(4, this.words4.subarray(0, this.count4), this.indexes4, engine, found);
    yield* this.#lookingUp(6, this.words6.subarray(0, 4 * this.count6), this.indexes6, engine, found);
    for (const [index, prefix] of this.prefixes.entries()) {
      found[this.prefixIndexes[index]!] = engine.lookUpPrefix(prefix);
      if (index % GROUP === GROUP - 1) yield;
    }
    return found;
  }

  *#lookingUp(
    family: Family,
    addresses: Uint32Array,
    indexes: Uint32Array,
    engine: BatchEngine,
    found: Uint32Array,
  ): Generator<undefined, void, undefined> {
    const width = family === 4 ? 1 : 4;
    const ids = new Uint32Array(GROUP);
    for (let start = 0; start * width < addresses.length; start += GROUP) {
      const group = addresses.subarray(start * width, (start + GROUP) * width);
      const count = group.length / width;
      engine.lookUpInto(family, group, ids, count);
      for (let index = 0; index < count; index++) found[indexes[start + index]!] = ids[index]!;
      yield;
    }
  }

  #add(text: string): AddressError | undefined {
    const family = parseTextInto(text, words);
    if (family === 4) {
      if (!this.#append(text, keyOfWords(words[0]!, 0, 0, 0))) return;
      this.words4[this.count4] = words[0]!;
      this.indexes4[this.count4++] = this.count - 1;
    } else if (family === 6) {
      if (!this.#append(text, keyOfWords(words[0]!, words[1]!, words[2]!, words[3]!))) return;
      if (this.words6.length === 0) this.#makeRoom6();
      this.words6.set(words, 4 * this.count6);
      this.indexes6[this.count6++] = this.count - 1;
    } else {
      return this.#addPrefix(text);
    }
    return undefined;
  }

  /** Appends a text, unless texts are to be distinct and it was added before. */
  #append(text: string, key: number): boolean {
    return this.#seen === null ? this.texts.push(text) > 0 : this.#seen.add(text, key);
  }

  #makeRoom6(): void {
    this.words6 = new Uint32Array(4 * this.#max);
    this.indexes6 = new Uint32Array(this.#max);
  }

  #addPrefix(text: string): AddressError | undefined {
    try {
      const prefix = parsePrefix(text);
      const { w0, w1, w2, w3, length } = prefix;
      if (!this.#append(text, keyOfWords(w0, w1, w2, w3) + length)) return undefined;
      this.prefixes.push(prefix);
      this.prefixIndexes.push(this.count - 1);
      return undefined;
    } catch (error) {
      if (error instanceof AddressError) return error;
      throw error;
    }
  }
}

const GOLDEN = 0x9e37_79b1;

/** Odd and random: no one can choose addresses that have the same key. */
const FACTORS = Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32) | 1);
const [F0, F1, F2, F3] = FACTORS as [number, number, number, number];

/** A key for `SeenTexts` of the words of an address. */
export function keyOfWords(w0: number, w1: number, w2: number, w3: number): number {
  return Math.imul(w0, F0) + Math.imul(w1, F1) + Math.imul(w2, F2) + Math.imul(w3, F3);
}

/** A key of all characters of a text, which takes as long as parsing it. */
export function keyOfText(text: string): number {
  let key = text.length;
  for (let at = 0; at < text.length; at++) key = Math.imul(key, F0) + text.charCodeAt(at);
  return key;
}

/**
 * The texts that have been added. A hash table over keys that the caller has, such as of the words that an address was
 * parsed to: to hash a text itself, as a `Set` does, takes longer than to parse it.
 */
export class SeenTexts {
  readonly #texts: string[];
  /** By hash: the index of a text, plus one; 0 is free. At most half of them are used, so that every search ends. */
  readonly #slots: Uint32Array;
  readonly #hashes: Uint32Array;
  readonly #shift: number;

  constructor(texts: string[], most: number) {
    const bits = 33 - Math.clz32(Math.max(1, most));
    this.#texts = texts;
    this.#slots = new Uint32Array(1 << bits);
    this.#hashes = new Uint32Array(1 << bits);
    this.#shift = 32 - bits;
  }

  /** Appends a text unless it is there already; `key` must depend on the text alone. */
  add(text: string, key: number): boolean {
    // The upper bits of a product depend on all bits of its factors.
    const hash = Math.imul(key ^ (key >>> 15), GOLDEN) >>> 0;
    const last = this.#slots.length - 1;
    for (let slot = hash >>> this.#shift; ; slot = (slot + 1) & last) {
      const found = this.#slots[slot]!;
      if (found === 0) {
        this.#hashes[slot] = hash;
        this.#slots[slot] = this.#texts.push(text);
        return true;
      }
      if (this.#hashes[slot] === hash && this.#texts[found - 1] === text) return false;
    }
  }
}

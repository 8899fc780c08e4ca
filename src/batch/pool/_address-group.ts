import type { Matcher } from "../engine/matcher.ts";

/** Addresses looked up at a time: their words and match ids stay in the first-level cache. */
const GROUP = 1024;

/**
 * Gathers addresses of both families in any order, looks them up in groups, and writes the match id of the n-th one to
 * `out[n]`.
 */
export class AddressGroup {
  readonly #matcher: Matcher;
  readonly #out: Uint32Array;
  readonly #now: number;
  readonly #words4 = new Uint32Array(GROUP);
  readonly #words6 = new Uint32Array(GROUP * 4);
  readonly #indexes4 = new Uint32Array(GROUP);
  readonly #indexes6 = new Uint32Array(GROUP);
  readonly #matches = new Uint32Array(GROUP);
  #count4 = 0;
  #count6 = 0;

  constructor(matcher: Matcher, out: Uint32Array, now: number) {
    this.#matcher = matcher;
    this.#now = now;
    this.#out = out;
  }

  add(family: number, words: Uint32Array, index: number): void {
    if (family === 4) {
      this.#words4[this.#count4] = words[0]!;
      this.#indexes4[this.#count4++] = index;
      if (this.#count4 === GROUP) this.#flush4();
    } else {
      const at = this.#count6 * 4;
      for (let word = 0; word < 4; word++) this.#words6[at + word] = words[word]!;
      this.#indexes6[this.#count6++] = index;
      if (this.#count6 === GROUP) this.#flush6();
    }
  }

  /** Looks up the remaining ones. */
  flush(): void {
    this.#flush4();
    this.#flush6();
  }

  #flush4(): void {
    this.#matcher.lookupBatchInto(4, this.#words4, this.#matches, this.#count4, this.#now);
    for (let i = 0; i < this.#count4; i++) this.#out[this.#indexes4[i]!] = this.#matches[i]!;
    this.#count4 = 0;
  }

  #flush6(): void {
    this.#matcher.lookupBatchInto(6, this.#words6, this.#matches, this.#count6, this.#now);
    for (let i = 0; i < this.#count6; i++) this.#out[this.#indexes6[i]!] = this.#matches[i]!;
    this.#count6 = 0;
  }
}

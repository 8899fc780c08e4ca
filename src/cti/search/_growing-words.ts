/** 32-bit words, as many as come. */
export class GrowingWords {
  #words = new Uint32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(word: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#length++] = word;
  }

  written(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }
}

/** Words of at least this length may hold one typo, of at least that length two. */
const ONE_TYPO = 4;
const TWO_TYPOS = 8;

/** How well a term fits a word: 1 for the same one. */
export interface TermMatch {
  readonly term: number;
  readonly quality: number;
}

/** The distinct terms of an index, sorted, so that terms with the same beginning are adjacent. */
export class TermTable {
  readonly terms: readonly string[];
  /** The letters of each term as bits. */
  readonly #letters: Int32Array;
  readonly #rows = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)];

  /** `terms` are sorted by code unit and distinct. */
  constructor(terms: readonly string[]) {
    this.terms = terms;
    this.#letters = Int32Array.from(terms, lettersOf);
  }

  /**
   * The terms that a word may mean: those that begin with it; if there are none, those with a typo in them or in their
   * beginning; if there are none either, the longest one that it begins with, as "googlebot" does with "google". A
   * single letter or digit means itself where it is a term. O(log terms + result); with a typo O(terms), few of which
   * share enough letters to be compared.
   */
  match(word: string): TermMatch[] {
    const matches: TermMatch[] = [];
    for (let term = this.#firstFrom(word); term < this.terms.length && this.terms[term]!.startsWith(word); term++) {
      const { length } = this.terms[term]!;
      matches.push({ term, quality: length === word.length ? 1 : 0.4 + (0.4 * word.length) / length });
      if (word.length === 1 && length === 1) break;
    }
    if (matches.length > 0) return matches;
    const similar = this.#similar(word);
    return similar.length > 0 ? similar : this.#beginningOf(word);
  }

  #firstFrom(word: string): number {
    let low = 0;
    let high = this.terms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.terms[middle]! < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #beginningOf(word: string): TermMatch[] {
    for (let length = word.length - 1; length >= Math.max(ONE_TYPO, word.length / 2); length--) {
      const beginning = word.slice(0, length);
      const term = this.#firstFrom(beginning);
      if (this.terms[term] === beginning) return [{ term, quality: (0.3 * length) / word.length }];
    }
    return [];
  }

  #similar(word: string): TermMatch[] {
    const most = word.length >= TWO_TYPOS ? 2 : word.length >= ONE_TYPO ? 1 : 0;
    const matches: TermMatch[] = [];
    if (most === 0) return matches;
    const letters = lettersOf(word);
    for (let term = 0; term < this.terms.length; term++) {
      // Each letter of the word that is not in the term counts as a typo.
      let missing = letters & ~this.#letters[term]!;
      for (let typos = 0; typos < most; typos++) missing &= missing - 1;
      if (missing !== 0 || this.terms[term]!.length < word.length - most) continue;
      const quality = this.#qualityWithTypos(word, this.terms[term]!, most);
      if (quality > 0) matches.push({ term, quality });
    }
    return matches;
  }

  /**
   * By letters to insert, remove, replace, or swap with their neighbour until the word is the term or its beginning; 0
   * for more than `most`.
   */
  #qualityWithTypos(word: string, term: string, most: number): number {
    const columns = Math.min(term.length, word.length + most);
    let [beforeLast, last, row] = this.#rows as [Uint8Array, Uint8Array, Uint8Array];
    for (let column = 0; column <= columns; column++) last[column] = column;
    for (let at = 1; at <= word.length; at++) {
      const letter = word.charCodeAt(at - 1);
      let least = (row[0] = at);
      for (let column = 1; column <= columns; column++) {
        const other = term.charCodeAt(column - 1);
        let distance = Math.min(
          last[column]! + 1,
          row[column - 1]! + 1,
          last[column - 1]! + (letter === other ? 0 : 1),
        );
        if (at > 1 && column > 1 && letter === term.charCodeAt(column - 2) && word.charCodeAt(at - 2) === other)
          distance = Math.min(distance, beforeLast[column - 2]! + 1);
        row[column] = distance;
        if (distance < least) least = distance;
      }
      if (least > most) return 0;
      [beforeLast, last, row] = [last, row, beforeLast];
    }
    const whole = columns === term.length ? last[columns]! : most + 1;
    if (whole <= most) return 0.7 - 0.15 * whole;
    let least = most + 1;
    for (let column = 0; column <= columns; column++) least = Math.min(least, last[column]!);
    return least > most ? 0 : 0.45 - 0.15 * least;
  }
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

import { wordsAt, wordsPerAddress } from "./table-data.ts";
import type { TableData, Words } from "./table-data.ts";

/**
 * An address as one number (JavaScript compares both kinds): slow, and with no bit tricks that the library could share.
 */
export function addressNumber(family: 4 | 6, words: Words): number | bigint {
  if (family === 4) return words[0];
  return words.reduce((number, word) => (number << 32n) + BigInt(word), 0n);
}

/**
 * The expected answers, by a method that shares nothing with the library: the prefixes are traversed in address order
 * with a stack of the open ones, which divides the address space into segments of one value each; a query is a binary
 * search.
 */
export class Oracle {
  readonly #family: 4 | 6;
  readonly #starts: (number | bigint)[] = [];
  readonly #prefixes: number[] = [];
  readonly #table: TableData;

  constructor(table: TableData) {
    this.#family = table.family;
    this.#table = table;
    this.#sweep();
  }

  #sweep(): void {
    const table = this.#table;
    const first = Array.from({ length: table.count }, (_, i) =>
      addressNumber(table.family, wordsAt(table.family, table.words, i)),
    );
    const end = first.map((number, i) =>
      typeof number === "number"
        ? number + 2 ** (32 - table.lengths[i]!)
        : number + (1n << BigInt(128 - table.lengths[i]!)),
    );
    const order = first.map((_, i) => i);
    order.sort((a, b) => {
      if (first[a]! !== first[b]!) return first[a]! < first[b]! ? -1 : 1;
      return table.lengths[a]! - table.lengths[b]!;
    });

    const open: number[] = [];
    this.#cut(table.family === 4 ? 0 : 0n, -1);
    const closeUntil = (limit: number | bigint): void => {
      while (open.length > 0 && end[open.at(-1)!]! <= limit) {
        const closed = open.pop()!;
        this.#cut(end[closed]!, open.at(-1) ?? -1);
      }
    };
    for (const prefix of order) {
      closeUntil(first[prefix]!);
      this.#cut(first[prefix]!, prefix);
      open.push(prefix);
    }
    closeUntil(table.family === 4 ? 2 ** 32 : 1n << 128n);
  }

  /** From `start` on the answer is `prefix` (-1 = none); a later cut at the same place wins. */
  #cut(start: number | bigint, prefix: number): void {
    if (this.#starts.at(-1) === start) this.#prefixes[this.#prefixes.length - 1] = prefix;
    else {
      this.#starts.push(start);
      this.#prefixes.push(prefix);
    }
  }

  /** The index of the most specific prefix that covers the address, or -1. */
  prefixOf(words: Words): number {
    const address = addressNumber(this.#family, words);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= address) low = middle;
      else high = middle - 1;
    }
    return this.#prefixes[low]!;
  }

  /** The value id of every address, 0 = none. */
  answers(queries: Uint32Array): Uint32Array {
    const count = queries.length / wordsPerAddress(this.#family);
    const answers = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const prefix = this.prefixOf(wordsAt(this.#family, queries, i));
      answers[i] = prefix < 0 ? 0 : this.#table.values[prefix]!;
    }
    return answers;
  }
}

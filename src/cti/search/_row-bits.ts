import { popcount } from "../../table/popcount.ts";

/** A set of rows, one bit each. */
export class RowBits {
  readonly count: number;
  readonly words: Uint32Array;

  constructor(count: number) {
    this.count = count;
    this.words = new Uint32Array(Math.ceil(count / 32));
  }

  has(row: number): boolean {
    return ((this.words[row >>> 5]! >>> (row & 31)) & 1) === 1;
  }

  add(row: number): void {
    this.words[row >>> 5]! |= 1 << (row & 31);
  }

  /** Adds the rows from `from` to before `to`. */
  addRange(from: number, to: number): void {
    const { words } = this;
    for (let row = from; row < to;) {
      const end = Math.min(to, (row | 31) + 1);
      const width = end - row;
      words[row >>> 5]! |= width === 32 ? -1 : ((1 << width) - 1) << (row & 31);
      row = end;
    }
  }

  and({ words }: RowBits): void {
    for (let i = 0; i < words.length; i++) this.words[i]! &= words[i]!;
  }

  or({ words }: RowBits): void {
    for (let i = 0; i < words.length; i++) this.words[i]! |= words[i]!;
  }

  invert(): void {
    const { words } = this;
    for (let i = 0; i < words.length; i++) words[i] = ~words[i]!;
    this.dropRest();
  }

  /** Drops the bits after the last row, which a corrupt file may have set. */
  dropRest(): void {
    const { words } = this;
    const rest = this.count & 31;
    if (rest !== 0) words[words.length - 1]! &= (1 << rest) - 1;
  }

  get isEmpty(): boolean {
    return this.words.every((word) => word === 0);
  }

  size(): number {
    let size = 0;
    for (const word of this.words) size += popcount(word);
    return size;
  }

  /** The rows in order, from the `skip`th on. */
  *rows(skip = 0): Generator<number, void, undefined> {
    let left = skip;
    for (let i = 0; i < this.words.length; i++) {
      let word = this.words[i]!;
      const size = popcount(word);
      if (left >= size) {
        left -= size;
        continue;
      }
      for (; word !== 0; word &= word - 1) {
        if (left > 0) left--;
        else yield i * 32 + (31 - Math.clz32(word & -word));
      }
    }
  }
}

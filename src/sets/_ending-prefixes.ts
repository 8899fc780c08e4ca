import type { Family, Prefix } from "../address/address.ts";
import { comparePrefixes, formatPrefix, prefixContains } from "../address/prefix.ts";
import { lastAddress } from "../address/range.ts";
import { wordsAfter, wordsOf, wordsOfAddress } from "./_boundaries.ts";
import { type Steps, StepWriter } from "./_steps.ts";

/** A prefix whose addresses end together; Infinity: they never do. */
export interface EndingPrefix {
  readonly prefix: Prefix;
  readonly end: number;
}

/** The end of an address that several prefixes cover: the latest of theirs, or that of the most specific one. */
export type CoveringEnd = "latest" | "closest";

/**
 * The ends of prefixes of one family that come in order, the less specific first. The stack holds the prefixes around the
 * next address, each within the one before, with the ends that their addresses have where no further prefix covers them.
 *
 *     /24, end 5    |------------------------|
 *     /26, end 9          |-----|                    from its first address on 9, after its last one 5 again
 */
export class EndingPrefixes {
  readonly #writer: StepWriter;
  readonly #width: 1 | 4;
  readonly #covering: CoveringEnd;
  readonly #open: EndingPrefix[] = [];
  readonly #words = new Uint32Array(4);
  #last: Prefix | undefined;

  constructor(family: Family, covering: CoveringEnd) {
    this.#writer = new StepWriter(family);
    this.#width = wordsOf(family);
    this.#covering = covering;
  }

  /** @throws RangeError for a prefix before the last one */
  add({ prefix, end }: EndingPrefix): void {
    if (this.#last !== undefined && comparePrefixes(this.#last, prefix) > 0)
      throw new RangeError(`${formatPrefix(prefix)} comes after ${formatPrefix(this.#last)}; sort the prefixes`);
    this.#last = prefix;
    while (this.#open.length > 0 && !prefixContains(this.#open.at(-1)!.prefix, prefix)) this.#close();
    const around = this.#open.at(-1)?.end ?? 0;
    const own = this.#covering === "latest" ? Math.max(around, end) : end;
    this.#open.push({ prefix, end: own });
    this.#write(wordsOfAddress(prefix, this.#width), own);
  }

  steps(): Steps {
    while (this.#open.length > 0) this.#close();
    return this.#writer.steps();
  }

  #close(): void {
    const { prefix } = this.#open.pop()!;
    // After the last address of all there is none.
    this.#write(wordsAfter(lastAddress(prefix), this.#width), this.#open.at(-1)?.end ?? 0);
  }

  #write(words: readonly number[], end: number): void {
    if (words.length === 0) return;
    this.#words.set(words);
    this.#writer.write(this.#words, 0, end);
  }
}

import type { Prefix } from "../../address/address.ts";
import type { TimedPrefix } from "../_timeouts.ts";

const BLOCK = 1024;

/**
 * Prefixes with timeouts, packed into typed arrays. A million objects that stay until the file is written would keep the
 * engine's collector busy for tens of milliseconds at a time. 26 bytes each.
 */
export class TimedPrefixes {
  readonly #blocks: Block[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** O(1). */
  add(prefix: Prefix, timeout: number): void {
    const at = this.#length++ % BLOCK;
    if (at === 0) this.#blocks.push(new Block());
    this.#blocks.at(-1)!.set(at, prefix, timeout);
  }

  /** In the order in which they were added. */
  *all(): Generator<TimedPrefix> {
    for (let index = 0; index < this.#length; index++)
      yield this.#blocks[Math.floor(index / BLOCK)]!.get(index % BLOCK);
  }
}

class Block {
  readonly #words = new Uint32Array(4 * BLOCK);
  readonly #lengths = new Uint8Array(BLOCK);
  readonly #families = new Uint8Array(BLOCK);
  readonly #timeouts = new Float64Array(BLOCK);

  set(at: number, { family, w0, w1, w2, w3, length }: Prefix, timeout: number): void {
    this.#words[4 * at] = w0;
    this.#words[4 * at + 1] = w1;
    this.#words[4 * at + 2] = w2;
    this.#words[4 * at + 3] = w3;
    this.#lengths[at] = length;
    this.#families[at] = family;
    this.#timeouts[at] = timeout;
  }

  get(at: number): TimedPrefix {
    const words = this.#words;
    const prefix: Prefix = {
      family: this.#families[at] === 4 ? 4 : 6,
      w0: words[4 * at]!,
      w1: words[4 * at + 1]!,
      w2: words[4 * at + 2]!,
      w3: words[4 * at + 3]!,
      length: this.#lengths[at]!,
    };
    return { prefix, timeout: this.#timeouts[at]! };
  }
}

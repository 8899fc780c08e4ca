import { HOLE, HOLE_BYTES } from "../../../rows/holes.ts";
import type { MatchTemplates } from "../row-templates.ts";
import { templateSlots } from "../template-slots.ts";

const FIRST_BYTES = 64 * 1024;

/**
 * Row templates, cut at their holes, in two flat arrays. A template is a run of `cuts`, from the position that `find`
 * returns:
 *
 *     most bytes of a row | holes n | start of part 0 | end of part 0, hole 1 | end of part 1, hole 2 | ... | end of part n
 *
 * where part 0 is `bytes[start, end 0)`, part 1 begins where part 0 ends, and so on.
 */
export class TemplateCache {
  bytes: Buffer = Buffer.alloc(FIRST_BYTES);
  cuts = new Int32Array(FIRST_BYTES / 16);
  readonly #templates: MatchTemplates;
  readonly #slotOf: (match: number) => number;
  /** By slot: 1 + its position in `cuts`, 0 while there is none. */
  readonly #slots: Uint32Array;
  #bytesUsed = 0;
  #cutsUsed = 0;

  readonly #maxBytes: number;

  constructor(templates: MatchTemplates, matchCount: number, maxBytes: number) {
    const { count, slotOf } = templateSlots(templates.sharing, matchCount);
    this.#maxBytes = maxBytes;
    this.#templates = templates;
    this.#slotOf = slotOf;
    this.#slots = new Uint32Array(count);
  }

  /** The position of a match's template in `cuts`; valid until the next call. */
  find(match: number): number {
    const slot = this.#slotOf(match);
    const known = this.#slots[slot]!;
    return known === 0 ? this.#add(match, slot) : known - 1;
  }

  /** Forgets all: match ids have a new meaning from now on. */
  clear(): void {
    this.#slots.fill(0);
    this.#bytesUsed = this.#cutsUsed = 0;
  }

  #add(match: number, slot: number): number {
    const template = this.#templates.of(match);
    this.#makeRoom(template.length);
    const position = this.#cutsUsed;
    this.#slots[slot] = position + 1;

    let cut = position + 2;
    this.cuts[cut++] = this.#bytesUsed;
    for (let at = 0; at < template.length; at++) {
      if (template[at] !== HOLE) {
        this.bytes[this.#bytesUsed++] = template[at]!;
      } else {
        this.cuts[cut++] = this.#bytesUsed;
        this.cuts[cut++] = template[++at]!;
      }
    }
    this.cuts[cut++] = this.#bytesUsed;
    const holes = (cut - position - 4) / 2;
    this.cuts[position] = template.length + holes * HOLE_BYTES;
    this.cuts[position + 1] = holes;
    this.#cutsUsed = cut;
    return position;
  }

  /** A template of n bytes has at most n / 2 holes. */
  #makeRoom(length: number): void {
    if (this.#bytesUsed > 0 && this.#bytesUsed + length + 4 * this.#cutsUsed > this.#maxBytes) {
      this.clear();
    }
    if (this.#bytesUsed + length > this.bytes.length) {
      const larger = Buffer.alloc(2 * (this.#bytesUsed + length));
      this.bytes.copy(larger, 0, 0, this.#bytesUsed);
      this.bytes = larger;
    }
    if (this.#cutsUsed + length + 4 > this.cuts.length) {
      const larger = new Int32Array(2 * (this.#cutsUsed + length + 4));
      larger.set(this.cuts.subarray(0, this.#cutsUsed));
      this.cuts = larger;
    }
  }
}

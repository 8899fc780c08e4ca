import { grown } from "./_column.ts";

/** Names encoded, and rules processed, between two pauses. */
const STEP = 1 << 12;

const encoder = new TextEncoder();

/** Numbers distinct names from 1 in order of appearance. O(1) each. */
export class NamePacker {
  readonly #numbers = new Map<string, number>();

  /** The number of a name; 0 for null. */
  numberOf(name: string | null): number {
    if (name === null) return 0;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#numbers.size + 1);
    return this.#numbers.size;
  }

  /** The names in the form of `PackedNames`. In steps. */
  *packing(): Generator<undefined, { readonly text: Uint8Array; readonly ends: Uint32Array }, undefined> {
    const ends = new Uint32Array(this.#numbers.size);
    let text = new Uint8Array(0);
    let size = 0;
    let end = 0;
    let some: string[] = [];
    const append = (): void => {
      const bytes = encoder.encode(some.join(""));
      if (size + bytes.length > text.length) text = grown(text, new Uint8Array(2 * (size + bytes.length)));
      text.set(bytes, size);
      size += bytes.length;
      some = [];
    };
    for (const [name, number] of this.#numbers) {
      ends[number - 1] = end += name.length;
      if (some.push(name) < STEP) continue;
      append();
      yield;
    }
    append();
    return { text: text.slice(0, size), ends };
  }
}

import { finished } from "../../turns/finished.ts";
import { copying, inPieces } from "./_column.ts";
import { namesOf, type PackedNames, packNames, type RuleNames } from "../rule-names.ts";

/** Distinct names that are remembered so that rules can share them. */
const MAX_SHARED_NAMES = 4096;
/** After this many consecutive reads from one part, all of it is decoded: each name then costs a fifth. */
const MIN_RUN = 32;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Packed names as they were loaded. */
interface Part {
  readonly packed: PackedNames;
  /** Where each name ends, in bytes. */
  readonly ends: Uint32Array;
  /** The number of its first name; those of all parts are counted from 1. */
  readonly first: number;
}

/**
 * The names of rules by slot. Loaded names are packed: a million strings would take 40 MB of the engine's heap, and its
 * garbage collector would scan them again and again. Names written one by one are strings, shared by rules with the
 * same name as long as there are few distinct names.
 */
export class NameTable {
  /** By slot: the number of a packed name, from 1; ~index of a text; 0 for none. */
  #references: Int32Array;
  /** Null where it is free. */
  #texts: (string | null)[] = [];
  #free: number[] = [];
  /** The first slot that has not been appended. */
  #end = 1;
  #parts: Part[] = [];
  #next = 1;
  readonly #shared = new Map<string, string>();
  /** The part read last, how many times in a row, and its names if they have been decoded. */
  #last: Part | undefined;
  #run = 0;
  #decoded: readonly (string | null)[] | undefined;

  constructor(capacity: number) {
    this.#references = new Int32Array(capacity);
  }

  get capacity(): number {
    return this.#references.length;
  }

  /** A copy with the names of the slots before `end`. */
  *copying(end: number): Generator<undefined, NameTable, undefined> {
    const copy = new NameTable(0);
    copy.#references = yield* copying(this.#references, end);
    copy.#texts = this.#texts.slice();
    copy.#free = this.#free.slice();
    copy.#end = this.#end;
    // Packed parts never change.
    copy.#parts = this.#parts.slice();
    copy.#next = this.#next;
    return copy;
  }

  /** Bytes, without the names themselves. */
  get byteLength(): number {
    return this.#parts.reduce(
      (sum, { ends }) => sum + ends.byteLength,
      8 * (this.#texts.length + this.#free.length) + this.#references.byteLength,
    );
  }

  get(slot: number): string | null {
    const reference = this.#references[slot]!;
    if (reference === 0) return null;
    return reference > 0 ? this.#packedName(reference) : this.#texts[~reference]!;
  }

  set(slot: number, name: string | null): void {
    const before = this.#references[slot]!;
    if (before < 0) {
      this.#texts[~before] = null;
      this.#free.push(~before);
    }
    this.#references[slot] = name === null ? 0 : ~this.#keep(this.#sharedText(name));
  }

  grow(capacity: number): void {
    const references = new Int32Array(capacity);
    references.set(this.#references);
    this.#references = references;
  }

  /** Takes the names of the next slots. */
  append(names: RuleNames): void {
    if ("numbers" in names) return finished(this.appending(names));
    // UTF-8 cannot encode unpaired surrogates.
    if (names.every((name) => name === null || name.isWellFormed())) return finished(this.appending(packNames(names)));
    for (const name of names) this.set(this.#end++, name);
  }

  /** The same for packed names, in short steps, between which the table must not be used. */
  *appending(packed: PackedNames): Generator<undefined, void, undefined> {
    const { numbers, ends } = packed;
    const first = this.#next;
    const references = this.#references.subarray(this.#end);
    yield* inPieces(0, numbers.length, (from, to) => {
      for (let at = from; at < to; at++) references[at] = numbers[at] === 0 ? 0 : first + numbers[at]! - 1;
    });
    this.#end += numbers.length;
    if (ends.length === 0) return;
    this.#parts.push({ packed, ends: byteEnds(packed), first });
    this.#next += ends.length;
  }

  #keep(text: string): number {
    const index = this.#free.pop() ?? this.#texts.length;
    this.#texts[index] = text;
    return index;
  }

  /** The same name; if it is one of the first few, the string that other rules already share. */
  #sharedText(name: string): string {
    const known = this.#shared.get(name);
    if (known === undefined && this.#shared.size < MAX_SHARED_NAMES) this.#shared.set(name, name);
    return known ?? name;
  }

  #packedName(number: number): string | null {
    const part = this.#partOf(number);
    const at = number - part.first;
    if (part !== this.#last) {
      this.#last = part;
      this.#run = 0;
      this.#decoded = undefined;
    }
    if (++this.#run === MIN_RUN)
      this.#decoded = namesOf({ ...part.packed, numbers: Uint32Array.from(part.ends, (_, index) => index + 1) });
    return this.#decoded === undefined
      ? decoder.decode(part.packed.text.subarray(at === 0 ? 0 : part.ends[at - 1], part.ends[at]))
      : this.#decoded[at]!;
  }

  #partOf(number: number): Part {
    const last = this.#last;
    if (last !== undefined && number >= last.first && number < last.first + last.ends.length) return last;
    let [low, high] = [0, this.#parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#parts[middle]!.first <= number) low = middle;
      else high = middle - 1;
    }
    return this.#parts[low]!;
  }
}

/**
 * Where the names end in bytes. In UTF-8 a byte from 0x80 to 0xbf continues a character; one from 0xf0 begins one that
 * takes two code units in UTF-16.
 */
function byteEnds({ text, ends }: PackedNames): Uint32Array {
  if (text.length === ends.at(-1)) return ends;
  const found = new Uint32Array(ends.length);
  let units = 0;
  let at = 0;
  for (const [index, end] of ends.entries()) {
    for (; at < text.length && (units < end || (text[at]! & 0xc0) === 0x80); at++) {
      const byte = text[at]!;
      if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
    }
    found[index] = at;
  }
  return found;
}

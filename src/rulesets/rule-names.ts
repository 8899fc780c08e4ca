/** The names of some rules, null for a rule without a name: as strings, or packed. */
export type RuleNames = readonly (string | null)[] | PackedNames;

/**
 * Names in bytes: they take no space in the engine's heap, and are passed between threads without a copy. They are
 * well-formed.
 */
export interface PackedNames {
  /** The distinct names in UTF-8, one after the other. */
  readonly text: Uint8Array;
  /** Where each name ends, in UTF-16 code units from the start of the text. */
  readonly ends: Uint32Array;
  /** Which name each rule has, counted from 1; 0 for none. */
  readonly numbers: Uint8Array | Uint16Array | Uint32Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Packs some thousand names at a time. O(names). */
export function packNames(names: readonly (string | null)[]): PackedNames {
  const known = new Map<string, number>();
  const numbers = new Uint32Array(names.length);
  for (const [index, name] of names.entries()) {
    if (name === null) continue;
    let number = known.get(name);
    if (number === undefined) known.set(name, (number = known.size + 1));
    numbers[index] = number;
  }
  const distinct = [...known.keys()];
  const ends = new Uint32Array(distinct.length);
  for (let at = 0, end = 0; at < distinct.length; at++) ends[at] = end += distinct[at]!.length;
  return { text: encoder.encode(distinct.join("")), ends, numbers };
}

/** The names as strings; rules with the same name share one. */
export function namesOf(names: RuleNames): readonly (string | null)[] {
  if (!("numbers" in names)) return names;
  const all = decoder.decode(names.text);
  const distinct = new Array<string | null>(names.ends.length + 1);
  distinct[0] = null;
  for (let at = 0, start = 0; at < names.ends.length; at++) {
    const end = names.ends[at]!;
    distinct[at + 1] = all.slice(start, end);
    start = end;
  }
  return Array.from(names.numbers, (number) => distinct[number]!);
}

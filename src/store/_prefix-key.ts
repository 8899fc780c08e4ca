import type { Family, Prefix } from "../address/address.ts";

/**
 * The text of a prefix in the database: `4:cb007100/24`, `6:20010db8000000000000000000000000/032`. It has a fixed width
 * within a family, so texts sort as prefixes do, and a scan of the primary key returns rules in that order.
 */
export function keyOfPrefix({ family, w0, w1, w2, w3, length }: Prefix): string {
  if (family === 4) return `4:${hex(w0)}/${String(length).padStart(2, "0")}`;
  return `6:${hex(w0)}${hex(w1)}${hex(w2)}${hex(w3)}/${String(length).padStart(3, "0")}`;
}

export function prefixOfKey(key: string): Prefix {
  if (familyOfKey(key) === 4) return { family: 4, w0: wordAt(key, 0), w1: 0, w2: 0, w3: 0, length: lengthOfKey(key) };
  return {
    family: 6,
    w0: wordAt(key, 0),
    w1: wordAt(key, 1),
    w2: wordAt(key, 2),
    w3: wordAt(key, 3),
    length: lengthOfKey(key),
  };
}

export function familyOfKey(key: string): Family {
  return key.charCodeAt(0) === 0x34 ? 4 : 6;
}

/** Word `index` of the address, without a substring, like the length: a million keys are read at start-up. */
export function wordAt(key: string, index: number): number {
  let word = 0;
  for (let at = 2 + 8 * index, end = at + 8; at < end; at++) {
    const code = key.charCodeAt(at);
    word = (word << 4) | (code < 0x40 ? code - 0x30 : code - 0x57);
  }
  return word >>> 0;
}

export function lengthOfKey(key: string): number {
  let length = 0;
  for (let at = key.charCodeAt(0) === 0x34 ? 11 : 35; at < key.length; at++)
    length = 10 * length + key.charCodeAt(at) - 0x30;
  return length;
}

function hex(word: number): string {
  return word.toString(16).padStart(8, "0");
}

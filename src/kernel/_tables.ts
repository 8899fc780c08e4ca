import {
  GAP_RUNS,
  GAPS,
  KIND_COLON,
  KIND_DELIMITER,
  KIND_DOT,
  KIND_HEX,
  KIND_OTHER,
  KINDS,
  MASKS,
  OCTETS,
  PREFIX_LENGTHS,
  QUAD_BIAS,
  QUAD_LEAST,
  QUAD_MASK,
  QUAD_MULTIPLIER,
  QUADS,
  VECTOR_BEHIND_F,
  VECTOR_COLON,
  VECTOR_DIGIT_9,
  VECTOR_DOT,
  VECTOR_DOTS,
  VECTOR_DOT_LANES,
  VECTOR_IS_COLON,
  VECTOR_LETTERS,
  VECTOR_LETTER_BIAS,
  VECTOR_LF,
  VECTOR_LOWER_CASE,
  VECTOR_LOW_NIBBLE,
  VECTOR_MOST,
  VECTOR_NINE,
  VECTOR_PAIRS,
  VECTOR_TEN,
  VECTOR_TO_FRONT,
  VECTOR_TO_WORDS,
  VECTOR_WEIGHTS,
} from "./workspace.ts";

/** The vectors of the workspace, each filled with the bytes again and again. */
const VECTORS: readonly (readonly [offset: number, bytes: readonly number[]])[] = [
  [VECTOR_TO_FRONT, [0x50]],
  [VECTOR_NINE, [0x89]],
  [VECTOR_COLON, [0x8a]],
  [VECTOR_WEIGHTS, [100, 10, 1, 0]],
  [VECTOR_DOTS, [0, 0, 0, 0x2e, 0, 0, 0, 0x2e, 0, 0, 0, 0x2e, 0, 0, 0, 0]],
  [VECTOR_DOT_LANES, [0, 0, 0, 0xff, 0, 0, 0, 0xff, 0, 0, 0, 0xff, 0, 0, 0, 0]],
  [VECTOR_MOST, [255, 0]],
  [VECTOR_TO_WORDS, [6, 4, 2, 0, 14, 12, 10, 8]],
  [VECTOR_LOWER_CASE, [0x20]],
  [VECTOR_LETTERS, [0x1f]],
  [VECTOR_BEHIND_F, [0x86]],
  [VECTOR_IS_COLON, [0x3a]],
  [VECTOR_LOW_NIBBLE, [0x0f]],
  [VECTOR_TEN, [0x0a]],
  [VECTOR_DIGIT_9, [0x39]],
  [VECTOR_LETTER_BIAS, [9]],
  [VECTOR_PAIRS, [16, 1]],
  [VECTOR_LF, [0x0a]],
  [VECTOR_DOT, [0x2e]],
];

/** Writes the tables that the assembly reads to a workspace. */
export function writeTables(buffer: SharedArrayBuffer, workspace: number): void {
  writeKinds(new Uint8Array(buffer, workspace + KINDS, 256));
  const lengths = [1, 2, 3];
  for (const a of lengths) for (const b of lengths) for (const c of lengths) for (const d of lengths) writeQuad(buffer, workspace + QUADS, [a, b, c, d]);
  for (const [offset, bytes] of VECTORS) {
    const vector = new Uint8Array(buffer, workspace + offset, 16);
    for (let at = 0; at < 16; at++) vector[at] = bytes[at % bytes.length]!;
  }
  for (let before = 0; before <= 8; before++) for (let behind = 0; before + behind <= 8; behind++) writeGap(buffer, workspace + GAPS, before, behind);
  writeTexts(buffer, workspace + OCTETS, Array.from({ length: 256 }, (_, octet) => `${octet}.`));
  writeTexts(buffer, workspace + PREFIX_LENGTHS, Array.from({ length: 129 }, (_, length) => `/${length}`));
  writeGapRuns(new Uint8Array(buffer, workspace + GAP_RUNS, 256));
  const masks = new Uint32Array(buffer, workspace + MASKS, 129 * 4);
  for (let at = 0; at < masks.length; at++) masks[at] = -(2 ** (32 - Math.min(32, Math.max(0, (at >> 2) - 32 * (at & 3)))));
}

function writeKinds(kinds: Uint8Array): void {
  kinds.fill(KIND_DELIMITER);
  for (let byte = 0x30; byte <= 0x39; byte++) kinds[byte] = KIND_HEX;
  for (let byte = 0x41; byte <= 0x5a; byte++) kinds[byte] = kinds[byte + 0x20] = byte <= 0x46 ? KIND_HEX : KIND_OTHER;
  kinds[0x5f] = KIND_OTHER;
  kinds[0x2e] = KIND_DOT;
  kinds[0x3a] = KIND_COLON;
}

/** Writes the entry of the quad whose octets have so many digits. */
function writeQuad(buffer: SharedArrayBuffer, quads: number, digits: readonly number[]): void {
  const shuffle = new Uint8Array(16).fill(0x80); // a byte that gives 0
  let mask = 0;
  let end = 0;
  for (const [octet, count] of digits.entries()) {
    end += count;
    for (let digit = 0; digit < count; digit++) shuffle[4 * octet + 2 - digit] = end - 1 - digit;
    shuffle[4 * octet + 3] = end;
    mask |= 1 << end;
    end++;
  }
  const entry = quads + 64 * (Math.imul(mask, QUAD_MULTIPLIER) >>> 24);
  new Uint8Array(buffer, entry, 16).set(shuffle);
  new Int32Array(buffer, entry + QUAD_BIAS, 4).set(digits.map((count) => -0x30 * [0, 1, 11, 111][count]!));
  new Uint16Array(buffer, entry + QUAD_LEAST, 4).set(digits.map((count) => [0, 0, 10, 100][count]!));
  new Uint32Array(buffer, entry + QUAD_MASK, 1)[0] = mask;
}

/** Writes the shuffle for so many groups before the gap and behind it. */
function writeGap(buffer: SharedArrayBuffer, gaps: number, before: number, behind: number): void {
  const shuffle = new Uint8Array(buffer, gaps + 16 * (9 * before + behind), 16).fill(0x80); // a byte that gives 0
  for (let group = 0; group < 8; group++) {
    const from = group < before ? group : group >= 8 - behind ? group - (8 - behind) + before + 1 : null;
    if (from === null) continue;
    // A word's bytes in memory are those of its two groups, last first.
    shuffle[(2 * group) ^ 3] = 2 * from;
    shuffle[(2 * group + 1) ^ 3] = 2 * from + 1;
  }
}

/** Writes texts of at most four characters, four bytes and their length each. */
function writeTexts(buffer: SharedArrayBuffer, at: number, texts: readonly string[]): void {
  const bytes = new Uint8Array(buffer, at, 8 * texts.length);
  for (const [index, text] of texts.entries()) {
    for (let character = 0; character < text.length; character++) bytes[8 * index + character] = text.charCodeAt(character);
    bytes[8 * index + 4] = text.length;
  }
}

/** By RFC 5952, sections 4.2.2 and 4.2.3: the longest run of two zero groups or more, the first of them on a tie. */
function writeGapRuns(runs: Uint8Array): void {
  for (let mask = 0; mask < 256; mask++) {
    let gap = 8;
    let gapLength = 1;
    for (let group = 0; group < 8; group++) {
      let end = group;
      // The lanes of a word's two groups are swapped.
      while (end < 8 && ((mask >> (end ^ 1)) & 1) !== 0) end++;
      if (end - group > gapLength) [gap, gapLength] = [group, end - group];
    }
    runs[mask] = gap | (gapLength << 4);
  }
}

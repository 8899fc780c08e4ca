/** A CRC-32 (as in zlib, PNG and ZIP) of bytes, continued from the CRC-32 of the bytes before them. */
export type Crc32 = (bytes: Uint8Array, initial?: number) => number;

/** The polynomial x^32 + x^26 + ... + 1 with its bits reversed: the lowest bit stands for the highest power. */
const POLYNOMIAL = 0xedb8_8320;
/** Bytes taken by one step of the loop. */
const SLICES = 8;

/**
 * `tables[k * 256 + b]` is what byte b does to the register when k zero bytes follow it. XOR is linear: the register after
 * eight bytes is the XOR of what each of them does by itself, one table look-up each ("slicing by 8", Kounavis and Berry
 * 2005), and no look-up waits for another.
 */
let tables: Uint32Array | undefined;

function makeTables(): Uint32Array {
  const made = new Uint32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let register = byte;
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (register & 1 ? POLYNOMIAL : 0);
    made[byte] = register;
  }
  // One more zero byte shifts the register by eight bits.
  for (let i = 256; i < made.length; i++) {
    const before = made[i - 256]!;
    made[i] = (before >>> 8) ^ made[before & 0xff]!;
  }
  return made;
}

/**
 * In plain JavaScript, for platforms without `node:zlib` and for the few hundred bytes of a head; `zlib.crc32` is several
 * times faster. O(bytes).
 */
export const crc32: Crc32 = (bytes, initial = 0) => {
  const t = (tables ??= makeTables());
  const end = bytes.length;
  let register = ~initial;
  let at = 0;
  for (const last = end - SLICES; at <= last; at += SLICES) {
    const low = register ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    register =
      t[1792 + (low & 0xff)]! ^
      t[1536 + ((low >>> 8) & 0xff)]! ^
      t[1280 + ((low >>> 16) & 0xff)]! ^
      t[1024 + (low >>> 24)]! ^
      t[768 + bytes[at + 4]!]! ^
      t[512 + bytes[at + 5]!]! ^
      t[256 + bytes[at + 6]!]! ^
      t[bytes[at + 7]!]!;
  }
  for (; at < end; at++) register = (register >>> 8) ^ t[(register ^ bytes[at]!) & 0xff]!;
  return ~register >>> 0;
};

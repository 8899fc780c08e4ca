import type { Address, Family } from "../../src/address/address.ts";

/** The address as a number of 32 or 128 bits. */
export function valueOf({ family, w0, w1, w2, w3 }: Address): bigint {
  if (family === 4) return BigInt(w0);
  return [w0, w1, w2, w3].reduce((value, word) => (value << 32n) | BigInt(word), 0n);
}

/** The address of a number. */
export function addressOf(family: Family, value: bigint): Address {
  const word = (shift: bigint) => Number((value >> shift) & 0xffffffffn);
  if (family === 4) return { family, w0: word(0n), w1: 0, w2: 0, w3: 0 };
  return { family, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) };
}

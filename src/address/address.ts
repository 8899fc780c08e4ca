/** The address family: 4 or 6. */
export type Family = 4 | 6;

/**
 * An address as unsigned 32-bit words in network order. IPv4 is in `w0` and its other words are 0;
 * IPv6 fills all four. An IPv4-mapped IPv6 address is never held as such: it is the IPv4 address.
 */
export interface Address {
  readonly family: Family;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

/** A canonical prefix: the address with its host bits zero, and its length (0..32 or 0..128). */
export interface Prefix extends Address {
  readonly length: number;
}

/** The number of bits of an address: 32 or 128. */
export function addressBits(family: Family): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/**
 * For callers without types: the error for something else, such as a text, where an `Address` or a `Prefix` is
 * required.
 */
export function notAnAddress(value: unknown): TypeError {
  const what = typeof value === "string" ? `the text ${JSON.stringify(value)}` : String(value);
  return new TypeError(`expected an address or a prefix, as parseAddress and parsePrefix give them, not ${what}`);
}

import type { Prefix } from "../address/address.ts";
import { coversMapped } from "../address/prefix.ts";
import { subtractor } from "../address/subtract.ts";

const outside = subtractor([{ family: 6, w0: 0, w1: 0, w2: 0xffff, w3: 0, length: 96 }]);

/**
 * IPv6 prefixes without the addresses of ::ffff:0:0/96, which are IPv4 addresses and not meant by IPv6 sets: a prefix
 * there, and any prefix around it but ::/0, would be read as one of IPv4, or as all of it.
 */
export function* besideMapped(prefixes: Iterable<Prefix>): Generator<Prefix, void, undefined> {
  for (const prefix of prefixes) {
    if (coversMapped(prefix)) yield* outside(prefix);
    else if (!isMapped(prefix)) yield prefix;
  }
}

function isMapped({ w0, w1, w2, length }: Prefix): boolean {
  return length >= 96 && w0 === 0 && w1 === 0 && w2 === 0xffff;
}

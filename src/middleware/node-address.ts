import type { Address } from "../address/address.ts";
import { parseAddress } from "../address/parse-address.ts";

/** `[2001:db8::1]:443`, `[2001:db8::1]` */
const BRACKETED = /^\[([^\]]*)\](?::(?:\d{1,5}|_[\w.-]+))?$/;
/** `192.0.2.1:443`; in a bare IPv6 address there are more colons. */
const WITH_PORT = /^([^:[\]]+):(?:\d{1,5}|_[\w.-]+)$/;

/**
 * The address of a socket, or of an item of a header: bare or with brackets, with a port or without. A zone id names an
 * interface of the machine that wrote it, not another address: it is dropped. Null for anything else, such as `unknown`.
 */
export function nodeAddress(text: string): Address | null {
  const bracketed = BRACKETED.exec(text)?.[1];
  const bare = bracketed ?? WITH_PORT.exec(text)?.[1] ?? text;
  const isIPv6 = bare.includes(":");
  if (bracketed !== undefined && !isIPv6) return null;
  try {
    return parseAddress(isIPv6 ? withoutZone(bare) : bare);
  } catch {
    return null;
  }
}

function withoutZone(text: string): string {
  const percent = text.indexOf("%");
  return percent < 0 || percent === text.length - 1 ? text : text.slice(0, percent);
}

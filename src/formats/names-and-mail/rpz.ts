import type { Prefix } from "../../address/address.ts";
import { WITHOUT_ZERO_LENGTH, withoutZeroLength } from "../_cidr.ts";
import type { Format } from "../format.ts";

/**
 * Seconds after which resolvers request the zone again, try again after an error, and give it up, and for which its
 * records may be cached.
 */
const TIMES = "300 60 604800 300";

/**
 * A response policy zone (draft-vixie-dnsop-dns-rpz): names that resolve to a listed address do not exist, or, with an
 * allowlist, are let through whatever later zones say. The serial number rises with every change.
 * BIND ignores a /0.
 */
export const rpz = {
  about: "response policy zone",
  kinds: ["rules"],
  mediaType: "text/dns",
  comments: ";",
  hasSerial: true,
  expresses: WITHOUT_ZERO_LENGTH,
  *write(list) {
    const policy = list.purpose === "blocklist" ? "." : "rpz-passthru.";
    yield `$TTL 300\n@ SOA localhost. root.localhost. ${list.serial} ${TIMES}\n@ NS localhost.\n`;
    for (const prefix of withoutZeroLength(list)) yield `${triggerOf(prefix)} CNAME ${policy}\n`;
  },
} as const satisfies Format<"rules">;

/** `24.0.2.0.192.rpz-ip` and `32.zz.db8.2001.rpz-ip`: the length, then the parts of the address, the last one first. */
function triggerOf(prefix: Prefix): string {
  const parts = prefix.family === 4 ? octets(prefix.w0) : groups(prefix);
  return `${prefix.length}.${parts.reverse().join(".")}.rpz-ip`;
}

function octets(word: number): string[] {
  return [24, 16, 8, 0].map((shift) => String((word >>> shift) & 0xff));
}

/** The eight groups, with `zz` for the first of the longest runs of two and more zeros, as BIND requires. */
function groups({ w0, w1, w2, w3 }: Prefix): string[] {
  const all = [w0, w1, w2, w3].flatMap((word) => [(word >>> 16).toString(16), (word & 0xffff).toString(16)]);
  let start = 0;
  let longest = 0;
  for (let at = 0, length = 0; at < all.length; at++) {
    length = all[at] === "0" ? length + 1 : 0;
    if (length <= longest) continue;
    longest = length;
    start = at + 1 - length;
  }
  if (longest > 1) all.splice(start, longest, "zz");
  return all;
}

import { isAddress } from "../address/parse-address.ts";
import { parsePrefix } from "../address/prefix.ts";
import { type AddressRules, checkedAddresses } from "../update/pinned-lookup.ts";
import { prefixesIn, type Settings } from "./settings.ts";

/** Which addresses the operator lets the server connect to. */
export function outboundRules({ outboundAllow }: Pick<Settings, "outboundAllow">): AddressRules {
  return { allow: prefixesIn(outboundAllow).map((text) => parsePrefix(text)) };
}

/**
 * Why nothing may be fetched from, or sent to, the host of a URL that is an address, or is reached by http; undefined if
 * it may. The addresses of other names are checked at each connection, as they may change.
 */
export async function reservedHost({ protocol, hostname }: URL, rules: AddressRules): Promise<string | undefined> {
  if (!isLiteral(hostname) && protocol === "https:") return undefined;
  try {
    await checkedAddresses(hostname, rules);
    return undefined;
  } catch {
    return "this address is reserved or in a private network; the operator can allow it with --outbound-allow";
  }
}

/** Whether the host of a URL is an address. */
export function isLiteral(hostname: string): boolean {
  return hostname.startsWith("[") || isAddress(hostname);
}

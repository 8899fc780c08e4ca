import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { addressBits, type Prefix } from "../address/address.ts";
import { isAddress, parseAddress } from "../address/parse-address.ts";
import { prefixContains } from "../address/prefix.ts";
import { UpdateError } from "./update-error.ts";
import { whyReserved } from "./reserved.ts";

/** Which addresses may be connected to. */
export interface AddressRules {
  /** Special-purpose addresses that are allowed nevertheless, such as a mirror inside the network. */
  readonly allow: readonly Prefix[];
  /** All addresses of a host; by default, the system's answer. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/**
 * The addresses of a host, checked even if the URL contains an address itself. One bad address among good ones rejects
 * the host: no publisher has such a host, but a name that is meant to lead into this network may have one. @throws
 * UpdateError "address-refused", "unreachable"
 */
export async function checkedAddresses(
  host: string,
  { allow, resolve = systemAddresses }: AddressRules,
): Promise<readonly string[]> {
  const literal = host.startsWith("[") ? host.slice(1, -1) : host;
  const addresses = isAddress(literal) ? [literal] : await resolved(host, resolve);
  for (const text of addresses) {
    const address = parseAddress(text);
    const prefix = { ...address, length: addressBits(address.family) };
    const why = allow.some((range) => prefixContains(range, prefix)) ? undefined : whyReserved(prefix);
    if (why === undefined) continue;
    const what = text === literal ? text : `${host} has the address ${text}`;
    throw new UpdateError(
      "address-refused",
      `${what}, from which nothing is fetched: ${why}; --allow-address ${text} allows it, for a mirror of your own`,
    );
  }
  return addresses;
}

/**
 * A `lookup` for `net.connect` that returns the checked addresses: the connection goes to what was checked, whatever
 * the name resolves to a moment later. The name stays that of the certificate and of the request.
 */
export function pinnedLookup(rules: AddressRules): LookupFunction {
  return (host, options, callback) => {
    checkedAddresses(host, rules).then(
      (addresses) => {
        const found = addresses.map((text) => ({ address: text, family: parseAddress(text).family }));
        if (options.all === true) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

async function resolved(
  host: string,
  resolve: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(host);
  } catch (cause) {
    throw new UpdateError(
      "unreachable",
      `${host} has no address (${(cause as NodeJS.ErrnoException).code ?? (cause as Error).message})`,
      { cause },
    );
  }
  if (addresses.length === 0) throw new UpdateError("unreachable", `${host} has no address`);
  return addresses;
}

async function systemAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => withoutZone(address));
}

/** A link-local address comes with its interface, `fe80::1%eth0`; the part before the `%` is enough to reject it. */
function withoutZone(address: string): string {
  return address.split("%", 1)[0]!;
}

import type { Prefix } from "../../address/address.ts";
import { formatAddress } from "../../address/format-address.ts";
import { addressesOf } from "../_minimal.ts";
import type { Capability } from "../../sets/capability.ts";
import type { EntryList } from "../entry.ts";
import { ENTRIES_AT_ONCE, UnexportableError } from "../format.ts";

/** Wider prefixes would be more than 65,536 lines. */
const WIDEST = 16;
export const HOSTS = { 4: [{ widest: WIDEST, from: 32, to: 32 }] } as const satisfies Capability;
/** More lines than any of these products takes, and a file of 16 MB. */
export const MAX_LINES = 1 << 20;

/**
 * Every listed IPv4 address on a line of its own, once, for products that know neither prefixes nor IPv6.
 * @throws UnexportableError for more than a million addresses
 */
export function* hostLines(list: EntryList<"rules">): Generator<string> {
  const addresses = yield* addressesOf(list);
  const lines = addresses.size(4);
  if (lines > MAX_LINES)
    throw new UnexportableError(
      String(lines),
      `the list would have a line for each of its ${lines} addresses, more than the ${MAX_LINES} allowed; leave out wide prefixes, or choose another format`,
    );
  for (const prefix of addresses.prefixes(4)) {
    const count = 2 ** (32 - prefix.length);
    for (let at = 0; at < count; at++) {
      if (at % ENTRIES_AT_ONCE === 0) yield "";
      yield `${formatAddress({ ...prefix, w0: prefix.w0 + at })}\n`;
    }
  }
}

/** Why a prefix is not in such a list. */
export function noHosts({ family }: Prefix): string {
  if (family === 6) return "it takes IPv4 addresses only";
  return `it takes single addresses only, and prefixes wider than /${WIDEST} have too many`;
}

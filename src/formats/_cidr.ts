import type { Family, Prefix } from "../address/address.ts";
import { formatAddress } from "../address/format-address.ts";
import { atLeast, type Capability } from "../sets/capability.ts";
import type { EntryList } from "./entry.ts";

/** Of a consumer that takes no prefix of length 0, but its two halves. */
export const WITHOUT_ZERO_LENGTH: Capability = {
  4: [{ widest: 0, from: 1, to: 32 }],
  6: [{ widest: 0, from: 1, to: 128 }],
};

/** The prefix with its length, also that of a single address. */
export function cidr(prefix: Prefix): string {
  return `${formatAddress(prefix)}/${prefix.length}`;
}

/** The prefixes of a list, in order, for a consumer that takes none of length 0: its two halves instead, each once. */
export function* withoutZeroLength(list: EntryList<"rules">): Generator<Prefix> {
  const halved = new Set<Family>();
  for (const { prefix } of list.entries()) {
    const { family, length } = prefix;
    if (length === 0) halved.add(family);
    if (length !== 1 || !halved.has(family)) yield* atLeast(1, prefix);
  }
}

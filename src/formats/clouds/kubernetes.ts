import type { Family, Prefix } from "../../address/address.ts";
import { formatAddress } from "../../address/format-address.ts";
import type { AddressSet } from "../../sets/address-set.ts";
import { addressesOf } from "../_minimal.ts";
import type { Format } from "../format.ts";
import { resourceNameOf } from "../set-name.ts";

const EVERYTHING = { 4: "0.0.0.0/0", 6: "::/0" } as const satisfies Record<Family, string>;

/**
 * A NetworkPolicy for all pods of a namespace: ingress from everywhere except a blocklist, or from an allowlist only.
 * `except` takes prefixes inside of `cidr` only, so no two overlap and a family that is listed whole has no line.
 */
export const kubernetes = {
  about: "NetworkPolicy",
  kinds: ["rules"],
  mediaType: "application/yaml",
  comments: "#",
  isNamed: true,
  *write(list) {
    const addresses = yield* addressesOf(list);
    yield `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: ${resourceNameOf(list.name)}\n`;
    yield "spec:\n  podSelector: {}\n  policyTypes: [Ingress]\n";
    let isEmpty = true;
    for (const block of list.purpose === "allowlist" ? allowed(addresses) : notBlocked(addresses)) {
      yield isEmpty ? `  ingress:\n  - from:\n${block}` : block;
      isEmpty = false;
    }
    if (isEmpty) yield "  ingress: []\n";
  },
} as const satisfies Format<"rules">;

function* allowed(addresses: AddressSet): Generator<string> {
  for (const prefix of addresses.prefixes()) yield `    - ipBlock: { cidr: "${cidr(prefix)}" }\n`;
}

function* notBlocked(addresses: AddressSet): Generator<string> {
  for (const family of [4, 6] as const) yield* except(family, addresses.prefixes(family));
}

function* except(family: Family, prefixes: Iterable<Prefix>): Generator<string> {
  let isFirst = true;
  for (const prefix of prefixes) {
    if (prefix.length === 0) return;
    if (isFirst) yield `    - ipBlock:\n        cidr: "${EVERYTHING[family]}"\n        except:\n`;
    yield `        - "${cidr(prefix)}"\n`;
    isFirst = false;
  }
  if (isFirst) yield `    - ipBlock: { cidr: "${EVERYTHING[family]}" }\n`;
}

function cidr(prefix: Prefix): string {
  return `${formatAddress(prefix)}/${prefix.length}`;
}

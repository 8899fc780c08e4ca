import { specialPurposeBlocks } from "../address/special-purpose.ts";
import { AddressSet } from "../sets/address-set.ts";
import { finished } from "../turns/finished.ts";
import { ANY_LENGTH, makingGroup, type Protected, type ProtectedGroup } from "./protected.ts";

/** Blocks with traffic in networks of all kinds, by their names in the registries. No one misses the others. */
const IN_USE: ReadonlySet<string> = new Set([
  "Private-Use",
  "Shared Address Space",
  "Loopback",
  "Loopback Address",
  "Link Local",
  "Link-Local Unicast",
  "Unique-Local",
  "Multicast",
  "Limited Broadcast",
  "IPv4-IPv6 Translation",
]);

let group: ProtectedGroup | undefined;

/** Private, local and multicast addresses. */
export function specialPurposeGroup(): ProtectedGroup {
  return (group ??= finished(makingGroup(members(), ANY_LENGTH)));
}

function members(): Protected[] {
  const used = specialPurposeBlocks().filter(({ name }) => IN_USE.has(name));
  return [...Map.groupBy(used, ({ name }) => name)].map(([name, blocks]) => ({
    kind: "special-purpose",
    id: null,
    name,
    addresses: AddressSet.of(blocks.map(({ prefix }) => prefix)),
  }));
}

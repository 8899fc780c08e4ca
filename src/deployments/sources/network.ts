import type { Networks } from "../../networks/networks.ts";
import { type NetworkSelection, selectedPrefixes } from "../../networks/select-networks.ts";
import type { Capability } from "../../sets/capability.ts";
import { type Gathered, gathering } from "../gathered.ts";

/**
 * The prefixes of an AS number, or of a country. O(prefixes of the dataset).
 * @throws NetworksError "unknown-network"
 */
export function gatheringNetwork(
  name: string,
  networks: Networks,
  selection: NetworkSelection,
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  return gathering(name, selectedPrefixes(networks, selection), Number.POSITIVE_INFINITY, expresses);
}

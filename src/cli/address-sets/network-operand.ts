import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { openNetworksSnapshot } from "../../datasets/open-networks.ts";
import { withPath } from "../../datasets/with-path.ts";
import type { Gathered } from "../../deployments/gathered.ts";
import { gatheringNetwork } from "../../deployments/sources/network.ts";
import { NetworksError } from "../../networks/networks-error.ts";
import { isAsn } from "../../networks/networks.ts";
import type { NetworkSelection } from "../../networks/select-networks.ts";
import type { Capability } from "../../sets/capability.ts";
import { finished } from "../../turns/finished.ts";
import type { DatasetOptions } from "./dataset-options.ts";
import { UsageError } from "../runner/usage-error.ts";
import { defaultNetworks } from "../snapshots/chosen-networks.ts";

const ASN = "asn:";
const COUNTRY = "country:";

/** Whether a text names networks: `asn:15169`, `country:DE`. */
export function isNetworkOperand(text: string): boolean {
  return text.startsWith(ASN) || text.startsWith(COUNTRY);
}

/** What it selects. Throws UsageError. */
export function networkSelectionIn(operand: string): NetworkSelection {
  if (operand.startsWith(COUNTRY)) {
    const country = operand.slice(COUNTRY.length).toUpperCase();
    if (/^[A-Z]{2}$/.test(country)) return { country };
    throw new UsageError(`${operand}: write the two letters of a country (ISO 3166-1), as in country:DE`);
  }
  const digits = /^(?:AS)?([0-9]{1,10})$/i.exec(operand.slice(ASN.length))?.[1];
  const asn = digits === undefined ? Number.NaN : Number(digits);
  if (isAsn(asn)) return { asn };
  throw new UsageError(`${operand}: write an AS number, as in asn:15169`);
}

/** How such a selection is written. */
export function networkOperand(selection: NetworkSelection): string {
  return "asn" in selection ? `${ASN}${selection.asn}` : `${COUNTRY}${selection.country}`;
}

/** The addresses of such an operand. Throws UsageError for networks that there are not, and the errors of opening the file. */
export async function gatheredNetwork(
  args: DatasetOptions,
  operand: string,
  expresses: Capability | undefined,
): Promise<Gathered> {
  const selection = networkSelectionIn(operand);
  const path = args.value("networks") ?? defaultNetworks();
  const networks = networksOf(await openNetworksSnapshot(path), path);
  return withPath(path, () => {
    try {
      return finished(gatheringNetwork(operand, networks, selection, expresses));
    } catch (error) {
      if (!(error instanceof NetworksError && error.code === "unknown-network")) throw error;
      throw new UsageError(`${operand}: ${error.message}`);
    }
  });
}

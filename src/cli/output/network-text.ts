import type { Network } from "../../networks/networks.ts";
import { oneLine } from "../runner/one-line.ts";

/** "AS15169 Google LLC, US" */
export function networkText({ asn, name, country }: Pick<Network, "asn" | "name" | "country">): string {
  return `AS${asn} ${oneLine(name)}${country === null ? "" : `, ${country}`}`;
}

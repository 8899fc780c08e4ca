import type { Purpose } from "../../store/state.ts";

export type Decision = "allow" | "block" | "none";

/**
 * What all rulesets together decide for an address, by the purposes of those that cover it: allow takes precedence over
 * block.
 */
export function decisionOf(purposes: ReadonlySet<Purpose>): Decision {
  return purposes.has("allowlist") ? "allow" : purposes.has("blocklist") ? "block" : "none";
}

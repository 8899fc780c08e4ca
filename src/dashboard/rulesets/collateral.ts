import type { Collateral } from "../documents.ts";

/** How many are named; the response has all. */
const SHOWN = 2;

/** What a write blocks that a blocklist should not, as sentences that follow what it did; "" for nothing. */
export function collateralText(warnings: readonly Collateral[] | undefined): string {
  if (warnings === undefined || warnings.length === 0) return "";
  const shown = warnings.slice(0, SHOWN).map(({ detail }) => detail);
  const more = warnings.length > SHOWN ? `; ${warnings.length - SHOWN} more` : "";
  return ` Warning: ${shown.join("; ")}${more}.`;
}

import { compareLookups } from "./compare-lookups.ts";
import type { Part } from "./part.ts";

/** The smoke test of the harness: small tables, contenders that need no installation, figures that mean nothing. */
export const part: Part = async () => {
  const how = {
    contenders: ["ipsieve", "ipsieve-kernel", "net-block-list"],
    rounds: 2,
    milliseconds: 1,
    singleCount: 1_000,
  };
  const results = [
    await compareLookups({ table: "quick4", ...how }),
    await compareLookups({ table: "quick6", ...how }),
  ];
  return {
    measurements: results.flatMap((result) => result.measurements),
    refusals: results.flatMap((result) => result.refusals),
    notes: [],
  };
};

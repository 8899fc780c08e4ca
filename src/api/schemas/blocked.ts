import { Type } from "typebox";
import { BLOCKED_UNITS, type BlockedSummary } from "../../store/records/blocked.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { Count, type DocumentOf, named, NullableText, Timestamp } from "./common.ts";

const Unit = named("BlockedUnit", Type.Enum([...BLOCKED_UNITS]));

export const BlockedList = named(
  "BlockedList",
  Type.Object({
    items: Type.Array(
      Type.Object({
        source: Type.String({
          description:
            "the include because of which it was blocked: `ruleset/ID`, `cbs/NODE`, `list/ID`, `cti`, `prefixes`; `deployment`: one of several, as CrowdSec bouncers do not say which; `other`: none of the deployment",
        }),
        ruleset_id: NullableText({ description: "of a ruleset" }),
        prefix: NullableText({ description: "of the rule; null if the program does not report it" }),
        unit: Unit,
        amount: Count,
      }),
      { description: "of the last 31 days, largest first, at most 200; as reported by programs" },
    ),
    hours: Type.Array(Type.Object({ at: Timestamp, unit: Unit, amount: Count }), {
      description: "of the last 31 days; hours in which nothing was reported are left out",
    }),
  }),
);

const RULESET = "ruleset/";

export function blockedDocument({ counts, hours }: BlockedSummary): DocumentOf<typeof BlockedList> {
  return {
    items: counts.map(({ source, prefix, unit, amount }) => ({
      source,
      ruleset_id: source.startsWith(RULESET) ? source.slice(RULESET.length) : null,
      prefix: prefix === "" ? null : prefix,
      unit,
      amount,
    })),
    hours: hours.map(({ at, unit, amount }) => ({ at: formatTimestamp(at), unit, amount })),
  };
}

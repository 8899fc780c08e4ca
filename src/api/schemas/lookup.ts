import { Type } from "typebox";
import { CbsLookup } from "./cbs.ts";
import { LookedUpText, named, Nullable } from "./common.ts";
import { ExtendedThreat } from "./cti.ts";
import { RuleRow } from "./row.ts";
import { PRECEDENCE, Purpose } from "./rule.ts";

export const LookupQuery = Type.Object({ ip: LookedUpText });

export const Lookup = named(
  "Lookup",
  Type.Object({
    ip: Type.String({ description: "as sent" }),
    cbs: Nullable(CbsLookup),
    rulesets: Type.Array(
      Type.Object({
        id: Type.String({ format: "uuid" }),
        name: Type.String(),
        purpose: Purpose,
        rule: Nullable(RuleRow),
        covering: Type.Array(RuleRow, {
          description: "all rules that cover it, including expired ones, most specific first",
        }),
      }),
      {
        description:
          "all rulesets of the organisation, in the order of their creation; `rule` is the active rule that decides in the ruleset: the most specific one",
      },
    ),
    decision: Type.Enum(["allow", "block", "none"], { description: `for all rulesets together. ${PRECEDENCE}` }),
    cti: Nullable(ExtendedThreat),
  }),
);

import { Type } from "typebox";
import { PURPOSES } from "../../store/state.ts";
import { CbsLookup } from "./cbs.ts";
import { named } from "./common.ts";
import { ExtendedThreat } from "./cti.ts";
import { RuleRow } from "./row.ts";
import { PRECEDENCE } from "./ruleset.ts";

export const LookupQuery = Type.Object({ ip: Type.String({ maxLength: 100, description: "an address, or a prefix as address/length without host bits", examples: ["203.0.113.7"] }) });

const nullable = (schema: object) => Type.Unsafe<unknown>({ anyOf: [schema, { type: "null" }] });

export const Lookup = named(
  "Lookup",
  Type.Object({
    ip: Type.String({ description: "as it was sent" }),
    cbs: nullable(CbsLookup),
    rulesets: Type.Array(
      Type.Object({
        id: Type.String({ format: "uuid" }),
        name: Type.String(),
        purpose: Type.Enum([...PURPOSES]),
        rule: nullable(RuleRow),
        covering: Type.Array(RuleRow, { description: "all rules that cover it, expired ones too, the most specific first" }),
      }),
      { description: "all rulesets of the organisation, in the order of their creation; `rule` is the active rule that decides in the ruleset: the most specific one" },
    ),
    decision: Type.Enum(["allow", "block", "none"], { description: `of all rulesets together. ${PRECEDENCE}` }),
    cti: nullable(ExtendedThreat),
  }),
);

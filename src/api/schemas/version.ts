import { Type } from "typebox";
import { AUDITED_COMMANDS } from "../../service/changes/audit-actions.ts";
import { Count, named, pageOf, pageParameters, Timestamp } from "./common.ts";

/** A version of a ruleset. */
const VersionSchema = named(
  "RulesetVersion",
  Type.Object({
    version: Type.Integer({
      minimum: 1,
      format: "int64",
      description: "of the ruleset; versions of other rulesets have other numbers",
    }),
    created_at: Timestamp,
    change: Type.String({
      description: `the change that made it, such as ${AUDITED_COMMANDS[0]}`,
      examples: ["import-rules"],
    }),
    changed_rules: Count,
  }),
);

export const VersionPage = pageOf("PagedRulesetVersionSchema", VersionSchema);
export const VersionsQuery = Type.Object({ page: pageParameters.page, page_size: pageParameters.page_size });

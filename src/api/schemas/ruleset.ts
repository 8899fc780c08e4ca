import { Type } from "typebox";
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { PURPOSES } from "../../store/state.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { LiveRuleset } from "../../service/rules/service-memory.ts";
import { Count, LineText, named, pageOf, pageParameters, strict, Timestamp } from "./common.ts";

/** Which rule wins if rules of both purposes cover an address; the lookup page says the same. */
export const PRECEDENCE =
  "Allow before block: where active rules of an allowlist and of a blocklist cover an address, it is allowed.";

export const Purpose = named("Purpose", Type.Enum([...PURPOSES], { description: PRECEDENCE }));

export const RulesetSchema = named(
  "Ruleset",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    purpose: Purpose,
    description: Type.String(),
    total_rules: Count,
    active_rules: Count,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** The ruleset as of `now`. */
export function rulesetDocument({ about, rules }: LiveRuleset, now: number): Record<string, unknown> {
  const { id, name, purpose, description, createdAt, updatedAt } = about;
  return {
    id,
    name,
    purpose,
    description,
    total_rules: rules.count,
    active_rules: rules.activeCount(now),
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
  };
}

export const RulesetsQuery = Type.Object({ purpose: Type.Optional(Purpose), ...pageParameters });
export const RulesetPage = pageOf("PagedRulesetSchema", RulesetSchema);

const Name = LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: "without control characters" });
const Description = LineText({ maxLength: MAX_DESCRIPTION_LENGTH, description: "without control characters" });

export const CreateRulesetBody = named(
  "CreateRulesetRequest",
  Type.Object({ name: Name, purpose: Purpose, description: Type.Optional(Description) }, strict),
);
export const UpdateRulesetBody = named(
  "UpdateRulesetRequest",
  Type.Object({ name: Type.Optional(Name), description: Type.Optional(Description) }, { ...strict, minProperties: 1 }),
);

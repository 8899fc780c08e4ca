import { Type } from "typebox";
import { GUARD_POLICIES } from "../../store/records/guard-policy.ts";
import { PURPOSES } from "../../store/state.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { LiveRuleset } from "../../service/store/service-memory.ts";
import { OwnGuardClasses } from "./guard.ts";
import { Count, DescriptionText, named, NameText, pageOf, pageParameters, strict, Timestamp } from "./common.ts";

/** Which rule wins if rules of both purposes cover an address; the lookup page says the same. */
export const PRECEDENCE =
  "Allow before block: where active rules of an allowlist and of a blocklist cover an address, it is allowed.";

export const Purpose = named("Purpose", Type.Enum([...PURPOSES], { description: PRECEDENCE }));

const Guard = named(
  "GuardPolicy",
  Type.Enum([...GUARD_POLICIES], {
    description:
      "what happens to rules of a blocklist that would block services, addresses that allowlists allow, own networks or private addresses: off: nothing; warn: the response names them in `warnings`; refuse: 409 `/problems/collateral`; carve: lists are written without them, single rules are refused with what would be left. Allowlists block nothing",
  }),
);
const NeverBlock = Type.Boolean({
  description: "of an allowlist: whether its rules are the organisation's own networks",
});

export const RulesetSchema = named(
  "Ruleset",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    purpose: Purpose,
    description: Type.String(),
    guard: Guard,
    guard_classes: OwnGuardClasses,
    never_block: NeverBlock,
    total_rules: Count,
    active_rules: Count,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** The ruleset as of `now`. */
export function rulesetDocument({ about, rules }: LiveRuleset, now: number): Record<string, unknown> {
  const { id, name, purpose, description, guard, guardClasses, neverBlock, createdAt, updatedAt } = about;
  return {
    id,
    name,
    purpose,
    description,
    guard,
    guard_classes: guardClasses ?? null,
    never_block: neverBlock,
    total_rules: rules.count,
    active_rules: rules.activeCount(now),
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
  };
}

export const RulesetsQuery = Type.Object({ purpose: Type.Optional(Purpose), ...pageParameters });
export const RulesetPage = pageOf("PagedRulesetSchema", RulesetSchema);

export const CreateRulesetBody = named(
  "CreateRulesetRequest",
  Type.Object(
    {
      name: NameText,
      purpose: Purpose,
      description: Type.Optional(DescriptionText),
      guard: Type.Optional(Guard),
      guard_classes: Type.Optional(OwnGuardClasses),
      never_block: Type.Optional(NeverBlock),
    },
    strict,
  ),
);
export const UpdateRulesetBody = named(
  "UpdateRulesetRequest",
  Type.Object(
    {
      name: Type.Optional(NameText),
      description: Type.Optional(DescriptionText),
      guard: Type.Optional(Guard),
      guard_classes: Type.Optional(OwnGuardClasses),
      never_block: Type.Optional(NeverBlock),
    },
    { ...strict, minProperties: 1 },
  ),
);

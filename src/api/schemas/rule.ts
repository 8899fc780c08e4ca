import { type TObject, Type } from "typebox";
import { MAX_NAME_LENGTH, MAX_EXPIRY_DAYS } from "../../rulesets/validate-rule.ts";
import { CONFLICT_MODES } from "../../rulesets/write-rule.ts";
import { PURPOSES } from "../../store/state.ts";
import { MAX_LISTED } from "../../service/rules/plan-replacement.ts";
import { MAX_REPORTED } from "../../service/rules/desired-rules.ts";
import {
  Count,
  FieldMessages,
  LINE_PATTERN,
  LookedUpText,
  MapByAddress,
  named,
  Nullable,
  NullableText,
  NullableTimestamp,
  pageOf,
  pageParameters,
  PrefixText,
  shownAs,
  shownOf,
  strict,
  Timestamp,
  upTo,
  withItemsForHandler,
} from "./common.ts";
import { warnings } from "./collateral.ts";
import { problemOf } from "./problem.ts";

export const RuleSchema = named(
  "Rule",
  Type.Object({
    ip: Type.String({ description: "the canonical prefix; it identifies the rule", examples: ["203.0.113.0/24"] }),
    name: NullableText({ examples: ["office"] }),
    expires_at: NullableTimestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** The ruleset of all examples. */
export const EXAMPLE_ID = "7b0fcd2c-58d3-4b2e-9f0d-3d1f4c6f8a11";

/** Which rule wins if rules of both purposes cover an address; the lookup page says the same. */
export const PRECEDENCE =
  "Allow before block: where active rules of an allowlist and of a blocklist cover an address, it is allowed.";

export const Purpose = named("Purpose", Type.Enum([...PURPOSES], { description: PRECEDENCE }));

export const RulesetParameters = Type.Object({ ruleset_id: Type.String({ format: "uuid", examples: [EXAMPLE_ID] }) });

export const RulesQuery = Type.Object({
  active_only: Type.Optional(
    Type.Boolean({
      description: "only rules that have not expired; the default is false for JSON, and true for text, CSV and NDJSON",
    }),
  ),
  ...pageParameters,
});

export const RulePage = pageOf("PagedRuleSchema", RuleSchema);

export const RuleQuery = Type.Object({ ip: PrefixText });

const RuleName = shownAs(
  NullableText({ maxLength: MAX_NAME_LENGTH, pattern: LINE_PATTERN, description: "without control characters" }),
  NullableText({ maxLength: MAX_NAME_LENGTH }),
);
const expiry = {
  expires_in_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_EXPIRY_DAYS, description: "from now; not together with expires_at" }),
  ),
  expires_at: Type.Optional(
    shownAs(
      NullableText({
        format: "date-time",
        description: "ISO 8601 with a time zone, from 1970 to 9999; null: never",
        examples: ["2026-12-31T00:00:00Z"],
      }),
      NullableText(),
    ),
  ),
};
const ruleMembers = { ip: PrefixText, name: Type.Optional(RuleName), ...expiry };
const ConflictMode = named(
  "ConflictMode",
  Type.Enum([...CONFLICT_MODES], { default: "extend", description: "what to do if the rule exists" }),
);
const mode = { conflict_resolution: Type.Optional(ConflictMode) };

/** Of these properties, at most one says when a rule expires. */
function withOneExpiry<Schema extends TObject>(schema: Schema): Schema {
  return shownAs(
    {
      ...schema,
      not: { properties: { expires_in_days: {}, expires_at: {} }, required: ["expires_in_days", "expires_at"] },
    },
    schema,
  );
}

export const AddRuleBody = named("AddIPRequest", withOneExpiry(Type.Object({ ...ruleMembers, ...mode }, strict)));
const changes = { name: Type.Optional(RuleName), ...expiry };
const kept = Type.Optional(Type.String());
export const UpdateRuleBody = named(
  "UpdateRuleRequest",
  shownAs(
    shownOf(withOneExpiry(Type.Object(changes, { ...strict, minProperties: 1 }))) as object,
    // A client may send the Rule that it has read, with changes: `checkKept`.
    Type.Object({ ...changes, ip: kept, created_at: kept, updated_at: kept }, { ...strict, minProperties: 1 }),
  ),
);

export const AddRuleResponse = named(
  "AddRuleResponse",
  Type.Object({ action: Type.Enum(["created", "updated", "skipped"]), rule: RuleSchema, ...warnings }),
);

/** A rule that was changed. */
export const UpdateRuleResponse = named("UpdatedRule", Type.Object({ ...RuleSchema.properties, ...warnings }));

export function BatchBody(most: number) {
  const add = named(
    "BatchAdd",
    withOneExpiry(Type.Object({ op: Type.Literal("add"), ...ruleMembers, ...mode }, strict)),
  );
  const missing = Type.Optional(
    Type.Enum(["ignore", "fail"], { default: "ignore", description: "what to do if the rule does not exist" }),
  );
  const remove = named("BatchDelete", Type.Object({ op: Type.Literal("delete"), ip: PrefixText, missing }, strict));
  const discriminator = {
    propertyName: "op",
    mapping: { add: "#/components/schemas/BatchAdd", delete: "#/components/schemas/BatchDelete" },
  };
  const items = Type.Array(
    shownAs({ oneOf: [add, remove], discriminator }, Type.Union([add, remove])),
    upTo(most, "bulk-addresses"),
  );
  const atomic = Type.Optional(Type.Boolean({ default: true, description: "apply all items or none" }));
  return withItemsForHandler(named("BatchRequest", Type.Object({ items, atomic }, strict)));
}

export const BatchResult = named(
  "BatchResult",
  Type.Object({
    action: Type.Enum(
      ["created", "updated", "skipped", "deleted", "absent", "conflict", "too_many_rules", "invalid", "not_applied"],
      {
        description:
          "not_applied: another item failed; absent: there was no rule to delete; conflict: a rule exists and stays",
      },
    ),
    ip: Type.String({ description: "the canonical prefix; for an invalid item, its text, or empty" }),
    rule: Type.Optional(RuleSchema),
    error: Type.Optional(Type.String({ description: "why the item failed" })),
    validation_errors: Type.Optional(FieldMessages),
  }),
);

export const BatchResponse = named(
  "BatchResponse",
  Type.Object({ results: Type.Array(BatchResult, { description: "one per item, in the same order" }), ...warnings }),
);

export function ReplaceBody(most: number) {
  return named(
    "ReplaceRequest",
    Type.Object(
      {
        rules: Type.Array(
          named("ListedRule", withOneExpiry(Type.Object(ruleMembers, strict))),
          upTo(most, "rules-per-ruleset"),
        ),
      },
      strict,
    ),
  );
}

/** For operations that read lists of rules. */
const defaults = {
  name: Type.Optional(
    Type.String({
      maxLength: MAX_NAME_LENGTH,
      pattern: LINE_PATTERN,
      description: "for rules without a name in the list",
    }),
  ),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_EXPIRY_DAYS,
      description: "from now, for rules without an expiry in the list; not together with expires_at",
    }),
  ),
  expires_at: Type.Optional(
    Type.String({
      maxLength: 40,
      format: "date-time",
      description: "ISO 8601 with a time zone, for rules without an expiry in the list",
      examples: ["2026-12-31T00:00:00Z"],
    }),
  ),
};
const skip = {
  skip_invalid: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "skip lines that cannot be read, or that repeat a prefix with another name or expiry; the response lists them",
    }),
  ),
};
/** What all responses to lists say. */
const canUndo = {
  can_undo: Type.Boolean({
    description:
      "whether the rules as they were are kept, so that the change can be undone: not for changes of several hundred thousand rules",
  }),
};
/** What was not taken: of `invalid`, with `skip_invalid`. */
const skipped = {
  repeated: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "lines that repeat another, with the same name and expiry; they count once; absent if there are none",
    }),
  ),
  invalid: Type.Optional(Type.Integer({ minimum: 0, description: "with skip_invalid: lines that were skipped" })),
  invalid_lines: Type.Optional(
    Type.Array(
      named(
        "InvalidLine",
        Type.Object({
          line: Type.Integer({ minimum: 1, description: "in the file; in a JSON document, the position of the rule" }),
          text: Type.String({ description: "the line, shortened; for a repeated prefix, the prefix" }),
          reason: Type.String({ description: "what is wrong and how to fix it" }),
        }),
      ),
      { description: `with skip_invalid: the first ${MAX_REPORTED} of them` },
    ),
  ),
};

export const ReplaceQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: "describe what would change without writing anything" }),
  ),
  allow_empty: Type.Optional(Type.Boolean({ default: false, description: "allow an empty list to remove all rules" })),
  max_shrink: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        "the largest percentage of the rules that may be removed; default: 50 for rulesets of 20 rules and more, any percentage for smaller ones",
    }),
  ),
  ...skip,
  ...defaults,
});

/** A replacement that would remove too much, with its numbers. */
export const ShrinkProblem = problemOf("shrinks-too-much", {
  total_rules: Type.Integer({ minimum: 0, description: "rules currently in the ruleset" }),
  added: Count,
  updated: Count,
  removed: Count,
  unchanged: Count,
  removed_percent: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: "the percentage of the rules that would be removed, rounded up: the lowest max_shrink that permits it",
  }),
  max_shrink: Type.Integer({ minimum: 0, maximum: 100, description: "the percentage that may be removed" }),
});

const plannedRules = {
  added: Type.Array(RuleSchema),
  updated: Type.Array(named("RuleChange", Type.Object({ before: RuleSchema, after: RuleSchema }))),
  removed: Type.Array(RuleSchema),
  truncated: Type.Boolean({ description: "whether there are more than are listed; the counts include all" }),
};
const PLAN_NOTE = { description: `for a dry run: the first ${MAX_LISTED} rules of each kind, in prefix order` };

export const ReplaceResponse = named(
  "ReplaceResponse",
  Type.Object({
    added: Count,
    updated: Count,
    removed: Count,
    unchanged: Count,
    ...skipped,
    ...canUndo,
    ...warnings,
    dry_run: Type.Boolean(),
    refusal: Type.Optional(
      Nullable(ShrinkProblem, {
        description:
          "for a dry run: the problem the replacement would fail with, because it would remove too many rules; null if it would succeed",
      }),
    ),
    plan: Type.Optional(Type.Object(plannedRules, PLAN_NOTE)),
  }),
);

export const CompactQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: "describe what would change without writing anything" }),
  ),
  ignore_names: Type.Optional(
    Type.Boolean({
      default: false,
      description: "unite rules with different names too; the united rule has no name then",
    }),
  ),
});

const RedundantRule = named(
  "RedundantRule",
  Type.Object({
    rule: RuleSchema,
    covered_by: RuleSchema,
    until: NullableText({
      format: "date-time",
      description: "when covered_by expires: until then the rule changes nothing; null: never",
      examples: ["2026-12-31T00:00:00.000Z"],
    }),
    removed: Type.Boolean({ description: "false if the rule expires later than covered_by, and is therefore kept" }),
  }),
);

export const CompactResponse = named(
  "CompactResponse",
  Type.Object({
    added: Count,
    updated: Count,
    removed: Count,
    unchanged: Count,
    superfluous: Type.Integer({
      minimum: 0,
      description: "rules removed because another active rule covers them and expires no earlier",
    }),
    superfluous_for_now: Type.Integer({
      minimum: 0,
      description: "rules that another active rule covers, but which are kept as they expire later",
    }),
    united: Type.Integer({
      minimum: 0,
      description: "rules, added or updated, that stand for two or more adjacent ones of the same expiry",
    }),
    ...canUndo,
    dry_run: Type.Boolean(),
    plan: Type.Optional(Type.Object({ ...plannedRules, redundant: Type.Array(RedundantRule) }, PLAN_NOTE)),
  }),
);

export const ImportQuery = Type.Object({ ...mode, ...skip, ...defaults });
export const PreviewQuery = Type.Object({ ...mode, ...defaults });
/** For keys, whose path names no ruleset. */
export const KeyPreviewQuery = Type.Object({
  ruleset_id: Type.String({
    format: "uuid",
    maxLength: 36,
    description: "the ruleset that the list would be imported into",
    examples: [EXAMPLE_ID],
  }),
  ...PreviewQuery.properties,
});

export const ImportResponse = named(
  "ImportResponse",
  Type.Object({
    created: Count,
    updated: Count,
    skipped: Type.Integer({ minimum: 0, description: "rules that are unchanged" }),
    ...skipped,
    ...canUndo,
    ...warnings,
  }),
);

/** One address or prefix, or many. The document shows two alternatives; validation uses a form with better errors. */
export function AddressesBody(operation: "Check" | "Explain", most: number) {
  const ips = Type.Array(LookedUpText, upTo(most, "bulk-addresses"));
  const one = named(`${operation}OneRequest`, Type.Object({ ip: PrefixText }, strict));
  const many = named(`${operation}ManyRequest`, Type.Object({ ips }, strict));
  return named(
    `${operation}Request`,
    shownAs(
      { oneOf: [one, many] },
      Type.Object(
        { ip: Type.Optional(PrefixText), ips: Type.Optional(ips) },
        { ...strict, minProperties: 1, maxProperties: 1 },
      ),
    ),
  );
}

export const CheckResult = named(
  "CheckResult",
  Type.Object(
    {
      ip: Type.String({ description: "as sent" }),
      matched: Type.Boolean(),
      rule: Nullable(RuleSchema),
      covering: Type.Array(RuleSchema, { description: "all active rules that cover it, most specific first" }),
    },
    strict,
  ),
);

export const CheckResults = named(
  "CheckResults",
  MapByAddress(CheckResult, { description: "by address or prefix, as sent" }),
);

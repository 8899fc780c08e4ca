import { Type } from "typebox";
import type { Rule } from "../../rulesets/rule.ts";
import { warnings } from "./collateral.ts";
import { Count, named, NullableText, PREFIX_FORMAT, PrefixText, shownAs, strict, upTo, WholeNumber } from "./common.ts";
import { Purpose, RuleSchema } from "./rule.ts";
import { ruleDocument, type RuleDocument } from "../../formats/rule-document.ts";

const DAY = 86_400_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 36_500;
const DEFAULT_ROWS = 100;
const MAX_ROWS = 1000;
const MAX_SEARCH_LENGTH = 255;

/** Rulesets that a search names. */
const MAX_SEARCHED = 1000;

const STATES = ["active", "expired", "expiring"] as const;

export const RuleRow = named(
  "RuleRow",
  Type.Object({
    ...RuleSchema.properties,
    state: named(
      "RuleState",
      Type.Enum([...STATES], {
        description: "expiring: active, and expiring within the requested number of days",
      }),
    ),
  }),
);

export interface RowDocument extends RuleDocument {
  readonly state: (typeof STATES)[number];
}

/** A rule and its state at `now`; `within` in milliseconds. */
export function rowDocument(rule: Rule, now: number, within = DEFAULT_DAYS * DAY): RowDocument {
  const { expiresAt } = rule;
  const state = expiresAt === null || expiresAt - within > now ? "active" : expiresAt > now ? "expiring" : "expired";
  return { ...ruleDocument(rule), state };
}

const filter = {
  state: Type.Optional(
    named(
      "RuleStateFilter",
      Type.Enum([...STATES], { description: "only rules in this state; active includes expiring ones" }),
    ),
  ),
  expiring_within_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      default: DEFAULT_DAYS,
      description: "how many days ahead count as expiring",
    }),
  ),
  name: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH_LENGTH,
      description: "only rules whose name contains this, ignoring case",
    }),
  ),
  ip: Type.Optional(
    Type.String({
      maxLength: 100,
      format: PREFIX_FORMAT,
      description: "only rules that cover this address or prefix, equal it, or are inside it",
      examples: ["203.0.113.7"],
    }),
  ),
};

/** Which rules are meant. */
export const MatchingQuery = Type.Object(filter);

const count = WholeNumber({ minimum: 1, description: "the number of rules you expect to change" });
const expiry = NullableText({ format: "date-time", description: "null: never" });
const deleting = named("DeleteMatchingRules", Type.Object({ action: Type.Literal("delete"), count }, strict));
const expiring = named(
  "ExpireMatchingRules",
  Type.Object({ action: Type.Literal("set_expiry"), count, expires_at: expiry }, strict),
);

/** The document shows one of two alternatives; validation uses a form with better errors. */
export const ChangeMatchingBody = named(
  "ChangeMatchingRulesRequest",
  shownAs(
    { oneOf: [deleting, expiring] },
    Type.Object({ action: Type.Enum(["delete", "set_expiry"]), count, expires_at: Type.Optional(expiry) }, strict),
  ),
);
export const ChangeMatchingResponse = Type.Object({ count: Count, ...warnings });

export const RowsQuery = Type.Object({
  offset: Type.Optional(WholeNumber({ minimum: 0, default: 0, description: "matching rows to skip" })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: DEFAULT_ROWS, description: "maximum number of rows" }),
  ),
  ...filter,
});

/** Milliseconds of the query's days. */
export function within({
  expiring_within_days: days = DEFAULT_DAYS,
}: {
  readonly expiring_within_days?: number | undefined;
}): number {
  return days * DAY;
}

export { DEFAULT_ROWS };

export const Rows = named(
  "RuleRows",
  Type.Object({
    version: Type.Integer({ description: "of the ruleset: the number of its last change" }),
    total: Type.Integer({ minimum: 0, description: "rules of the ruleset" }),
    active: Type.Integer({ minimum: 0, description: "those of them that have not expired" }),
    count: Type.Integer({ minimum: 0, description: "rules that match" }),
    items: Type.Array(RuleRow),
  }),
);

/** The rules of all rulesets, or of some. */
export const SearchBody = named(
  "SearchRulesRequest",
  Type.Object(
    {
      ...filter,
      rulesets: Type.Optional(
        Type.Array(Type.String({ format: "uuid" }), {
          minItems: 1,
          maxItems: MAX_SEARCHED,
          description: "only in these rulesets; all by default",
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: DEFAULT_ROWS, description: "maximum number of rules" }),
      ),
    },
    strict,
  ),
);

export const FoundRules = named(
  "FoundRules",
  Type.Object({
    count: Type.Integer({ minimum: 0, description: "rules that match, in all rulesets" }),
    rulesets: Type.Array(
      named(
        "RulesetWithMatches",
        Type.Object({ id: Type.String({ format: "uuid" }), name: Type.String(), purpose: Purpose, count: Count }),
      ),
      { description: "those with rules that match, in the order of creation" },
    ),
    items: Type.Array(
      named("FoundRule", Type.Object({ ruleset_id: Type.String({ format: "uuid" }), ...RuleRow.properties })),
      { description: "in the order of rulesets, then of prefixes" },
    ),
  }),
);

/** As for an import, except for what is reported by line here: names of any length. */
export function PreviewBody(most: number) {
  const member = Type.Unsafe<string | null>({ type: ["string", "null"] });
  const rule = Type.Object(
    {
      ip: PrefixText,
      name: Type.Optional(member),
      expires_at: Type.Optional(member),
      expires_in_days: Type.Optional(Type.Integer()),
    },
    strict,
  );
  return named("PreviewRequest", Type.Object({ rules: Type.Array(rule, upTo(most, "rules-per-ruleset")) }, strict));
}

const VERDICTS = ["created", "updated", "skipped", "conflict", "error"] as const;

export const Preview = named(
  "RulePreview",
  Type.Object({
    version: Type.Integer({ description: "of the ruleset the preview is based on" }),
    counts: Type.Object(
      Object.fromEntries(VERDICTS.map((verdict) => [verdict, Count])) as Record<
        (typeof VERDICTS)[number],
        typeof Count
      >,
      { description: "lines by verdict; the import is rejected if any line conflicts or has an error" },
    ),
    lines: Type.Array(
      Type.Object({
        line: Type.Integer({ minimum: 1, description: "in the file; in a JSON document, the position of the rule" }),
        ip: Type.String({ description: "the canonical prefix, or the invalid text" }),
        verdict: Type.Enum([...VERDICTS]),
        message: Type.Optional(Type.String({ description: "what is wrong and how to fix it" })),
        before: Type.Optional(RuleSchema),
        after: Type.Optional(RuleSchema),
      }),
      { description: "in order, up to 10,000: those that conflict or have errors first" },
    ),
    truncated: Type.Boolean({ description: "whether lines are missing, because there are more or some were not read" }),
    can_undo: Type.Boolean({
      description: "whether the rules as they were will be kept, so that the import can be undone",
    }),
    skip_refusal: NullableText({
      description:
        "why importRules would be rejected even with skip_invalid, which leaves out the lines with errors; null if it would not be, unless lines conflict",
    }),
  }),
);

import { Type } from "typebox";
import { AUDITED_COMMANDS } from "../../service/changes/audit-actions.ts";
import { MAX_SHOWN_RULES } from "../../store/records/audit.ts";
import { Count, IdAndName, named, Nullable, NullableText, Timestamp, WholeNumber } from "./common.ts";
import { OwnGuardClasses } from "./guard.ts";
import { RuleSchema } from "./rule.ts";

const MAX_ITEMS = 100;
export const DEFAULT_ITEMS = 50;

const Sequence = Type.Integer({ minimum: 1, description: "the number of the change" });

const filters = {
  ruleset_id: Type.Optional(Type.String({ maxLength: 36, description: "only changes of this ruleset and its rules" })),
  kind: Type.Optional(Type.Enum([...AUDITED_COMMANDS], { description: "only changes of this kind" })),
  actor: Type.Optional(
    Type.String({
      maxLength: 300,
      pattern: "^(command|(user|key):[0-9a-f-]{36})$",
      description:
        "only changes by this user or key, as getAuditFilters lists them; command: by anyone at the command line",
      examples: ["command"],
    }),
  ),
  from: Type.Optional(Type.String({ format: "date-time", description: "only changes at this time and later" })),
  until: Type.Optional(Type.String({ format: "date-time", description: "only changes before this time" })),
};

export const AuditQuery = Type.Object({
  before: Type.Optional(WholeNumber({ minimum: 1, description: "only changes with smaller numbers" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ITEMS, default: DEFAULT_ITEMS })),
  ...filters,
});

const AUDIT_FORMATS = ["csv", "ndjson"] as const;
export const AuditExportQuery = Type.Object({
  format: Type.Optional(Type.Enum([...AUDIT_FORMATS], { default: "csv" })),
  ...filters,
});

export const AuditFilters = named(
  "AuditFilters",
  Type.Object({
    kinds: Type.Array(Type.Object({ kind: Type.String(), action: Type.String({ description: "in words" }) })),
    actors: Type.Array(
      Type.Object({ actor: Type.String(), kind: Type.Enum(["key", "user", "command"]), name: Type.String() }),
      { description: "users and keys of the organisation, including deleted and revoked ones" },
    ),
    rulesets: Type.Array(IdAndName),
  }),
);

export const Actor = named(
  "Actor",
  Type.Object({
    kind: Type.Enum(["key", "user", "command"], {
      description: "an API key, a user, or an account on the command line",
    }),
    id: NullableText(),
    name: NullableText({ description: "the key's label, the user's name, or the account's" }),
  }),
);

/** The state before or after the change. Properties that do not apply are left out. */
const State = named(
  "AuditState",
  Type.Unsafe<object>({
    type: "object",
    properties: {
      id: Type.String(),
      name: Type.String(),
      label: Type.String(),
      purpose: Type.String(),
      description: Type.String(),
      guard: Type.String(),
      guard_classes: OwnGuardClasses,
      never_block: Type.Boolean(),
      role: Type.String(),
      access: Type.String(),
      start: Type.String(),
      area: Type.String(),
      active: Type.Boolean(),
      until: NullableText(),
      expires_at: NullableText(),
      revoked_at: NullableText(),
      deleted_at: NullableText(),
      invited_until: NullableText(),
      rules: Type.Array(RuleSchema, { description: `at most ${MAX_SHOWN_RULES} of those that were touched` }),
      rule_count: Type.Integer({ description: "how many rules were touched" }),
      dataset: Type.Enum(["catalogue", "cti"]),
      source: Type.String({ description: "of a dataset: the feed, or the lists" }),
      created_at: Type.String(),
      prefixes: Count,
      added: Type.Integer({ description: "prefixes that the previous dataset did not have" }),
      removed: Type.Integer({ description: "prefixes that only the previous dataset had" }),
      skipped: Type.Integer({ description: "lines that could not be read" }),
    },
  }),
);

export const AuditEntrySchema = named(
  "AuditEntry",
  Type.Object({
    sequence: Sequence,
    at: Timestamp,
    actor: Actor,
    kind: Type.String({ description: "what was done", examples: ["add-rule"] }),
    action: Type.String({ description: "the same in words", examples: ["Add rule"] }),
    ruleset_id: NullableText(),
    summary: Type.String(),
    counts: Nullable(
      named(
        "RuleCounts",
        Type.Object({
          created: Count,
          updated: Count,
          deleted: Count,
          skipped: Type.Unsafe<number | null>({
            type: ["integer", "null"],
            description: "for a list: rules that are unchanged",
          }),
        }),
      ),
      { description: "the number of rules it affected; null if it is not about rules, or unknown" },
    ),
    sha256: NullableText({
      description: "the digest of a list or feed as sent, or of a catalogue file, in hexadecimal",
    }),
    old: Nullable(State),
    new: Nullable(State),
  }),
);

export const AuditList = named(
  "AuditList",
  Type.Object({
    items: Type.Array(AuditEntrySchema, {
      description: "newest first; may be fewer than requested, even if there are more",
    }),
    next_before: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "the value of before for the next entries; null if there are none",
    }),
  }),
);

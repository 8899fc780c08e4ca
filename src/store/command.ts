import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import type { Addition, AddRequest, RuleChanges } from "../rulesets/write-rule.ts";
import type { AccessLevel, ApiKey, Area, Organisation, Plan, Purpose, Ruleset } from "./state.ts";

/** What every command carries. */
interface Signed {
  /** Who gives it: `key:<key id>` or `user:<name of the account on the command line>`. */
  readonly actor: string;
  /** The time it counts as given at, of the caller's clock: `createdAt` and `updatedAt` become it. */
  readonly at: number;
}

/** Within an organisation: the id of another organisation's ruleset or key behaves as an absent one. */
interface Owned extends Signed {
  readonly organisationId: string;
  readonly idempotency?: Idempotency;
}

/** A command with the key of an earlier one is not carried out: it gets the earlier one's outcome, or its refusal. */
export interface Idempotency {
  /** What the client chose. Forgotten after a day. */
  readonly key: string;
  /** A digest of the whole request; the same key with another is refused (`idempotency-mismatch`). */
  readonly request: string;
}

export interface AddRuleCommand extends Owned {
  readonly kind: "add-rule";
  readonly rulesetId: string;
  readonly request: AddRequest;
}

export interface UpdateRuleCommand extends Owned {
  readonly kind: "update-rule";
  readonly rulesetId: string;
  readonly prefix: Prefix;
  readonly changes: RuleChanges;
}

export interface DeleteRuleCommand extends Owned {
  readonly kind: "delete-rule";
  readonly rulesetId: string;
  readonly prefix: Prefix;
}

/** One step of a batch. A later one sees what an earlier one did. */
export type BatchItem = { readonly add: AddRequest } | { readonly delete: Prefix };

export interface BatchRulesCommand extends Owned {
  readonly kind: "batch-rules";
  readonly rulesetId: string;
  readonly items: readonly BatchItem[];
  /** One item that fails refuses them all (`batch-refused`). */
  readonly atomic: boolean;
}

/** What came of an item. `conflict`, `absent` (nothing to delete) and `too-many-rules` are failures. */
export type BatchResult =
  | { readonly action: Addition["action"]; readonly rule: Rule }
  | { readonly action: "deleted" | "absent" | "too-many-rules"; readonly prefix: Prefix };

/** The ruleset shall hold these rules and no others, all or nothing. */
export interface ReplaceRulesCommand extends Owned {
  readonly kind: "replace-rules";
  readonly rulesetId: string;
  /** Prefixes, names and expiries, in the order of prefixes and each once, IPv4 first; the other times are not read. */
  readonly rules: readonly RuleColumns[];
  /** Refused (`version-mismatch`) where the ruleset's version is another. */
  readonly ifVersion?: number;
}

/** How many rules a replacement added, changed, removed and left as they were. */
export interface ReplacementCounts {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
}

export interface CreateRulesetCommand extends Owned {
  readonly kind: "create-ruleset";
  readonly name: string;
  readonly purpose: Purpose;
  readonly description: string;
}

export interface UpdateRulesetCommand extends Owned {
  readonly kind: "update-ruleset";
  readonly rulesetId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export interface DeleteRulesetCommand extends Owned {
  readonly kind: "delete-ruleset";
  readonly rulesetId: string;
}

/** With its two first rulesets, "My Allowlist rules" and "My Blocklist rules". */
export interface CreateOrganisationCommand extends Signed {
  readonly kind: "create-organisation";
  readonly name: string;
}

export interface SetPlanCommand extends Owned {
  readonly kind: "set-plan";
  readonly area: Area;
  readonly active: boolean;
  readonly until: number | null;
  readonly perMinute: number | null;
  readonly perMonth: number | null;
}

export interface CreateKeyCommand extends Owned {
  readonly kind: "create-key";
  readonly label: string;
  readonly access: AccessLevel;
  readonly digest: string;
  readonly start: string;
  readonly expiresAt: number | null;
}

/** Once more changes nothing. */
export interface RevokeKeyCommand extends Owned {
  readonly kind: "revoke-key";
  readonly keyId: string;
}

export type Command =
  | AddRuleCommand
  | UpdateRuleCommand
  | DeleteRuleCommand
  | BatchRulesCommand
  | ReplaceRulesCommand
  | CreateRulesetCommand
  | UpdateRulesetCommand
  | DeleteRulesetCommand
  | CreateOrganisationCommand
  | SetPlanCommand
  | CreateKeyCommand
  | RevokeKeyCommand;

export type CommandKind = Command["kind"];

/** What a command that was carried out gives. */
export interface Outcomes {
  /** Never `conflict`: that is refused (`conflict`), with the rule as it is. */
  readonly "add-rule": Addition;
  readonly "update-rule": { readonly rule: Rule };
  readonly "delete-rule": Record<never, never>;
  readonly "batch-rules": { readonly results: readonly BatchResult[] };
  readonly "replace-rules": ReplacementCounts;
  readonly "create-ruleset": { readonly ruleset: Ruleset };
  readonly "update-ruleset": { readonly ruleset: Ruleset };
  readonly "delete-ruleset": Record<never, never>;
  readonly "create-organisation": { readonly organisation: Organisation; readonly rulesets: readonly Ruleset[] };
  readonly "set-plan": { readonly plan: Plan };
  readonly "create-key": { readonly key: ApiKey };
  readonly "revoke-key": { readonly key: ApiKey };
}

export type Outcome<Kind extends CommandKind = CommandKind> = Outcomes[Kind];

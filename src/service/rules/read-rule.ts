import { ruleDocument } from "../../formats/rule-document.ts";
import type { RuleDefaults } from "../../rulesets/importers/imported-rule.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { RuleError } from "../../rulesets/rule-error.ts";
import { parseTimestamp } from "../../rulesets/timestamp.ts";
import { checkDescription, checkRuleName, expiryInDays, parseRulePrefix } from "../../rulesets/validate-rule.ts";
import type { AddRequest, ConflictMode, RuleChanges } from "../../rulesets/write-rule.ts";
import { invalid } from "../service-error.ts";

interface ExpiryMembers {
  readonly expires_at?: string | null | undefined;
  readonly expires_in_days?: number | undefined;
}

export interface RuleMembers extends ExpiryMembers {
  readonly ip: string;
  readonly name?: string | null | undefined;
  readonly conflict_resolution?: ConflictMode | undefined;
}

/** How rules of a request are read. */
export interface ReadingOptions {
  readonly now: number;
  readonly allowSpecialPurpose: boolean;
  /** The prefix of property names in errors. */
  readonly path?: string;
  /** Used where the body does not specify a property. */
  readonly defaults?: RuleDefaults;
}

/** The rule that a body specifies. @throws ServiceError "invalid" */
export function readRule(
  { ip, name, conflict_resolution, ...expiry }: RuleMembers,
  options: ReadingOptions,
): AddRequest {
  const { now, path = "", defaults = { name: null, expiresAt: null } } = options;
  return atPath(path, () => ({
    prefix: parseRulePrefix(ip, options),
    name: name === undefined ? defaults.name : name === null ? null : checkRuleName(name),
    expiresAt: orDefault(readExpiry(expiry, now, path), defaults.expiresAt),
    mode: conflict_resolution ?? "extend",
  }));
}

/** The defaults for the rules of a list, from the query of its request. @throws ServiceError "invalid" */
export function readDefaults({ name, ...expiry }: Omit<RuleMembers, "ip">, now: number): RuleDefaults {
  return atPath("", () => ({
    name: typeof name === "string" ? checkRuleName(name) : null,
    expiresAt: readExpiry(expiry, now, "") ?? null,
  }));
}

function orDefault(expiresAt: number | null | undefined, initial: number | null): number | null {
  return expiresAt === undefined ? initial : expiresAt;
}

/** The changes that a body specifies: only the properties that it has. @throws ServiceError "invalid" */
export function readChanges({ name, ...expiry }: Omit<RuleMembers, "ip">, now: number): RuleChanges {
  return atPath("", () => ({
    name: typeof name === "string" ? checkRuleName(name) : name,
    expiresAt: readExpiry(expiry, now, ""),
  }));
}

/** What a client may send back as it is in the rule that it has read. */
const KEPT = ["ip", "created_at", "updated_at"] as const;

/** @throws ServiceError "invalid" if the body of an update has one of these members other than as in the rule */
export function checkKept(body: Partial<Record<(typeof KEPT)[number], string>>, rule: Rule): void {
  const document = ruleDocument(rule);
  const changed = KEPT.filter((name) => body[name] !== undefined && body[name] !== document[name]);
  if (changed.length === 0) return;
  throw invalid(
    Object.fromEntries(
      changed.map((name) => [name, [`this cannot be changed, and is ${document[name]} in the rule; leave it out`]]),
    ),
  );
}

/** The name or description of a ruleset. @throws ServiceError "invalid" */
export function checkRulesetText({
  name,
  description,
}: {
  name?: string | undefined;
  description?: string | undefined;
}): void {
  atPath("", () => {
    if (name !== undefined) checkRuleName(name);
    if (description !== undefined) checkDescription(description);
  });
}

/** Milliseconds since 1970, null for never, undefined if the body does not specify an expiry. */
function readExpiry(
  { expires_at, expires_in_days }: ExpiryMembers,
  now: number,
  path: string,
): number | null | undefined {
  if (expires_at !== undefined && expires_in_days !== undefined) {
    const message = "give either expires_at or expires_in_days, not both";
    throw invalid({ [`${path}expires_at`]: [message], [`${path}expires_in_days`]: [message] });
  }
  if (expires_in_days !== undefined) return expiryInDays(expires_in_days, now);
  return typeof expires_at === "string" ? parseTimestamp(expires_at) : expires_at;
}

function atPath<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof RuleError) throw invalid({ [path + error.field]: [error.message] });
    throw error;
  }
}

import { hash } from "node:crypto";
import { formatPrefix } from "../address/prefix.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { Deployment } from "./records/deployment.ts";
import { type Ruleset, stateOf } from "./state.ts";

/**
 * The states that a command requires: it is rejected (`version-mismatch`) unless the database is in one of them when it
 * is decided.
 */
export interface IfMatch {
  /** `stateOf` the ruleset. */
  readonly versions: readonly string[];
  /** `ruleTag` of the one rule that the command is about. */
  readonly rules: readonly string[];
  /** `rulesetsTag` of all rulesets of the organisation, or of those of one purpose. */
  readonly lists: readonly string[];
  /** `deploymentTag` of the deployment. */
  readonly deployments?: readonly string[];
}

/** No state: only the answer to an earlier request with the same idempotency key comes back, or `version-mismatch`. */
export const MATCHES_NOTHING: IfMatch = { versions: [], rules: [], lists: [] };

/** Identifies the complete content of a rule. */
export function ruleTag({ prefix, name, expiresAt, createdAt, updatedAt }: Rule): string {
  return digest([formatPrefix(prefix), name, expiresAt, createdAt, updatedAt]);
}

/** Identifies the content of a list of rulesets, including all their rules. */
export function rulesetsTag(rulesets: readonly Pick<Ruleset, "id" | "version" | "stamp">[]): string {
  return digest(rulesets.map((ruleset) => `${ruleset.id} ${stateOf(ruleset)}`).sort());
}

/** Identifies what users have decided about a deployment; its list is not part of it. */
export function deploymentTag({ id, name, definition, rotation, updatedAt }: Deployment): string {
  return digest([id, name, definition, rotation, updatedAt]);
}

function digest(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url").slice(0, 22);
}

import { hash } from "node:crypto";
import type { Rule } from "../../rulesets/rule.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { stateOf } from "../../store/state.ts";
import { deploymentTag, rulesetsTag, ruleTag } from "../../store/if-match.ts";
import type { LiveRuleset } from "../store/service-memory.ts";

/**
 * The tag of a ruleset's representation at `now`: the version of its last change, and how many of its rules have
 * expired. Without a write, the set of active rules changes exactly when that number does.
 */
export function rulesetTag({ about, rules }: LiveRuleset, now: number, representation = ""): string {
  return `"${stateOf(about)}-${rules.expiredCount(now)}${representation === "" ? "" : `-${representation}`}"`;
}

/** The tag of a list of rulesets. */
export function listTag(rulesets: readonly LiveRuleset[], now: number): string {
  const expired = rulesets.reduce((sum, { rules }) => sum + rules.expiredCount(now), 0);
  return `"l-${rulesetsTag(rulesets.map(({ about }) => about))}-${expired}"`;
}

/** The tag of one rule: changes only with the rule. */
export function tagOfRule(rule: Rule): string {
  return `"r-${ruleTag(rule)}"`;
}

/** The tag of a deployment's document. */
export function tagOfDeployment(deployment: Deployment, document: object): string {
  return `"d-${deploymentTag(deployment)}-${digest(JSON.stringify(document))}"`;
}

/** The tag of a response that depends only on this text. */
export function tagOf(text: string): string {
  return `"${digest(text)}"`;
}

function digest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

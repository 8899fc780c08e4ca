import type { Rule } from "../../rulesets/rule.ts";
import type { Deployment } from "../records/deployment.ts";
import { deploymentTag, type IfMatch, ruleTag } from "../if-match.ts";
import { type Ruleset, stateOf } from "../state.ts";
import { StoreError } from "../store-error.ts";

/**
 * Checks that the ruleset has a version that the command requires; `rule` is the rule that it is about. Throws
 * StoreError (`version-mismatch`). A command that requires a version is in a group of its own.
 */
export function checkMatch(
  ruleset: Pick<Ruleset, "version" | "stamp">,
  ifMatch: IfMatch | undefined,
  rule: Rule | null = null,
): void {
  if (ifMatch === undefined || ifMatch.versions.includes(stateOf(ruleset))) return;
  if (ifMatch.rules.length === 0)
    throw new StoreError("version-mismatch", "the ruleset or its rules have changed since; read them again");
  if (rule === null || !ifMatch.rules.includes(ruleTag(rule)))
    throw new StoreError("version-mismatch", "the rule has changed since; read it again");
}

/** The same for a deployment. */
export function checkDeploymentMatch(deployment: Deployment, ifMatch: IfMatch | undefined): void {
  if (ifMatch === undefined || ifMatch.deployments?.includes(deploymentTag(deployment)) === true) return;
  throw new StoreError("version-mismatch", "the deployment has changed since; read it again");
}

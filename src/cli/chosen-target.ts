import type { Client } from "../client/client.ts";
import { chosenRuleset, RULESET_NOTE } from "./chosen-ruleset.ts";
import { RulesetOnServer } from "./ruleset-on-server.ts";
import type { RulesetTarget } from "./ruleset-target.ts";

/** The note of every command that takes a RULESET by `chosenTarget`. */
export const TARGET_NOTE = RULESET_NOTE;

/** The ruleset that an operand names. Throws UsageError where there is none. */
export async function chosenTarget(client: Client, text: string): Promise<RulesetTarget> {
  return new RulesetOnServer(client, await chosenRuleset(client, text));
}

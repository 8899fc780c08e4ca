import { chosenRuleset } from "../server/chosen-ruleset.ts";
import type { Arguments } from "../runner/command.ts";
import { fileGuardOf, rejectGuardOptions } from "./file-guard.ts";
import { keptCount } from "./kept-versions.ts";
import { isRulesetFile } from "../rule-lists/rule-source.ts";
import { RulesetInFile } from "./ruleset-in-file.ts";
import { RulesetOnServer } from "./ruleset-on-server.ts";
import type { RulesetTarget } from "./ruleset-target.ts";
import { ServiceConnection } from "../server/service-connection.ts";

/** The note of every command that takes a RULESET. */
export const TARGET_NOTE =
  "RULESET is the id or name of a ruleset on a server, or a file: a path that ends in .ipsieve, which needs neither a server nor a key.";

/** The ruleset that an operand names. Throws UsageError if it does not exist, ConnectionError if no server answers. */
export async function chosenTarget(args: Arguments, operand: string): Promise<RulesetTarget> {
  if (isRulesetFile(operand)) return new RulesetInFile(operand, keptCount(args), fileGuardOf(args));
  rejectGuardOptions(args, operand);
  const connection = new ServiceConnection(args);
  return connection.use(async (client) => new RulesetOnServer(connection, await chosenRuleset(client, operand)));
}

import { Ruleset } from "../../rulesets/ruleset.ts";
import { chosenRuleset } from "../server/chosen-ruleset.ts";
import type { Arguments } from "../runner/command.ts";
import { rejectLines } from "../rule-lists/listed-rules.ts";
import { RulesetOnServer } from "./ruleset-on-server.ts";
import { ServiceConnection } from "../server/service-connection.ts";

/**
 * The rules that a ruleset on a server has now, expired ones included, by its name or id. Throws UsageError if there is
 * none, or for what the server rejects; ConnectionError if it does not answer.
 */
export async function rulesOnServer(args: Arguments, nameOrId: string): Promise<Ruleset> {
  const connection = new ServiceConnection(args);
  const about = await connection.use((client) => chosenRuleset(client, nameOrId));
  const rules = await new RulesetOnServer(connection, about).export({
    format: "ndjson",
    activeOnly: false,
    setName: undefined,
  });
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const part of rules) parts.push(decoder.decode(part, { stream: true }));
  const { name, purpose } = about;
  const ruleset = new Ruleset({ name, purpose, allowSpecialPurpose: true });
  // A server decides how many rules its rulesets may have.
  rejectLines(name, ruleset.import(parts, "ndjson", { maxRules: Infinity }).errors);
  return ruleset;
}

import type { Client, Deployment } from "../../client/client.ts";
import { NODE } from "../address-sets/address-operand.ts";
import { isNetworkOperand, networkSelectionIn } from "../address-sets/network-operand.ts";
import { THREATS, threatSourceIn } from "../address-sets/threat-operand.ts";
import { chosenList } from "../external-lists/chosen-list.ts";
import { chosenRuleset } from "../rulesets/chosen-ruleset.ts";

/** What a deployment, or a set of addresses, is made of on a server. */
export type Source = Deployment["include"][number];

export const RULESET = "ruleset:";
export const LIST = "list:";

/** The source that a text names; undefined for text of another form. Throws UsageError, also if the server has none. */
export async function serverSource(text: string, client: Client): Promise<Source | undefined> {
  if (text.startsWith(RULESET)) return { ruleset: (await chosenRuleset(client, text.slice(RULESET.length))).id };
  if (text.startsWith(LIST)) return { list: (await chosenList(client, text.slice(LIST.length))).id };
  if (text.startsWith(NODE)) return { cbs: text.slice(NODE.length) };
  if (isNetworkOperand(text)) return networkSelectionIn(text);
  if (!text.startsWith(THREATS)) return undefined;
  return threatSourceIn(text);
}

import { formatPrefix } from "../../address/prefix.ts";
import type { Client, Deployment } from "../../client/client.ts";
import { literalIn, NODE } from "./address-operand.ts";
import { isNetworkOperand, networkSelectionIn } from "./network-operand.ts";
import { THREATS, threatSourceIn } from "./threat-operand.ts";
import { ATLEAST, SEPARATOR, voteIn } from "./vote-operand.ts";
import { chosenList } from "../external-lists/chosen-list.ts";
import { chosenRuleset } from "../server/chosen-ruleset.ts";
import { UsageError } from "../runner/usage-error.ts";

/** What a deployment, or a set of addresses, is made of on a server. */
export type Source = Deployment["include"][number];

export const RULESET = "ruleset:";
export const LIST = "list:";

/** The sources that a deployment reads, those that vote among them. */
export function sourcesIn({ include, exclude }: Pick<Deployment, "include" | "exclude">): Source[] {
  return [...include, ...exclude].flatMap((source) => [source, ...(source.of ?? [])]);
}

/** How a vote is written. */
export function voteText({ atleast, of = [], weights }: Source, textOf: (source: Source) => string): string {
  const voters = of.map((each, at) => `${(weights?.[at] ?? 1) === 1 ? "" : `${weights![at]}*`}${textOf(each)}`);
  return [`${ATLEAST}${atleast}`, ...voters].join(SEPARATOR);
}

async function voteSource(text: string, client: Client): Promise<Source> {
  const { least, voters, weights } = voteIn(text);
  const of: Source[] = [];
  for (const voter of voters) {
    const literals = voter.split(",").map(literalIn);
    const source = literals.every((each) => each !== undefined)
      ? { prefixes: literals.flat().map(formatPrefix) }
      : await serverSource(voter, client);
    if (source === undefined)
      throw new UsageError(
        `${text}: ${JSON.stringify(voter)} cannot vote on a server; write ruleset:NAME, list:NAME, cbs:NODE, cti:SELECTION, cti:QUERY, asn:NUMBER, country:CODE or prefixes; "ipsieve ruleset import" puts a file into a ruleset`,
      );
    of.push(source);
  }
  return { atleast: least, of, ...(weights.some((weight) => weight !== 1) && { weights: [...weights] }) };
}

/** The source that a text names; undefined for text of another form. Throws UsageError, also if the server has none. */
export async function serverSource(text: string, client: Client): Promise<Source | undefined> {
  if (text.startsWith(ATLEAST)) return voteSource(text, client);
  if (text.startsWith(RULESET)) return { ruleset: (await chosenRuleset(client, text.slice(RULESET.length))).id };
  if (text.startsWith(LIST)) return { list: (await chosenList(client, text.slice(LIST.length))).id };
  if (text.startsWith(NODE)) return { cbs: text.slice(NODE.length) };
  if (isNetworkOperand(text)) return networkSelectionIn(text);
  if (!text.startsWith(THREATS)) return undefined;
  return threatSourceIn(text);
}

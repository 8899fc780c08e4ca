import { formatPrefix } from "../../address/prefix.ts";
import type { Client, Deployment } from "../../client/client.ts";
import { literalIn, NODE } from "../address-sets/address-operand.ts";
import { isNetworkOperand, networkSelectionIn } from "../address-sets/network-operand.ts";
import { THREATS, threatSourceIn } from "../address-sets/threat-operand.ts";
import { UsageError } from "../runner/usage-error.ts";
import { chosenList } from "../external-lists/chosen-list.ts";
import { chosenRuleset } from "../rulesets/chosen-ruleset.ts";

/** What a deployment, or a set of addresses, is made of on a server. */
export type Source = Deployment["include"][number];

export const RULESET = "ruleset:";
export const LIST = "list:";

/** Begins a vote: `atleast:2;list:one;list:other`, with weights `atleast:3;2*list:one;list:other`. */
export const ATLEAST = "atleast:";
const SEPARATOR = ";";
/** Up to the next separator; one in quotes belongs to a query. */
const PARTS = /(?:[^;"']|"[^"]*"|'[^']*'|["'])+/g;

/** The sources that a deployment reads, those that vote among them. */
export function sourcesIn({ include, exclude }: Pick<Deployment, "include" | "exclude">): Source[] {
  return [...include, ...exclude].flatMap((source) => [source, ...(source.of ?? [])]);
}

/** How a vote is written. */
export function voteText({ atleast, of = [], weights }: Source, textOf: (source: Source) => string): string {
  const voters = of.map((each, at) => `${(weights?.[at] ?? 1) === 1 ? "" : `${weights![at]}*`}${textOf(each)}`);
  return [`${ATLEAST}${atleast}`, ...voters].join(SEPARATOR);
}

async function voteIn(text: string, client: Client): Promise<Source> {
  const [least = "", ...voters] = text.slice(ATLEAST.length).match(PARTS) ?? [];
  const form = "write atleast:K;SOURCE;SOURCE..., or with weights atleast:K;WEIGHT*SOURCE;...";
  if (!/^\d{1,9}$/.test(least) || voters.length === 0) throw new UsageError(`${text}: ${form}`);
  const weights = voters.map((voter) => /^(\d{1,7})\*/.exec(voter)?.[1]);
  const of: Source[] = [];
  for (const voter of voters) {
    const name = voter.replace(/^\d{1,7}\*/, "");
    const literals = name.split(",").map(literalIn);
    const source = literals.every((each) => each !== undefined)
      ? { prefixes: literals.flat().map(formatPrefix) }
      : await serverSource(name, client);
    if (source === undefined || source.atleast !== undefined)
      throw new UsageError(`${text}: ${JSON.stringify(name)} cannot vote; ${form}`);
    of.push(source);
  }
  const isWeighted = weights.some((weight) => weight !== undefined);
  return {
    atleast: Number(least),
    of,
    ...(isWeighted && { weights: weights.map((weight) => Number(weight ?? 1)) }),
  };
}

/** The source that a text names; undefined for text of another form. Throws UsageError, also if the server has none. */
export async function serverSource(text: string, client: Client): Promise<Source | undefined> {
  if (text.startsWith(ATLEAST)) return voteIn(text, client);
  if (text.startsWith(RULESET)) return { ruleset: (await chosenRuleset(client, text.slice(RULESET.length))).id };
  if (text.startsWith(LIST)) return { list: (await chosenList(client, text.slice(LIST.length))).id };
  if (text.startsWith(NODE)) return { cbs: text.slice(NODE.length) };
  if (isNetworkOperand(text)) return networkSelectionIn(text);
  if (!text.startsWith(THREATS)) return undefined;
  return threatSourceIn(text);
}

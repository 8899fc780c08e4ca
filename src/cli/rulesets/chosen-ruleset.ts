import type { Client, Ruleset } from "../../client/client.ts";
import { nearest } from "../../words/nearest.ts";
import { UsageError } from "../runner/usage-error.ts";

/**
 * The ruleset with this id or, if none has the id, with this name. Throws UsageError if there is none, or more than
 * one.
 */
export async function chosenRuleset(client: Client, text: string): Promise<Ruleset> {
  const all = await allRulesets(client);
  const byId = all.find(({ id }) => id === text.toLowerCase());
  const named = byId === undefined ? all.filter(({ name }) => name === text) : [byId];
  if (named.length > 1)
    throw new UsageError(
      `several rulesets are named ${JSON.stringify(text)}; give the id of one: ${named.map(({ id, purpose }) => `${id} (${purpose})`).join(", ")}`,
    );
  if (named[0] !== undefined) return named[0];
  const names = all.map(({ name }) => name);
  const part = text.toLowerCase();
  const meant = nearest(text, names) ?? names.find((name) => name.toLowerCase().includes(part));
  throw new UsageError(
    `there is no ruleset ${JSON.stringify(text)}; ${meant === undefined ? '"ipsieve ruleset list" lists them' : `did you mean ${JSON.stringify(meant)}?`}`,
  );
}

export async function allRulesets(client: Client): Promise<Ruleset[]> {
  const all: Ruleset[] = [];
  for await (const ruleset of client.rulesets()) all.push(ruleset);
  return all;
}

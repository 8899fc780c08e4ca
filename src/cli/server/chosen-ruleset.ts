import type { Client, Ruleset } from "../../client/client.ts";
import { chosenByName, rejectTakenName } from "./choose-by-name.ts";

const RULESET = { kind: "ruleset", listedBy: "ruleset list" };

/**
 * The ruleset with this id or, if none has the id, with this name. Throws UsageError if there is none, or more than
 * one.
 */
export async function chosenRuleset(client: Client, text: string): Promise<Ruleset> {
  return chosenByName(await allRulesets(client), text, RULESET, ({ id, purpose }) => `${id} (${purpose})`);
}

/** Throws UsageError if a ruleset has this name, other than the one with `ownId`. */
export async function rejectTakenRuleset(client: Client, name: string, ownId?: string): Promise<void> {
  rejectTakenName(await allRulesets(client), name, RULESET, ownId);
}

export async function allRulesets(client: Client): Promise<Ruleset[]> {
  const all: Ruleset[] = [];
  for await (const ruleset of client.rulesets()) all.push(ruleset);
  return all;
}

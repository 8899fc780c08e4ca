import type { Client, ExternalList } from "../../client/client.ts";
import { nearest } from "../../words/nearest.ts";
import { UsageError } from "../runner/usage-error.ts";

/** The note of every command that takes a LIST. */
export const LIST_NOTE = 'LIST is the id or name of an external list; "ipsieve list list" lists them.';

/** The external list with this id or, if none has the id, with this name. Throws UsageError unless there is just one. */
export async function chosenList(client: Client, text: string): Promise<ExternalList> {
  const all = await allLists(client);
  const byId = all.find(({ id }) => id === text.toLowerCase());
  const named = byId === undefined ? all.filter(({ name }) => name === text) : [byId];
  if (named.length > 1)
    throw new UsageError(
      `several external lists are named ${JSON.stringify(text)}; give the id of one: ${named.map(({ id }) => id).join(", ")}`,
    );
  if (named[0] !== undefined) return named[0];
  const meant = nearest(
    text,
    all.map(({ name }) => name),
  );
  throw new UsageError(
    `there is no external list ${JSON.stringify(text)}; ${meant === undefined ? '"ipsieve list list" lists them' : `did you mean ${JSON.stringify(meant)}?`}`,
  );
}

export async function allLists(client: Client): Promise<ExternalList[]> {
  const all: ExternalList[] = [];
  for await (const list of client.externalLists()) all.push(list);
  return all;
}

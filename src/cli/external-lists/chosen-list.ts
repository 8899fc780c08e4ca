import type { Client, ExternalList } from "../../client/client.ts";
import { chosenByName, rejectTakenName } from "../server/choose-by-name.ts";

/** The note of every command that takes a LIST. */
export const LIST_NOTE = 'LIST is the id or name of an external list; "ipsieve list list" lists them.';

const LIST = { kind: "external list", listedBy: "list list" };

/** The external list with this id or, if none has the id, with this name. Throws UsageError unless there is just one. */
export async function chosenList(client: Client, text: string): Promise<ExternalList> {
  return chosenByName(await allLists(client), text, LIST);
}

/** Throws UsageError if an external list has this name, other than the one with `ownId`. */
export async function rejectTakenList(client: Client, name: string, ownId?: string): Promise<void> {
  rejectTakenName(await allLists(client), name, LIST, ownId);
}

export async function allLists(client: Client): Promise<ExternalList[]> {
  const all: ExternalList[] = [];
  for await (const list of client.externalLists()) all.push(list);
  return all;
}

import { get, patch, post, remove } from "../api.ts";
import type { ExternalList, NewExternalList } from "../documents.ts";
import type { ConflictMode } from "../rulesets/rules-api.ts";

const ONE = "/dashboard/api/edl/lists/{list_id}";
const at = (id: string) => ({ path: { list_id: id } });

/** What a list is fetched with. */
export type GivenCredentials =
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "header"; readonly header: string; readonly value: string };

/** All external lists: an organisation has a hundred at most. */
export async function fetchLists(signal: AbortSignal): Promise<ExternalList[]> {
  return (await get("/dashboard/api/edl/lists/", { params: { query: { page_size: 1000 } }, signal })).items;
}

export function fetchList(id: string, signal: AbortSignal): Promise<ExternalList> {
  return get(ONE, { params: at(id), signal });
}

export function saveList(draft: NewExternalList, id?: string): Promise<ExternalList> {
  return id === undefined
    ? post("/dashboard/api/edl/lists/", { body: draft })
    : patch(ONE, { params: at(id), body: draft });
}

/** Fetches it now. `accept`: the digest of content to accept although it has changed too much. */
export function refresh(id: string, accept?: string): Promise<ExternalList> {
  return post(`${ONE}:refresh`, { params: at(id), body: accept === undefined ? {} : { accept } });
}

/** Writes its last good content into a ruleset. */
export function writeList(
  id: string,
  body: {
    readonly ruleset_id: string;
    readonly expires_in_days: number;
    readonly conflict_resolution: ConflictMode;
  },
) {
  return post(`${ONE}:write`, { params: at(id), body });
}

export function setCredentials(id: string, credentials: GivenCredentials | null): Promise<ExternalList> {
  return post(`${ONE}:credentials`, { params: at(id), body: { credentials } });
}

export function eraseList(id: string): Promise<unknown> {
  return remove(ONE, { params: at(id) });
}

import { get, post, remove } from "../api.ts";
import type { TaxiiCollection, TaxiiCredential } from "../documents.ts";

/** The credentials of TAXII clients, and what they can read. */
export interface TaxiiAccess {
  /** Those that are valid first; among equals, newest first. */
  readonly credentials: readonly TaxiiCredential[];
  readonly collections: readonly TaxiiCollection[];
  /** The URL to enter in clients. */
  readonly server: string;
}

export async function fetchTaxiiAccess(signal: AbortSignal): Promise<TaxiiAccess> {
  const [{ items: credentials }, { items: collections, discovery_url: server }] = await Promise.all([
    get("/dashboard/api/taxii/credentials", { signal }),
    get("/dashboard/api/taxii/collections", { signal }),
  ]);
  return { credentials: credentials.toSorted((a, b) => a.state.localeCompare(b.state)), collections, server };
}

/** The response has the password. */
export function createTaxiiCredential(label: string, collections: string[]) {
  return post("/dashboard/api/taxii/credentials", { body: { label, collections } });
}

export function revokeTaxiiCredential(id: string): Promise<TaxiiCredential> {
  return remove("/dashboard/api/taxii/credentials/{credential_id}", { params: { path: { credential_id: id } } });
}

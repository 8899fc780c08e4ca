import { uuidOfName } from "../uuid-of-name.ts";

/** Gives TAXII clients access to chosen collections of an organisation, and to nothing else. */
export interface TaxiiCredential {
  readonly id: string;
  readonly organisationId: string;
  readonly label: string;
  /** SHA-256 of the password in base64url; the password itself is not stored. */
  readonly digest: string;
  /** The first 8 characters of the password, which are also the user name. */
  readonly start: string;
  /** The ids of the collections, sorted: of rulesets, deployments, and of the dataset (`datasetCollectionId`). */
  readonly collections: readonly string[];
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** The id of an organisation's collection of threat intelligence. */
export function datasetCollectionId(organisationId: string): string {
  return uuidOfName(`threat intelligence of ${organisationId}`);
}

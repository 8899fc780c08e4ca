/** What a credential of a deployment is for. Where one kind is valid, no other kind is. */
const CREDENTIAL_KINDS = ["bouncer", "edge"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** Opens one deployment to a program that follows it, and nothing else. */
export interface DeploymentCredential {
  readonly id: string;
  readonly organisationId: string;
  readonly deploymentId: string;
  readonly kind: CredentialKind;
  readonly label: string;
  /** SHA-256 in base64url of its text, of an edge component's its `jti`; the text itself is not stored. */
  readonly digest: string;
  /** The first 8 characters of its text, to distinguish credentials; of an edge component its type. */
  readonly start: string;
  /** For bouncers that lose the length of prefixes: they get single addresses only. */
  readonly hostsOnly: boolean;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** What a bouncer has received completely. */
export interface BouncerState {
  readonly credentialId: string;
  /** Rises by one whenever the bouncer receives something. */
  readonly version: number;
  /** Of the list that it has; "": an empty one. */
  readonly digest: string;
  /** When all of its decisions were last sent. */
  readonly issuedAt: number;
  readonly pulledAt: number;
  readonly agent: string;
}

/** A bouncer has received a list, or the changes since the previous one. */
export interface BouncerProgress extends Omit<BouncerState, "version"> {
  readonly deploymentId: string;
  /** The version that the response was made from; if it is another one by now, nothing is recorded. null: any. */
  readonly basedOn: number | null;
  /** The list in base64, if others may not have recorded it. */
  readonly content: string | null;
}

/** What a bouncer has been sent. */
export interface BouncerState {
  readonly credentialId: string;
  /** Rises by one whenever something is recorded. */
  readonly version: number;
  /** The digest of the list that it was sent last; "": an empty list. It has this list, except for what is in doubt. */
  readonly digest: string;
  /** The changes that it may not have received, packed as `packDoubt` does; null: it has received all of them. */
  readonly doubt: string | null;
  /** When all of its decisions were last sent. */
  readonly issuedAt: number;
  readonly pulledAt: number;
  readonly agent: string;
}

/** A bouncer is about to be sent a list, or the changes since the previous one; or it has received them. */
export interface BouncerProgress extends Omit<BouncerState, "version"> {
  readonly deploymentId: string;
  /** The version that the response was made from, 0: none; if it has changed since, nothing is recorded. */
  readonly basedOn: number;
  /** The list in base64, if it may not be recorded yet. */
  readonly content: string | null;
}

/** Why a list could not be fetched, or an update could not be made. */
export type UpdateErrorCode =
  /** A URL that is not https, or contains a password. */
  | "bad-url"
  /** A host with an address that belongs to no one on the internet. */
  | "address-refused"
  /** The host has no address, does not respond, or its response was cut off. */
  | "unreachable"
  /** A certificate that is not valid for the host. */
  | "untrusted"
  /** The proxy rejects the request for a connection. */
  | "proxy"
  /** Too long in total, or without data for too long. */
  | "timeout"
  | "too-large"
  /** A status other than 200 or, for conditional requests, 304. */
  | "status"
  | "redirect"
  /** A compression that was not requested, or corrupt data. */
  | "encoding"
  /** A ZIP archive that is corrupt, or lacks the list. */
  | "archive"
  /** A page without the link to the list, or with one to another site. */
  | "link"
  /** The folder's entry for the list is not a file, or cannot be read. */
  | "unreadable"
  /** The received file is corrupt, not a snapshot, or a snapshot of another kind. */
  | "damaged"
  | "wrong-kind"
  /** Another update is running. */
  | "locked"
  /** Files of the home folder that cannot be read. */
  | "bad-home"
  /** The catalogue that the lists are laid over cannot be read. */
  | "bad-base"
  /** A file of the home folder that cannot be written. */
  | "unwritable"
  /** Nothing was ever fetched, so there is nothing to build. */
  | "no-lists";

/**
 * The reason why a list cannot be fetched or a catalogue cannot be built; the message says what is wrong and, where it
 * helps, how to fix it.
 */
export class UpdateError extends Error {
  readonly code: UpdateErrorCode;

  constructor(code: UpdateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UpdateError";
    this.code = code;
  }
}

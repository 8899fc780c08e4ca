/** Why a list could not be had, or an update not be made. */
export type UpdateErrorCode =
  /** An address that is not https, or holds a password. */
  | "bad-url"
  /** A host at an address that no one on the internet has. */
  | "address-refused"
  /** The host has no address, no one answers, or the answer broke off. */
  | "unreachable"
  /** A certificate that does not stand for the host. */
  | "untrusted"
  /** The proxy refuses to connect. */
  | "proxy"
  /** Too long in all, or silent for too long. */
  | "timeout"
  | "too-large"
  /** Another status than 200 or, where it was asked for, 304. */
  | "status"
  | "redirect"
  /** A compression that was not asked for, or is broken. */
  | "encoding"
  /** A ZIP archive that is broken, or lacks the list. */
  | "archive"
  /** A page without the link to the list, or with one to somewhere else. */
  | "link"
  /** What stands in the folder in a list's place is no file, or cannot be read. */
  | "unreadable"
  /** Another update is running. */
  | "locked"
  /** Files of the home folder that cannot be read. */
  | "bad-home"
  /** The catalogue that the lists are laid over cannot be read. */
  | "bad-base"
  /** A file of the home folder that cannot be written. */
  | "unwritable"
  /** Nothing was ever fetched, so that there is nothing to build. */
  | "no-lists";

/**
 * What keeps a list from being fetched, or a catalogue from being built; the message says what, and where it helps, the
 * cure.
 */
export class UpdateError extends Error {
  readonly code: UpdateErrorCode;

  constructor(code: UpdateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UpdateError";
    this.code = code;
  }
}

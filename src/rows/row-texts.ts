/** What the rows of matches end with, the newline included. */
export interface RowTexts {
  /** It begins with an LF, as the place 0 is that of no text. */
  readonly bytes: Uint8Array;
  /** By match: where its text begins, which ends with the next LF; 0: it is not there. */
  readonly startOf: Uint32Array;
}

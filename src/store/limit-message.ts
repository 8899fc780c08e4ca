/** What a server has counted against limits since its previous message. */
export interface LimitMessage {
  /** Greater than the numbers of its earlier messages; used again if it is unknown whether the message was written. */
  readonly number: number;
  /** How long the server's minute has lasted, in milliseconds: the counts are from this minute. */
  readonly age: number;
  /** JSON, as the service writes it. */
  readonly counts: string;
}

/** A message of another server, as it was read. */
export interface FoundMessage {
  readonly server: string;
  readonly number: number;
  /** How long ago the minute of its counts began, in milliseconds, by the database's clock. */
  readonly begun: number;
  readonly counts: string;
}

/** The last message read from another server. */
export type SeenMessage = readonly [server: string, number: number];

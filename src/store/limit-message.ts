/** What a server has counted against limits since its message before. */
export interface LimitMessage {
  /** Greater than those of its messages before; the same again where it is not known whether this one was written. */
  readonly number: number;
  /** How long the server's minute has lasted, in milliseconds: the counts are of this minute. */
  readonly age: number;
  /** JSON, as the service writes it. */
  readonly counts: string;
}

/** A message of another server, as it is found. */
export interface FoundMessage {
  readonly server: string;
  readonly number: number;
  /** How long ago the minute of its counts began, in milliseconds, by the database's clock. */
  readonly begun: number;
  readonly counts: string;
}

/** The last message of another server that has been read. */
export type SeenMessage = readonly [server: string, number: number];

/** The task of the process that sends the load. */
export interface LoadOrder {
  /** Several: the connections are shared out among them. */
  readonly port: number | readonly number[];
  readonly connections: number;
  readonly milliseconds: number;
  /**
   * Whole requests as bytes. Each connection sends them one after the other, beginning at an index of its own, and
   * waits for each response.
   */
  readonly requests: readonly Uint8Array[];
  /**
   * Sent once on each connection before the load begins. The system reports a connection before the server has accepted
   * it, which under load takes as long as many requests.
   */
  readonly greeting?: Uint8Array;
  /** Sends no more than so many requests a second; without it as many as are answered. */
  readonly rate?: number;
  /**
   * Never sleeps between responses. On loopback, the sender of a response pays for waking the receiver, more than for
   * the rest of a short response, and the more often the slower it is: that would distort ratios.
   */
  readonly isAwake?: boolean;
}

/** Its messages: first that the load begins, then the result. */
export type LoadMessage = "begun" | { readonly report: LoadReport } | { readonly error: string };

/** The result. Latencies are milliseconds from the last byte of a request to that of its response. */
export interface LoadReport {
  readonly seconds: number;
  readonly sent: number;
  readonly answers: number;
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Responses with status 503 or 429 that do not say when to retry. */
  readonly withoutRetryAfter: number;
  /** How many connections had to be reopened because a response had ended them. */
  readonly reconnected: number;
  readonly median: number;
  readonly p99: number;
  readonly longest: number;
}

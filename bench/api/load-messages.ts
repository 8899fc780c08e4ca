/** What the process of load is asked to do. */
export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /**
   * Whole requests as bytes. Each connection sends them one after the other from a place of its own on, and waits for
   * each answer.
   */
  readonly requests: readonly Uint8Array[];
  /**
   * Asked once on each connection before the load begins. The system says that a connection is there before the server
   * has accepted it, which under load takes as long as many requests.
   */
  readonly greeting?: Uint8Array;
  /** Sends no more than so many requests a second; without it as many as are answered. */
  readonly rate?: number;
  /**
   * Never sleeps between answers. On loopback whoever answers pays for waking who waits, more than for anything else
   * about a short answer, and the slower the server, the oftener: ratios would tell of that.
   */
  readonly isAwake?: boolean;
}

/** What it says: first that the load begins, then what came of it. */
export type LoadMessage = "begun" | { readonly report: LoadReport } | { readonly error: string };

/** What came of it. Latencies are milliseconds from a request's last byte to its answer's. */
export interface LoadReport {
  readonly seconds: number;
  readonly sent: number;
  readonly answers: number;
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers of status 503 or 429 that do not tell when to try again. */
  readonly withoutRetryAfter: number;
  /** How many connections had to be opened anew, as an answer had said that it was their last. */
  readonly reconnected: number;
  readonly median: number;
  readonly p99: number;
  readonly longest: number;
}

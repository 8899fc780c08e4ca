/** The resources of a neighbour: those of one organisation, which is not the victim's. */
export interface NeighbourAccess {
  readonly port: number;
  /** An API key that reads and writes. */
  readonly key: string;
  /** For each connection, what is its own, so that connections do not get into each other's way. */
  readonly connections: readonly OwnParts[];
  /** The server's limits, as it reports them itself. */
  readonly limits: {
    readonly bulk_addresses: number;
    readonly rules_per_ruleset: number;
    readonly body_bytes: number;
    readonly bulk_body_bytes: number;
  };
}

export interface OwnParts {
  /** A session's token, of a user of its own, who is an admin. */
  readonly session: string;
  /** Sessions of other users, to be ended. */
  readonly spareSessions: readonly string[];
  /** A ruleset that is as full as the bench has it. */
  readonly fullId: string;
  /** An empty one. */
  readonly scratchId: string;
  /** A user to be changed. */
  readonly userId: string;
}

/** One costly request, over and over. */
export interface NeighbourOrder {
  readonly access: NeighbourAccess;
  readonly operation: string;
  readonly scope: "public" | "dashboard";
  readonly request: string;
  readonly milliseconds: number;
}

export interface NeighbourReport {
  readonly seconds: number;
  /** Answers by status; "none": the connection ended without one. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly bytesSent: number;
}

/** Cheap requests of another organisation, at a fixed rate, until it is stopped and so many have been served. */
export interface VictimOrder {
  readonly port: number;
  readonly connections: number;
  readonly perSecond: number;
  readonly minServed: number;
  readonly requests: readonly Uint8Array[];
}

/** Milliseconds from when a request was due, of those that were served. */
export interface VictimReport {
  readonly sent: number;
  readonly served: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** Answers that served nothing, by status; "none": the connection ended without one. */
  readonly refused: Readonly<Record<string, number>>;
}

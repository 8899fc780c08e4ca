import type { Prefix } from "../address/address.ts";
import type { MatchId } from "./match-id.ts";

/** A prefix of a table and the match that a lookup inside it (and outside more specific prefixes) gives. */
export interface TableEntry {
  readonly prefix: Prefix;
  readonly match: MatchId;
}

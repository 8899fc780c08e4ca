import type { Prefix } from "../address/address.ts";
import type { Capability } from "../sets/capability.ts";
import type { EntryList, ListKind } from "./entry.ts";

/** How one consumer reads lists. */
export interface Format<Kind extends ListKind = ListKind> {
  /** For the help of the command. */
  readonly about: string;
  /** The kinds of lists that can be written. */
  readonly kinds: readonly ListKind[];
  readonly mediaType: string;
  /** The extension of its files, where the media type does not say it. */
  readonly extension?: string;
  /** Whether it is binary, and must not be printed on a terminal. */
  readonly isBinary?: boolean;
  /** Whether the file names something: a set, a chain, an access control list. See `SET_NAME`. */
  readonly isNamed?: boolean;
  /** Whether the consumer drops expired entries by itself: the file gives the seconds until then. */
  readonly hasTimeouts?: boolean;
  /**
   * The longest time in seconds that a list for devices gives an entry, in a format whose consumer drops entries by
   * itself; absent: its entries have no times.
   */
  readonly longestTimeout?: number;
  /** Whether entries without an expiry have that time, too, as each must have one. */
  readonly needsTimeouts?: boolean;
  /** Whether the file has a serial number, which rises from second to second. */
  readonly hasSerial?: boolean;
  /**
   * Whether the consumer takes the most specific prefix of an address only, so that an entry needs the labels of all
   * entries around it, too.
   */
  readonly takesMostSpecific?: boolean;
  /** Whether a file of rules holds addresses of one family only. */
  readonly isOneFamily?: boolean;
  /**
   * Where a comment goes: in a first line that begins with this, or with every entry, which the writer does; absent: the
   * format has no comments.
   */
  readonly comments?: "#" | ";" | "entries";
  /** Which prefixes a list of rules can have, and as how many entries each is written; absent: every one, as one. */
  readonly expresses?: Capability;
  /** Why a prefix that it does not express cannot be written; absent if it expresses every prefix. */
  readonly unprocessable?: (prefix: Prefix) => string;
  /** Whether a blocklist is written as the addresses that it does not list, which are more lines than its prefixes. */
  readonly writesRest?: boolean;
  /** More entries cannot be written. */
  readonly maxEntries?: number;
  /** Whether the consumer cannot be told every list, such as one of all addresses: `write` throws for those. */
  readonly rejectsLists?: boolean;
  /**
   * Of a format with a node for each bit, which may take hundreds of bytes for an entry: a bound for the bytes of a list
   * for devices, without writing it; in steps. In the order of prefixes. O(prefixes). @throws UnexportableError
   */
  readonly maxBytes?: (prefixes: Iterable<Prefix>) => Generator<"", number, undefined>;
  /** Entries that the format cannot represent, which are left out. */
  readonly leavesOut?: { readonly reason: string; from(list: EntryList<Kind>): Prefix[] };
  /**
   * The file in parts. A part may be "": the caller may let other work run there.
   * @throws UnexportableError
   */
  write(list: EntryList<Kind>): Generator<string | Uint8Array>;
}

/** An entry that a format cannot represent, and that must not be left out. */
export class UnexportableError extends Error {
  readonly value: string;

  constructor(value: string, problem: string) {
    super(problem);
    this.name = "UnexportableError";
    this.value = value;
  }
}

/** Entries that a writer reads before it gives an empty part, where it has nothing to give yet: about a millisecond. */
export const ENTRIES_AT_ONCE = 1000;

const CHUNK_CHARACTERS = 1 << 16;

/** The parts of a file with short texts joined; "" ends a chunk early, and comes through if there is none. */
export function* inChunks<Part extends string | Uint8Array>(parts: Iterable<Part>): Generator<Part | string> {
  let text = "";
  for (const part of parts) {
    if (typeof part !== "string") {
      yield part;
      continue;
    }
    text += part;
    if (part !== "" && text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

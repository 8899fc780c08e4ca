import type { SharedSnapshot } from "../threads/share-snapshot.ts";
import type { Family } from "../../address/address.ts";
import type { Engine } from "../engine/engine.ts";

/** What the chunks of a lookup hold: words of one family, texts joined by LF, or lines of text. */
export type ChunkKind = { readonly words: Family } | { readonly texts: true } | { readonly lines: true };

/** What a worker is asked to help with. All buffers are shared. */
export interface HelpTask {
  readonly snapshot: SharedSnapshot;
  readonly engine: Engine;
  /** The time of the lookup, in milliseconds since 1970. */
  readonly now: number;
  readonly kind: ChunkKind;
  readonly slots: SharedSlots;
  /** A match id for each address, if their number is known; lines get theirs with the result. */
  readonly out: SharedArrayBuffer | null;
}

/** See `ChunkSlots`. */
export interface SharedSlots {
  readonly states: SharedArrayBuffer;
  readonly data: SharedArrayBuffer;
  readonly slotBytes: number;
}

/** The match ids of one chunk of lines. */
export interface ChunkMatches {
  readonly chunk: number;
  readonly lines: number;
  readonly addresses: number;
  readonly matched: number;
  readonly matches: Int32Array;
}

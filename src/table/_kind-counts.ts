import { KIND_MASK } from "./layout.ts";

/** By the number of a kind of nodes. */
export interface KindCounts {
  readonly nodes: Float64Array;
  readonly words: Float64Array;
  /** The nodes that lead to a segment, of all segments. */
  readonly visits: Float64Array;
}

export function noKinds(): KindCounts {
  const counts = (): Float64Array => new Float64Array(KIND_MASK + 1);
  return { nodes: counts(), words: counts(), visits: counts() };
}

import type { Catalogue } from "./catalogue.ts";

/** The ids of a catalogue's nodes as bytes: that of node i (value i + 1) is `bytes[starts[i], starts[i + 1] - 1)`. */
export interface NodeIds {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly starts: Uint32Array;
}

const LF = 0x0a;

/**
 * Encodes all ids, if they are of printable ASCII, so that the order of bytes is that of texts; null otherwise.
 * O(bytes).
 */
export function encodeNodeIds(catalogue: Catalogue): NodeIds | null {
  const count = catalogue.nodeCount;
  let text = "";
  for (let value = 1; value <= count; value++) text += `${catalogue.idOf(value)}\n`;
  if (!/^[ -~\n]*$/.test(text)) return null;
  const bytes = new TextEncoder().encode(text);
  const starts = new Uint32Array(count + 1);
  for (let node = 0; node < count; node++) starts[node + 1] = bytes.indexOf(LF, starts[node]!) + 1;
  return { bytes, count, starts };
}

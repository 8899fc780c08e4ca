/** The ids of a catalogue's nodes as bytes: that of node i (number i + 1) is `bytes[starts[i], ends[i])`. */
export interface NodeIds {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

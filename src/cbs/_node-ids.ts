/**
 * The ids of a catalogue's nodes as bytes: that of node i (number i + 1) is `bytes[starts[i], ends[i])`, and an LF comes
 * after it. The first byte is an LF, too, so no id begins at 0.
 */
export interface NodeIds {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

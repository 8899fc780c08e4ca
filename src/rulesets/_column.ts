/** Elements copied between two pauses: a few hundred microseconds. */
const PIECE = 1 << 16;

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The larger array with the content of the smaller. */
export function grown<Of extends Column>(column: Of, larger: Of): Of {
  larger.set(column);
  return larger;
}

/** A copy with the same capacity, of which this many elements are used. */
export function* copying<Of extends Column>(column: Of, used: number): Generator<undefined, Of, undefined> {
  const copy = new (column.constructor as new (length: number) => Of)(column.length);
  for (let at = 0; at < used; at += PIECE) {
    copy.set(column.subarray(at, Math.min(at + PIECE, used)), at);
    yield;
  }
  return copy;
}

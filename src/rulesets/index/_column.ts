/** Elements processed by one loop between two pauses: a few hundred microseconds. */
const PIECE = 1 << 16;

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The larger array with the content of the smaller. */
export function grown<Of extends Column>(column: Of, larger: Of): Of {
  larger.set(column);
  return larger;
}

/** A copy of a column of which `used` elements are in use, with the same capacity unless another is given. */
export function* copying<Of extends Column>(
  column: Of,
  used: number,
  capacity = column.length,
): Generator<undefined, Of, undefined> {
  const copy = new (column.constructor as new (length: number) => Of)(capacity);
  yield* inPieces(0, used, (from, to) => copy.set(column.subarray(from, to), from));
  return copy;
}

/** Calls `work` for the elements from `start` to before `end`, piece by piece, with the bounds of each piece. */
export function* inPieces(
  start: number,
  end: number,
  work: (from: number, to: number) => void,
): Generator<undefined, void, undefined> {
  for (let from = start; from < end; from += PIECE) {
    work(from, Math.min(from + PIECE, end));
    yield;
  }
}

import { isUtf8 } from "node:buffer";

/** Deep enough for any document of ours, far from what recursion can take. */
const MAX_DEPTH = 64;

type Shape = "scalar" | "text" | "bytes" | "array" | "map";

/** What the tokens 0xc0 to 0xdf begin: a shape, and the bytes of its number or of its length. Extensions are left out. */
const SHAPES: ReadonlyMap<number, readonly [Shape, number]> = new Map([
  [0xc0, ["scalar", 0]], [0xc2, ["scalar", 0]], [0xc3, ["scalar", 0]],
  [0xc4, ["bytes", 1]], [0xc5, ["bytes", 2]], [0xc6, ["bytes", 4]],
  [0xca, ["scalar", 4]], [0xcb, ["scalar", 8]],
  [0xcc, ["scalar", 1]], [0xcd, ["scalar", 2]], [0xce, ["scalar", 4]], [0xcf, ["scalar", 8]],
  [0xd0, ["scalar", 1]], [0xd1, ["scalar", 2]], [0xd2, ["scalar", 4]], [0xd3, ["scalar", 8]],
  [0xd9, ["text", 1]], [0xda, ["text", 2]], [0xdb, ["text", 4]],
  [0xdc, ["array", 2]], [0xdd, ["array", 4]], [0xde, ["map", 2]], [0xdf, ["map", 4]],
]);

/** Bytes that are not a plain MessagePack document. */
export class NotPlainError extends Error {}

/**
 * Walks a MessagePack document without building anything and throws `NotPlainError` unless it is exactly one value of null,
 * booleans, numbers, well-formed text, bytes, arrays, and maps whose keys are text other than "__proto__", at most 64 deep.
 *
 * That is what makes decoding bytes from anywhere safe: the decoder knows extensions that build regular expressions, errors,
 * references and generated functions, recurses as deep as the bytes say, and renames the key "__proto__". O(bytes), and
 * iterative.
 */
export function checkPlainMessagePack(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // For each level, the values still to come and whether they are a map's (keys and values in turn: a key is next while an
  // even number is left). Level 0 is the document.
  const left = new Float64Array(MAX_DEPTH + 1);
  const inMap = new Uint8Array(MAX_DEPTH + 1);
  left[0] = 1;
  let depth = 0;
  let at = 0;
  while (left[0] > 0 || depth > 0) {
    if (left[depth] === 0) {
      depth--;
      continue;
    }
    const isKey = inMap[depth] === 1 && left[depth] % 2 === 0;
    left[depth]--;
    const { shape, size, next } = readToken(bytes, view, at);
    if (isKey && shape !== "text") throw new NotPlainError(`a key at byte ${at} is not text`);
    at = next;
    if (shape === "array" || shape === "map") {
      const values = shape === "map" ? 2 * size : size;
      // Every value takes at least a byte: no count can ask for more memory than the document is long.
      if (values > bytes.length - at) throw new NotPlainError("it ends early");
      if (++depth > MAX_DEPTH) throw new NotPlainError(`it is nested more than ${MAX_DEPTH} deep`);
      left[depth] = values;
      inMap[depth] = shape === "map" ? 1 : 0;
      continue;
    }
    if (size > bytes.length - at) throw new NotPlainError("it ends early");
    if (shape === "text") checkText(bytes, at, size, isKey);
    at += size;
  }
  if (at !== bytes.length) throw new NotPlainError(`${bytes.length - at} bytes follow it`);
}

/** The shape at `at`, its payload's bytes (or its number of elements), and where what follows the token begins. */
function readToken(bytes: Uint8Array, view: DataView, at: number): { shape: Shape; size: number; next: number } {
  if (at >= bytes.length) throw new NotPlainError("it ends early");
  const token = bytes[at];
  if (token < 0x80 || token >= 0xe0) return { shape: "scalar", size: 0, next: at + 1 };
  if (token < 0x90) return { shape: "map", size: token & 0x0f, next: at + 1 };
  if (token < 0xa0) return { shape: "array", size: token & 0x0f, next: at + 1 };
  if (token < 0xc0) return { shape: "text", size: token & 0x1f, next: at + 1 };
  const known = SHAPES.get(token);
  if (known === undefined) throw new NotPlainError(`byte ${at} begins something else than null, a boolean, number, text, bytes, array or map (a date must be given as text)`);
  const [shape, width] = known;
  if (shape === "scalar") return { shape, size: width, next: at + 1 };
  if (width > bytes.length - at - 1) throw new NotPlainError("it ends early");
  const size = width === 1 ? view.getUint8(at + 1) : width === 2 ? view.getUint16(at + 1) : view.getUint32(at + 1);
  return { shape, size, next: at + 1 + width };
}

function checkText(bytes: Uint8Array, at: number, size: number, isKey: boolean): void {
  let highBits = 0;
  for (let i = at; i < at + size; i++) highBits |= bytes[i];
  if (highBits >= 0x80 && !isUtf8(bytes.subarray(at, at + size))) throw new NotPlainError(`the text at byte ${at} is not UTF-8`);
  if (isKey && size === 9 && Buffer.from(bytes.subarray(at, at + size)).toString("latin1") === "__proto__") {
    throw new NotPlainError('a key is "__proto__"');
  }
}

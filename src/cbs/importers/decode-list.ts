import { ImportError } from "./import-error.ts";

/** The text of a list as it was published. @throws ImportError "not-utf8" */
export function decodeList(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ImportError(
      "not-utf8",
      `byte ${goodLength(bytes)}`,
      "the text is not UTF-8; it may be compressed or cut off",
      { cause },
    );
  }
}

/** The first byte that cannot be read: how much of the front can, by bisection. */
function goodLength(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (isReadable(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether it decodes; a character that is merely cut off at the end does. */
function isReadable(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

import { formatAddress } from "../../address/format-address.ts";
import { endOfLine } from "../lines/end-of-line.ts";
import { createFound, endOfToken, findAddress, findNextAddress, STOP } from "../lines/find-address.ts";
import { isPublicAddress } from "../lines/public-address.ts";

/** Bytes of an input's beginning that are looked at. */
const MAX_EXAMINED = 64 * 1024;
/** Of 20 lines, how many at least begin with the address. */
const NEARLY_ALL = 19;

/**
 * The private or reserved address that nearly all of these lines have as their first, although some of them have
 * another: probably the server that wrote them, and not who they are about. Null if there is none.
 */
export function repeatedAddress(head: Buffer): string | null {
  const bytes = Buffer.concat([head.subarray(0, MAX_EXAMINED), Buffer.from("\n")]);
  const found = createFound();
  const lines = new Map<string, { count: number; isPublic: boolean; hasOthers: boolean }>();
  let all = 0;
  for (let start = 0; start < bytes.length;) {
    const end = endOfLine(bytes, start);
    const family = findAddress(bytes, start, end, found);
    if (family !== 0) {
      const first = formatFound(family, found);
      const known = lines.get(first) ?? { count: 0, isPublic: isPublicAddress(family, found), hasOthers: false };
      lines.set(first, known);
      known.count++;
      all++;
      known.hasOthers ||= hasOther(bytes, start, end, found, first);
    }
    start = end + 1;
  }
  for (const [address, { count, isPublic, hasOthers }] of lines)
    if (!isPublic && hasOthers && count * 20 >= all * NEARLY_ALL) return address;
  return null;
}

function hasOther(bytes: Buffer, start: number, end: number, found: Uint32Array, first: string): boolean {
  for (;;) {
    const family = findNextAddress(bytes, start, end, found, endOfToken(bytes, found[STOP]!));
    if (family === 0) return false;
    if (formatFound(family, found) !== first) return true;
  }
}

function formatFound(family: 4 | 6, [w0 = 0, w1 = 0, w2 = 0, w3 = 0]: Uint32Array): string {
  return formatAddress(family === 4 ? { family, w0, w1: 0, w2: 0, w3: 0 } : { family, w0, w1, w2, w3 });
}

import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { inSlices } from "../../turns/in-slices.ts";
import { encoded, joined } from "../encoded.ts";
import { textLines } from "../text-lines.ts";
import type { Difference } from "./decisions.ts";
import type { EnforcedList } from "./enforced-list.ts";

/**
 * The changes that a bouncer has been sent and may not have received, or only in part. Each of these prefixes may have
 * been enforced or not, with any end.
 */
export interface Doubt {
  readonly prefixes: ReadonlySet<string>;
  /** Whether all entries of the list were sent: then `prefixes` has only the others. */
  readonly isAll: boolean;
}

export const NO_DOUBT: Doubt = { prefixes: new Set(), isAll: false };

const ALL = "*";
const packed = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);
const unpacked = promisify<Uint8Array, Buffer>(inflateRaw);

/**
 * What a bouncer needs if the difference is what it needs without doubt: all that is in doubt is sent again, as it is
 * now. O(entries in doubt and in the difference)
 */
export function withDoubt(
  difference: Pick<Difference, "added" | "removed">,
  { prefixes }: Doubt,
  after: EnforcedList,
): Pick<Difference, "added" | "removed"> {
  if (prefixes.size === 0) return difference;
  const added = new Map(difference.added);
  const removed = new Set(difference.removed);
  for (const prefix of prefixes) {
    const end = after.ends.get(prefix);
    if (end === undefined) removed.add(prefix);
    else added.set(prefix, end);
  }
  return { added, removed: [...removed] };
}

/** As compressed text, in base64; null: no doubt. O(entries), in slices. */
export async function packDoubt({ prefixes, isAll }: Doubt): Promise<string | null> {
  if (prefixes.size === 0 && !isAll) return null;
  const text = await inSlices(encoded(joined(linesOf(isAll ? [ALL, ...prefixes] : prefixes))));
  return (await packed(text, { level: 1 })).toString("base64");
}

export async function unpackDoubt(content: string | null): Promise<Doubt> {
  if (content === null) return NO_DOUBT;
  const prefixes = new Set(textLines(await unpacked(Buffer.from(content, "base64"))));
  return { isAll: prefixes.delete(ALL), prefixes };
}

function* linesOf(prefixes: Iterable<string>): Generator<string> {
  for (const prefix of prefixes) yield `${prefix}\n`;
}

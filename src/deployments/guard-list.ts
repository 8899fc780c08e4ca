import { formatPrefix } from "../address/prefix.ts";
import type { CompiledList } from "./compile.ts";
import { grouped } from "../words/numbers.ts";

/** What a list must be to be published. */
export interface ListLimits {
  readonly allowEmpty?: boolean;
  /** Entries of both families together, as the file has them. */
  readonly maxEntries?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** How short it can be made, and why no shorter; undefined: it is not to be shortened, or it has been. */
  readonly shortest?: { readonly entries: number; readonly reason: string } | undefined;
}

/** Why a list is not published: with what is wrong, and its numbers. */
export interface ListRejection {
  readonly code: "too-wide" | "empty" | "too-many-entries" | "too-many-bytes" | "unprocessable";
  readonly message: string;
}

/** Further ones are only counted. */
const MAX_NAMED = 5;

/** Every reason not to publish the list, whose file has this many bytes; a list is never truncated. */
export function rejectionsOf(
  list: CompiledList,
  bytes: number,
  limits: ListLimits,
  /** Those of the largest file, if the list is split into several. */
  most: number = list.tally.count(4) + list.tally.count(6),
): ListRejection[] {
  const rejections: ListRejection[] = [];
  const reject = (code: ListRejection["code"], message: string): void => void rejections.push({ code, message });
  const entries = list.tally.count(4) + list.tally.count(6);
  const { allowEmpty = false, maxEntries = Infinity, maxBytes = Infinity, shortest } = limits;
  if (list.tooWideCount > 0) reject("too-wide", `the includes have prefixes that are too wide: ${namedOf(list)}`);
  if (entries === 0 && !allowEmpty) reject("empty", "the list has no addresses");
  if (most > maxEntries)
    reject(
      "too-many-entries",
      `the list has ${grouped(most)} entries, more than the ${grouped(maxEntries)} allowed${shortest === undefined ? "" : `, and cannot be shortened to fewer than ${grouped(shortest.entries)}, as ${shortest.reason}`}`,
    );
  if (bytes > maxBytes)
    reject("too-many-bytes", `the list has ${grouped(bytes)} bytes, more than the ${grouped(maxBytes)} allowed`);
  return rejections;
}

function namedOf({ tooWide, tooWideCount }: CompiledList): string {
  const named = tooWide.slice(0, MAX_NAMED).map(({ source, prefix }) => `${formatPrefix(prefix)} of ${source}`);
  const more = tooWideCount - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import { type ListText, writingTimes } from "../../../src/service/sources/list-text.ts";
import { finished } from "../../../src/turns/finished.ts";

/** A stored list of these entries, in order, with the seconds since 1970 at which they end; Infinity: never. */
export function timedText(
  entries: readonly (readonly [prefix: string, end: number])[],
): ListText & { readonly times: Buffer } {
  const all = entries.map(([text, end]) => ({ prefix: parsePrefix(text), end }));
  const ends = all.map(({ end }) => end);
  const linesOf = (family: 4 | 6): Buffer =>
    Buffer.from(
      all
        .filter(({ prefix }) => prefix.family === family)
        .map(({ prefix }) => `${formatPrefix(prefix)}\n`)
        .join(""),
    );
  const summary = {
    last: Math.max(0, ...ends.filter((end) => end < Infinity)),
    permanent: ends.filter((end) => end === Infinity).length,
  };
  return { 4: linesOf(4), 6: linesOf(6), times: finished(writingTimes(summary, all)) };
}

import { csvField } from "../../csv/write-row.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { perLabels } from "../_per-labels.ts";
import { segmentsOf } from "../_segments.ts";
import type { EntryList } from "../entry.ts";
import type { Format } from "../format.ts";

/**
 * CSV of ranges that do not overlap, for joins in DuckDB and Spark and for Parquet: `lo` and `hi` are whole numbers,
 * both in the range. Rules: the most specific one decides about a range. The catalogue: the ids of all labels, with
 * commas between them.
 */
export const rangesCsv = {
  about: "ranges as numbers, for joins",
  kinds: ["rules", "catalogue"],
  mediaType: "text/csv",
  comments: "entries",
  takesMostSpecific: true,
  write: (list) => (list.kind === "catalogue" ? writeLabels(list) : writeRules(list)),
} as const satisfies Format;

function* writeRules(list: EntryList<"rules">): Generator<string> {
  yield "family,lo,hi,name,expires_at\n";
  for (const { low, high, entry } of segmentsOf(list.entries())) {
    const expiry = entry.expiresAt === null ? "" : formatTimestamp(entry.expiresAt);
    yield `${entry.prefix.family},${low},${high},${csvField(entry.name)},${expiry}\n`;
  }
}

function* writeLabels(list: EntryList<"catalogue">): Generator<string> {
  yield "family,lo,hi,cbs_ids\n";
  const idsOf = perLabels((labels) => csvField(labels.map(({ id }) => id).join(",")));
  for (const { low, high, entry } of segmentsOf(list.entries()))
    yield `${entry.prefix.family},${low},${high},${idsOf(entry.labels)}\n`;
}

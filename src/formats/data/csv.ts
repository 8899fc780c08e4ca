import { formatPrefix } from "../../address/prefix.ts";
import { csvRow } from "../../csv/write-row.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { perLabels } from "../_per-labels.ts";
import type { EntryList } from "../entry.ts";
import type { Format } from "../format.ts";

/**
 * CSV by RFC 4180 with lines that end in LF; the first line names the columns. Rules: a line each, with the name quoted
 * if it is empty, and nothing without one. The catalogue: a line for every prefix and each of its labels, by address,
 * then by id.
 */
export const csv = {
  about: "for spreadsheets",
  kinds: ["rules", "catalogue"],
  mediaType: "text/csv",
  comments: "entries",
  write: (list) => (list.kind === "catalogue" ? writeLabels(list) : writeRules(list)),
} as const satisfies Format;

function* writeRules(list: EntryList<"rules">): Generator<string> {
  yield csvRow(["ip", "name", "expires_at"]);
  for (const { prefix, name, expiresAt } of list.entries())
    yield csvRow([formatPrefix(prefix), name, expiresAt === null ? null : formatTimestamp(expiresAt)]);
}

function* writeLabels(list: EntryList<"catalogue">): Generator<string> {
  yield csvRow(["cidr", "cbs_id", "type", "provider", "service", "region", "label"]);
  const endsOf = perLabels((labels) =>
    labels.map(({ id, type, provider, service, region, label }) =>
      csvRow([id, type, provider || null, service, region, label]),
    ),
  );
  for (const { prefix, labels } of list.entries()) {
    const cidr = formatPrefix(prefix);
    yield endsOf(labels)
      .map((end) => `${cidr},${end}`)
      .join("");
  }
}

import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import { covers, needsIpv4Stop, withoutMapped } from "../_coverage.ts";
import { perLabels } from "../_per-labels.ts";
import type { EntryList, Label } from "../entry.ts";
import { type Format, UnexportableError } from "../format.ts";

/** HAProxy reads a map through a buffer of 16384 bytes, and treats the rest of a longer line as another line. */
const MAX_BYTES = 16_000;

/**
 * IPv6 addresses without an answer that HAProxy looks up again as the IPv4 address inside: IPv4-compatible ones and
 * 6to4.
 */
const UNWRAPPED = ["::/96", "2002::/16"];

/**
 * For rules, a file for `acl listed src -f FILE`, one prefix per line. It is asked about IPv4 addresses in mapped form, too.
 *
 * For the catalogue, a map file, for `src,map_ip(cbs.map,-)`: the ids of all labels of the address, with commas between
 * them. Lines with `-` say that there are none.
 */
export const haproxy = {
  about: "a map, or a list for an acl",
  kinds: ["rules", "catalogue"],
  mediaType: "text/plain",
  comments: "#",
  takesMostSpecific: true,
  write: (list) => (list.kind === "catalogue" ? writeMap(list) : writeLines(list)),
} as const satisfies Format;

function* writeLines(list: EntryList<"rules">): Generator<string> {
  for (const { prefix } of list.entries()) for (const part of withoutMapped(prefix)) yield `${formatPrefix(part)}\n`;
}

function* writeMap(list: EntryList<"catalogue">): Generator<string> {
  if (needsIpv4Stop(list)) yield "0.0.0.0/0 -\n";
  for (const text of UNWRAPPED) if (!covers(list, parsePrefix(text))) yield `${text} -\n`;
  const idsOf = perLabels(joinedIds);
  for (const { prefix, labels } of list.entries()) yield `${formatPrefix(prefix)} ${idsOf(labels)}\n`;
}

/** @throws UnexportableError for more ids than HAProxy can read */
function joinedIds(labels: readonly Label[]): string {
  const ids = labels.map(({ id }) => id).join(",");
  const { length } = new TextEncoder().encode(ids);
  if (length <= MAX_BYTES) return ids;
  throw new UnexportableError(
    ids,
    `HAProxy reads values of up to ${MAX_BYTES} bytes, and one prefix has nodes whose ids take ${length}: ${ids.slice(0, 80)}...; choose another format`,
  );
}

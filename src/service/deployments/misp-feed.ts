import { hash } from "node:crypto";
import type { Prefix } from "../../address/address.ts";
import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import { ENTRIES_AT_ONCE } from "../../formats/format.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { uuidOfName } from "../../store/records/uuid-of-name.ts";
import { chunkOf } from "./divide-list.ts";
import { type ListHistory, newHistory, readingHistory } from "./list-history.ts";
import { type ListText, prefixesOfList } from "../sources/list-text.ts";

/** Attributes of an event, unless the deployment says otherwise: a MISP instance saves them one by one. */
export const ATTRIBUTES_OF_EVENT = 10_000;

/** The description of the format, for code that does not write files in it. */
export const misp = {
  about: "a feed of events for MISP",
  kinds: ["rules"],
  mediaType: "application/json",
} as const;

/** The creator of all events: MISP adds an organisation that it does not know to its own list. */
const CREATOR = { name: "ipsieve", uuid: uuidOfName("misp creator") };

/** The parts of the feed that depend on the deployment. */
export interface MispContext extends Pick<Deployment, "name" | "definition"> {
  readonly id?: string;
  /** Milliseconds since 1970. */
  readonly at?: number;
  readonly updatedAt?: number;
}

/** The UUID of the event for a piece of the list: always the same. */
export function mispEventId({ id = "" }: Pick<MispContext, "id">, chunk: number): string {
  return uuidOfName(`misp event ${id} ${chunk}`);
}

/** `manifest.json`: the events, with the times of their latest changes. O(entries), can be interrupted. */
export function* mispManifest(context: MispContext, text: ListText, chunks: number): Generator<string> {
  const history = yield* historyOf(context, text);
  const times = yield* timesOf(context, history, chunks);
  yield "{";
  for (let chunk = 0; chunk < chunks; chunk++) {
    const about = JSON.stringify(aboutEvent(context, history, { chunk, time: times[chunk]! }));
    yield `${chunk === 0 ? "\n" : ",\n"}"${mispEventId(context, chunk)}":${about}`;
  }
  yield "\n}\n";
}

/** `hashes.csv`: the MD5 digest of each value and its event, for instances that only look values up. */
export function* mispHashes(context: MispContext, text: ListText, chunks: number): Generator<string> {
  const events = Array.from({ length: chunks }, (_, chunk) => mispEventId(context, chunk));
  for (const prefix of prefixesOf(text))
    yield `${hash("md5", formatPrefix(prefix), "hex")},${events[chunkOf(prefix, chunks)]!}\n`;
}

/** One event: an attribute for each entry of the piece, and those that were removed from it, as deleted. */
export function* mispEvent(
  context: MispContext,
  text: ListText,
  { chunk, chunks }: { readonly chunk: number; readonly chunks: number },
): Generator<string> {
  const history = yield* historyOf(context, text);
  const times = yield* timesOf(context, history, chunks);
  const uuid = mispEventId(context, chunk);
  const time = times[chunk]!;
  const about = {
    uuid,
    ...aboutEvent(context, history, { chunk, time }),
    published: true,
    publish_timestamp: time,
  };
  yield `{"Event":${JSON.stringify(about).slice(0, -1)},"Attribute":[`;
  let separator = "\n";
  for (const { prefix, at, isDeleted } of entriesOf(text, history, { chunk, chunks })) {
    yield prefix === "" ? "" : `${separator}${attribute(context, { event: uuid, prefix, at, isDeleted })}`;
    if (prefix !== "") separator = ",\n";
  }
  yield "\n]}}\n";
}

interface Entry {
  readonly prefix: string;
  readonly at: number;
  readonly isDeleted: boolean;
}

/**
 * The attributes of one piece. From time to time it yields an item without a prefix, so that the caller can let other
 * work run.
 */
function* entriesOf(
  text: ListText,
  { since, added, removed }: ListHistory,
  { chunk, chunks }: { readonly chunk: number; readonly chunks: number },
): Generator<Entry> {
  let count = 0;
  for (const each of prefixesOf(text)) {
    if (++count % ENTRIES_AT_ONCE === 0) yield NO_ENTRY;
    if (chunkOf(each, chunks) !== chunk) continue;
    const prefix = formatPrefix(each);
    yield { prefix, at: added.get(prefix) ?? since, isDeleted: false };
  }
  for (const { prefix, at, chunk: own } of removed.values()) if (own === chunk) yield { prefix, at, isDeleted: true };
}

const NO_ENTRY: Entry = { prefix: "", at: 0, isDeleted: false };

function attribute(
  { definition: { direction, purpose }, updatedAt = 0 }: MispContext,
  { event, prefix, at, isDeleted }: Entry & { readonly event: string },
): string {
  return JSON.stringify({
    uuid: uuidOfName(`${event} ${prefix}`),
    type: direction === "egress" ? "ip-dst" : "ip-src",
    category: "Network activity",
    value: prefix,
    timestamp: latest(at, updatedAt),
    to_ids: purpose === "blocklist",
    comment: "",
    // MISP keeps attributes that an event no longer contains, so removed ones must be marked as deleted.
    deleted: isDeleted,
  });
}

function aboutEvent(
  { name }: MispContext,
  { since }: ListHistory,
  { chunk, time }: { readonly chunk: number; readonly time: number },
) {
  return {
    Orgc: CREATOR,
    Tag: [],
    info: chunk === 0 ? name : `${name} (part ${chunk + 1})`,
    date: new Date(since * 1000).toISOString().slice(0, 10),
    // Completed; the threat level is not known.
    analysis: 2,
    threat_level_id: 4,
    timestamp: time,
  };
}

/** The time of the latest change in each piece, in seconds. */
function* timesOf(
  { updatedAt = 0 }: MispContext,
  { since, added, removed }: ListHistory,
  chunks: number,
): Generator<"", Float64Array, undefined> {
  const times = new Float64Array(chunks).fill(latest(since, updatedAt));
  let count = 0;
  const note = (chunk: number, at: number): void => void (times[chunk] = Math.max(times[chunk]!, at));
  for (const [prefix, at] of added) {
    note(chunkOf(parsePrefix(prefix), chunks), at);
    if (++count % ENTRIES_AT_ONCE === 0) yield "";
  }
  for (const { at, chunk } of removed.values()) note(chunk, at);
  return times;
}

/** A changed deployment changes all attributes: MISP updates only attributes with a later time. */
function latest(at: number, updatedAt: number): number {
  return Math.max(at, Math.floor(updatedAt / 1000));
}

/** A list that was published in another format has none yet. */
function* historyOf({ at = 0 }: MispContext, { history }: ListText): Generator<"", ListHistory, undefined> {
  if (history === undefined) return newHistory(Math.floor(at / 1000));
  const steps = readingHistory(history);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield "";
  }
}

function* prefixesOf(text: ListText): Generator<Prefix> {
  yield* prefixesOfList(text[4]);
  yield* prefixesOfList(text[6]);
}

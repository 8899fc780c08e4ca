import type { Family } from "../../address/address.ts";
import { parseAddressBytes } from "../../address/parse-address.ts";
import { Matcher } from "../engine/matcher.ts";
import { AddressGroup } from "./_address-group.ts";
import { ChunkSlots, type TakenChunk } from "./_chunk-slots.ts";
import { firstText, firstWord } from "./_chunked-input.ts";
import type { ChunkMatches, HelpTask } from "./messages.ts";
import { attachedSnapshot } from "../threads/share-snapshot.ts";

const LF = 0x0a;

/** What a worker reports at the end of a lookup. */
export interface Help {
  readonly parts: readonly ChunkMatches[];
  /** A text is malformed: the calling thread finds out which is the first. */
  readonly isMalformed: boolean;
}

/** In a worker: looks up chunks until no more come. */
export function help({ snapshot, engine, now, kind, slots: shared, out }: HelpTask): Help {
  const matcher = new Matcher(attachedSnapshot(snapshot), { engine });
  const slots = new ChunkSlots(shared);
  const matches = out === null ? null : new Uint32Array(out);
  const group = matches === null ? null : new AddressGroup(matcher, matches, now);
  const parts: ChunkMatches[] = [];
  for (let taken = slots.next(); taken !== null; taken = slots.next()) {
    if ("words" in kind) lookUpWords(matcher, kind.words, taken, matches!, now);
    else if ("lines" in kind) parts.push({ chunk: taken.chunk, ...matcher.identifyBuffer(taken.bytes, now) });
    else if (!lookUpTexts(group!, taken)) return { parts, isMalformed: true };
    slots.done(taken);
  }
  return { parts, isMalformed: false };
}

function lookUpWords(
  matcher: Matcher,
  family: Family,
  { chunk, bytes, count }: TakenChunk,
  out: Uint32Array,
  now: number,
): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  matcher.lookupBatchInto(family, words, out.subarray(firstWord(chunk, family)), count, now);
}

const words = new Uint32Array(4);

/** Whether each line is an address, and there are as many lines as texts. */
function lookUpTexts(group: AddressGroup, { chunk, bytes, count }: TakenChunk): boolean {
  let index = firstText(chunk);
  const last = index + count;
  for (let at = 0; at < bytes.length; index++) {
    let end = at;
    while (bytes[end] !== LF) end++; // the last byte is an LF
    const family = parseAddressBytes(bytes, at, end, words);
    if (family < 0 || index === last) return false;
    group.add(family, words, index);
    at = end + 1;
  }
  group.flush();
  return index === last;
}

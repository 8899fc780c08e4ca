import type { Family } from "../address/address.ts";
import { type AddressError, quoted } from "../address/address-error.ts";
import { addressErrorOf, parseTextInto } from "../address/parse-address.ts";
import { keyOfText, SeenTexts } from "../address/seen-texts.ts";
import { CtiError } from "./cti-error.ts";
import type { CtiDataset } from "./dataset.ts";
import type { MatchId } from "../table/match-id.ts";

/** The minimal information about an address. */
export interface BulkDocument {
  readonly seen: boolean;
  readonly spoofable: boolean | null;
}

/** The possible documents of a bulk lookup, by the byte that `bulkLookup` returns for an address. */
export const BULK_DOCUMENTS: readonly BulkDocument[] = [
  { seen: false, spoofable: null },
  { seen: true, spoofable: null },
  { seen: true, spoofable: true },
  { seen: true, spoofable: false },
];

/** Looks many addresses up at a time: the dataset's table itself, or a faster engine over it. */
export interface BatchLookup {
  /** Writes the match of each of `count` addresses, 0 for none, to `out`. An address is one word for IPv4, four for IPv6. */
  lookupBatchInto(family: Family, words: Uint32Array, out: Uint32Array, count: number): void;
}

/** Addresses whose words and matches stay in the first-level cache. */
const GROUP = 512;

const words4 = new Uint32Array(GROUP);
const words6 = new Uint32Array(GROUP * 4);
/** The index, within the group, of each address of the family. */
const indexes4 = new Uint16Array(GROUP);
const indexes6 = new Uint16Array(GROUP);
const matches = new Uint32Array(GROUP);
const words = new Uint32Array(4);

/** Malformed addresses that an error explains; it names the indexes of all. */
const MAX_EXPLAINED = 5;

/**
 * Looks many addresses up: for each of `ips`, in order, an index of `BULK_DOCUMENTS`. Creates no object per address.
 * @throws CtiError "bad-addresses", with all indexes, if any is malformed
 */
export function bulkLookup(
  dataset: CtiDataset,
  ips: readonly unknown[],
  engine: BatchLookup = dataset.table,
): Uint8Array {
  const bad: number[] = [];
  const states = statesOf(dataset, ips, engine, bad);
  if (bad.length > 0) throw badAddresses(ips, bad);
  return states;
}

/** Those of malformed addresses are 0, and their indexes are appended to `bad`. */
function statesOf(dataset: CtiDataset, ips: readonly unknown[], engine: BatchLookup, bad: number[]): Uint8Array {
  const states = new Uint8Array(ips.length);
  for (let start = 0; start < ips.length; start += GROUP) lookupGroup(dataset, ips, start, engine, states, bad);
  return states;
}

function lookupGroup(
  { table, bulkStates }: CtiDataset,
  ips: readonly unknown[],
  start: number,
  engine: BatchLookup,
  states: Uint8Array,
  bad: number[],
): void {
  const end = Math.min(start + GROUP, ips.length);
  let count4 = 0;
  let count6 = 0;
  for (let at = start; at < end; at++) {
    const ip = ips[at];
    const family = typeof ip === "string" ? parseTextInto(ip, words) : -1;
    if (family === 4) {
      words4[count4] = words[0]!;
      indexes4[count4++] = at - start;
    } else if (family === 6) {
      words6.set(words, count6 * 4);
      indexes6[count6++] = at - start;
    } else {
      bad.push(at);
    }
  }
  for (const [family, group, indexes, count] of [
    [4, words4, indexes4, count4],
    [6, words6, indexes6, count6],
  ] as const) {
    if (count === 0) continue;
    engine.lookupBatchInto(family, group, matches, count);
    for (let i = 0; i < count; i++) {
      const match = matches[i]! as MatchId;
      // The table of a malicious file can return a match that it does not have: it throws the error itself.
      if (match >= bulkStates.length) table.value(match);
      states[start + indexes[i]!] = bulkStates[match]!;
    }
  }
}

/** The result of a bulk lookup as a map from each address, as written, to its document; a repeated address occurs once. */
export function bulkDocuments(ips: readonly string[], states: Uint8Array): Record<string, BulkDocument> {
  return Object.fromEntries(ips.map((ip, i) => [ip, BULK_DOCUMENTS[states[i]!]!]));
}

const JSON_PIECES = BULK_DOCUMENTS.map((document) => `":${JSON.stringify(document)}`);

/**
 * `bulkDocuments` as JSON text, without creating the map. An address needs no escaping: it contains only digits, letters, dots
 * and colons.
 */
export function bulkJson(ips: readonly string[], states: Uint8Array): string {
  const written = new SeenTexts([], ips.length);
  let text = "";
  for (let i = 0; i < ips.length; i++) {
    const ip = ips[i]!;
    if (!written.add(ip, keyOfText(ip))) continue;
    text += (text === "" ? '{"' : ',"') + ip + JSON_PIECES[states[i]!]!;
  }
  return text === "" ? "{}" : `${text}}`;
}

const LINE_PIECES = BULK_DOCUMENTS.map((document) => `",${JSON.stringify(document).slice(1)}`);

/** The result of a bulk lookup as lines of JSON, one for each address in order, including repeated ones. */
export function bulkJsonLines(ips: readonly string[], states: Uint8Array): string {
  let text = "";
  for (let i = 0; i < ips.length; i++) text += `{"ip":"${ips[i]!}${LINE_PIECES[states[i]!]!}\n`;
  return text;
}

function badAddresses(ips: readonly unknown[], bad: readonly number[]): CtiError {
  const explained = bad.slice(0, MAX_EXPLAINED).map((at) => `${at} (${problemOf(ips[at])})`);
  const all = [...explained, ...bad.slice(MAX_EXPLAINED)];
  const count = `${bad.length} of ${ips.length} ${ips.length === 1 ? "address is" : "addresses are"} malformed`;
  return new CtiError("bad-addresses", bad, `${count}, at index ${all.join(", ")}; correct them or leave them out`);
}

function problemOf(ip: unknown): string {
  if (typeof ip !== "string") return `${quoted(JSON.stringify(ip) ?? String(ip))} is not text`;
  return addressErrorOf(parseTextInto(ip, words), ip).message;
}

/** As lines of JSON without line ends, or what is wrong with a text, in order; `count` is given the lookups. */
export function lookUpTexts(
  dataset: CtiDataset,
  texts: readonly string[],
  count: (lookups: number, seen: number) => void,
  engine: BatchLookup = dataset.table,
): (string | AddressError)[] {
  const bad: number[] = [];
  const states = statesOf(dataset, texts, engine, bad);
  count(texts.length, countSeen(states));
  const answers = texts.map((ip, i): string | AddressError => `{"ip":"${ip}${LINE_PIECES[states[i]!]!}`);
  for (const at of bad) answers[at] = addressErrorOf(parseTextInto(texts[at]!, words), texts[at]!);
  return answers;
}

/** How many addresses were seen, by what `bulkLookup` gives for them. */
export function countSeen(states: Uint8Array): number {
  let seen = 0;
  for (let i = 0; i < states.length; i++) if (states[i] !== 0) seen++;
  return seen;
}

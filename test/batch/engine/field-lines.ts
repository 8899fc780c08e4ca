import type { Random } from "../../../bench/data/random.ts";
import { LOG_LINES } from "../../cases/log-lines.ts";
import { randomIpv6, randomQuad } from "../../kernel/random-lines.ts";

export type Syntax = "csv" | "tsv" | "jsonl";

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

/** Texts instead of an address, and around one. */
const OTHERS = [
  "",
  "",
  "-",
  "x",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "01.2.3.4",
  "::",
  ":",
  "\r",
  " ",
  "\xef\xbb\xbf",
  "\0",
  ".",
];
const AROUND = [
  "?",
  " ?",
  "? ",
  "?/24",
  "?:80",
  "[?]",
  "[?]:80",
  "'?'",
  "?%eth0",
  "?.",
  "?x",
  "?\r",
  "? 1.1.1.1",
  "\xef\xbb\xbf?",
  "?\t?",
  "?,?",
];

function randomAddress(random: Random): string {
  return random.below(3) === 0 ? randomIpv6(random) : randomQuad(random);
}

/** Contents of a field, in latin1: mostly an address. */
function randomField(random: Random): string {
  const kind = random.below(10);
  if (kind < 2) return pick(random, OTHERS);
  const address = randomAddress(random);
  return kind < 8 ? address : pick(random, AROUND).replaceAll("?", address);
}

/** Fills windows of the search. */
function padding(random: Random): string {
  return "y".repeat(random.below(90));
}

/** How the fields of a table of comma-separated values may be quoted; the last ways violate RFC 4180. */
const QUOTES: readonly ((text: string, random: Random) => string)[] = [
  (text) => `"${text}"`,
  (text) => `"${text}"`,
  (text) => `"${text}"`,
  () => '""',
  (text, random) => `"${padding(random)},${text}"`,
  (text) => `"${text}""${text}"`,
  (text) => `"""${text}"""`,
  (text) => `"${text}"${text}`,
  (text) => `${text}"`,
  (text) => `x"${text}"`,
  (text) => `"${text}" "`,
  (text) => `"${text}\n${text}"`,
  (text) => ` "${text}"`,
  (text) => `\xef\xbb\xbf"${text}"`,
];
const REGULAR = 7;

/** A record of a table in latin1, without its LF. `quotes`: how many of the ways above may occur. */
function randomRecord(random: Random, delimiter: string, quotes: number): string {
  const fields = Array.from({ length: random.below(7) }, () => {
    const field = random.below(8) === 0 ? padding(random) : randomField(random);
    return quotes === 0 || random.below(3) === 0 ? field : QUOTES[random.below(quotes)]!(field, random);
  });
  return fields.join(delimiter) + (random.below(6) === 0 ? "\r" : "");
}

/** Keys of JSON objects: the members that are searched for, and similar ones. */
const KEYS = [
  "ip",
  "client",
  "client.ip",
  "ip.client",
  "i\\u0070",
  "\\u0069p",
  "ipx",
  "i",
  "",
  "IP",
  'a\\"ip',
  "ip\\\\",
  "ip.",
  ".ip",
  "x".repeat(27),
  "a key that is longer than what is remembered of one",
];
export const MEMBERS = ["ip", "client.ip", "client.ip.client", "", "x".repeat(27), "ip.client"];

const SCALARS = ["0", "-12.5e+3", "true", "null", "nul", '1"2', "1:2", "1{2", "+", "\x01", "a\\"];
const BLANKS = [" ", "\t", "\r", "  "];

function blank(random: Random, isSpaced: boolean): string {
  return isSpaced && random.below(3) === 0 ? pick(random, BLANKS) : "";
}

function randomString(random: Random): string {
  const kind = random.below(14);
  if (kind < 6) return `"${randomField(random)}"`;
  if (kind === 6) return `"${randomAddress(random).replaceAll(".", "\\u002e")}"`;
  if (kind === 7) return `"\\"ip\\":\\"${randomAddress(random)}\\"${padding(random)}"`;
  if (kind === 8) return `"${padding(random)}\\\\"`;
  if (kind === 9) return `"${padding(random)}{[]},:ip"`;
  if (kind === 10) return `"\\${padding(random)}\\"`; // an escape too many, or an unterminated string
  return `"${padding(random)}"`;
}

function randomValue(random: Random, depth: number, isSpaced: boolean): string {
  const kind = random.below(12);
  if (kind < 8) return randomString(random);
  if (kind < 10 || depth === 3) return pick(random, SCALARS);
  if (kind === 10) return randomObject(random, random.below(4), depth + 1, isSpaced);
  const items = Array.from({ length: random.below(3) }, () => randomValue(random, depth + 1, isSpaced));
  return `[${items.join(`${blank(random, isSpaced)},`)}${blank(random, isSpaced)}]`;
}

function randomObject(random: Random, members: number, depth: number, isSpaced: boolean): string {
  const space = (): string => blank(random, isSpaced);
  const parts = Array.from(
    { length: members },
    () => `${space()}"${pick(random, KEYS)}"${space()}:${space()}${randomValue(random, depth, isSpaced)}${space()}`,
  );
  return `{${space()}${parts.join(",")}}`;
}

/**
 * A function that makes lines of one shape, as a single program writes them: the same keys and blanks, different
 * values.
 */
function shapedLines(random: Random): () => string {
  const keys = Array.from({ length: random.below(9) }, () => pick(random, KEYS));
  const [before, after] = [pick(random, ["", "", " "]), pick(random, ["", " "])];
  const line = (): string =>
    `{${keys.map((key) => `"${key}"${before}:${after}${random.below(4) === 0 ? pick(random, SCALARS.slice(0, 4)) : `"${random.below(3) === 0 ? randomAddress(random) : padding(random)}"`}`).join(`,${after}`)}}`;
  const nested = (): string => `{"client":${line()},"ip":"${randomAddress(random)}"}`;
  return random.below(4) === 0 ? nested : line;
}

const CHANGES = Buffer.from('""\\\\{}[],::\n\r\t 1.x\x00\xff', "latin1");

/** Replaces some bytes of the text by other significant bytes; the last byte stays. */
function change(random: Random, text: Buffer, changes: number): void {
  for (; changes > 0; changes--) text[random.below(text.length - 1)] = CHANGES[random.below(CHANGES.length)]!;
}

function jsonLine(random: Random): string {
  const kind = random.below(16);
  if (kind === 0) return pick(random, LOG_LINES).line;
  if (kind === 1) return `${pick(random, LOG_LINES).line}{"ip":"${randomAddress(random)}"}`;
  if (kind === 2) return `{"ip":${JSON.stringify(pick(random, LOG_LINES).line)}}`;
  const line = randomObject(random, random.below(8), 0, random.below(4) === 0) + (random.below(6) === 0 ? "\r" : "");
  return kind === 3 ? line.slice(0, random.below(line.length)) : line;
}

/** This many lines in latin1, or more; not all end with an LF. */
export function randomFieldLines(random: Random, syntax: Syntax, count: number): Buffer {
  const lines: string[] = [];
  const quotes = syntax === "tsv" ? 0 : pick(random, [0, REGULAR, REGULAR, QUOTES.length]);
  while (lines.length < count) {
    if (syntax !== "jsonl") {
      lines.push(randomRecord(random, syntax === "csv" ? "," : "\t", quotes));
      continue;
    }
    const shaped = shapedLines(random);
    // Either enough lines to reuse the shape of the first one through several chunks, or a few.
    const many = random.below(40) === 0 ? 600 : 20;
    for (let more = random.below(many); more > 0; more--)
      lines.push(random.below(many === 20 ? 8 : 40) === 0 ? jsonLine(random) : shaped());
  }
  const text = Buffer.from(lines.join("\n") + (random.below(4) === 0 ? "" : "\n"), "latin1");
  if (random.below(2) === 0) change(random, text, text.length >> pick(random, [6, 8, 12]));
  return text;
}

import { comparePrefixes } from "./compare-prefixes.ts";
import { parsePrefix } from "../../src/address/prefix.ts";

/** One publisher's list as it is committed: text in lines, sorted, for people to review and for git to compare. */
export interface OfficialTable {
  readonly publisher: string;
  /** Where the publisher offers the list. */
  readonly list: string;
  /** The day of the copy. */
  readonly date: string;
  /** The package that the copy comes from, with its version. */
  readonly origin: string;
  readonly licence: string;
  /** Whether the copy is the whole list, prefix for prefix, or what is left of it beside others' lists. */
  readonly isWhole: boolean;
  readonly places: readonly OfficialPlace[];
}

/** Prefixes of one service and region, in the publisher's codes; null: not named. */
export interface OfficialPlace {
  readonly service: string | null;
  readonly region: string | null;
  readonly prefixes: readonly string[];
}

const HEAD = ["publisher", "list", "date", "origin", "licence", "copy"] as const;
const NONE = "-";

/** The text of a table, sorted: places by code, prefixes by number, each once. */
export function writeTable({ places, isWhole, ...about }: OfficialTable): string {
  const head = { ...about, copy: isWhole ? "whole" : "in part" };
  const lines = HEAD.map((member) => `# ${member}: ${head[member]}`);
  const sorted = places.toSorted((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
  for (const place of sorted) {
    if (place.service !== null || place.region !== null) lines.push(titleOf(place));
    lines.push(...sortedPrefixes(place.prefixes));
  }
  return `${lines.join("\n")}\n`;
}

function titleOf({ service, region }: OfficialPlace): string {
  return service === null && region === null ? "" : `[${service ?? NONE}|${region ?? NONE}]`;
}

function sortedPrefixes(texts: readonly string[]): string[] {
  return [...new Set(texts)]
    .map((text) => ({ text, prefix: parsePrefix(text) }))
    .sort((a, b) => comparePrefixes(a.prefix, b.prefix))
    .map(({ text }) => text);
}

/** Reads what `writeTable` wrote. @throws Error with the line that is not of that form */
export function readTable(text: string, file: string): OfficialTable {
  const about = new Map<string, string>();
  const places: { service: string | null; region: string | null; prefixes: string[] }[] = [];
  let prefixes: string[] | null = null;
  for (const [at, line] of text.trimEnd().split("\n").entries()) {
    const head = /^# (\w+): (.+)$/.exec(line);
    const title = /^\[([^|]+)\|([^|]+)\]$/.exec(line);
    if (head !== null) about.set(head[1]!, head[2]!);
    else if (title !== null) {
      places.push({ service: codeOf(title[1]!), region: codeOf(title[2]!), prefixes: (prefixes = []) });
    } else if (/^[0-9a-f.:]+(\/\d+)?$/.test(line)) {
      if (prefixes === null) places.push({ service: null, region: null, prefixes: (prefixes = []) });
      prefixes.push(line);
    } else throw new Error(`${file}:${at + 1}: neither a prefix nor a title: ${line}`);
  }
  const missing = HEAD.find((member) => !about.has(member));
  if (missing !== undefined) throw new Error(`${file}: its head does not name ${missing}`);
  const [publisher, list, date, origin, licence, copy] = HEAD.map((member) => about.get(member)!) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return { publisher, list, date, origin, licence, isWhole: copy === "whole", places };
}

function codeOf(text: string): string | null {
  return text === NONE ? null : text;
}

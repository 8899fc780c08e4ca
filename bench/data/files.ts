import { ensureDataset, readDataset } from "./dataset.ts";
import { everyNth } from "./table-data.ts";
import { expectedOf } from "./expected.ts";
import { BOTH_FAMILIES, LINE_TABLES, LineSource } from "./line-source.ts";
import { ADDRESS_LISTS } from "./address-lists.ts";
import { MID_LINE_LOGS } from "./mid-line-logs.ts";
import { prefixTexts } from "./texts.ts";
import { checksum } from "./checksum.ts";
import type { DatasetName } from "./dataset.ts";
import type { FileFacts, GeneratedFile, LineFacts } from "./generated-file.ts";
import type { Mix } from "./line-source.ts";
import type { Random } from "./random.ts";

const LINES = 10_000_000;
const LOG_BYTES = 381_000_000;

/** Ten million lines of one address each. */
export const addressLines: GeneratedFile = {
  name: "addresses.txt",
  async make(sink) {
    const source = await LineSource.create(1, BOTH_FAMILIES);
    let matched = 0;
    for (let i = 0; i < LINES; i++) {
      const { text, value } = source.next();
      sink.write(`${text}\n`);
      if (value > 0) matched++;
    }
    return { lines: LINES, matched };
  },
};

/** A file of IPv4 addresses, one a line, half of them in prefixes of the table, half any address. */
export interface AddressFile extends GeneratedFile {
  readonly table: DatasetName;
}

/**
 * Ten million lines for those who count addresses per second in one process; the small one for the test of that
 * harness.
 */
export const addressLines4: AddressFile = addressFile("addresses4.txt", "routed4", LINES);
export const quickLines4: AddressFile = addressFile("quick-addresses4.txt", "quick4", 20_000);

function addressFile(name: string, table: DatasetName, lines: number): AddressFile {
  const mix: Mix = [
    [table, "hits", 50],
    [table, "uniform", 100],
  ];
  return {
    name,
    table,
    async make(sink) {
      const source = await LineSource.create(3, mix);
      const values = new Uint32Array(lines);
      for (let i = 0; i < lines; i++) {
        const { text, value } = source.next();
        sink.write(`${text}\n`);
        values[i] = value;
      }
      const valueSum = values.reduce((sum, value) => sum + value, 0);
      return {
        lines,
        matched: values.reduce((hits, value) => hits + (value > 0 ? 1 : 0), 0),
        valueSum,
        answers: checksum(values),
      };
    },
  };
}

/** An access log in the combined format, 381 MB. */
export const accessLog: GeneratedFile = {
  name: "access.log",
  async make(sink) {
    const source = await LineSource.create(2, BOTH_FAMILIES);
    let lines = 0;
    let matched = 0;
    while (sink.byteLength < LOG_BYTES) {
      const { text, value } = source.next();
      sink.write(logLine(text, lines, source.random));
      lines++;
      if (value > 0) matched++;
    }
    return { lines, matched };
  },
};

/** A list of prefixes in the two forms that the commands take. */
export interface PrefixList {
  /** Every how many-th of the routed prefixes is on the list. */
  readonly every: number;
  /** One a line: what grepcidr takes as patterns. */
  readonly patterns: GeneratedFile;
  /** With a label each: what `ipsieve build` takes. */
  readonly labelled: GeneratedFile;
}

/**
 * The routed prefixes, and a twentieth of them: with that most lines of a log match nothing, and are read to their end.
 */
export const wholeList: PrefixList = prefixList(1, "");
export const twentiethList: PrefixList = prefixList(20, "-twentieth");

function prefixList(every: number, suffix: string): PrefixList {
  return {
    every,
    patterns: {
      name: `patterns${suffix}.txt`,
      make: (sink) => writePrefixes(every, (prefix) => sink.write(`${prefix}\n`)),
    },
    labelled: {
      name: `labelled${suffix}.txt`,
      make: (sink) => writePrefixes(every, (prefix, value) => sink.write(`${prefix},${labelOf(value)}\n`)),
    },
  };
}

export const FILES: readonly GeneratedFile[] = [
  addressLines,
  addressLines4,
  quickLines4,
  accessLog,
  ...MID_LINE_LOGS,
  ...ADDRESS_LISTS,
  wholeList.patterns,
  wholeList.labelled,
  twentiethList.patterns,
  twentiethList.labelled,
];

export function factsOf(file: GeneratedFile): FileFacts {
  return expectedOf(file.name) as FileFacts;
}

export function labelOf(value: number): string {
  return `as-${value}`;
}

async function writePrefixes(every: number, write: (prefix: string, value: number) => void): Promise<LineFacts> {
  let lines = 0;
  for (const name of LINE_TABLES) {
    await ensureDataset(name);
    const table = everyNth(readDataset(name).table, every);
    prefixTexts(table).forEach((prefix, i) => write(prefix, table.values[i]!));
    lines += table.count;
  }
  return { lines, matched: lines };
}

const PATHS = [
  "/",
  "/index.html",
  "/api/v2/orders/{n}/items?page=3&sort=date",
  "/static/app.{n}.js",
  "/products/{n}/reviews",
  "/login",
  "/images/{n}/large.webp",
];
const REFERRERS = [
  "-",
  "https://www.example.com/",
  "https://www.example.org/search?q=routing+tables",
  "https://shop.example.net/cart",
];
const AGENTS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (X11; Linux x86_64; rv:140) Gecko/20100101 Firefox/140",
  "Mozilla/5.0 (compatible; ExampleBot/2; +https://bot.example.com/about)",
];
const STATUSES = [200, 200, 200, 200, 304, 301, 404, 403, 500];

function logLine(address: string, line: number, random: Random): string {
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const second = line % 86_400;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  const time = `${two(second / 3600)}:${two((second / 60) % 60)}:${two(second % 60)}`;
  const path = pick(PATHS).replace("{n}", String(random.below(1_000_000)));
  const request = `"GET ${path} HTTP/1.1" ${pick(STATUSES)} ${random.below(100_000)}`;
  return `${address} - - [21/Nov/2026:${time} +0000] ${request} "${pick(REFERRERS)}" "${pick(AGENTS)}" ${random.below(900)}\n`;
}

import { ensureDataset, readDataset } from "./dataset.ts";
import { expectedOf } from "./expected.ts";
import { LINE_TABLES, LineSource } from "./line-source.ts";
import { prefixTexts } from "./texts.ts";
import type { FileFacts, GeneratedFile } from "./generated-file.ts";
import type { Random } from "./random.ts";

const LINES = 10_000_000;
const LOG_BYTES = 381_000_000;

/** Ten million lines of one address each. */
export const addressLines: GeneratedFile = {
  name: "addresses.txt",
  async make(sink) {
    const source = await LineSource.create(1);
    let matched = 0;
    for (let i = 0; i < LINES; i++) {
      const { text, isHit } = source.next();
      sink.write(`${text}\n`);
      if (isHit) matched++;
    }
    return { lines: LINES, matched };
  },
};

/** An access log in the combined format, 381 MB. */
export const accessLog: GeneratedFile = {
  name: "access.log",
  async make(sink) {
    const source = await LineSource.create(2);
    let lines = 0;
    let matched = 0;
    while (sink.byteLength < LOG_BYTES) {
      const { text, isHit } = source.next();
      sink.write(logLine(text, lines, source.random));
      lines++;
      if (isHit) matched++;
    }
    return { lines, matched };
  },
};

/** The routed prefixes, one a line: what grepcidr takes as patterns. */
export const patterns: GeneratedFile = {
  name: "patterns.txt",
  make: (sink) => writePrefixes((prefix) => sink.write(`${prefix}\n`)),
};

/** The same prefixes with a label each: what `ipsieve build` takes. */
export const labelledList: GeneratedFile = {
  name: "labelled.txt",
  make: (sink) => writePrefixes((prefix, value) => sink.write(`${prefix},${labelOf(value)}\n`)),
};

export const FILES: readonly GeneratedFile[] = [addressLines, accessLog, patterns, labelledList];

export function factsOf(file: GeneratedFile): FileFacts {
  return expectedOf(file.name) as FileFacts;
}

export function labelOf(value: number): string {
  return `as-${value}`;
}

async function writePrefixes(write: (prefix: string, value: number) => void): Promise<{ lines: number; matched: number }> {
  let lines = 0;
  for (const name of LINE_TABLES) {
    await ensureDataset(name);
    const { table } = readDataset(name);
    prefixTexts(table).forEach((prefix, i) => write(prefix, table.values[i]!));
    lines += table.count;
  }
  return { lines, matched: lines };
}

const PATHS = ["/", "/index.html", "/api/v2/orders/{n}/items?page=3&sort=date", "/static/app.{n}.js", "/products/{n}/reviews", "/login", "/images/{n}/large.webp"];
const REFERRERS = ["-", "https://www.example.com/", "https://www.example.org/search?q=routing+tables", "https://shop.example.net/cart"];
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

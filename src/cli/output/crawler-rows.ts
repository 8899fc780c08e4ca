import { Writable } from "node:stream";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { type ClaimedCrawler, CrawlerJudge, crawlersIn, mayNameCrawler } from "../../cbs/crawler-verdict.ts";
import { userAgentOf } from "../../cbs/user-agent-of.ts";
import { CRAWLER_COLUMN } from "../../datasets/column-renderer.ts";
import { csvRow } from "../../csv/write-row.ts";
import type { CountedEntry, SnapshotCounts } from "./snapshot-counts.ts";

/**
 * A row as `identify --format jsonl --text` writes it, with documents or the cells of columns, in parts that are not parsed. No text in the document can contain
 * what separates them, as its quotes are escaped:
 *
 *     {"ip":"192.0.2.1","found":true, ...   ,"line":7   ,"text":"GET / ..."   }
 *     document                              line        text
 */
interface RawRow {
  readonly document: string;
  readonly line: string;
  readonly text: string;
}

const LINE = ',"line":';
const TEXT = ',"text":';

function rawRow(row: string): RawRow {
  const line = row.indexOf(LINE);
  const text = row.indexOf(TEXT, line);
  return {
    document: row.slice(0, line),
    line: row.slice(line + LINE.length, text),
    text: row.slice(text + TEXT.length, -1),
  };
}

/** How many user agents are kept: logs repeat them. */
const MAX_KEPT = 50_000;

/** What a function makes of a text, made once while it is kept. */
class Kept<Value> {
  readonly #values = new Map<string, Value>();
  readonly #make: (text: string) => Value;

  constructor(make: (text: string) => Value) {
    this.#make = make;
  }

  of(text: string): Value {
    let value = this.#values.get(text);
    if (value !== undefined) return value;
    value = this.#make(text);
    if (this.#values.size >= MAX_KEPT) this.#values.clear();
    this.#values.set(text, value);
    return value;
  }
}

const IP = '{"ip":"';
const CELLS = ',"cells":';

/** How rows are written; null: they are only counted. */
export type CrawlerRowFormat = "tsv" | "csv" | "jsonl" | null;

export interface CrawlerRowOptions {
  readonly catalogue: Catalogue;
  readonly format: CrawlerRowFormat;
  /** Of tsv and csv, by the names of `--columns`; rows come with cells for all but the crawler (`CELLS_RENDERER`). */
  readonly columns: readonly string[];
  /** Only the rows of impostors. */
  readonly onlyImpostors: boolean;
  /** Rows of JSON keep the line itself. */
  readonly keepsText: boolean;
  readonly write: (rows: string) => Promise<unknown>;
}

/**
 * Takes the rows of `identify --format jsonl --text`, and writes those of the chosen format with the crawler that each
 * line's user agent names, and whether the address agrees.
 */
export class CrawlerRows extends Writable {
  readonly #options: CrawlerRowOptions;
  readonly #judge: CrawlerJudge;
  readonly #decoder = new TextDecoder();
  readonly #crawlers = new Kept(crawlersIn);
  readonly #counts = new Map<string, { readonly claimed: ClaimedCrawler; lines: number }>();
  #rest = "";
  /** Rows that were written, or would be. */
  selected = 0;

  constructor(options: CrawlerRowOptions) {
    super({ decodeStrings: true });
    this.#options = options;
    this.#judge = new CrawlerJudge(options.catalogue);
  }

  /** As `CrawlerJudge.canTellImpostors`. */
  get canTellImpostors(): boolean {
    return this.#judge.canTellImpostors;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop()!;
    let rows = "";
    const { format, onlyImpostors } = this.#options;
    const writesAll = format !== null && !onlyImpostors;
    for (const line of lines) if (writesAll || mayNameCrawler(line)) rows += this.#rowOf(rawRow(line));
    if (rows === "") return done();
    this.#options.write(rows).then(() => done(), done);
  }

  /** The counts with a further section: by crawler and verdict. */
  counts(counts: SnapshotCounts): SnapshotCounts {
    const entries = [...this.#counts.values()]
      .map(({ claimed: { name, verdict }, lines }): CountedEntry => {
        return { key: `${name} ${verdict}`, name, members: { name, verdict }, shown: `${name}, ${verdict}`, lines };
      })
      .sort((a, b) => b.lines - a.lines || (a.key < b.key ? -1 : 1));
    const section = { one: "crawler", all: "crawlers", color: "yellow", entries } as const;
    return { ...counts, sections: (perMatch) => [...counts.sections(perMatch), section] };
  }

  #rowOf(row: RawRow): string {
    const { format, onlyImpostors } = this.#options;
    const { document } = row;
    const ip = document.startsWith(IP) ? document.slice(IP.length, document.indexOf('"', IP.length)) : null;
    const claimed = this.#claimOf(ip, row.text);
    if (claimed !== null) this.#count(claimed);
    if (onlyImpostors && claimed?.verdict !== "impostor") return "";
    this.selected++;
    if (format === null) return "";
    if (format !== "jsonl") return this.#written(row, claimed, format);
    const text = this.#options.keepsText ? `${TEXT}${row.text}` : "";
    return `${document},"crawler":${JSON.stringify(claimed)}${LINE}${row.line}${text}}\n`;
  }

  #written({ document }: RawRow, claimed: ClaimedCrawler | null, format: "tsv" | "csv"): string {
    const cells = JSON.parse(document.slice(document.indexOf(CELLS) + CELLS.length)) as (string | null)[];
    const at = this.#options.columns.indexOf(CRAWLER_COLUMN);
    if (at >= 0) cells.splice(at, 0, claimed && `${claimed.verdict} ${claimed.name}`);
    return format === "csv" ? csvRow(cells) : `${cells.map((cell) => cell ?? "").join("\t")}\n`;
  }

  /** `text` is the line as JSON has it. */
  #claimOf(ip: string | null, text: string): ClaimedCrawler | null {
    if (ip === null || !mayNameCrawler(text)) return null;
    const agent = userAgentOf(JSON.parse(text) as string);
    const crawlers = agent === null ? [] : this.#crawlers.of(agent);
    if (crawlers.length === 0) return null;
    const { table, now } = this.#options.catalogue;
    return this.#judge.judge(table.activeMatch(table.lookup(ip), now), crawlers);
  }

  #count(claimed: ClaimedCrawler): void {
    const key = `${claimed.name} ${claimed.verdict}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { claimed, lines: 1 });
    else known.lines++;
  }
}

import { Writable } from "node:stream";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { type ClaimedCrawler, CrawlerJudge, crawlersIn, mayNameCrawler } from "../../cbs/crawler-verdict.ts";
import type { LookupDocument } from "../../cbs/lookup-document.ts";
import { userAgentOf } from "../../cbs/user-agent-of.ts";
import type { Network } from "../../networks/networks.ts";
import { csvRow } from "../../csv/write-row.ts";
import type { CountedEntry, SnapshotCounts } from "./snapshot-counts.ts";

/** A row as `identify --format jsonl --text` writes it. */
type Row = Omit<LookupDocument, "ip"> & {
  readonly ip: string | null;
  readonly line: number;
  readonly text: string;
  readonly network?: Network | null;
};

/** What a column has of a document; see `COLUMNS` of the column renderer. */
const CELLS: Readonly<Record<string, (row: Row) => string | number | readonly string[] | null | undefined>> = {
  address: ({ ip }) => ip,
  prefix: ({ cidr }) => cidr,
  services: ({ cbs_ids }) => cbs_ids,
  primary: ({ primary }) => primary?.cbs_id,
  provider: ({ providers }) => providers,
  service: ({ services }) => services,
  region: ({ regions }) => regions,
  type: ({ types }) => types,
  asn: ({ network }) => network?.asn,
  network: ({ network }) => network?.name,
  country: ({ network }) => network?.country,
};

/** How rows are written; null: they are only counted. */
export type CrawlerRowFormat = "tsv" | "csv" | "jsonl" | null;

export interface CrawlerRowOptions {
  readonly catalogue: Catalogue;
  readonly format: CrawlerRowFormat;
  /** Of tsv and csv, by the names of `--columns`. */
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
    for (const line of lines) if (writesAll || mayNameCrawler(line)) rows += this.#rowOf(JSON.parse(line) as Row);
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

  #rowOf(row: Row): string {
    const { format, onlyImpostors } = this.#options;
    const claimed = this.#claimOf(row);
    if (claimed !== null) this.#count(claimed);
    if (onlyImpostors && claimed?.verdict !== "impostor") return "";
    this.selected++;
    if (format === null) return "";
    if (format !== "jsonl") return this.#cells(row, claimed, format);
    const { text, line, ...document } = row;
    const more = { crawler: claimed, line, ...(this.#options.keepsText && { text }) };
    return `${JSON.stringify({ ...document, ...more })}\n`;
  }

  #cells(row: Row, claimed: ClaimedCrawler | null, format: "tsv" | "csv"): string {
    const cells = this.#options.columns.map((name): string | null => {
      const value = name === "crawler" ? claimed && `${claimed.verdict} ${claimed.name}` : CELLS[name]!(row);
      return value === null || value === undefined
        ? null
        : typeof value === "object"
          ? value.join(",") || null
          : String(value);
    });
    return format === "csv" ? csvRow(cells) : `${cells.map((cell) => cell ?? "").join("\t")}\n`;
  }

  #claimOf({ ip, text }: Row): ClaimedCrawler | null {
    if (ip === null) return null;
    const agent = userAgentOf(text);
    const crawlers = agent === null ? [] : crawlersIn(agent);
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

import type { Prefix } from "../address/address.ts";
import { type CtiRecord, NOTHING_KNOWN } from "./fields.ts";
import { csv, isHeader } from "./importers/csv.ts";
import { Feed, type FeedReader, type FeedReport } from "./importers/feed.ts";
import { FeedError } from "./importers/feed-error.ts";
import { ndjson } from "./importers/ndjson.ts";
import { plainList } from "./importers/plain-list.ts";

/** Every format of feeds. */
const READERS: Readonly<Record<FeedFormat, (feed: Feed) => FeedReader>> = { ndjson, csv, list: plainList };

/** Every `FeedFormat`: JSON documents, one per line; CSV with a header; or addresses and prefixes alone. */
export const FEED_FORMATS = ["ndjson", "csv", "list"] as const;
/** The format of a feed's text: one of `FEED_FORMATS`. */
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** How a feed is read: its format, and defaults. */
export interface FeedOptions {
  /** By default, detected from the first line that is not a comment. */
  readonly format?: FeedFormat;
  /** Used for what the feed leaves out; its tags are added to every entry. */
  readonly defaults?: CtiRecord;
}

/** Maximum characters of a line: a file without line breaks is not a feed, and must not fill the memory. */
const MAX_LINE_LENGTH = 1 << 24;

/**
 * Reads one feed, from pieces of its text as they arrive. Calls back for each entry in order; keeps at most one line of
 * the text.
 */
export class FeedImport {
  readonly #feed: Feed;
  readonly #format: FeedFormat | undefined;
  #reader: FeedReader | undefined;
  #isList = false;
  /** What has been read of the current line. It only grows, so a long line is copied once. */
  #rest = "";
  #endsInCr = false;
  #lines = 0;

  constructor({ format, defaults = NOTHING_KNOWN }: FeedOptions, onEntry: (prefix: Prefix, record: CtiRecord) => void) {
    this.#feed = new Feed(defaults, onEntry);
    this.#format = format;
  }

  /** Lines so far. */
  get lines(): number {
    return this.#lines;
  }

  /** The next piece of the text. @throws FeedError */
  push(piece: string): void {
    if (piece === "") return;
    let start = 0;
    if (this.#endsInCr) {
      this.#line(this.#rest.slice(0, -1));
      this.#rest = "";
      if (piece.startsWith("\n")) start = 1;
    }
    // A CR at the very end may be half of a line end.
    const ends = /\r\n|\n|\r(?!$)/g;
    ends.lastIndex = start;
    for (let end = ends.exec(piece); end !== null; end = ends.exec(piece)) {
      this.#line(this.#rest + piece.slice(start, end.index));
      this.#rest = "";
      start = ends.lastIndex;
    }
    this.#rest += piece.slice(start);
    this.#endsInCr = this.#rest !== "" && piece.endsWith("\r");
    if (this.#rest.length > MAX_LINE_LENGTH) {
      throw new FeedError(
        "line-too-long",
        this.#lines + 1,
        "this line has more than 16 million characters; a feed has one entry per line (jq -c '.[]' splits a JSON array into lines)",
      );
    }
  }

  /** After the last piece. @throws FeedError */
  end(): FeedReport {
    if (this.#rest !== "") this.#line(this.#endsInCr ? this.#rest.slice(0, -1) : this.#rest);
    this.#rest = "";
    this.#reader?.end();
    const report = this.#feed.report(this.#lines);
    if (report.entries === 0 && report.skippedCount === 0)
      throw new FeedError("empty", 1, "the feed contains no entries; is it the right file?");
    return report;
  }

  #line(text: string): void {
    this.#lines++;
    const line = this.#lines === 1 ? text.replace(/^\ufeff/, "") : text;
    this.#reader ??= this.#readerFor(line);
    // A plain list may have such bytes in its comments.
    if (!this.#isList && line.includes("\ufffd"))
      return this.#feed.skip(this.#lines, line.indexOf("\ufffd") + 1, "the line is not UTF-8; convert the feed");
    this.#reader?.line(line, this.#lines);
  }

  /** Chosen by the first line that is not a comment; undefined before. */
  #readerFor(line: string): FeedReader | undefined {
    const content = line.trim();
    if (content === "" || /^(?:#|;|\/\/)/.test(content)) return undefined;
    if (content.startsWith("<"))
      throw new FeedError(
        "web-page",
        this.#lines,
        "this is a web page, not a feed; its URL may have changed, or access may have been denied",
      );
    if (content.includes("\0"))
      throw new FeedError("not-text", this.#lines, "the feed is not text; decompress it, or use UTF-8");
    const format = this.#format ?? (/^[{[]/.test(content) ? "ndjson" : isHeader(content) ? "csv" : "list");
    this.#isList = format === "list";
    return READERS[format](this.#feed);
  }
}

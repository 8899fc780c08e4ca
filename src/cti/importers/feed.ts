import type { Prefix } from "../../address/address.ts";
import { quoted } from "../../address/address-error.ts";
import { readEntry } from "../../reading/list-entry.ts";
import { ListLineError } from "../../reading/list-error.ts";
import { texts } from "../_field-kinds.ts";
import { type CtiRecord, FIELDS } from "../fields.ts";

/** A line that is left out. Lines and columns count from 1. */
export interface SkippedFeedLine {
  readonly line: number;
  readonly column: number;
  /** What is wrong, with the value, and how to fix it. */
  readonly message: string;
}

/** Something that is not an error, and how often it occurred. */
export interface FeedWarning {
  readonly message: string;
  readonly count: number;
  /** The first line where it occurred. */
  readonly line: number;
}

/** The outcome of a feed's lines. */
export interface FeedReport {
  /** All lines, including comments and empty ones. */
  readonly lines: number;
  readonly entries: number;
  /** The first hundred. */
  readonly skippedLines: readonly SkippedFeedLine[];
  readonly skippedCount: number;
  readonly warnings: readonly FeedWarning[];
}

/** Reads the lines of a feed in one format. */
export interface FeedReader {
  /** A line without its line break; numbers count from 1. @throws FeedError */
  line(text: string, number: number): void;
  /** After the last line. @throws FeedError */
  end(): void;
}

const MAX_SKIPPED_LINES = 100;
/** A feed may contain unknown properties, a different one on every line. */
const MAX_WARNINGS = 100;

/** Takes the entries of one feed, and records its errors. */
export class Feed {
  /** Used for what the feed leaves out; its tags are added to every entry. */
  readonly defaults: CtiRecord;
  readonly #onEntry: (prefix: Prefix, record: CtiRecord) => void;
  readonly #skippedLines: SkippedFeedLine[] = [];
  readonly #warnings = new Map<string, { message: string; count: number; line: number }>();
  #skippedCount = 0;
  #entries = 0;

  constructor(defaults: CtiRecord, onEntry: (prefix: Prefix, record: CtiRecord) => void) {
    this.defaults = defaults;
    this.#onEntry = onEntry;
  }

  /**
   * Adds an entry; its address or prefix is a text that begins in this column. `columnOf` is called only if something
   * is wrong with it. If it cannot be added, that is recorded as an error.
   */
  add(text: string, record: CtiRecord, line: number, columnOf: () => number): void {
    for (const prefix of this.#parse(text, line, columnOf)) this.addPrefix(prefix, text, record, line, columnOf);
  }

  /** The same with a prefix that the text stands for. */
  addPrefix(prefix: Prefix, text: string, record: CtiRecord, line: number, columnOf: () => number): void {
    if (prefix.length === 0) return this.skip(line, columnOf(), `${quoted(text)} covers every address; leave it out`);
    this.#onEntry(prefix, record);
    this.#entries++;
  }

  /** Leaves out what begins there: one line, or a row of several. */
  skip(line: number, column: number, message: string, lines = 1): void {
    this.#skippedCount += lines;
    if (this.#skippedLines.length < MAX_SKIPPED_LINES) this.#skippedLines.push({ line, column, message });
  }

  warn(message: string, line: number): void {
    const key = this.#warnings.has(message) || this.#warnings.size < MAX_WARNINGS ? message : "more kinds of warnings";
    const warning = this.#warnings.get(key);
    if (warning === undefined) this.#warnings.set(key, { message: key, count: 1, line });
    else warning.count++;
  }

  /** A record of the feed, with defaults for what it leaves out. */
  complete(record: CtiRecord): CtiRecord {
    const complete: Partial<Record<keyof CtiRecord, unknown>> = {};
    for (const { member, kind } of FIELDS)
      complete[member] = kind.isEmpty(record[member]) ? this.defaults[member] : record[member];
    complete.tags = texts.merge(record.tags, this.defaults.tags);
    return complete as unknown as CtiRecord;
  }

  report(lines: number): FeedReport {
    return {
      lines,
      entries: this.#entries,
      skippedLines: this.#skippedLines,
      skippedCount: this.#skippedCount,
      warnings: [...this.#warnings.values()],
    };
  }

  #parse(text: string, line: number, columnOf: () => number): readonly Prefix[] {
    try {
      const { prefixes, isMasked } = readEntry(text, 0, "mask");
      if (isMasked) this.warn("host bits were set and have been cleared", line);
      return prefixes;
    } catch (error) {
      if (!(error instanceof ListLineError)) throw error;
      this.skip(line, columnOf() + error.at, `${quoted(text)}: ${error.problem}`);
      return [];
    }
  }
}

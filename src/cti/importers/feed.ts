import type { Prefix } from "../../address/address.ts";
import { AddressError, quoted } from "../../address/address-error.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { texts } from "../_field-kinds.ts";
import { type CtiRecord, FIELDS } from "../fields.ts";

/** A line that is left out. Lines and columns count from 1. */
export interface FeedFault {
  readonly line: number;
  readonly column: number;
  /** What is wrong, with the value, and the cure. */
  readonly message: string;
}

/** Something that is no error, and how often. */
export interface FeedWarning {
  readonly message: string;
  readonly count: number;
  /** The first line with it. */
  readonly line: number;
}

/** What became of the lines of a feed. */
export interface FeedReport {
  /** Lines, with comments and empty ones. */
  readonly lines: number;
  readonly entries: number;
  /** The first hundred. */
  readonly faults: readonly FeedFault[];
  readonly faultCount: number;
  readonly warnings: readonly FeedWarning[];
}

/** Reads the lines of a feed of one format. */
export interface FeedReader {
  /** A line without its end; numbers count from 1. @throws FeedError */
  line(text: string, number: number): void;
  /** After the last line. @throws FeedError */
  end(): void;
}

const MAX_FAULTS = 100;
/** A feed may name members that no one knows, on every line another one. */
const MAX_WARNINGS = 100;

/** Takes the entries of one feed, and notes what is wrong with it. */
export class Feed {
  /** What stands in where the feed says nothing; its tags go to every entry. */
  readonly defaults: CtiRecord;
  readonly #onEntry: (prefix: Prefix, record: CtiRecord) => void;
  readonly #faults: FeedFault[] = [];
  readonly #warnings = new Map<string, { message: string; count: number; line: number }>();
  #faultCount = 0;
  #entries = 0;

  constructor(defaults: CtiRecord, onEntry: (prefix: Prefix, record: CtiRecord) => void) {
    this.defaults = defaults;
    this.#onEntry = onEntry;
  }

  /**
   * Adds an entry, its address or prefix as text that begins in this column; `columnOf` is asked only where something
   * is wrong with it. One that cannot be is a fault.
   */
  add(text: string, record: CtiRecord, line: number, columnOf: () => number): void {
    const prefix = this.#parse(text, line, columnOf);
    if (prefix === undefined) return;
    if (prefix.length === 0) return this.fault(line, columnOf(), `${quoted(text)} covers every address; leave it out`);
    this.#onEntry(prefix, record);
    this.#entries++;
  }

  fault(line: number, column: number, message: string): void {
    this.#faultCount++;
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ line, column, message });
  }

  warn(message: string, line: number): void {
    const key = this.#warnings.has(message) || this.#warnings.size < MAX_WARNINGS ? message : "more kinds of warnings";
    const warning = this.#warnings.get(key);
    if (warning === undefined) this.#warnings.set(key, { message: key, count: 1, line });
    else warning.count++;
  }

  /** A record of the feed with what stands in for what it does not say. */
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
      faults: this.#faults,
      faultCount: this.#faultCount,
      warnings: [...this.#warnings.values()],
    };
  }

  #parse(text: string, line: number, columnOf: () => number): Prefix | undefined {
    try {
      return parsePrefix(text);
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      if (error.code === "host-bits-set") return this.#masked(text, line);
      this.fault(line, columnOf() + error.position, `${quoted(text)}: ${error.problem}`);
      return undefined;
    }
  }

  #masked(text: string, line: number): Prefix {
    const prefix = parsePrefix(text, "mask");
    this.warn("host bits were set and have been cleared", line);
    return prefix;
  }
}

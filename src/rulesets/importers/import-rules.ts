import { formatPrefix } from "../../address/prefix.ts";
import { MAX_LINE_LENGTH } from "../../reading/list-line.ts";
import type { ListEntry } from "../../reading/list-entry.ts";
import { FirstLines } from "../first-lines.ts";
import { desiredIn } from "../rule-columns.ts";
import type { DesiredRule } from "../plan-replacement.ts";
import { RuleError } from "../rule-error.ts";
import { type ListedColumns, RuleList } from "../rule-list.ts";
import { parseTimestamp } from "../timestamp.ts";
import { checkPermitted, checkRuleName, parseRulePrefix, type PrefixPolicy } from "../validate-rule.ts";
import { csvLines } from "./csv.ts";
import {
  errorText,
  type Field,
  FileProblem,
  type ImportedRule,
  type LineError,
  LineProblem,
  type LineReader,
  type RuleDefaults,
  type RuleFields,
  type SkippedLine,
} from "./imported-rule.ts";
import { ndjsonLines } from "./ndjson.ts";
import { textLines } from "./text.ts";

/** Every format that can be imported, by name. */
const READERS = { text: textLines, csv: csvLines, ndjson: ndjsonLines } as const satisfies Record<
  string,
  () => LineReader
>;

/** The name of a format that `RuleImport` reads. */
export type ImportFormat = keyof typeof READERS;
/** Every `ImportFormat`, in the order in which help and errors list them. */
export const IMPORT_FORMATS = Object.keys(READERS) as readonly ImportFormat[];

/** An error shows this much of the invalid value, and of the line. */
const MAX_VALUE_LENGTH = 80;
/** A text with more unreadable lines is not a list of this format. Lines that repeat a prefix do not count. */
const MAX_UNREADABLE = 100_000;

/** Limits of a `RuleImport`, what it skips, and the defaults for lines that do not set a field. */
export interface ImportOptions extends PrefixPolicy {
  /** The maximum number of rules. Reading ends at the line that exceeds it, which is an error. 1,000,000 by default. */
  readonly maxRules?: number;
  /** The name of the setting behind `maxRules`, for that error. */
  readonly setting?: string;
  /** The maximum number of errors. Reading ends with the error that exceeds it. 100 by default. */
  readonly maxErrors?: number;
  /**
   * Skip lines that cannot be read or that repeat a prefix with another name or expiry, and report them in `skipped`. A line that makes the rest of
   * the list unreadable is still an error.
   */
  readonly skipInvalid?: boolean;
  /** How many skipped lines are reported. 200 by default. */
  readonly maxSkipped?: number;
  /** The defaults for lines that do not set these fields themselves. */
  readonly defaults?: RuleDefaults;
}

/** Lines that were left out: how many, and the first ones. */
export interface SkippedLines {
  readonly count: number;
  readonly lines: readonly SkippedLine[];
}

/** The result of a `RuleImport`: the rules, and the lines that could not be read. */
export interface ImportedRules {
  /** In the order of prefixes, each prefix once: a line that repeats one with another name or expiry is an error. */
  readonly rules: readonly ImportedRule[];
  /**
   * In the order of lines. No line is skipped silently: callers that want all or nothing import only if this is empty.
   */
  readonly errors: readonly LineError[];
  /** Whether all of the list was read. If not, the last error is the one that ended the reading. */
  readonly isWhole: boolean;
  /** Empty unless `skipInvalid` is set. */
  readonly skipped: SkippedLines;
  /** How many times a line repeats a prefix, with the same name and expiry. */
  readonly repeated: number;
}

/** The same with the rules in columns, in parts: a third of the memory for a million rules. */
export interface ImportedColumns extends Omit<ImportedRules, "rules"> {
  readonly parts: readonly ListedColumns[];
}

/**
 * Imports a list that comes in chunks: `write` each, then `end`. A byte order mark is skipped; lines end in LF, CRLF or
 * CR. The memory is that of the kept rules and errors, and of one line.
 */
export class RuleImport {
  readonly #readLine: LineReader;
  readonly #options: Required<Omit<ImportOptions, "maxSkipped">>;
  readonly #rules = new RuleList();
  readonly #errors: LineError[] = [];
  readonly #skipped: FirstLines<SkippedLine>;
  /** The last line that cannot be read, with all of its errors. */
  #unreadable: { readonly line: number; reason: string } | undefined;
  #unreadableCount = 0;
  /** The text after the last line end. */
  #rest = "";
  #line = 0;
  /** The rest of a line that is too long is skipped. */
  #isSkipping = false;
  /** Whether reading is over: the text has ended, or an error has ended it. */
  #hasEnded = false;
  #isWhole = true;

  /** @throws TypeError for a format that is not one of `IMPORT_FORMATS` */
  constructor(format: ImportFormat, options: ImportOptions = {}) {
    const {
      allowSpecialPurpose = false,
      maxRules = 1_000_000,
      setting = "",
      maxErrors = 100,
      skipInvalid = false,
      maxSkipped = 200,
      defaults = NO_DEFAULTS,
    } = options;
    if (!Object.hasOwn(READERS, format))
      throw new TypeError(`the format must be one of ${IMPORT_FORMATS.join(", ")}, not ${JSON.stringify(format)}`);
    this.#readLine = READERS[format]();
    this.#options = {
      allowSpecialPurpose,
      maxRules,
      setting: setting === "" ? "" : ` (${setting})`,
      maxErrors,
      skipInvalid,
      defaults,
    };
    this.#skipped = new FirstLines(maxSkipped);
  }

  /** Whether an error has ended the reading. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Takes the next part of the text, cut anywhere. */
  write(chunk: string): void {
    if (this.#hasEnded) return;
    const text = this.#rest + chunk;
    const ends = /\r\n|\n|\r(?!$)/g;
    let start = 0;
    // A CR at the very end may be half of a line end.
    for (let end = ends.exec(text); end !== null && !this.#hasEnded; end = ends.exec(text)) {
      this.#take(text.slice(start, end.index));
      start = ends.lastIndex;
    }
    // Text left unread after an error is not a line.
    if (this.#hasEnded) return void (this.#rest = "");
    this.#rest = text.slice(start);
    if (this.#rest.length <= MAX_LINE_LENGTH) return;
    if (!this.#isSkipping) {
      this.#take(this.#rest, true);
      this.#line--;
    }
    this.#isSkipping = true;
    this.#rest = this.#rest.endsWith("\r") ? "\r" : "";
  }

  /** Ends the text, which need not end in a line end, and returns the rules and errors. */
  end(): ImportedRules {
    const work = this.endInSteps();
    let step = work.next();
    while (step.done !== true) step = work.next();
    const { parts, ...rest } = step.value;
    const rules = parts.flatMap((part) =>
      Array.from(desiredIn(part), (rule, at): ImportedRule => ({ ...rule, line: part.lines[at]! })),
    );
    return { rules, ...rest };
  }

  /** As `end`, in steps of about a millisecond at most, for callers that have other work to do. */
  *endInSteps(): Generator<undefined, ImportedColumns, undefined> {
    const last = this.#rest.endsWith("\r") ? this.#rest.slice(0, -1) : this.#rest;
    if (last !== "" && !this.#hasEnded) this.#take(last);
    this.#hasEnded = true;
    let repeated = 0;
    const parts = yield* this.#rules.inOrder((prefix, line, earlier, isSame) => {
      if (isSame) return void repeated++;
      const field = { text: formatPrefix(prefix), at: 0 };
      const problem = `the prefix is already on line ${earlier}, with another name or expiry; remove one of the two lines`;
      if (!this.#options.skipInvalid) this.#addError(line, field, problem);
      else
        this.#skipped.add({
          line,
          text: field.text,
          value: field.text,
          reason: errorText({ column: 1, value: field.text, problem }),
        });
    });
    const skipped = { count: this.#skipped.count, lines: this.#skipped.inOrder() };
    return { parts, errors: this.#errors.sort((a, b) => a.line - b.line), isWhole: this.#isWhole, skipped, repeated };
  }

  /** `isCut`: the text is the beginning of a line that is too long, unless the rest is a comment. */
  #take(text: string, isCut = text.length > MAX_LINE_LENGTH): void {
    this.#line++;
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return;
    }
    const line = this.#line === 1 && text.startsWith("\ufeff") ? text.slice(1) : text;
    try {
      const fields = this.#readLine(line, isCut);
      if (fields !== null) this.#add(fields, line);
    } catch (error) {
      if (!(error instanceof LineProblem)) throw error;
      const field = { text: error.value, at: error.at };
      if (!(error instanceof FileProblem)) return this.#failLine(this.#line, field, error.message, line);
      this.#addError(this.#line, field, error.message);
      this.#stop();
    }
  }

  #add({ ip, name, expiresAt }: RuleFields, line: string): void {
    if (!("text" in ip)) return this.#addEntries(ip, line);
    const { defaults } = this.#options;
    let isGood = true;
    const check = <Value>(field: Field | null | undefined, read: (text: string) => Value): Value | null => {
      if (field === null || field === undefined) return null;
      try {
        return read(field.text);
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        isGood = false;
        this.#failLine(
          this.#line,
          { text: field.text, at: field.at + error.position },
          error.problem.replace(/^at position \d+: /, ""),
          line,
        );
        return null;
      }
    };
    const prefix = check(ip, (text) => parseRulePrefix(text, this.#options));
    const rule = {
      name: name === undefined ? defaults.name : check(name, checkRuleName),
      expiresAt: expiresAt === undefined ? defaults.expiresAt : check(expiresAt, parseTimestamp),
    };
    if (prefix !== null && isGood) this.#addRule({ prefix, ...rule }, ip);
  }

  /** All entries of a line, or none if a rule may not have one of their prefixes. */
  #addEntries(entries: readonly ListEntry[], line: string): void {
    const { name, expiresAt } = this.#options.defaults;
    for (const entry of entries) if (!this.#arePermitted(entry, line)) return;
    for (const entry of entries) for (const prefix of entry.prefixes) this.#addRule({ prefix, name, expiresAt }, entry);
  }

  #arePermitted(entry: ListEntry, line: string): boolean {
    try {
      for (const prefix of entry.prefixes) checkPermitted(prefix, entry.text, this.#options);
      return true;
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      this.#failLine(this.#line, entry, error.problem, line);
      return false;
    }
  }

  #addRule(rule: DesiredRule, ip: Field): void {
    if (this.#rules.count === this.#options.maxRules) {
      throw new FileProblem(
        ip.at,
        ip.text,
        `more than ${this.#options.maxRules} rules${this.#options.setting}; the remaining lines were not read`,
      );
    }
    this.#rules.add(rule, this.#line);
  }

  /** Reports a line that cannot be read as an error, or leaves it out. */
  #failLine(line: number, field: Field, problem: string, text: string): void {
    if (!this.#options.skipInvalid) return this.#addError(line, field, problem);
    const value = shortened(field.text);
    const reason = errorText({ column: field.at + 1, value, problem });
    if (this.#unreadable?.line === line) return void (this.#unreadable.reason += `; ${reason}`);
    const skipped = { line, text: shortened(text), value, reason };
    this.#skipped.add(skipped);
    this.#unreadable = skipped;
    if (++this.#unreadableCount <= MAX_UNREADABLE) return;
    this.#addError(line, field, `more than ${MAX_UNREADABLE} lines cannot be read; check the format of the list`);
    this.#stop();
  }

  /** Keeps an error. The first one beyond the maximum says so and ends the reading. */
  #addError(line: number, { text, at }: Field, problem: string): void {
    const { maxErrors } = this.#options;
    if (this.#errors.length > maxErrors) return;
    const isLast = this.#errors.length === maxErrors;
    if (isLast) this.#stop();
    this.#errors.push({
      line,
      column: at + 1,
      value: shortened(text),
      problem: isLast ? `more than ${maxErrors} errors; the rest was not read or is not listed` : problem,
    });
  }

  #stop(): void {
    this.#hasEnded = true;
    this.#isWhole = false;
  }
}

const NO_DEFAULTS: RuleDefaults = { name: null, expiresAt: null };

function shortened(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

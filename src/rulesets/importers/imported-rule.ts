import type { ListEntry } from "../../reading/list-entry.ts";
import { LINE_TOO_LONG, MAX_LINE_LENGTH } from "../../reading/list-line.ts";
import type { DesiredRule } from "../plan-replacement.ts";

/** A rule that was read from a file, and where. */
export interface ImportedRule extends DesiredRule {
  /** Counted from 1. */
  readonly line: number;
}

/** Why a line was not imported. */
export interface LineError {
  /** Counted from 1. */
  readonly line: number;
  /** The position of the first invalid character, in UTF-16 code units from 1. */
  readonly column: number;
  /** The invalid field, or the line if it has none. */
  readonly value: string;
  /** What is wrong, and how to fix it. */
  readonly problem: string;
}

/** A line that was left out. */
export interface SkippedLine {
  /** Counted from 1. */
  readonly line: number;
  /** The line as written, shortened; for a repeated prefix, the prefix. */
  readonly text: string;
  /** The first invalid field, or the line if it has none. */
  readonly value: string;
  /** What is wrong, where, and how to fix it. */
  readonly reason: string;
}

/** The fields of a rule that a list does not set. */
export interface RuleDefaults {
  readonly name: string | null;
  readonly expiresAt: number | null;
}

/** What is wrong with a line, and where in it. */
export function errorText({ column, value, problem }: Omit<LineError, "line">): string {
  return `column ${column}: ${JSON.stringify(value)}: ${problem}`;
}

/** A text in a line, and the offset at which it begins, from 0. */
export interface Field {
  readonly text: string;
  readonly at: number;
}

/**
 * The fields of a rule in a line: null for a field that is explicitly empty, undefined for one that the line does not
 * have. A line of a text has entries in place of `ip`, each of them the prefixes of as many rules.
 */
export interface RuleFields {
  readonly ip: Field | readonly ListEntry[];
  readonly name: Field | null | undefined;
  readonly expiresAt: Field | null | undefined;
}

/**
 * Reads one line per call; null for a line without a rule, such as a comment. `isCut`: it is the beginning of a line
 * longer than `MAX_LINE_LENGTH`, of which the rest can only be a comment. @throws LineProblem, FileProblem
 */
export type LineReader = (line: string, isCut?: boolean) => RuleFields | null;

/** An error that makes a line unreadable before its fields are read. */
export class LineProblem extends Error {
  /** The offset of the error in the line, from 0. */
  readonly at: number;
  readonly value: string;

  constructor(at: number, value: string, problem: string) {
    super(problem);
    this.name = "LineProblem";
    this.at = at;
    this.value = value;
  }
}

/** An error that makes all following lines unreadable as well. */
export class FileProblem extends LineProblem {}

/** For a format whose lines have no comments. */
export function lineTooLong(line: string): LineProblem {
  return new LineProblem(MAX_LINE_LENGTH, line, LINE_TOO_LONG);
}

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
  /** Of the first character at fault, in UTF-16 code units from 1. */
  readonly column: number;
  /** The field at fault, or the line where no field is. */
  readonly value: string;
  /** What is wrong and its cure. */
  readonly problem: string;
}

/** A line that was left out. */
export interface SkippedLine {
  /** Counted from 1. */
  readonly line: number;
  /** The line as it stands there, shortened; of a prefix that stood there before, the prefix. */
  readonly text: string;
  /** The first field at fault, or the line where no field is. */
  readonly value: string;
  /** What is wrong, where, and its cure. */
  readonly reason: string;
}

/** What a rule gets of which a list does not say it. */
export interface RuleDefaults {
  readonly name: string | null;
  readonly expiresAt: number | null;
}

/** What is wrong with a line, and where in it. */
export function faultText({ column, value, problem }: Omit<LineError, "line">): string {
  return `column ${column}: ${JSON.stringify(value)}: ${problem}`;
}

/** A text in a line, and the offset at which it begins, from 0. */
export interface Field {
  readonly text: string;
  readonly at: number;
}

/** The fields of a rule as a line has them: null where it says that there is none, undefined where it says nothing. */
export interface RuleFields {
  readonly ip: Field;
  readonly name: Field | null | undefined;
  readonly expiresAt: Field | null | undefined;
}

/** Reads one line after the other; null for one without a rule, such as a comment. @throws LineFault, FileFault */
export type LineReader = (line: string) => RuleFields | null;

/** What makes a line unreadable, before its fields are looked at. */
export class LineFault extends Error {
  /** From 0. */
  readonly at: number;
  readonly value: string;

  constructor(at: number, value: string, problem: string) {
    super(problem);
    this.name = "LineFault";
    this.at = at;
    this.value = value;
  }
}

/** What makes all lines that follow unreadable too. */
export class FileFault extends LineFault {}

import type { WantedRule } from "../plan-replacement.ts";

/** A rule that was read from a file, and where. */
export interface ImportedRule extends WantedRule {
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

/** A text in a line, and the offset at which it begins, from 0. */
export interface Field {
  readonly text: string;
  readonly at: number;
}

/** The fields of a rule as a line has them; null for an absent one. */
export interface RuleFields {
  readonly ip: Field;
  readonly name: Field | null;
  readonly expiresAt: Field | null;
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

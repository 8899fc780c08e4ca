import type { Family } from "../../src/address/address.ts";
import type { TableData } from "../data/table-data.ts";

/**
 * The result of a contender's lookup: the value of the longest matching prefix, or only whether some prefix covers the
 * address (1 or 0).
 */
export type AnswerKind = "value" | "member";

/**
 * The form of the addresses: `text`, one string per call; `native`, the form a contender's own call takes with nothing
 * left to parse, one address per call; `batch`, words of all addresses in one call; `lines`, the texts of all
 * addresses, one a line, in one call, which also finds where the lines end.
 */
export type Form = "text" | "native" | "batch" | "lines";

/** Whether a form takes all addresses in one call. */
export function isWhole(form: Form): boolean {
  return form === "batch" || form === "lines";
}

/** The same addresses in the forms a contender may ask for. */
export interface Queries {
  readonly family: Family;
  readonly count: number;
  readonly words: Uint32Array;
  /** Empty where all addresses go into one call. */
  readonly texts: readonly string[];
  /** ASCII, every line ended by LF; empty but for the form `lines`. */
  readonly lines: Buffer;
}

/** Looks every address up, in order, and leaves the answers in `out`. This, and nothing else, is timed. */
export type Pass = (out: Uint32Array) => void;

/** A table built in the contender's own structure. */
export interface Built {
  /** A pass over the queries; whatever a real caller would have ready (parsed native addresses) is made here. */
  pass(form: Form, queries: Queries): Pass;
  /**
   * An array for the answers, for a contender that can write only to memory of its own; the next call may give it
   * again.
   */
  createOut?(count: number): Uint32Array<ArrayBufferLike>;
  /** Turns what the passes wrote into answers, where those are the contender's own ids; not timed. */
  toAnswers?(out: Uint32Array): Uint32Array;
}

export interface Contender {
  readonly name: string;
  /** The npm package it comes from; null for Node's own and for ipsieve. */
  readonly package: string | null;
  readonly families: readonly Family[];
  readonly answers: AnswerKind;
  readonly forms: readonly Form[];
  build(table: TableData): Promise<Built>;
}
